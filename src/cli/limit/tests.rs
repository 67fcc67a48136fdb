//! Flags become filters and limits; defaults give way to what is asked for by name.

use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::cli::constraint::{BillArgs, LimitArgs};
use crate::cli::request::Group;

fn catalog() -> Catalog {
    embedded(Sections::PRICES).unwrap()
}

fn args(pairs: &[(&str, &str)]) -> FilterArgs {
    FilterArgs::from_pairs(pairs.iter().copied()).unwrap()
}

fn search(pairs: &[(&str, &str)]) -> Filter {
    search_filter(&args(pairs), &catalog(), Date::constant(2026, 11, 30)).unwrap()
}

fn error(pairs: &[(&str, &str)]) -> String {
    filter(&args(pairs), &catalog(), Date::constant(2026, 11, 30)).expect_err("must be refused").to_string()
}

#[test]
fn a_listing_filters_nothing_unless_asked() {
    let filter = filter(&FilterArgs::default(), &catalog(), Date::constant(2026, 11, 30)).unwrap();
    assert_eq!(filter, Filter::default());
    let catalog = catalog();
    assert_eq!(instances(&filter, &catalog).len(), catalog.instances.len());
    assert_eq!(gpus(&filter, &catalog).len(), catalog.gpus.len());
}

#[test]
fn a_search_looks_at_cuda_and_at_no_marketplace() {
    let filter = search(&[]);
    assert_eq!(filter.stacks, [Stack::Cuda]);
    assert_eq!(filter.tiers, [Tier::Hyperscaler, Tier::Specialist]);
}

#[test]
fn what_is_named_widens_the_defaults() {
    assert!(search(&[("gpu", "MI300X")]).stacks.contains(&Stack::Rocm));
    assert!(!search(&[("gpu", "24GB..200GB")]).stacks.contains(&Stack::Rocm), "a range names nothing");
    assert!(search(&[("provider", "vast")]).tiers.contains(&Tier::Marketplace));
    assert_eq!(search(&[("gpu", "MI300X"), ("stack", "cuda")]).stacks, [Stack::Cuda], "what is said counts");
    assert!(search(&[("stack", "any")]).stacks.is_empty());
}

#[test]
fn unknown_names_are_refused_with_near_ones() {
    assert!(error(&[("provider", "awss")]).contains("`aws`"));
    assert!(error(&[("gpu", "H10O")]).contains("`H100`"));
    assert!(error(&[("region", "us-eats-1")]).contains("us-east-1"));
    assert!(error(&[("country", "Germany")]).contains("DE"));
    assert!(error(&[("jurisdiction", "euu")]).contains("`eu`"));
    assert!(error(&[("instance", "aws/p5.48xlrge")]).contains("aws/p5.48xlarge"));
}

#[test]
fn listings_follow_places_and_contracts() {
    let catalog = catalog();
    let today = Date::constant(2026, 11, 30);
    let spot = filter(&args(&[("provider", "lambda"), ("billing", "spot")]), &catalog, today).unwrap();
    assert_eq!(instances(&spot, &catalog), [], "Lambda sells no spot");
    let aws = filter(&args(&[("provider", "aws")]), &catalog, today).unwrap();
    let names: Vec<&str> = gpus(&aws, &catalog).into_iter().map(|id| catalog.gpu(id).name.as_str()).collect();
    assert!(names.contains(&"H100-SXM") && !names.contains(&"MI300X"), "{names:?}");
}

#[test]
fn limits_hold_defaults_and_what_was_asked() {
    let catalog = catalog();
    let today = Date::constant(2026, 11, 30);
    let default = limits(&ConstraintArgs::default(), &catalog, today).unwrap();
    assert_eq!((default.billing.as_slice(), default.top), ([Billing::OnDemand].as_slice(), 10));
    let asked = ConstraintArgs {
        limit: LimitArgs::from_pairs([("gpus", "8"), ("min-spot-discount", "60%"), ("deadline", "3d")])
            .unwrap(),
        filter: args(&[("billing", "committed")]),
        spot: SpotArgs::from_pairs([("checkpoint-interval", "none")]).unwrap(),
        bill: BillArgs::from_pairs([("startup", "10m"), ("storage", "500GiB")]).unwrap(),
    };
    let asked = limits(&asked, &catalog, today).unwrap();
    assert_eq!((asked.gpus, asked.max_gpus, asked.deadline_hours), (Some(8), 8, Some(72.0)));
    assert_eq!(asked.min_spot_discount, Some(0.6));
    assert!(asked.billing.iter().all(|kind| kind.term_hours().is_some()));
    assert!(asked.filter.billing.is_empty(), "contracts compete, they do not filter machines");
    assert_eq!(asked.spot.checkpoints, Checkpoints::Never);
    assert!((asked.extras.startup_hours - 1.0 / 6.0).abs() < 1e-9 && asked.extras.storage_bytes > 5e11);
}
