//! `dcgmi dmon`: names over columns, entities `GPU 0` and `GPU-I 3`, shares of 1 with or without an exponent.

use super::dmon::MOST_GPUS;
use super::value::{Cell, cell};
use super::{Log, Metric, Sample, Shape, time, usage};

/// A word and where it stands in its line.
type Word<'t> = (usize, &'t str);

fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                words.push((from, &line[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// One column: what it holds, and where its name stands.
struct Column {
    metric: Option<Metric>,
    start: usize,
    percent: bool,
}

/// Reads the rows below a header.
pub(super) struct Dcgmi {
    columns: Vec<Column>,
    /// The GPU of the last row, which instances below it belong to.
    gpu: u32,
}

/// How far, in characters, a figure may stand from where its name begins, where a row has words of its own.
const NEAR: usize = 2;

impl Dcgmi {
    /// `#Entity   GRACT  SMACT …`, with or without a space behind the mark, columns of others in front.
    pub(super) fn header(line: &str) -> Option<Self> {
        let words = words(line);
        let is_entity = |word: &Word| word.1.trim_start_matches('#').eq_ignore_ascii_case("entity");
        let entity = words.iter().position(is_entity)?;
        let column = |&(start, name): &Word| Column {
            metric: Metric::of_column(name.trim_end_matches("(%)")),
            start,
            percent: name.ends_with("(%)"),
        };
        let columns: Vec<Column> = words[entity + 1..].iter().map(column).collect();
        columns.iter().any(|column| column.metric.is_some()).then_some(Self { columns, gpu: 0 })
    }

    /// One line; the last figure of one that the end of the file may have cut does not count.
    pub(super) fn line(&mut self, line: &str, last: bool, host: &str, log: &mut Log) {
        let mut words = words(line);
        if last && !line.ends_with(char::is_whitespace) {
            words.pop();
        }
        let Some((at, kind, index, taken)) = entity(&words) else { return self.units(&words) };
        let front: Vec<&str> = words[..at].iter().map(|(_, word)| *word).collect();
        let sample = self.sample(&words[at + taken..], time::stamp(&front.join(" ")));
        match kind {
            Entity::Gpu => {
                self.gpu = index;
                let series = log.gpu(host, index, Shape::Dcgmi);
                if !sample.is_empty() {
                    series.samples.push(sample);
                }
            }
            Entity::Instance => {
                let series = log.gpu(host, self.gpu, Shape::Dcgmi);
                series.mig = true;
                let slice = series.slices.entry(index).or_default();
                slice.activity.extend(sample.get(Metric::Sm).or(sample.get(Metric::Engine)));
                slice.memory_bytes = slice.memory_bytes.or(sample.get(Metric::MemoryTotal));
                slice.used_peak_bytes = usage::most(slice.used_peak_bytes, sample.get(Metric::MemoryUsed));
            }
            Entity::Other => {}
        }
    }

    /// The line of units below the names: `%` there means that figures are per cent and no shares of 1.
    fn units(&mut self, words: &[Word]) {
        if words.first().is_some_and(|(_, word)| word.trim_start_matches('#').eq_ignore_ascii_case("id")) {
            for (start, _) in words.iter().filter(|(_, word)| *word == "%") {
                let near = self.columns.iter_mut().min_by_key(|column| column.start.abs_diff(*start));
                if let Some(column) = near {
                    column.percent = true;
                }
            }
        }
    }

    fn sample(&self, values: &[Word], time: Option<jiff::civil::DateTime>) -> Sample {
        let mut sample = Sample { time, ..Sample::default() };
        // A row with words more than there are names is read by position, and where nothing stands in place, from its
        // end; a cut one as far as it is whole.
        let more = values.len().saturating_sub(self.columns.len());
        let in_place =
            more > 0 && self.columns.iter().all(|column| near(values, column).is_some_and(is_value));
        let whole =
            if values.len() < self.columns.len() { values.len().saturating_sub(1) } else { values.len() };
        for (at, column) in self.columns.iter().enumerate() {
            let Some(metric) = column.metric else { continue };
            let word = if in_place { near(values, column) } else { values[..whole].get(at + more) };
            let Some((_, word)) = word else { continue };
            sample.read(metric, word);
            let share = metric.is_profiled() && !column.percent;
            if let (true, Cell::Figure(figure, _)) = (share, cell(word))
                && sample.get(metric).is_some()
            {
                sample.set(metric, figure * 100.0);
            }
        }
        sample
    }
}

/// The word that begins where a column does.
fn near<'w, 't>(values: &'w [Word<'t>], column: &Column) -> Option<&'w Word<'t>> {
    let nearest = values.iter().min_by_key(|(start, _)| start.abs_diff(column.start));
    nearest.filter(|(start, _)| start.abs_diff(column.start) <= NEAR)
}

fn is_value((_, word): &Word) -> bool {
    *word == "N/A" || !matches!(cell(word), Cell::Nothing)
}

#[derive(Clone, Copy, PartialEq)]
enum Entity {
    Gpu,
    Instance,
    Other,
}

/// The entity of a row: where it stands, what it is, its number, and how many words it takes.
fn entity(words: &[Word]) -> Option<(usize, Entity, u32, usize)> {
    words.iter().enumerate().find_map(|(at, (_, word))| {
        let number = |text: &str| text.parse::<u32>().ok().filter(|index| *index < MOST_GPUS);
        let kind = match *word {
            "GPU" => Entity::Gpu,
            "GPU-I" => Entity::Instance,
            "GPU-CI" | "VGPU" | "CPU" | "Switch" | "Link" | "CPUCore" => Entity::Other,
            _ => {
                let joined = word.strip_prefix("GPU").and_then(number)?;
                return Some((at, Entity::Gpu, joined, 1));
            }
        };
        Some((at, kind, words.get(at + 1).and_then(|(_, word)| number(word))?, 2))
    })
}
