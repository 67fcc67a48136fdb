//! Quota files: names mean rows of the catalog, mistakes have a place.

use super::*;
use crate::advise::quota::{Launch, shortfall};
use crate::catalog::load::{Sections, embedded};
use crate::catalog::price::Billing;

fn catalog() -> Catalog {
    embedded(Sections::PRICES).unwrap()
}

fn read(text: &str) -> Result<Vec<Quota>, InputError> {
    from_text("quota.toml", text, &catalog())
}

fn short(text: &str, machine: &str, nodes: u32, region: &str, billing: Billing) -> Option<String> {
    let catalog = catalog();
    let quotas = from_text("quota.toml", text, &catalog).unwrap();
    let instance = catalog.resolve_instance(machine).unwrap();
    let regions = catalog.resolve_region(region).unwrap();
    let owner = catalog.instance(instance).provider;
    let region = regions.into_iter().find(|&id| catalog.region(id).provider == owner).unwrap();
    let launch = Launch { instance, nodes, region, billing, falls_back: false };
    let plain = shortfall(&catalog, &quotas, &launch).map(|short| short.message());
    let later = shortfall(&catalog, &quotas, &Launch { falls_back: true, ..launch });
    assert!(later.is_some() || plain.is_none(), "a plan with two legs needs no less");
    plain
}

/// Spot that goes on on demand needs the quota of both.
#[test]
fn a_plan_needs_the_quotas_of_both_its_legs() {
    let catalog = catalog();
    let quotas = from_text(
        "q.toml",
        "[[quota]]\nprovider = \"aws\"\nbilling = \"on-demand\"\nmax-gpus = 4\n",
        &catalog,
    )
    .unwrap();
    let instance = catalog.resolve_instance("aws/p5.48xlarge").unwrap();
    let region = catalog.prices_of(instance)[0].region;
    let short = |billing, falls_back| {
        let launch = Launch { instance, nodes: 1, region, billing, falls_back };
        shortfall(&catalog, &quotas, &launch).map(|short| short.message())
    };
    assert_eq!(short(Billing::Spot, false), None);
    let message = short(Billing::Spot, true).unwrap();
    assert!(message.contains("8 GPUs and the quota allows 4 (aws on-demand"), "{message}");
    assert_eq!(short(Billing::Reserved1y, true), None, "only spot falls back");
}

/// P093: both numbers. P094: each billing kind for itself.
#[test]
fn a_quota_counts_what_it_names_and_nothing_else() {
    let text = "[[quota]]\nprovider = \"aws\"\nregion = \"us-east-1\"\ninstance = \"p5.*\"\n\
                billing = \"on-demand\"\nmax-vcpus = 192\n";
    let one = |nodes, region, billing| short(text, "aws/p5.48xlarge", nodes, region, billing);
    assert_eq!(one(1, "us-east-1", Billing::OnDemand), None, "192 vCPUs are one machine");
    let two = one(2, "us-east-1", Billing::OnDemand).unwrap();
    assert!(two.contains("384 vCPUs") && two.contains("allows 192"), "{two}");
    assert_eq!(one(2, "us-east-1", Billing::Spot), None);
    assert_eq!(one(2, "us-east-2", Billing::OnDemand), None);
    assert_eq!(short(text, "aws/p4d.24xlarge", 9, "us-east-1", Billing::OnDemand), None);
}

#[test]
fn gpus_and_machines_are_counted_too() {
    let text = "[[quota]]\nprovider = \"Amazon Web Services\"\ngpu = \"H100\"\nbilling = [\"on-demand\", \"spot\"]\n\
                max-gpus = 8\nmax-nodes = 3\n";
    assert_eq!(read(text).unwrap().len(), 2);
    let over = short(text, "aws/p5.48xlarge", 2, "us-east-1", Billing::Spot).unwrap();
    assert!(over.contains("16 GPUs"), "{over}");
    let none = "[[quota]]\nprovider = \"aws\"\nbilling = \"all\"\nmax-nodes = 0\n";
    assert!(short(none, "aws/g6.xlarge", 1, "us-east-1", Billing::OnDemand).is_some());
}

#[test]
fn mistakes_have_a_place() {
    let head = "[[quota]]\nprovider = \"aws\"\nbilling = \"on-demand\"\n";
    for (text, place, named) in [
        ("[[quotas]]\n".to_owned(), "1:3", "`quota`"),
        (format!("{head}max-gpu = 8\n"), "4:1", "`max-gpus`"),
        (format!("{head}max-gpus = \"8\"\n"), "4:12", "without quotes"),
        (format!("{head}max-gpus = -8\n"), "4:12", "not negative"),
        (format!("{head}max-gpus = nan\n"), "4:12", "not negative"),
        (head.to_owned(), "1:1", "without a limit"),
        ("[[quota]]\nprovider = \"aws\"\nmax-gpus = 8\n".to_owned(), "1:1", "without `billing`"),
        ("[[quota]]\nbilling = \"spot\"\nmax-gpus = 8\n".to_owned(), "1:1", "without a `provider`"),
        ("[[quota]]\nprovider = \"amazn\"\nbilling = \"spot\"\nmax-gpus = 8\n".to_owned(), "2:12", "`aws`"),
        (format!("{head}max-gpus = 8\nregion = \"mars-1\"\n"), "5:10", "mars-1"),
        (format!("{head}max-gpus = 8\nregion = \"europe-west4\"\n"), "5:10", "no region of `aws`"),
        (format!("{head}max-gpus = 8\ninstance = \"p55.*\"\n"), "5:12", "p55.*"),
        (format!("{head}max-gpus = 8\ngpu = \"H1000\"\n"), "5:7", "H100"),
    ] {
        let error = read(&text).expect_err(&text).to_string();
        assert!(error.starts_with(&format!("quota.toml:{place}: ")), "{text}: {error}");
        assert!(error.contains(named), "{text} must name {named}: {error}");
    }
}
