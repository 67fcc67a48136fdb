//! `nvidia-smi -q`: names and values below headings, told apart by how far they are indented; any `-d`, one poll after
//! the other with `-l`, lines of launchers between them.

use super::dmon::MOST_GPUS;
use super::poll::Open;
use super::value::number;
use super::{Log, Shape, time};
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// The line that every poll begins with.
const BANNER: &str = "NVSMI LOG=";

/// Names that stand beside the GPUs of a poll.
const TOP: [&str; 6] =
    ["Timestamp", "Driver Version", "CUDA Version", "Attached GPUs", "vGPU Driver Capability", "HGX"];

/// Whether a line begins a poll.
pub(super) fn begins(line: &str) -> bool {
    line.contains(BANNER)
}

/// Reads polls line by line.
#[derive(Default)]
pub(super) struct Report {
    /// A poll was begun, and nothing else came since.
    inside: bool,
    /// How far its banner is indented, as behind the name of a host.
    margin: usize,
    time: Option<DateTime>,
    open: Option<Open>,
    /// Headings above the line, with how far they are indented.
    above: Vec<(usize, String)>,
    /// Numbers given to GPUs by their address.
    numbers: BTreeMap<String, u32>,
}

impl Report {
    /// One line; `false` for one that is none of a poll.
    pub(super) fn line(&mut self, line: &str, last: bool, host: &str, log: &mut Log) -> bool {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if begins(text) {
            self.finish(host, log);
            (self.inside, self.margin, self.time) = (true, indent, None);
            return true;
        }
        if text.is_empty() {
            return self.inside;
        }
        if let Some(bus) = address(text) {
            self.finish(host, log);
            (self.inside, self.margin) = (true, indent);
            self.open = Some(Open::new(Some(bus.to_owned()), self.time));
            return true;
        }
        let (name, value) = parts(text);
        if !self.inside || indent <= self.margin {
            let known = self.inside && TOP.iter().any(|top| name.starts_with(top));
            if known && name == "Timestamp" {
                self.time = time::banner(value);
            }
            self.inside = known;
            return known;
        }
        // What the end of the file may have cut is none; a figure with its unit is whole.
        let whole = !last || number(value).is_some_and(|(_, unit)| !unit.is_empty());
        self.entry(indent, name, if whole { value } else { "" });
        true
    }

    fn entry(&mut self, indent: usize, name: &str, value: &str) {
        while self.above.last().is_some_and(|(further, _)| *further >= indent) {
            self.above.pop();
        }
        let name: String = name.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join("_");
        let Some(open) = &mut self.open else { return };
        if self.above.is_empty() && name == "mig_device" {
            open.slice_begins();
        }
        self.above.push((indent, name));
        let path: Vec<&str> = self.above.iter().map(|(_, name)| name.as_str()).collect();
        if let Some(path) = as_xml(&path).filter(|_| !value.is_empty()) {
            open.text(&path, value);
        }
    }

    /// Hands on the GPU that was read last.
    pub(super) fn finish(&mut self, host: &str, log: &mut Log) {
        self.above.clear();
        let Some(open) = self.open.take() else { return };
        let next = self.numbers.len() as u32;
        let index = *self.numbers.entry(open.bus().to_owned()).or_insert(next);
        if index < MOST_GPUS {
            open.finish(host, index, Shape::Report, log);
        }
    }
}

/// The address of `GPU 00000000:01:00.0`.
fn address(text: &str) -> Option<&str> {
    let bus = text.strip_prefix("GPU ")?.trim();
    let mut parts = bus.split([':', '.']);
    let hex = |part: Option<&str>, digits: &[usize]| {
        part.is_some_and(|part| digits.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let is = hex(parts.next(), &[4, 8])
        && hex(parts.next(), &[2])
        && hex(parts.next(), &[2])
        && hex(parts.next(), &[1])
        && parts.next().is_none();
    is.then_some(bus)
}

/// Name and value of `Used                    : 11125 MiB`; a heading has no value.
fn parts(text: &str) -> (&str, &str) {
    let (name, value) = text.split_once(" : ").or_else(|| text.split_once(" :")).unwrap_or((text, ""));
    (name.trim(), value.trim())
}

/// The names that the XML has for what stands below these headings.
fn as_xml<'a>(path: &[&'a str]) -> Option<Vec<&'a str>> {
    Some(match path {
        ["product_name"] => vec!["product_name"],
        ["mig_mode", "current"] => vec!["mig_mode", "current_mig"],
        ["mig_device", "gpu_instance_id"] => vec!["mig_devices", "mig_device", "gpu_instance_id"],
        ["mig_device", "shared_fb_memory_usage" | "fb_memory_usage", what] => {
            vec!["mig_devices", "mig_device", "fb_memory_usage", *what]
        }
        ["fb_memory_usage" | "memory_usage", what] => vec!["fb_memory_usage", *what],
        ["utilization", "gpu"] => vec!["utilization", "gpu_util"],
        ["utilization", "memory"] => vec!["utilization", "memory_util"],
        ["utilization", "encoder"] => vec!["utilization", "encoder_util"],
        ["utilization", "decoder"] => vec!["utilization", "decoder_util"],
        ["temperature", "gpu_current_temp" | "gpu"] => vec!["temperature", "gpu_temp"],
        ["power_readings" | "gpu_power_readings", what] => {
            let what = match *what {
                "instantaneous_power_draw" => "instant_power_draw",
                "enforced_power_limit" => "power_limit",
                other => other,
            };
            vec!["gpu_power_readings", what]
        }
        ["processes", "process_id", "name"] => vec!["processes", "process_info", "process_name"],
        ["processes", "process_id", "used_gpu_memory"] => vec!["processes", "process_info", "used_memory"],
        _ => return None,
    })
}
