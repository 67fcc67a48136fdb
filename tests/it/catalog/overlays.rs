//! `--catalog` overlays: rows added and replaced, folders, later ones win.

use std::fs;
use std::path::PathBuf;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{CatalogProblem, Sections, embedded, with_overlays};
use gpuadvise::catalog::price::Billing;

const HEADER: &str =
    "schema = 1\nprovider = \"aws\"\nsource = \"S\"\n[sources.S]\ntext = \"contract\"\nas-of = 2026-02-03\n";

fn price(amount: &str) -> String {
    format!(
        "{HEADER}[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\nusd-per-hour = {amount}\n"
    )
}

fn on_demand(catalog: &Catalog) -> (String, bool, usize) {
    let id = catalog.resolve_instance("aws/p5.48xlarge").unwrap();
    let in_region =
        |price: &&gpuadvise::catalog::price::Price| catalog.region(price.region).name == "us-east-1";
    let found = catalog
        .prices_of(id)
        .iter()
        .filter(in_region)
        .find(|price| price.billing == Billing::OnDemand)
        .unwrap();
    (found.per_hour.unwrap().to_string(), found.overridden, catalog.prices.len())
}

#[test]
fn a_private_price_replaces_the_public_one_and_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("private.toml");
    fs::write(&file, price("41.25")).unwrap();
    let loaded = with_overlays(&[file], Sections::PRICES).unwrap();
    let before = embedded(Sections::PRICES).unwrap();
    assert_eq!(on_demand(&loaded.catalog), ("41.25".to_owned(), true, before.prices.len()));
    assert!(!on_demand(&before).1);
    let overridden = loaded.catalog.prices.iter().filter(|price| price.overridden).count();
    assert_eq!(overridden, 1);
    let source = loaded.catalog.prices.iter().find(|price| price.overridden).unwrap().source;
    assert_eq!(loaded.catalog.source(source).text, "contract");
}

#[test]
fn later_overlays_win_and_folders_are_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let nested = folder.path().join("a/b");
    fs::create_dir_all(&nested).unwrap();
    fs::write(nested.join("one.toml"), price("40.0")).unwrap();
    fs::write(folder.path().join("notes.txt"), "no catalog").unwrap();
    let second = folder.path().join("second.toml");
    fs::write(&second, price("39.5")).unwrap();
    let paths = [folder.path().join("a"), second];
    assert_eq!(on_demand(&with_overlays(&paths, Sections::PRICES).unwrap().catalog).0, "39.5");
}

#[test]
fn rows_that_an_overlay_puts_in_front_leave_the_others_as_they_were() {
    let file = |name: &str| format!("{}/tests/catalog_good/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let before = embedded(Sections::ALL).unwrap();
    let overlay = HEADER.replace("provider = \"aws\"\n", "")
        + "[[gpu]]\nname = \"0-first\"\nvendor = \"V\"\narchitecture = \"A\"\nyear = 2026\nform-factor = \"OAM\"\nstack = \"rocm\"\n\
           memory = \"96 GiB\"\nmemory-type = \"HBM\"\nbandwidth-gb-s = 900\n[[provider]]\nname = \"0-cloud\"\ndisplay = \"0\"\n\
           tier = \"marketplace\"\n[[region]]\nname = \"r\"\n[[instance]]\nname = \"m\"\ngpu = \"0-first\"\ngpus = 1\n\
           [[price]]\ninstance = \"m\"\nregion = \"r\"\nbilling = \"on-demand\"\nusd-per-hour = 1\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("first.toml"), overlay).unwrap();
    let paths = [folder.path().to_owned(), PathBuf::from(file("unknown-gpu"))];
    let after = with_overlays(&paths, Sections::ALL).unwrap().catalog;
    let lines = |catalog: &Catalog| -> Vec<String> {
        let shown = catalog.prices.iter().filter(|price| !price.overridden).map(|price| {
            let instance = catalog.instance(price.instance);
            let (gpu, region) = (&catalog.gpu(instance.gpu).name, &catalog.region(price.region).name);
            let (source, amount) = (&catalog.source(price.source).text, price.per_hour);
            format!("{} {gpu} {region} {:?} {amount:?} {source}", catalog.full_name(instance), price.billing)
        });
        shown.collect()
    };
    assert_eq!(lines(&before), lines(&after));
    assert_eq!(after.prices.len(), before.prices.len() + 2);
    let members = |catalog: &Catalog, name: &str| -> Vec<String> {
        catalog.resolve_gpu_spec(name).unwrap().gpus.iter().map(|&id| catalog.gpu(id).name.clone()).collect()
    };
    assert_eq!(members(&before, "A100"), members(&after, "A100"));
}

#[test]
fn a_broken_overlay_is_refused_with_all_its_findings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.toml"), price("0")).unwrap();
    fs::write(folder.path().join("b.toml"), price("nan")).unwrap();
    let Err(CatalogProblem::Invalid { findings }) =
        with_overlays(&[folder.path().to_owned()], Sections::PRICES)
    else {
        panic!("a zero price was accepted")
    };
    assert_eq!(super::codes(&findings), ["price-not-positive", "price-not-finite"]);
    assert!(findings[0].place.file.ends_with("a.toml") && findings[1].place.file.ends_with("b.toml"));
}

