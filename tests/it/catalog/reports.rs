//! Faults that users of tools like this one have met, one test each; the numbers are those of the project's list.

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::lookup::{Reason, region_matches};
use gpuadvise::catalog::select::Filter;
use gpuadvise::units::GIB;

use super::{codes, overlay};

/// A cloud with one GPU and one machine of eight, whose price rows follow.
const CLOUD: &str = r#"
schema = 1
source = "S"
[sources.S]
text = "price page"
as-of = 2026-03-04
[[provider]]
name = "testcloud"
display = "Test Cloud"
tier = "specialist"
[[region]]
name = "r1"
[[instance]]
name = "m8"
gpu = "H100-SXM"
gpus = 8
"#;

fn names(catalog: &Catalog, spec: &str) -> Vec<String> {
    let found = catalog.resolve_gpu_spec(spec).unwrap_or_else(|error| panic!("{error}"));
    found.gpus.iter().map(|&id| catalog.gpu(id).name.clone()).collect()
}

fn hardware() -> Catalog {
    embedded(Sections::PRICES).unwrap()
}

#[test]
fn p033_a100_names_both_sizes_and_each_size_names_itself() {
    let catalog = hardware();
    let both = names(&catalog, "A100");
    assert_eq!(both[0], "A100-80GB-SXM", "the default member comes first");
    assert!(both.iter().any(|name| name.contains("40GB")) && both.iter().any(|name| name.contains("80GB")));
    assert!(names(&catalog, "A100-40GB").iter().all(|name| name.contains("40GB")));
    assert!(names(&catalog, "A100-80GB").iter().all(|name| name.contains("80GB")));
}

#[test]
fn p048_memory_has_a_unit_and_usable_memory_is_its_own_figure() {
    let (_, findings) = overlay(&CLOUD.replace("gpus = 8", "gpus = 8\ngpu-memory = \"80\""));
    assert_eq!(codes(&findings), ["bad-unit"]);
    let catalog = hardware();
    let h100 = catalog.gpu(catalog.only_gpu_named("H100-SXM").unwrap());
    assert!(h100.usable_measured && h100.usable_bytes < h100.memory_bytes);
    assert_eq!(h100.memory_bytes, 80 << 30);
}

#[test]
fn p052_a_price_on_another_basis_is_rejected() {
    let row = |price: &str| {
        format!("{CLOUD}[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\n{price}\n")
    };
    let (_, findings) = overlay(&row("usd-per-gpu-hour = 2.99"));
    assert_eq!(codes(&findings), ["price-basis"]);
    let (_, findings) = overlay(&row("usd-per-hour = 23.92\nunit = \"chip\""));
    assert_eq!(codes(&findings), ["price-basis"]);
    let (_, findings) = overlay(&row("usd-per-hour = 23.92\nunit = \"instance\""));
    assert_eq!(codes(&findings), [""; 0]);
}

#[test]
fn a_mistyped_price_is_told_beside_the_missing_one() {
    let row = "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\nusd-per-hr = 2.99\n";
    let (_, findings) = overlay(&format!("{CLOUD}{row}"));
    let mut found = codes(&findings);
    found.sort_unstable();
    assert_eq!(found, ["missing-field", "unknown-field"]);
}

#[test]
fn p054_a_zero_price_is_an_error() {
    for zero in ["0", "0.0", "-0.0", "-1.5"] {
        let row = format!(
            "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\nusd-per-hour = {zero}\n"
        );
        let (_, findings) = overlay(&format!("{CLOUD}{row}"));
        assert_eq!(codes(&findings), ["price-not-positive"], "{zero}");
    }
}

#[test]
fn p056_a_missing_price_stays_unknown() {
    let row = "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\nusd-per-hour = \"unknown\"\n";
    let (catalog, findings) = overlay(&format!("{CLOUD}{row}"));
    assert_eq!(codes(&findings), [""; 0]);
    let id = catalog.resolve_instance("testcloud/m8").unwrap();
    assert_eq!(catalog.prices_of(id)[0].per_hour, None);
    let (_, findings) =
        overlay(&format!("{CLOUD}[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\n"));
    assert_eq!(codes(&findings), ["missing-field"], "an empty price is not an unknown one");
}

