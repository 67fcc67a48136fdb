//! Units: nccl-tests counts 10^9 bytes per second, nccom-test writes GB/s and counts 2^30.

use super::{Layout, Sample, Table};

const GIB_PER_GB: f64 = 1.073_741_824;

/// Makes all bandwidths 10^9 bytes per second. The size over the time tells which unit a table is in.
pub(super) fn settle(table: &mut Table) {
    if table.layout != Some(Layout::Nccom) {
        return;
    }
    let told = table.rows.iter().rev().find_map(|point| {
        let sample = point.out_of_place.filter(|it| it.time_us > 0.0 && it.algbw_gb_per_s > 0.0)?;
        Some(point.size_bytes / sample.time_us / 1e3 / sample.algbw_gb_per_s)
    });
    let binary = told.is_none_or(|ratio| (ratio / GIB_PER_GB - 1.0).abs() < (ratio - 1.0).abs());
    if !binary {
        return;
    }
    let scale = |sample: Sample| Sample {
        algbw_gb_per_s: sample.algbw_gb_per_s * GIB_PER_GB,
        busbw_gb_per_s: sample.busbw_gb_per_s * GIB_PER_GB,
        ..sample
    };
    for point in &mut table.rows {
        point.out_of_place = point.out_of_place.map(scale);
        point.in_place = point.in_place.map(scale);
    }
    table.average_gb_per_s = table.average_gb_per_s.map(|average| average * GIB_PER_GB);
    table.binary_units = true;
}