#[test]
fn a_missing_path_and_an_empty_folder_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nowhere.toml");
    let error = with_overlays(&[missing], Sections::PRICES).unwrap_err();
    assert!(error.to_string().contains("nowhere.toml"), "{error}");
    let error = with_overlays(&[folder.path().to_owned()], Sections::PRICES).unwrap_err();
    assert!(matches!(error, CatalogProblem::Empty { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_ends() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    fs::write(folder.path().join("private.toml"), price("41.25")).unwrap();
    assert!(with_overlays(&[folder.path().to_owned()], Sections::PRICES).is_ok());
}

#[test]
fn an_overlay_is_compared_with_what_lies_below_it() {
    let row = |billing: &str, amount: &str| {
        price(amount)
            .replace("\"on-demand\"", &format!("\"{billing}\""))
            .replace("usd-per-hour", "upfront = \"none\"\nusd-per-hour")
    };
    let (_, findings) = super::overlay(&row("reserved-3y", "500"));
    assert_eq!(super::codes(&findings), ["commitment-above-on-demand"]);
    let (_, findings) = super::overlay(&price("500").replace("\"on-demand\"", "\"spot\""));
    assert_eq!(super::codes(&findings), ["spot-not-below-on-demand"]);
    // A private price may lie below public commitments: nothing is wrong with the row.
    let (_, findings) = super::overlay(&price("20"));
    assert_eq!(super::codes(&findings), [""; 0]);
}

#[test]
fn the_catalog_laid_over_itself_is_sound_and_changes_nothing() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalog");
    let loaded = with_overlays(&[folder], Sections::ALL).unwrap();
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    let before = embedded(Sections::ALL).unwrap();
    assert_eq!(loaded.catalog.gpus.len(), before.gpus.len());
    assert_eq!(loaded.catalog.sources.len(), before.sources.len());
    assert_eq!(format!("{:?}", loaded.catalog.instances), format!("{:?}", before.instances));
    assert!(loaded.catalog.prices.iter().all(|price| price.overridden));
}

#[test]
fn no_row_of_the_files_is_lost() {
    let mut texts = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalog")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    let count = |start: &str| {
        texts.iter().flat_map(|text| text.lines()).filter(|line| line.trim_start().starts_with(start)).count()
    };
    let catalog = embedded(Sections::ALL).unwrap();
    assert_eq!(catalog.gpus.len(), count("[[gpu]]"));
    assert_eq!(catalog.families.len(), count("[[family]]"));
    assert_eq!(catalog.providers.len(), count("[[provider]]"));
    assert_eq!(catalog.regions.len(), count("[[region]]"));
    assert_eq!(catalog.instances.len(), count("[[instance]]"));
    assert_eq!(catalog.prices.len(), count("{ instance =") + count("[[price]]"));
    assert_eq!(catalog.presets.len(), count("[[model]]"));
    assert_eq!(catalog.measured.len(), count("{ model =") + count("{ network ="));
    assert_eq!(catalog.constants.len(), count("[[constant]]") + count("{ key ="));
    assert_eq!(catalog.software.len(), count("{ use ="));
    assert_eq!(catalog.rules.len(), count("[[rule]]"));
    assert_eq!(catalog.scenarios.len(), count("[[scenario]]"));
}