#[test]
fn p059_conflicting_duplicates_name_both_lines() {
    let row = |price: &str| {
        format!(
            "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\nusd-per-hour = {price}\n"
        )
    };
    let (_, findings) = overlay(&format!("{CLOUD}{}{}", row("21.78"), row("20.86")));
    assert_eq!(codes(&findings), ["duplicate-price"]);
    let message = &findings[0].message;
    for part in ["line 17", "line 22", "21.78", "20.86", "testcloud/m8"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(findings[0].place.line, 22);
}

#[test]
fn p061_spot_above_on_demand_is_flagged() {
    let row = |kind: &str, price: &str| {
        format!(
            "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"{kind}\"\nusd-per-hour = {price}\n"
        )
    };
    for (spot, expected) in [("20.5", 1), ("20.0", 1), ("19.9", 0)] {
        let (_, findings) = overlay(&format!("{CLOUD}{}{}", row("on-demand", "20"), row("spot", spot)));
        assert_eq!(
            codes(&findings).iter().filter(|&&code| code == "spot-not-below-on-demand").count(),
            expected,
            "{spot}"
        );
    }
}

#[test]
fn p070_variants_that_sound_alike_are_separate_entries() {
    let catalog = hardware();
    let gib = |spec: &str| {
        let id = catalog.only_gpu_named(spec).unwrap_or_else(|| panic!("{spec} is not one GPU"));
        (catalog.gpu(id).name.clone(), (catalog.gpu(id).memory_bytes as f64 / GIB).round())
    };
    assert_eq!(gib("H100 NVL"), ("H100-NVL".to_owned(), 94.0));
    assert_eq!(gib("H100 PCIe"), ("H100-PCIe".to_owned(), 80.0));
    assert_eq!(gib("H100 SXM"), ("H100-SXM".to_owned(), 80.0));
    assert_ne!(gib("RTX 6000 Ada").0, gib("RTX A6000").0);
    let error = catalog.resolve_gpu_spec("RTX 6000").unwrap_err();
    assert_eq!(error.reason, Reason::Ambiguous);
    assert!(error.names.len() > 1, "{error}");
}

#[test]
fn p071_an_l40s_above_its_own_memory_is_refused_with_the_right_figure() {
    let instance = CLOUD
        .replace("gpu = \"H100-SXM\"\ngpus = 8", "gpu = \"L40S\"\ngpus = 4\ngpu-memory = \"183105 MiB\"");
    let (_, findings) = overlay(&instance);
    assert_eq!(codes(&findings), ["gpu-memory-mismatch"]);
    assert!(findings[0].message.contains("48.0 GiB"), "{}", findings[0].message);
}

#[test]
fn p072_a_share_of_a_gpu_keeps_its_memory() {
    let share = |count: &str| {
        CLOUD.replace(
            "gpu = \"H100-SXM\"\ngpus = 8",
            &format!("gpu = \"L4\"\ngpus = {count}\ngpu-memory = \"2861 MiB\""),
        )
    };
    let (catalog, findings) = overlay(&share("0.125"));
    assert_eq!(codes(&findings), [""; 0]);
    let instance = catalog.instance(catalog.resolve_instance("testcloud/m8").unwrap());
    assert_eq!(
        (instance.gpus, instance.gpu_memory_bytes, instance.is_fractional()),
        (0.125, 2861 << 20, true)
    );
    for count in ["0", "1"] {
        let (_, findings) = overlay(&share(count));
        assert_eq!(findings.len(), 1, "a share counted as {count}: {findings:?}");
    }
}

#[test]
fn p085_total_memory_is_count_times_memory_per_gpu() {
    let catalog = hardware();
    for instance in &catalog.instances {
        let gpu = catalog.gpu(instance.gpu);
        let own = gpu.memory_bytes as f64 * instance.gpus.min(1.0);
        let off = (instance.gpu_memory_bytes as f64 / own - 1.0).abs();
        assert!(
            off < 0.08,
            "{}: {} bytes per GPU, {own} expected",
            catalog.full_name(instance),
            instance.gpu_memory_bytes
        );
    }
}

#[test]
fn p090_a_name_selects_the_same_rows_whichever_alias_is_used() {
    let catalog = hardware();
    let rows = |spec: &str| {
        let filter = Filter { gpus: vec![catalog.resolve_gpu_spec(spec).unwrap()], ..Filter::default() };
        filter.instances(&catalog)
    };
    let canonical = rows("H100-SXM");
    assert!(!canonical.is_empty());
    for alias in ["h100 sxm", "NVIDIA H100 80GB HBM3", "nvidia/H100_SXM"] {
        assert_eq!(rows(alias), canonical, "{alias}");
    }
    let by_hand = catalog.instances.iter().filter(|it| catalog.gpu(it.gpu).name == "H100-SXM").count();
    assert_eq!(canonical.len(), by_hand);
}

#[test]
fn p098_regions_match_in_any_letters_and_unknown_ones_list_near_names() {
    let catalog = hardware();
    let azure = catalog.resolve_provider("azure").unwrap();
    let region =
        catalog.regions.iter().find(|region| region.provider == azure && region.name == "westus3").unwrap();
    for text in ["WestUS3", "West US 3", "westus3", "WESTUS*", "west us ?"] {
        assert!(region_matches(text, region), "{text}");
    }
    assert!(!region_matches("westus2", region));
    let error = catalog.resolve_region("westus33").unwrap_err();
    assert!(error.names.iter().any(|name| name == "westus3"), "{error}");
}

#[test]
fn p100_labels_of_every_tool_resolve() {
    let catalog = hardware();
    for spec in ["nvidia-tesla-a100", "a100_80gb", "A100-80GB", "TESLA_A100"] {
        assert!(names(&catalog, spec).contains(&"A100-80GB-SXM".to_owned()), "{spec}");
    }
    assert_eq!(names(&catalog, "NVIDIA A100-SXM4-80GB"), ["A100-80GB-SXM"]);
}

#[test]
fn p103_driver_names_of_the_h100() {
    let catalog = hardware();
    assert_eq!(names(&catalog, "NVIDIA H100 80GB HBM3"), ["H100-SXM"]);
    assert_eq!(names(&catalog, "NVIDIA H100 PCIe"), ["H100-PCIe"]);
}

#[test]
fn p104_ninety_gigabytes_fit_the_nvl_and_not_its_siblings() {
    let catalog = hardware();
    let large = names(&catalog, "90GB..100GB");
    assert!(large.contains(&"H100-NVL".to_owned()), "{large:?}");
    assert!(!large.contains(&"H100-PCIe".to_owned()) && !large.contains(&"H100-SXM".to_owned()), "{large:?}");
}

#[test]
fn p144_a_new_gpu_family_needs_only_rows() {
    let (_, findings) = overlay(&CLOUD.replace("H100-SXM", "Zeta-900"));
    assert_eq!(codes(&findings), ["unknown-gpu"], "an unlisted family is an error");
    let gpu = "[[gpu]]\nname = \"Zeta-900\"\nvendor = \"Zeta\"\narchitecture = \"Zed\"\nyear = 2026\nform-factor = \"OAM\"\n\
               stack = \"cuda\"\nmemory = \"200 GiB\"\nmemory-type = \"HBM4\"\nbandwidth-gb-s = 9000\nbf16-tflops = 3000\n";
    let price =
        "[[price]]\ninstance = \"m8\"\nregion = \"r1\"\nbilling = \"on-demand\"\nusd-per-hour = 48.5\n";
    let (catalog, findings) = overlay(&format!("{}{gpu}{price}", CLOUD.replace("H100-SXM", "Zeta-900")));
    assert_eq!(codes(&findings), [""; 0]);
    let filter = Filter { gpus: vec![catalog.resolve_gpu_spec("zeta 900:8").unwrap()], ..Filter::default() };
    let [price] = filter.prices(&catalog)[..] else { panic!("one price") };
    assert_eq!(price.per_hour.unwrap().to_string(), "48.5");
}
