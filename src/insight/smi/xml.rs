//! `nvidia-smi -q -x`: one document a poll, whole or cut, with anything before, between and behind.

use super::dmon::MOST_GPUS;
use super::value::{Cell, cell, number};
use super::{Log, Metric, Sample, Shape, time, usage};
use jiff::civil::DateTime;
use quick_xml::Reader;
use quick_xml::events::Event;

const START: &str = "<nvidia_smi_log";
const END: &str = "</nvidia_smi_log>";

/// Reads all documents of a text and gives back what stands around them.
pub(super) fn documents(text: &str, host: &str, log: &mut Log) -> String {
    let (mut rest, mut around) = (text, String::new());
    while let Some(start) = rest.find(START) {
        around.push_str(&rest[..start]);
        around.push('\n');
        let end = rest[start..].find(END).map_or(rest.len(), |end| start + end + END.len());
        document(&rest[start..end], host, log);
        rest = &rest[end..];
    }
    around.push_str(rest);
    around
}

/// The GPU that is being read.
#[derive(Default)]
struct Open {
    name: Option<String>,
    bus: Option<String>,
    sample: Sample,
    mig: bool,
    total_missing: bool,
    processes: Vec<String>,
    slices: Vec<(Option<u32>, Sample)>,
}

fn document(text: &str, host: &str, log: &mut Log) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let (mut path, mut open, mut stamp, mut index): (Vec<String>, Option<Open>, Option<DateTime>, u32) =
        (Vec::new(), None, None, 0);
    // Text counts where its element ends: a cut one does not.
    let mut words = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                words.clear();
                let name = tag.name().as_ref().to_owned();
                if name == "gpu" && path.len() == 1 {
                    let id = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == "id");
                    let bus = id.map(|attribute| attribute.value.into_owned());
                    let sample = Sample { time: stamp, ..Sample::default() };
                    open = Some(Open { bus, sample, ..Open::default() });
                } else if let (Some(open), "mig_device") = (&mut open, name.as_str()) {
                    open.slices.push((None, Sample::default()));
                }
                path.push(name);
            }
            Ok(Event::Text(text)) => words.push_str(&text),
            Ok(Event::GeneralRef(name)) => words.push(entity(&name)),
            Ok(Event::End(_)) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                match (&mut open, names.as_slice()) {
                    (None, [_, "timestamp"]) => stamp = time::banner(words.trim()),
                    (Some(open), [_, _, inner @ ..]) if !words.trim().is_empty() => {
                        open.text(inner, words.trim());
                    }
                    _ => {}
                }
                words.clear();
                path.pop();
                if path.len() == 1
                    && let Some(open) = open.take()
                {
                    open.finish(host, index, log);
                    index += 1;
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        if index >= MOST_GPUS {
            return;
        }
    }
    if let Some(open) = open {
        open.finish(host, index, log);
    }
}

/// The character of an entity; those of XML itself are all that the tool writes.
fn entity(name: &str) -> char {
    match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => '\u{fffd}',
    }
}

impl Open {
    /// One text by the names of its elements below `gpu`.
    fn text(&mut self, path: &[&str], words: &str) {
        // Every figure has its unit here; one without is cut.
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

    fn finish(self, host: &str, index: u32, log: &mut Log) {
        let series = log.gpu(host, index, Shape::Xml);
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
