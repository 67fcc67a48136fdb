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

/// The measured rates, ready to be asked.
#[derive(Clone, Debug)]
pub struct RateTable<'a> {
    constants: Constants,
    rows: Vec<(Point<'a>, &'a MeasuredRate)>,
}

impl<'a> RateTable<'a> {
    /// Reads the table of a catalog.
    pub fn new(catalog: &'a Catalog) -> Result<Self, Unplannable> {
        let constants = Constants::new(catalog)?;
        let rows = catalog.measured.iter().filter_map(|rate| row(catalog, rate, &constants)).collect();
        Ok(Self { constants, rows })
    }

    /// The constants of samples.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The rate of a case; `None` where no measured row is near enough.
    pub fn rate(&self, point: &Point<'_>) -> Option<Rate<'a>> {
        let own = self.seconds(point);
        let mut found: Vec<(f64, f64, &'a MeasuredRate)> = Vec::new();
        for (row, rate) in &self.rows {
            let Some(distance) = self.distance(point, row) else { continue };
            let ratio = match (self.seconds(row), own) {
                (Some(row), Some(own)) => row / own,
                _ if point.precision == row.precision => 1.0,
                _ => continue,
            };
            found.push((distance, rate.samples_per_s / f64::from(rate.gpus) * ratio, rate));
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
        let expected = (sum / weights).exp();
        let spread = self.spread(nearest);
        let per_gpu = Range { low: expected / spread, expected, high: expected * spread };
        Some(Rate { per_gpu, measured: nearest <= self.constants.near, nearest: source })
    }

    /// High over expected at a distance: fitted so that four of five left-out rows lie between low and high.
    fn spread(&self, distance: f64) -> f64 {
        let base = self.constants.get("spread", "measured").unwrap_or_default();
        let slope = self.constants.get("spread", "distance").unwrap_or_default();
        (base + slope * distance).exp()
    }

    fn seconds(&self, point: &Point<'_>) -> Option<f64> {
        let pass = Pass {
            gpu: point.gpu?,
            train: point.train,
            precision: point.precision,
            class: point.class,
            batch: point.batch.unwrap_or(self.constants.usual_batch),
            evaluations: point.evaluations,
        };
        let nominal = Work {
            family: super::roofline::Family::Sample(crate::model::SampleFamily::Cnn),
            flops: self.constants.get("nominal-flops", "")?,
            activations: self.constants.get("nominal-flops", "")? * self.constants.values_per_flop("cnn"),
            params: 0.0,
        };
        seconds(&point.work.unwrap_or(nominal), &pass, &self.constants)
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
fn row<'a>(
    catalog: &'a Catalog,
    rate: &'a MeasuredRate,
    constants: &Constants,
) -> Option<(Point<'a>, &'a MeasuredRate)> {
    let at = catalog.presets.binary_search_by(|preset| preset.name.as_str().cmp(&rate.network)).ok();
    let size = at.map(|at| Size::of_preset(&catalog.presets[at]));
    let gpu = catalog.gpus.binary_search_by(|gpu| gpu.name.as_str().cmp(&rate.gpu)).ok();
    let point = Point {
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
    };
    Some((point, rate))
}

/// The two 16-bit formats run equally fast.
pub fn plain(precision: Precision) -> Precision {
    if precision == Precision::Bf16 { Precision::Fp16 } else { precision }
}
