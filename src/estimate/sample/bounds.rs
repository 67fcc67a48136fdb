//! What measured rows say about a case that was not measured: a GPU with at least the peak and the bandwidth of another is
//! at least as fast, a larger batch on each GPU too, and more GPUs in a job give each of them no more.
//!
//! Both follow from the roofline (Williams et al. 2009); only rows of the very network, task, format and software count.

use super::rate::{Point, Row};
use super::roofline::peak;

/// A carried rate, no lower than those of the measured rows that it must reach, and no higher than those that it cannot
/// exceed; where measurements contradict each other, the lower bound counts.
pub(super) fn keep(rows: &[Row<'_>], asked: &Point<'_>, carried: f64) -> f64 {
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    for row in rows.iter().filter(|row| is_alike(asked, &row.point)) {
        let per_gpu = row.rate.samples_per_s / f64::from(row.rate.gpus);
        let rate = per_gpu * row.point.evaluations / asked.evaluations;
        if is_at_least(asked, &row.point) {
            least = least.max(rate);
        }
        if is_at_least(&row.point, asked) {
            most = most.min(rate);
        }
    }
    carried.min(most).max(least)
}

/// Whether two cases differ in the GPU, its batch and the number of GPUs alone.
fn is_alike(a: &Point<'_>, b: &Point<'_>) -> bool {
    a.network == b.network
        && a.train == b.train
        && a.precision == b.precision
        && a.class == b.class
        && a.seq_len == b.seq_len
}

/// Whether a case has at least the peak, bandwidth and batch of another, on no more GPUs.
fn is_at_least(strong: &Point<'_>, weak: &Point<'_>) -> bool {
    let (Some(own), Some(other)) = (strong.gpu, weak.gpu) else { return false };
    let (Some(most), Some(least)) = (strong.batch, weak.batch) else { return false };
    let reaches = match (peak(own, strong.precision), peak(other, weak.precision)) {
        (Some(own), Some(other)) => own >= other,
        _ => false,
    };
    reaches
        && own.bandwidth_bytes_per_s >= other.bandwidth_bytes_per_s
        && most >= least
        && strong.gpus <= weak.gpus
}
