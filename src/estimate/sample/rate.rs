//! Rates from the table of measured ones: the nearest rows, each carried to the question by the ratio of the formula.
//!
//! A row that is the very case is its own answer; between two batches the answer lies between theirs (log-log); another
//! GPU, format or network is reached by the ratio of the roofline times (Williams et al. 2009), and the further the
//! nearest row is away the wider the range. Nothing is carried further than the constants allow.

use super::constants::Constants;
use super::roofline::{Pass, Size, Work, seconds};
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::measured::MeasuredRate;
use crate::estimate::{Range, Unplannable};
use crate::workload::precision::Precision;

/// What is asked of the table.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Name of the network: a preset, or what the table calls it.
    pub network: &'a str,
    /// What one sample takes, where the shape is known.
    pub work: Option<Work>,
    /// Name of the accelerator.
    pub gpu_name: &'a str,
    /// Its figures, where the catalog has them.
    pub gpu: Option<&'a Gpu>,
    /// Training rather than inference.
    pub train: bool,
    /// Format of the arithmetic.
    pub precision: Precision,
    /// Class of software.
    pub class: &'a str,
    /// Accelerators.
    pub gpus: u32,
    /// Samples of one accelerator in one pass.
    pub batch: Option<f64>,
    /// Tokens of a sample.
    pub seq_len: Option<u32>,
    /// Passes of the network for one sample.
    pub evaluations: f64,
}

/// A rate and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct Rate<'a> {
    /// Samples per second of one accelerator.
    pub per_gpu: Range,
    /// The very case was measured, or one between two measured ones.
    pub measured: bool,
    /// The nearest row.
    pub nearest: &'a MeasuredRate,
}

/// One measured rate as a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) point: Point<'a>,
    /// By the formula.
    seconds: Option<f64>,
    pub(super) rate: &'a MeasuredRate,
}

/// The measured rates, ready to be asked.
#[derive(Clone, Debug)]
pub struct RateTable<'a> {
    constants: Constants,
    pub(super) rows: Vec<Row<'a>>,
}

impl<'a> RateTable<'a> {
    /// Reads the table of a catalog.
    pub fn new(catalog: &'a Catalog) -> Result<Self, Unplannable> {
        let constants = Constants::new(catalog)?;
        let mut table = Self { constants, rows: Vec::new() };
        for rate in &catalog.measured {
            if let Some(point) = point_of(catalog, rate, &table.constants) {
                let seconds = table.seconds(&point);
                table.rows.push(Row { point, seconds, rate });
            }
        }
        Ok(table)
    }

