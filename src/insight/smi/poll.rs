//! One GPU of one poll of `nvidia-smi -q`, whether it comes as XML or as text: names of figures are those of the XML.

use super::value::{Cell, cell, number};
use super::{Log, Metric, Sample, Shape, usage};
use jiff::civil::DateTime;

/// The GPU that is being read.
#[derive(Default)]
pub(super) struct Open {
    name: Option<String>,
    bus: Option<String>,
    sample: Sample,
    mig: bool,
    total_missing: bool,
    processes: Vec<String>,
    slices: Vec<(Option<u32>, Sample)>,
}

impl Open {
    /// The GPU at an address, at the time of the poll.
    pub(super) fn new(bus: Option<String>, time: Option<DateTime>) -> Self {
        Self { bus, sample: Sample { time, ..Sample::default() }, ..Self::default() }
    }

    /// Its address.
    pub(super) fn bus(&self) -> &str {
        self.bus.as_deref().unwrap_or_default()
    }

    /// A MIG instance begins.
    pub(super) fn slice_begins(&mut self) {
        self.slices.push((None, Sample::default()));
    }

    /// One text by the names of its XML elements below `gpu`.
    pub(super) fn text(&mut self, path: &[&str], words: &str) {
        // Every figure has its unit; one without is cut.
        let cut = number(words).is_some_and(|(_, unit)| unit.is_empty());
        let metric = match path {
            ["product_name"] => {
                match cell(words) {
                    Cell::Error => self.sample.error = true,
                    _ => self.name = Some(words.to_owned()),
                }
                return;
            }
            ["mig_mode", "current_mig"] => {
                self.mig = words == "Enabled";
                return;
            }
            ["mig_devices", "mig_device", inner @ ..] => return self.slice(inner, words),
            ["processes", "process_info", "process_name"] => return self.processes.push(words.to_owned()),
            ["processes", "process_info", "used_memory"] => return self.process_memory(words),
            ["fb_memory_usage", "total"] => {
                if !cut {
                    self.sample.read(Metric::MemoryTotal, words);
                }
                self.total_missing = self.sample.get(Metric::MemoryTotal).is_none_or(|total| total <= 0.0);
                return;
            }
            ["fb_memory_usage", "used"] => Metric::MemoryUsed,
            ["fb_memory_usage", "free"] => Metric::MemoryFree,
            ["utilization", "gpu_util"] => Metric::Utilisation,
            ["utilization", "memory_util"] => Metric::MemoryController,
            ["utilization", "encoder_util"] => Metric::Encoder,
            ["utilization", "decoder_util"] => Metric::Decoder,
            ["temperature", "gpu_temp"] => Metric::Temperature,
            [
                "power_readings" | "gpu_power_readings",
                "power_draw" | "average_power_draw" | "instant_power_draw",
            ] => Metric::Power,
            ["power_readings" | "gpu_power_readings", "power_limit" | "current_power_limit"] => {
                Metric::PowerLimit
            }
            _ => return,
        };
        if self.sample.get(metric).is_none() && !cut {
            self.sample.read(metric, words);
        }
    }

    fn slice(&mut self, path: &[&str], words: &str) {
        let Some((id, sample)) = self.slices.last_mut() else { return };
        match path {
            ["gpu_instance_id"] => *id = words.parse().ok(),
            ["fb_memory_usage", "total"] => sample.read(Metric::MemoryTotal, words),
            ["fb_memory_usage", "used"] => sample.read(Metric::MemoryUsed, words),
            _ => {}
        }
    }

    fn process_memory(&mut self, words: &str) {
        if let Cell::Figure(figure, unit) = cell(words)
            && let Some(bytes) = Metric::ProcessMemory.in_own_unit(figure, unit)
        {
            let sum = self.sample.get(Metric::ProcessMemory).unwrap_or(0.0) + bytes;
            self.sample.set(Metric::ProcessMemory, sum);
        }
    }

    /// Hands on what was read, as GPU `index` of a host.
    pub(super) fn finish(self, host: &str, index: u32, shape: Shape, log: &mut Log) {
        let series = log.gpu(host, index, shape);
        series.name = series.name.take().or(self.name);
        series.bus = series.bus.take().or(self.bus);
        series.mig |= self.mig;
        series.total_missing |= self.total_missing;
        series.processes.extend(self.processes);
        if !self.sample.is_empty() {
            series.samples.push(self.sample);
        }
        for (id, sample) in self.slices {
            let slice = series.slices.entry(id.unwrap_or_default()).or_default();
            slice.memory_bytes = slice.memory_bytes.or(sample.get(Metric::MemoryTotal));
            slice.used_peak_bytes = usage::most(slice.used_peak_bytes, sample.get(Metric::MemoryUsed));
        }
    }
}
