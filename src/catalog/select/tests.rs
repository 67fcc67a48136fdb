use jiff::civil::date;

use super::{Filter, MaxAge, Miss};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId, Stack};
use crate::catalog::instance::{Instance, InstanceId, Provider, ProviderId, Tier, Unit};
use crate::catalog::lookup::GpuSelection;
use crate::catalog::price::{Billing, Currency, Price, Seldom};
use crate::catalog::provenance::{AsOf, Source, SourceId};
use crate::catalog::region::{Region, RegionId};
use crate::money::UsdPerHour;

fn instance(name: &str, gpu: u16, gpus: f64, vcpus: Option<f64>) -> Instance {
    Instance {
        provider: ProviderId(0),
        name: name.to_owned(),
        gpu: GpuId(gpu),
        gpus,
        gpu_memory_bytes: 80 << 30,
        vcpus,
        ram_gib: vcpus.map(|cpus| cpus * 8.0),
        nvme_gb: None,
        network_gbps: None,
        smallest_count: 1,
        unit: Unit::Instance,
        source: SourceId(0),
        note: None,
    }
}

fn region(name: &str, country: Option<&str>, jurisdictions: &[&str]) -> Region {
    Region {
        provider: ProviderId(0),
        name: name.to_owned(),
        display: None,
        country: country.map(ToOwned::to_owned),
        jurisdictions: jurisdictions.iter().map(|&tag| tag.to_owned()).collect(),
        operator_country: None,
        source: SourceId(0),
    }
}

fn price(instance: u16, region: u16, billing: Billing) -> Price {
    Price {
        instance: InstanceId(instance),
        region: RegionId(region),
        billing,
        upfront: None,
        per_hour: UsdPerHour::from_f64(2.5),
        currency: Currency::USD,
        stat: None,
        source: SourceId(0),
        overridden: false,
        fee: None,
        seldom: Seldom::default(),
    }
}

/// One provider, a CUDA and an XLA accelerator, three machines, two regions of which one has no known country.
fn catalog() -> Catalog {
    let gpu = |name: &str, stack| Gpu { name: name.to_owned(), stack, ..Gpu::empty(SourceId(0)) };
    let as_of = AsOf::Between(date(2026, 1, 1), date(2026, 3, 1));
    Catalog {
        sources: vec![Source { text: "page".to_owned(), as_of }],
        gpus: vec![gpu("A", Stack::Cuda), gpu("T", Stack::Xla)],
        providers: vec![Provider {
            name: "cloud".to_owned(),
            display: "Cloud".to_owned(),
            aliases: Vec::new(),
            tier: Tier::Marketplace,
            operator: None,
            source: SourceId(0),
        }],
        regions: vec![region("north", Some("NO"), &["eea"]), region("somewhere", None, &[])],
        instances: vec![
            instance("a-share", 0, 0.5, Some(4.0)),
            instance("a8", 0, 8.0, Some(96.0)),
            instance("t1", 1, 1.0, None),
        ],
        prices: vec![
            price(0, 0, Billing::OnDemand),
            price(1, 0, Billing::OnDemand),
            price(1, 1, Billing::OnDemand),
            price(1, 1, Billing::Spot),
        ],
        ..Catalog::default()
    }
}

fn names(filter: &Filter) -> Vec<String> {
    let catalog = catalog();
    filter.instances(&catalog).into_iter().map(|id| catalog.instance(id).name.clone()).collect()
}

#[test]
fn an_empty_filter_lets_everything_pass() {
    assert_eq!(names(&Filter::default()), ["a-share", "a8", "t1"]);
    assert_eq!(Filter::default().prices(&catalog()).len(), 4);
    assert_eq!(Filter::default().gpus(&catalog()), [GpuId(0), GpuId(1)]);
}

#[test]
fn machines_by_size_stack_and_tier() {
    assert_eq!(names(&Filter { no_fractional: true, ..Filter::default() }), ["a8", "t1"]);
    assert_eq!(names(&Filter { stacks: vec![Stack::Cuda], ..Filter::default() }), ["a-share", "a8"]);
    assert_eq!(names(&Filter { tiers: vec![Tier::Hyperscaler], ..Filter::default() }), [""; 0]);
    let cpus = Filter { min_vcpus: Some(4.0), ..Filter::default() };
    assert_eq!(names(&cpus), ["a-share", "a8"], "what is not known does not comply");
    assert_eq!(cpus.miss(&catalog(), InstanceId(2)), Some(Miss::Vcpus));
    assert_eq!(names(&Filter { min_ram_gib: Some(100.0), ..Filter::default() }), ["a8"]);
}

#[test]
fn machines_by_gpu_and_count() {
    let asked = |per_node| GpuSelection { gpus: vec![GpuId(0)], per_node, memory: None };
    assert_eq!(names(&Filter { gpus: vec![asked(None)], ..Filter::default() }), ["a-share", "a8"]);
    let eight = Filter { gpus: vec![asked(Some(8))], ..Filter::default() };
    assert_eq!(names(&eight), ["a8"]);
    assert_eq!(eight.miss(&catalog(), InstanceId(0)), Some(Miss::GpusPerNode));
    assert_eq!(eight.miss(&catalog(), InstanceId(2)), Some(Miss::Gpu));
    let one = Filter { gpus: vec![asked(Some(1))], ..Filter::default() };
    assert_eq!(names(&one), [""; 0], "a share is not one GPU");
}

#[test]
fn regions_of_unknown_country_comply_with_nothing() {
    let catalog = catalog();
    let norway = Filter { countries: vec!["no".to_owned()], ..Filter::default() };
    assert_eq!(norway.region_miss(&catalog, RegionId(0)), None);
    assert_eq!(norway.region_miss(&catalog, RegionId(1)), Some(Miss::Country));
    let eea = Filter { jurisdictions: vec!["EEA".to_owned()], ..Filter::default() };
    assert_eq!(eea.prices(&catalog).len(), 2);
    assert_eq!(eea.region_miss(&catalog, RegionId(1)), Some(Miss::Jurisdiction));
    assert_eq!(names(&eea), ["a-share", "a8"], "a machine without an offer there is left out");
    assert_eq!(names(&Filter { regions: vec![RegionId(1)], ..Filter::default() }), ["a8"]);
}

#[test]
fn prices_by_kind_and_age() {
    let catalog = catalog();
    assert_eq!(Filter { billing: vec![Billing::Spot], ..Filter::default() }.prices(&catalog).len(), 1);
    // Age counts from the earliest day of the range: 31 January is 30 days after 1 January.
    let aged =
        |days| Filter { max_age: Some(MaxAge { days, today: date(2026, 1, 31) }), ..Filter::default() };
    assert_eq!(aged(30).prices(&catalog).len(), 4);
    assert_eq!(aged(29).prices(&catalog).len(), 0);
    assert_eq!(aged(29).price_miss(&catalog, &catalog.prices[0]), Some(Miss::Age));
}
