//! Overlays of any size, made by rule: the shape of a whole SkyPilot catalog after its import, without a file of its size.

use std::fmt::Write as _;

/// Clouds with machines of their own here; all are in the catalog.
const CLOUDS: [&str; 5] = ["aws", "azure", "gcp", "oci", "lambda"];

/// A GPU of the catalog, what one costs an hour on demand in cents, and how many a machine has.
const HARDWARE: [(&str, u32, u32); 12] = [
    ("T4", 50, 1),
    ("T4", 55, 4),
    ("L4", 80, 1),
    ("L4", 85, 8),
    ("A10G", 120, 4),
    ("L40S", 180, 4),
    ("V100-16GB-SXM", 300, 8),
    ("A100-40GB-SXM", 340, 8),
    ("A100-80GB-SXM", 400, 8),
    ("H100-SXM", 700, 8),
    ("H100-SXM", 720, 1),
    ("H200-SXM", 800, 8),
];

/// Regions of one cloud.
const REGIONS: usize = 40;

/// A whole import with so many prices (a multiple of 400): on demand and spot of each machine in each region.
pub(crate) fn overlay(prices: usize) -> String {
    let machines = prices / (2 * REGIONS * CLOUDS.len());
    let mut text = String::with_capacity(170 * prices + 4096);
    text.push_str("schema = 1\n\nprice = [\n");
    for cloud in CLOUDS {
        for machine in 0..machines {
            for region in 0..REGIONS {
                price(&mut text, cloud, machine, region);
            }
        }
    }
    text.push_str("]\n\n[sources.import-1]\ntext = \"made by rule\"\nas-of = 2026-11-01\n");
    for cloud in CLOUDS {
        for region in 0..REGIONS {
            let _ = write!(
                text,
                "\n[[region]]\nprovider = \"{cloud}\"\nname = \"made-{region}\"\nsource = \"import-1\"\n"
            );
        }
        for machine in 0..machines {
            let (gpu, _, gpus) = HARDWARE[machine % HARDWARE.len()];
            let (vcpus, ram) = (gpus * (8 + machine as u32 % 5), gpus * (60 + machine as u32 % 7));
            let _ = write!(
                text,
                "\n[[instance]]\nprovider = \"{cloud}\"\nname = \"made.{machine}\"\ngpu = \"{gpu}\"\ngpus = {gpus}\nvcpus = {vcpus}\nram-gib = {ram}\nsource = \"import-1\"\n"
            );
        }
    }
    text
}

fn price(text: &mut String, cloud: &str, machine: usize, region: usize) {
    let (_, cents, gpus) = HARDWARE[machine % HARDWARE.len()];
    // Spread by up to a tenth, alike in every run.
    let spread = (machine * 7919 + region * 104_729 + cloud.len() * 31) % 1000;
    let on_demand = u64::from(cents * gpus) * (10_000 + spread as u64);
    let spot = on_demand * 2 / 5;
    for (billing, amount, stat) in
        [("on-demand", on_demand, ""), ("spot", spot, "stat = \"median-of-zones\", ")]
    {
        let (whole, rest) = (amount / 1_000_000, amount % 1_000_000);
        let _ = writeln!(
            text,
            "  {{ provider = \"{cloud}\", instance = \"made.{machine}\", region = \"made-{region}\", billing = \"{billing}\", usd-per-hour = {whole}.{rest:06}, {stat}source = \"import-1\" }},"
        );
    }
}
