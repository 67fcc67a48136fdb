//! The figures that a sample can hold, and the names that the tools give them.

use super::value::memory_unit;

/// One figure of a sample. Shares are per cent, memory is bytes, power is watts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Per cent of the time in which any kernel ran (`utilization.gpu`, `sm` of `dmon`, DCGM field 203).
    Utilisation,
    /// Per cent of the time in which memory was read or written (`utilization.memory`, DCGM field 204).
    MemoryController,
    /// Memory that the driver reports in all.
    MemoryTotal,
    /// Memory in use.
    MemoryUsed,
    /// Memory that is free.
    MemoryFree,
    /// Memory of all processes together.
    ProcessMemory,
    /// Power draw.
    Power,
    /// Limit of power.
    PowerLimit,
    /// Temperature of the chip, °C.
    Temperature,
    /// Per cent of the time in which the graphics or compute engine was active (DCGM 1001, GRACT).
    Engine,
    /// Per cent of the cycles in which an SM had a warp, over all SMs (DCGM 1002, SMACT).
    Sm,
    /// Resident warps in per cent of the most possible (DCGM 1003, SMOCC).
    Occupancy,
    /// Per cent of the cycles in which tensor cores were active (DCGM 1004, TENSO).
    Tensor,
    /// Per cent of the cycles in which device memory moved data (DCGM 1005, DRAMA).
    Dram,
    /// Encoder, per cent.
    Encoder,
    /// Decoder, per cent.
    Decoder,
}

/// Highest per cent value that may be a reading; the rest are marks for "none".
const MOST_PERCENT: f64 = 1000.0;
/// Highest power in watts that may be a reading.
const MOST_WATTS: f64 = 20_000.0;
/// Highest temperature that may be a reading.
const MOST_CELSIUS: f64 = 200.0;
/// Most bytes that may be a reading: 16 TiB.
const MOST_BYTES: f64 = (1_u64 << 44) as f64;

impl Metric {
    /// How many there are.
    pub const COUNT: usize = Self::Decoder as usize + 1;

    /// A printed number in the unit of the metric; `None` for a unit that is none of it, and for the huge numbers that
    /// DCGM prints where it has no reading.
    pub(super) fn in_own_unit(self, number: f64, unit: &str) -> Option<f64> {
        let (value, most) = match self {
            Self::MemoryTotal | Self::MemoryUsed | Self::MemoryFree | Self::ProcessMemory => {
                (number * memory_unit(unit)?, MOST_BYTES)
            }
            Self::Power | Self::PowerLimit if unit.starts_with("mW") => (number / 1000.0, MOST_WATTS),
            Self::Power | Self::PowerLimit => (number, MOST_WATTS),
            Self::Temperature => (number, MOST_CELSIUS),
            _ => (number, MOST_PERCENT),
        };
        (value <= most).then_some(value)
    }

    /// The name of its unit, as `in_own_unit` reads it.
    pub(super) fn plain_unit(self) -> &'static str {
        match self {
            Self::MemoryTotal | Self::MemoryUsed | Self::MemoryFree | Self::ProcessMemory => "bytes",
            _ => "",
        }
    }

    /// The metric of a column of `--query-gpu`, of `dmon` or of DCGM by its name in any case, without its unit.
    pub(super) fn of_column(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "utilization.gpu" | "sm" | "gputl" | "dcgm_fi_dev_gpu_util" => Self::Utilisation,
            "utilization.memory" | "mem" | "mcutl" | "dcgm_fi_dev_mem_copy_util" => Self::MemoryController,
            "memory.total" | "fbttl" | "dcgm_fi_dev_fb_total" => Self::MemoryTotal,
            "memory.used" | "fb" | "fbusd" | "dcgm_fi_dev_fb_used" => Self::MemoryUsed,
            "memory.free" | "fbfre" | "dcgm_fi_dev_fb_free" => Self::MemoryFree,
            "used_gpu_memory" | "used_memory" => Self::ProcessMemory,
            "power.draw" | "power.draw.average" | "pwr" | "power" | "dcgm_fi_dev_power_usage" => Self::Power,
            "power.limit" | "enforced.power.limit" | "pmlmt" | "pwlmt" | "dcgm_fi_dev_power_mgmt_limit" => {
                Self::PowerLimit
            }
            "temperature.gpu" | "gtemp" | "temp" | "tmptr" | "dcgm_fi_dev_gpu_temp" => Self::Temperature,
            "gract" | "gr_act" | "dcgm_fi_prof_gr_engine_active" => Self::Engine,
            "smact" | "smutil" | "sm_act" | "dcgm_fi_prof_sm_active" => Self::Sm,
            "smocc" | "sm_occ" | "dcgm_fi_prof_sm_occupancy" => Self::Occupancy,
            "tenso" | "anytensor" | "dcgm_fi_prof_pipe_tensor_active" => Self::Tensor,
            "drama" | "drambw" | "dcgm_fi_prof_dram_active" => Self::Dram,
            "enc" | "enctl" | "utilization.encoder" | "dcgm_fi_dev_enc_util" => Self::Encoder,
            "dec" | "dectl" | "utilization.decoder" | "dcgm_fi_dev_dec_util" => Self::Decoder,
            _ => return None,
        })
    }

    /// DCGM prints these as shares of 1.
    pub(super) fn is_profiled(self) -> bool {
        matches!(self, Self::Engine | Self::Sm | Self::Occupancy | Self::Tensor | Self::Dram)
    }

    /// Per cent of something, which cannot be more than 100.
    pub(super) fn is_share(self) -> bool {
        self.is_profiled()
            || matches!(self, Self::Utilisation | Self::MemoryController | Self::Encoder | Self::Decoder)
    }
}
