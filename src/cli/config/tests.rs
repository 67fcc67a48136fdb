//! Files of settings: values arrive, mistakes are named with their place.

use super::*;
use crate::cli::project::Project;
use crate::cli::value::{BillingChoice, Days};

fn project(text: &str) -> Result<Settings, InputError> {
    Project::read("gpuadvise.toml", text).map(|project| project.defaults)
}

fn error(text: &str) -> String {
    project(text).expect_err("must be refused").to_string()
}

#[test]
fn defaults_reach_every_group() {
    let settings = project(
        "[defaults]\nparams = 1e9\ntask = \"train\"\nregion = [\"us-*\", \"eu-*\"]\nbilling = \"on-demand,spot\"\n\
         max-age = 120\nno-fractional = true\ntop = 3\nrestart-time = \"5m\"\n\
         [[workload]]\nname = \"x\"\n[budget]\ntotal = 1\n[discount]\naws = { spot = 1 }\n[[policy]]\nid = \"p\"\nwhen = \"row.nodes > 1\"\n",
    )
    .unwrap();
    let workload: WorkloadArgs = settings.group().unwrap();
    assert_eq!(workload.params.map(|count| count.0), Some(1_000_000_000));
    let filter: FilterArgs = settings.group().unwrap();
    assert_eq!(filter.region, Some(vec!["us-*".to_owned(), "eu-*".to_owned()]));
    assert_eq!(BillingChoice::kinds(&filter.billing.unwrap()).len(), 2);
    assert_eq!((filter.max_age, filter.no_fractional), (Some(Days(120)), Some(true)));
    assert_eq!(settings.group::<LimitArgs>().unwrap().top, Some(3));
    assert_eq!(settings.group::<SpotArgs>().unwrap().restart_time.map(|s| s.0.ms()), Some(300_000.0));
}

#[test]
fn mistakes_have_a_place_and_a_near_name() {
    let unknown = error("[defaults]\ntask = \"train\"\n  regoin = \"us-*\"\n");
    assert!(unknown.starts_with("gpuadvise.toml:3:3: unknown setting `regoin`"), "{unknown}");
    assert!(unknown.contains("`region`"), "{unknown}");

    let section = error("[default]\ntask = \"train\"\n");
    assert!(section.starts_with("gpuadvise.toml:1:2: "), "{section}");
    assert!(section.contains("`defaults`"), "{section}");

    let value = error("[defaults]\nregion = \"us-*\"\ngpus = 0\n");
    assert!(value.starts_with("gpuadvise.toml:3:8: ") && value.contains("--gpus"), "{value}");

    let table = error("[defaults]\nbudget = { total = 5 }\n");
    assert!(table.starts_with("gpuadvise.toml:2:10: `budget` must be"), "{table}");

    let syntax = error("[defaults]\nregion = \n");
    assert!(syntax.starts_with("gpuadvise.toml:2:"), "{syntax}");
}

#[test]
fn what_the_command_line_refuses_is_refused_in_a_file() {
    for line in [
        "deadline = -3",
        "deadline = \"soon\"",
        "budget = -1",
        "budget = nan",
        "max-age = 1.5",
        "top = 0",
        "sort = \"best\"",
        "stack = \"cudda\"",
        "billing = [\"spott\"]",
        "min-spot-discount = 120",
        "layers = 0",
        "params = 0",
        "goodput = 1.5",
        "assume-network = inf",
        "no-fractional = \"maybe\"",
        "deadline = 2026-01-01",
    ] {
        error(&format!("[defaults]\n{line}\n"));
    }
}

#[test]
fn a_workload_file_holds_workload_settings_only() {
    let settings = Settings::from_workload("job.toml", "model = \"llama-3-8b\"\ntask = \"infer\"\n").unwrap();
    assert_eq!(settings.group::<WorkloadArgs>().unwrap().model.as_deref(), Some("llama-3-8b"));
    let error = Settings::from_workload("job.toml", "region = \"us-*\"\n").unwrap_err().to_string();
    assert!(error.starts_with("job.toml:1:1: unknown setting `region`"), "{error}");
}

#[test]
fn the_nearest_file_upward_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(folder.path().join("gpuadvise.toml"), "").unwrap();
    assert_eq!(find(&deep), Some(folder.path().join("gpuadvise.toml")));
    std::fs::write(folder.path().join("a/gpuadvise.toml"), "").unwrap();
    assert_eq!(find(&deep), Some(folder.path().join("a/gpuadvise.toml")));
}
