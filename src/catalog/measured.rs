//! Measured rates: what networks were seen to do on GPUs, where a formula does not reach.
//!
//! Figures as published. What is made of them is the estimates' affair.

use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// One measured rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRate {
    /// A preset, or the name of a network whose shape no source tells.
    pub network: String,
    /// An accelerator of the catalog, or the name of one that nobody rents out.
    pub gpu: String,
    /// `train` or `infer`.
    pub task: String,
    /// Format of the arithmetic: `fp32`, `tf32`, `fp16`, `bf16`, `fp8`, `int8`.
    pub precision: String,
    /// Class of software, as of the constants.
    pub class: String,
    /// Accelerators.
    pub gpus: u32,
    /// Samples of one accelerator in one pass, where the source tells.
    pub batch: Option<f64>,
    /// Tokens of one sample, of networks that work on tokens.
    pub seq_len: Option<u32>,
    /// Passes of the network for one sample: denoising steps, doubled by guidance.
    pub evaluations: f64,
    /// Samples per second over all accelerators.
    pub samples_per_s: f64,
    /// Where it was published.
    pub source: SourceId,
    /// Cautions.
    pub note: Option<String>,
    /// Came from an overlay.
    pub overridden: bool,
}
