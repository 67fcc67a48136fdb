//! What names mean, on the catalog of the program.

use super::*;
use crate::catalog::load::{Sections, embedded};

fn kind(name: &str) -> String {
    let catalog = embedded(Sections::ALL).unwrap();
    match find(&catalog, name) {
        Ok(Found::Gpu(id)) => format!("gpu {}", catalog.gpu(id).name),
        Ok(Found::Family(family)) => format!("family {}", family.name),
        Ok(Found::Instance(id)) => format!("instance {}", catalog.full_name(catalog.instance(id))),
        Ok(Found::Provider(id)) => format!("provider {}", catalog.provider(id).name),
        Ok(Found::Model(preset)) => format!("model {}", preset.name),
        Ok(Found::Scenario(scenario)) => format!("scenario {}", scenario.name),
        Ok(Found::Rule(rule)) => format!("rule {}", rule.id),
        Ok(Found::Region(region)) => format!("region {}", region.name),
        Err(error) => format!("error {error}"),
    }
}

#[test]
fn each_kind_is_found() {
    assert_eq!(kind("NVIDIA H100 80GB HBM3"), "gpu H100-SXM");
    assert_eq!(kind("h100"), "family H100");
    assert_eq!(kind("P5.48xlarge"), "instance aws/p5.48xlarge");
    assert_eq!(kind("Amazon Web Services"), "provider aws");
    assert_eq!(kind("llama_3_8b"), "model llama-3-8b");
    assert_eq!(kind("us-east-1"), "region us-east-1");
    assert_eq!(kind("gcp/us-east1"), "region us-east1");
}

#[test]
fn ambiguous_and_unknown_names_are_errors_with_names() {
    let ambiguous = kind("RTX 6000");
    assert!(ambiguous.starts_with("error") && ambiguous.contains("RTX-6000-Ada"), "{ambiguous}");
    let unknown = kind("H10O-SXM");
    assert!(unknown.starts_with("error nothing") && unknown.contains("`H100-SXM`"), "{unknown}");
    for text in ["", "24GB..80GB", "H100:8", "*"] {
        assert!(kind(text).starts_with("error"), "{text}: {}", kind(text));
    }
}
