//! From rows to figures: plateau, whether it is one, latency of small messages, and whether the columns agree.

use super::expect::Limits;
use super::{Collective, Point, Sample, Table};

/// Small sizes that the latency is the median of.
const SMALL_SIZES: usize = 5;

/// The figures of one table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Bus bandwidth at the largest size, in 10^9 bytes per second.
    pub plateau_gb_per_s: f64,
    /// That size in bytes.
    pub plateau_bytes: f64,
    /// Out of place, or in place where only that was measured.
    pub out_of_place: bool,
    /// The highest bus bandwidth of any size.
    pub best_gb_per_s: f64,
    /// The last doubling of the size added little; `None` with a single size.
    pub saturated: Option<bool>,
    /// Microseconds of a small collective, where small sizes were measured.
    pub latency_us: Option<f64>,
    /// The smallest of those sizes.
    pub latency_bytes: Option<f64>,
    /// Mean over the rows, where the footer is missing.
    pub mean_gb_per_s: f64,
}

/// The figures of a table; `None` where no row has a size above 0.
pub fn figures(table: &Table, limits: &Limits) -> Option<Figures> {
    column(table, limits, true)
}

/// The same of the in-place column alone; `None` without a rate in it.
pub fn in_place(table: &Table, limits: &Limits) -> Option<Figures> {
    column(table, limits, false).filter(|figures| figures.plateau_gb_per_s > 0.0)
}

fn column(table: &Table, limits: &Limits, out_of_place: bool) -> Option<Figures> {
    let rows: Vec<(f64, Sample, &Point)> = table
        .rows
        .iter()
        .filter(|point| point.size_bytes > 0.0)
        .filter_map(|point| Some((point.size_bytes, sample(point, out_of_place)?, point)))
        .collect();
    let largest = rows.iter().map(|row| row.0).fold(0.0, f64::max);
    let &(plateau_bytes, top, point) = rows.iter().rev().find(|row| row.0 >= largest)?;
    let busbw = |row: &(f64, Sample, &Point)| row.1.busbw_gb_per_s;
    let best = rows.iter().map(busbw).fold(0.0, f64::max);
    let small = latency(&rows, limits.small_bytes);
    Some(Figures {
        plateau_gb_per_s: top.busbw_gb_per_s,
        plateau_bytes,
        out_of_place: out_of_place && point.out_of_place.is_some(),
        best_gb_per_s: best,
        saturated: saturated(&rows, plateau_bytes, top.busbw_gb_per_s, limits.growth),
        latency_us: small.map(|(time, _)| time),
        latency_bytes: small.map(|(_, bytes)| bytes),
        mean_gb_per_s: mean(&rows),
    })
}

/// Over both columns and all rows, as the tests average.
fn mean(rows: &[(f64, Sample, &Point)]) -> f64 {
    let all: Vec<f64> =
        rows.iter().flat_map(|row| row.2.samples()).map(|sample| sample.busbw_gb_per_s).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// Whether the largest size adds less than `growth` for each doubling since the one before it.
fn saturated(rows: &[(f64, Sample, &Point)], largest: f64, top: f64, growth: f64) -> Option<bool> {
    let before = rows.iter().filter(|row| row.0 < largest).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let doublings = (largest / before.0).log2().max(0.1);
    let rise = (top / before.1.busbw_gb_per_s.max(1e-9)).ln() / doublings;
    Some(rise <= (1.0 + growth).ln())
}

/// Median time of the smallest sizes, and the smallest of them.
fn latency(rows: &[(f64, Sample, &Point)], small_bytes: f64) -> Option<(f64, f64)> {
    let mut small: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row.0 <= small_bytes && row.1.time_us > 0.0)
        .map(|row| (row.0, row.1.time_us))
        .collect();
    small.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    small.truncate(SMALL_SIZES);
    let smallest = small.first()?.0;
    let mut times: Vec<f64> = small.iter().map(|row| row.1).collect();
    times.sort_by(f64::total_cmp);
    Some((times[times.len() / 2], smallest))
}

/// The sample of one column; where out of place is asked and was not measured, the other one.
fn sample(point: &Point, out_of_place: bool) -> Option<Sample> {
    if out_of_place { point.sample() } else { point.in_place }
}

/// Bus bandwidth at one size, where the table has it in that column.
pub fn at_size(table: &Table, bytes: f64, out_of_place: bool) -> Option<f64> {
    let same = |point: &&Point| (point.size_bytes - bytes).abs() < 0.5;
    let point = table.rows.iter().rev().find(same)?;
    sample(point, out_of_place).map(|sample| sample.busbw_gb_per_s)
}

/// Rows whose bandwidths contradict each other: that of the bus is not the algorithm's times the factor of the collective,
/// or that of the algorithm is not the size over the time.
pub fn contradictions(
    table: &Table,
    limits: &Limits,
    collective: Option<Collective>,
    gpus: Option<u32>,
) -> usize {
    let factor = collective.zip(gpus).and_then(|(it, n)| it.factor(f64::from(n)));
    let off = |is: f64, should: f64| should > 0.0 && (is / should - 1.0).abs() > limits.agree;
    let contradicts = |point: &&Point| {
        point.samples().any(|sample| {
            let Sample { time_us, algbw_gb_per_s: algbw, busbw_gb_per_s: busbw, .. } = sample;
            if algbw < limits.least_gb_per_s || point.size_bytes <= 0.0 {
                return false;
            }
            let timed = time_us > 0.0 && off(algbw, point.size_bytes / time_us / 1e3);
            // A time such as 0.19 has too few digits.
            let timed = timed && time_us >= 10.0;
            timed || factor.is_some_and(|factor| busbw >= limits.least_gb_per_s && off(busbw, algbw * factor))
        })
    };
    table.rows.iter().filter(contradicts).count()
}
