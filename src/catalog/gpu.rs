//! An accelerator: memory, bandwidth, dense peaks, links.

use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// Position of an accelerator in [`super::Catalog::gpus`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GpuId(pub u16);

/// One accelerator as sold: one H100 SXM, one TPU chip, one Trainium chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a chip, always named")]
pub struct Gpu {
    /// Canonical name, such as `H100-SXM`.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// Architecture generation, such as `Hopper`; efficiency constants go by it.
    pub architecture: String,
    /// First year on the market.
    pub year: u16,
    /// `SXM5`, `PCIe`, `OAM`, `SuperChip`, `cloud` …
    pub form_factor: String,
    /// Software that runs on it.
    pub stack: Stack,
    /// Memory on the label, in bytes (labels count 2^30).
    pub memory_bytes: u64,
    /// What the driver reports as total; fits are judged against this.
    pub usable_bytes: u64,
    /// The usable figure is a driver's; `false` where it is the rule of 98 % of the label.
    pub usable_measured: bool,
    /// Where the usable figure comes from, where that is another source than the row's.
    pub usable_source: Option<SourceId>,
    /// `HBM3`, `GDDR6` …
    pub memory_type: String,
    /// Memory bandwidth in bytes per second.
    pub bandwidth_bytes_per_s: f64,
    /// Dense peak rates by precision.
    pub peaks: Peaks,
    /// Link between the GPUs of a node, all directions added; `None` for PCIe only.
    pub link_bytes_per_s: Option<f64>,
    /// The link joins only pairs of cards (bridge), so that a node of more than two falls back to PCIe.
    pub link_pairs_only: bool,
    /// PCIe generation of the card, where it has one.
    pub pcie_gen: Option<u8>,
    /// Board power in watts.
    pub tdp_w: Option<f64>,
    /// Most MIG instances; 0 for none.
    pub mig_max_instances: u8,
    /// MIG profiles with their counts, such as `1g.10gb x7`.
    pub mig_profiles: Vec<String>,
    /// `9.0`, `gfx942` …
    pub compute_capability: Option<String>,
    /// BF16 arithmetic in the matrix units.
    pub bf16: bool,
    /// FP8 arithmetic in the matrix units.
    pub fp8: bool,
    /// Other names that drivers, clouds and people use.
    pub aliases: Vec<String>,
    /// Where the figures come from.
    pub source: SourceId,
    /// Conflicts and cautions.
    pub note: Option<String>,
}

impl Gpu {
    /// A GPU without any figure, to fill in.
    pub fn empty(source: SourceId) -> Self {
        Self {
            name: String::new(),
            vendor: String::new(),
            architecture: String::new(),
            year: 0,
            form_factor: String::new(),
            stack: Stack::Cuda,
            memory_bytes: 0,
            usable_bytes: 0,
            usable_measured: false,
            usable_source: None,
            memory_type: String::new(),
            bandwidth_bytes_per_s: 0.0,
            peaks: Peaks::default(),
            link_bytes_per_s: None,
            link_pairs_only: false,
            pcie_gen: None,
            tdp_w: None,
            mig_max_instances: 0,
            mig_profiles: Vec::new(),
            compute_capability: None,
            bf16: false,
            fp8: false,
            aliases: Vec::new(),
            source,
            note: None,
        }
    }
}

/// Dense (never sparse) peaks in FLOPs, or operations, per second; `None` where unsupported or unsourced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// FP64.
    pub fp64: Option<f64>,
    /// FP32 outside the matrix units.
    pub fp32: Option<f64>,
    /// TF32 in the matrix units.
    pub tf32: Option<f64>,
    /// FP16 in the matrix units with FP32 accumulation.
    pub fp16: Option<f64>,
    /// BF16 in the matrix units.
    pub bf16: Option<f64>,
    /// FP8.
    pub fp8: Option<f64>,
    /// INT8.
    pub int8: Option<f64>,
    /// FP4.
    pub fp4: Option<f64>,
}

impl Peaks {
    /// All peaks with the names of their formats, widest first.
    pub fn named(&self) -> [(&'static str, Option<f64>); 8] {
        [
            ("fp64", self.fp64),
            ("fp32", self.fp32),
            ("tf32", self.tf32),
            ("fp16", self.fp16),
            ("bf16", self.bf16),
            ("fp8", self.fp8),
            ("int8", self.int8),
            ("fp4", self.fp4),
        ]
    }
}

/// The software stack that an accelerator needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stack {
    /// NVIDIA CUDA.
    Cuda,
    /// AMD ROCm.
    Rocm,
    /// Google TPUs through XLA.
    Xla,
    /// AWS Neuron.
    Neuron,
    /// Intel Gaudi (Habana `SynapseAI`).
    Gaudi,
    /// Huawei CANN.
    Cann,
}

impl Stack {
    /// All stacks, in the order of tables.
    pub const ALL: [Self; 6] = [Self::Cuda, Self::Rocm, Self::Xla, Self::Neuron, Self::Gaudi, Self::Cann];

    /// Names of all stacks.
    pub const NAMES: &[&'static str] = &["cuda", "rocm", "xla", "neuron", "gaudi", "cann"];

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The stack with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stack| stack.name() == name)
    }
}

/// A name that stands for several accelerators: `A100`, `H100`, `V100`, `A100-80GB`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// The name that people type.
    pub name: String,
    /// Its members, the default one first.
    pub members: Vec<GpuId>,
    /// Other names for the family.
    pub aliases: Vec<String>,
}
