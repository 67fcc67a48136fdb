use super::names::{glob, normalise, squeeze};
use super::{Reason, region_matches, resolve_billing};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Family, Gpu, GpuId};
use crate::catalog::instance::ProviderId;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::price::Billing;
use crate::catalog::provenance::SourceId;
use crate::catalog::region::Region;

fn gpu(name: &str, gib: u64, aliases: &[&str]) -> Gpu {
    let aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
    Gpu { name: name.to_owned(), memory_bytes: gib << 30, aliases, ..Gpu::empty(SourceId(0)) }
}

/// Two A100s in a family, and two RTX cards that only look alike.
fn catalog() -> Catalog {
    let gpus = vec![
        gpu("A100-40GB-SXM", 40, &["NVIDIA A100-SXM4-40GB"]),
        gpu("A100-80GB-SXM", 80, &["NVIDIA A100-SXM4-80GB"]),
        gpu("RTX-6000-Ada", 48, &[]),
        gpu("RTX-A6000", 48, &["4090"]),
    ];
    let families =
        vec![Family { name: "A100".to_owned(), members: vec![GpuId(1), GpuId(0)], aliases: Vec::new() }];
    Catalog { gpus, families, ..Catalog::default() }
}

#[test]
fn names_are_blind_to_case_separators_and_vendors() {
    for name in [
        "NVIDIA A100-SXM4-80GB",
        "nvidia/a100_sxm4_80gb",
        "Tesla A100 SXM4 80GB",
        "nvidia-tesla-a100-sxm4-80gb",
    ] {
        assert_eq!(normalise(name), "a100sxm480gb", "{name}");
    }
    assert_eq!(normalise("nvidia"), "nvidia", "a vendor alone is not an empty name");
    assert_eq!(squeeze("google/Gemma-7b"), "googlegemma7b");
}

#[test]
fn globs() {
    for (pattern, text, expected) in [
        ("us-*", "us-east-1", true),
        ("us-*", "aus-1", false),
        ("*", "", true),
        ("?", "", false),
        ("a*b*c", "a1b2b3c", true),
        ("a*b*c", "a1b2b3", false),
        ("west?", "west2", true),
        ("", "a", false),
        ("**a", "aaa", true),
        ("é?", "éé", true),
    ] {
        assert_eq!(glob(pattern, text), expected, "{pattern} on {text}");
    }
}

#[test]
fn a_family_gives_its_members_default_first() {
    let found = catalog().resolve_gpu_spec("a100:8").unwrap();
    assert_eq!((found.gpus, found.per_node, found.memory), (vec![GpuId(1), GpuId(0)], Some(8), None));
    assert_eq!(catalog().only_gpu_named("A100"), None);
    assert_eq!(catalog().only_gpu_named("a100_40gb_sxm"), Some(GpuId(0)));
}

#[test]
fn ambiguous_unknown_and_malformed_specs_say_what_to_do() {
    let error = |spec: &str| catalog().resolve_gpu_spec(spec).unwrap_err();
    let ambiguous = error("RTX 6000");
    assert_eq!(ambiguous.reason, Reason::Ambiguous);
    assert_eq!(ambiguous.names, ["RTX-6000-Ada", "RTX-A6000"]);
    let unknown = error("A10O");
    assert_eq!(unknown.reason, Reason::Unknown);
    assert!(unknown.to_string().contains("did you mean `A100`"), "{unknown}");
    for spec in [
        "A100:0",
        "A100:-1",
        "A100:x",
        "A100:99999999999",
        "",
        "nvidia",
        "..",
        "80GB..24GB",
        "80GB",
        "-1GB..2GB",
        "nanGB..",
    ] {
        assert_eq!(error(spec).reason, Reason::Malformed, "{spec}");
    }
    assert_eq!(error("500GB..").reason, Reason::Unknown);
}

#[test]
fn a_name_of_digits_is_a_name() {
    assert_eq!(catalog().resolve_gpu_spec("4090").unwrap().gpus, [GpuId(3)]);
}

#[test]
fn memory_ranges_go_by_the_label_in_either_unit() {
    let found = |spec: &str| catalog().resolve_gpu_spec(spec).unwrap().gpus;
    assert_eq!(found("40GB..80GB"), [GpuId(0), GpuId(2), GpuId(3), GpuId(1)]);
    assert_eq!(found("48GiB..48GB"), [GpuId(2), GpuId(3)]);
    assert_eq!(found("50GB.."), [GpuId(1)]);
    assert_eq!(found("..41GB"), [GpuId(0)]);
    assert_eq!(catalog().resolve_gpu_spec("24GB..80GB:8").unwrap().per_node, Some(8));
}

#[test]
fn regions_match_by_name_and_display() {
    let region = |name: &str, display: &str| Region {
        provider: ProviderId(0),
        name: name.to_owned(),
        display: Some(display.to_owned()),
        country: None,
        jurisdictions: Vec::new(),
        operator_country: None,
        source: SourceId(0),
    };
    let west = region("westus3", "West US 3");
    let east = region("us-east-1", "US East (N. Virginia)");
    assert!(
        region_matches("WestUS3", &west)
            && region_matches("West US *", &west)
            && !region_matches("us-*", &west)
    );
    assert!(
        region_matches("us-*", &east)
            && region_matches("US_EAST_1", &east)
            && region_matches("*virginia*", &east)
    );
    assert!(!region_matches("us-east", &east));
}

#[test]
fn billing_lists() {
    assert_eq!(resolve_billing(["spot,on-demand", "spot"]).unwrap(), [Billing::OnDemand, Billing::Spot]);
    assert_eq!(resolve_billing(["all"]).unwrap(), Billing::ALL);
    let committed = resolve_billing(["committed"]).unwrap();
    assert!(committed.iter().all(|kind| kind.is_committed()) && committed.contains(&Billing::Cud3y));
    assert!(!committed.contains(&Billing::CapacityBlock));
    let error = resolve_billing(["reserved_2y"]).unwrap_err();
    assert!(error.to_string().contains("`reserved-1y`"), "{error}");
}

#[test]
fn gpus_that_are_not_listed_are_near_to_their_own_kind() {
    let catalog = embedded(Sections::HARDWARE).expect("a catalog");
    let near = |text: &str| catalog.resolve_gpu_spec(text).expect_err(text);
    for (text, names) in [
        ("L2", ["L20", "L4"].as_slice()),
        ("RTX 4070", &["RTX-4080", "RTX-4090"]),
        ("3060", &["RTX-3070"]),
        ("4060 Ti", &["RTX-4080"]),
        ("MI308X", &["MI300X"]),
        ("B100", &["B200", "B300"]),
        ("Inferentia1", &["Inferentia2"]),
        ("GB400", &["GB300"]),
    ] {
        let error = near(text);
        assert_eq!(error.reason, Reason::Unknown, "{text}");
        assert!(
            names.iter().all(|name| error.names.iter().any(|it| it == name)),
            "{text}: {:?}",
            error.names
        );
        assert!(error.names.len() <= 3 && error.to_string().contains("--catalog FILE"), "{error}");
    }
    for text in ["RX 7900 XTX", "T1000", "Rubin", "Ascend 910C", "DGX Spark"] {
        assert_eq!(near(text).names, [""; 0], "{text}");
    }
    assert_eq!(near("80GB").reason, Reason::Malformed);
}