    /// The constants of samples.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The rate of a case; `None` where no measured row is near enough. What is carried respects what was measured, and a
    /// larger batch is not carried to less than a smaller one.
    pub fn rate(&self, point: &Point<'_>) -> Option<Rate<'a>> {
        let mut rate = self.bounded(point)?;
        let Some(mut batch) = point.batch.filter(|_| !rate.measured) else { return Some(rate) };
        while batch > 1.0 {
            batch = (batch / 2.0).max(1.0);
            if let Some(smaller) = self.bounded(&Point { batch: Some(batch), ..*point })
                && smaller.per_gpu.expected > rate.per_gpu.expected
            {
                let more = smaller.per_gpu.expected / rate.per_gpu.expected;
                let Range { low, expected, high } = rate.per_gpu;
                rate.per_gpu = Range { low: low * more, expected: expected * more, high: high * more };
            }
        }
        Some(rate)
    }

    /// The largest batch of the rows that tell something about a case; 1 where none says its batch.
    pub(super) fn largest_batch(&self, point: &Point<'_>) -> u32 {
        let telling = self.rows.iter().filter(|row| self.distance(point, &row.point).is_some());
        telling.filter_map(|row| row.point.batch).fold(1.0, f64::max) as u32
    }

    /// The nearest rows carried to a case, and where that was not measured, kept between the bounds of measured rows.
    fn bounded(&self, point: &Point<'_>) -> Option<Rate<'a>> {
        let (expected, distance, nearest) = self.carried(point)?;
        let measured = distance <= self.constants.near;
        let expected = if measured { expected } else { super::bounds::keep(&self.rows, point, expected) };
        Some(Rate { per_gpu: self.range(expected, distance), measured, nearest })
    }

    /// The mean of the nearest rows, each carried to a case; how far the nearest is away, and that one.
    fn carried(&self, point: &Point<'_>) -> Option<(f64, f64, &'a MeasuredRate)> {
        let own = self.seconds(point);
        let mut found: Vec<(f64, f64, &'a MeasuredRate)> = Vec::new();
        for row in &self.rows {
            let Some(distance) = self.distance(point, &row.point) else { continue };
            let ratio = match (row.seconds, own) {
                (Some(row), Some(own)) => row / own,
                _ if point.precision == row.point.precision => 1.0,
                _ => continue,
            };
            found.push((distance, row.rate.samples_per_s / f64::from(row.rate.gpus) * ratio, row.rate));
        }
        let &(nearest, _, source) = found.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        if nearest > self.constants.reach {
            return None;
        }
        let (mut weights, mut sum) = (0.0, 0.0);
        for &(distance, rate, _) in &found {
            let weight = (nearest - distance).exp();
            if weight >= self.constants.keep {
                weights += weight;
                sum += weight * rate.ln();
            }
        }
        Some(((sum / weights).exp(), nearest, source))
    }

    fn range(&self, expected: f64, distance: f64) -> Range {
        let spread = self.spread(distance);
        Range { low: expected / spread, expected, high: expected * spread }
    }

    /// High over expected at a distance: fitted so that four of five left-out rows lie between low and high.
    fn spread(&self, distance: f64) -> f64 {
        let base = self.constants.get("spread", "measured").unwrap_or_default();
        let slope = self.constants.get("spread", "distance").unwrap_or_default();
        (base + slope * distance).exp()
    }

    fn seconds(&self, point: &Point<'_>) -> Option<f64> {
        seconds(&self.work(point)?, &self.pass(point)?, &self.constants)
    }

    fn pass<'b>(&self, point: &Point<'b>) -> Option<Pass<'b>> {
        Some(Pass {
            gpu: point.gpu?,
            train: point.train,
            precision: point.precision,
            class: point.class,
            batch: point.batch.unwrap_or(self.constants.usual_batch),
            evaluations: point.evaluations,
        })
    }

    /// What one sample takes, or a nominal amount where the shape is not known.
    fn work(&self, point: &Point<'_>) -> Option<Work> {
        let nominal = Work {
            family: super::roofline::Family::Sample(crate::model::SampleFamily::Cnn),
            flops: self.constants.get("nominal-flops", "")?,
            activations: self.constants.get("nominal-flops", "")? * self.constants.values_per_flop("cnn"),
            params: 0.0,
        };
        Some(point.work.unwrap_or(nominal))
    }

    /// How unlike two cases are; `None` where one tells nothing about the other.
    fn distance(&self, a: &Point<'_>, b: &Point<'_>) -> Option<f64> {
        let weigh = |difference: &str| self.constants.distance(difference);
        if a.train != b.train {
            return None;
        }
        // How a transcript is decoded, one window after the other or many at once, decides more than the GPU does.
        let decodes = a.work.is_some_and(|work| work.family.decodes());
        if decodes && a.class != b.class {
            return None;
        }
        let mut distance = 0.0;
        if a.network != b.network {
            let (own, other) = (a.work?.family, b.work?.family);
            if !own.is_kin(other) {
                return None;
            }
            distance += weigh(if own == other { "network" } else { "family" });
        }
        if a.gpu_name != b.gpu_name {
            let same = a.gpu?.architecture == b.gpu?.architecture;
            distance += weigh(if same { "gpu" } else { "architecture" });
        }
        if a.precision != b.precision {
            distance += weigh("precision");
        }
        if a.class != b.class {
            distance += weigh("software");
        }
        let batches = match (a.batch, b.batch) {
            (Some(a), Some(b)) => (a / b).ln().abs() * weigh("batch"),
            (None, None) => 0.0,
            _ => weigh("unknown-batch"),
        };
        let gpus = (f64::from(a.gpus) / f64::from(b.gpus)).log2().abs();
        let length = |point: &Point<'_>| {
            point.seq_len.map_or_else(|| self.constants.get("usual-length", "").unwrap_or(1.0), f64::from)
        };
        let lengths = (length(a) / length(b)).ln().abs();
        Some(distance + batches + gpus * weigh("gpus") + lengths * weigh("length"))
    }
}

/// A row of the table as a point.
fn point_of<'a>(catalog: &'a Catalog, rate: &'a MeasuredRate, constants: &Constants) -> Option<Point<'a>> {
    let at = catalog.presets.binary_search_by(|preset| preset.name.as_str().cmp(&rate.network)).ok();
    let size = at.map(|at| Size::of_preset(&catalog.presets[at]));
    let gpu = catalog.gpus.binary_search_by(|gpu| gpu.name.as_str().cmp(&rate.gpu)).ok();
    Some(Point {
        network: &rate.network,
        work: size.and_then(|size| Work::of(&size, rate.seq_len, constants)),
        gpu_name: &rate.gpu,
        gpu: gpu.map(|at| &catalog.gpus[at]),
        train: rate.task == "train",
        precision: plain(Precision::named(&rate.precision)?),
        class: &rate.class,
        gpus: rate.gpus,
        batch: rate.batch,
        seq_len: rate.seq_len,
        evaluations: rate.evaluations,
    })
}

/// The two 16-bit formats run equally fast.
pub fn plain(precision: Precision) -> Precision {
    if precision == Precision::Bf16 { Precision::Fp16 } else { precision }
}
