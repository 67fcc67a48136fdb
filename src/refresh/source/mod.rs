//! The parsers, one file a format: from bytes to offers. No parser knows what becomes of an offer.

mod aws;
mod aws_spot;
mod azure;
mod gcp;
mod gpuhunt;
mod lambda;
mod nebius;
mod oci;
mod plain;
mod runpod;
mod skypilot;
mod skypilot_gcp;
mod tpu;
mod vast;

use super::Format;

const fn format(
    name: &'static str,
    what: &'static str,
    title: &'static str,
    provider: Option<&'static str>,
    dated: bool,
    read: fn(&mut dyn std::io::Read, &mut super::Ledger<'_>) -> Result<(), super::Fault>,
) -> Format {
    Format { name, what, title, provider, dated, lines: provider.is_none(), read }
}

/// All formats, by name.
pub(super) const FORMATS: &[Format] = &[
    format(
        "aws",
        "AWS Price List bulk offer file of AmazonEC2 in JSON: on-demand and standard reserved",
        "AWS Price List bulk API",
        Some("aws"),
        true,
        aws::read,
    ),
    format(
        "aws-spot",
        "AWS spot price history (`aws ec2 describe-spot-price-history --output json`)",
        "AWS spot price history",
        Some("aws"),
        true,
        aws_spot::read,
    ),
    format(
        "aws-spot-advisor",
        "AWS Spot Instance Advisor data in JSON: savings are no prices, so all of it is listed as left out",
        "AWS Spot Instance Advisor",
        Some("aws"),
        false,
        aws_spot::read_advisor,
    ),
    format(
        "azure",
        "pages of the Azure Retail Prices API: consumption, spot, reservation, savings plan",
        "Azure Retail Prices API",
        Some("azure"),
        false,
        azure::read,
    ),
    format(
        "gcp",
        "pages of Google Cloud Billing SKUs: machines are summed up from core, RAM, GPU and SSD",
        "Google Cloud Billing Catalog API",
        Some("gcp"),
        true,
        gcp::read,
    ),
    format(
        "gpuhunt",
        "gpuhunt (dstack) catalog CSV of one provider",
        "gpuhunt catalog",
        None,
        false,
        gpuhunt::read,
    ),
    format(
        "lambda",
        "Lambda Cloud API, answer of /instance-types",
        "Lambda Cloud API",
        Some("lambda"),
        false,
        lambda::read,
    ),
    format(
        "nebius",
        "Nebius billing calculator: each estimate beside the platform, preset and region it was asked for",
        "Nebius billing calculator",
        Some("nebius"),
        false,
        nebius::read,
    ),
    format(
        "oci",
        "Oracle price list API, answer of /cetools/api/v1/products",
        "Oracle price list API",
        Some("oci"),
        true,
        oci::read,
    ),
    format(
        "plain",
        "a CSV of your own: provider, instance, region, billing, usd_per_hour, and more if you like",
        "price table",
        None,
        true,
        plain::read,
    ),
    format(
        "runpod",
        "RunPod GraphQL API, answer of gpuTypes",
        "RunPod API",
        Some("runpod"),
        false,
        runpod::read,
    ),
    format(
        "skypilot",
        "SkyPilot catalog CSV (v5 to v8) of one cloud, such as catalogs/v8/aws/vms.csv",
        "SkyPilot catalog",
        None,
        false,
        skypilot::read,
    ),
    format("vast", "Vast.ai API, answer of /bundles", "Vast.ai API", Some("vast"), false, vast::read),
];
