//! The file that `-x FILE -Z csv|json` of rccl-tests writes (ROCm/rccl-tests src/common.cu, `Reporter`): a line for each size and
//! buffer, without devices and footers.
//!
//! Two quirks of the tool. The heading of its CSV lacks the column of nodes that the rows of a build with MPI have. And what it
//! calls nodes and ranks of a node are those of its communicator, always one node, so neither is read: the ranks and the
//! GPUs of each are. Sizes are those of the buffer that is received, which of a reduce-scatter and of a scatter is one part.

use super::collective::Collective;
use super::{Point, row};
use serde_json::Value;

/// One run: lines of one collective, format, operation and number of GPUs.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) collective: Option<Collective>,
    /// GPUs that took part.
    pub(super) gpus: Option<u32>,
    /// Measurements.
    pub(super) rows: Vec<Point>,
    /// Sizes of lines whose figures are none.
    pub(super) broken: Vec<f64>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
struct Line {
    name: String,
    gpus: u32,
    size: u64,
    element: String,
    operation: String,
    in_place: bool,
    figures: [String; 4],
}

/// Reads a text; `None` for one that is no such file.
pub(super) fn read(text: &str) -> Option<Vec<Run>> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let first = lines.peek()?;
    let named = first.starts_with("collective,") && first.contains("busbw");
    let parse: fn(&str) -> Option<Line> = if named {
        lines.next();
        of_csv
    } else if first.starts_with('{') && first.ends_with('}') && first.contains("\"busBw\"") {
        of_json
    } else {
        return None;
    };
    let mut runs: Vec<(Line, Run)> = Vec::new();
    let mut open: Option<(Line, [Option<[String; 4]>; 2])> = None;
    // A last line that was cut counts for nothing.
    for line in lines.filter_map(parse) {
        let side = usize::from(line.in_place);
        match &mut open {
            Some((first, sides)) if first.same_row(&line) && sides[side].is_none() => {
                sides[side] = Some(line.figures);
            }
            _ => {
                close(open.take(), &mut runs);
                let mut sides = [None, None];
                sides[side] = Some(line.figures.clone());
                open = Some((line, sides));
            }
        }
    }
    close(open, &mut runs);
    Some(runs.into_iter().map(|(_, run)| run).collect())
}

impl Line {
    fn same_run(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.name.clone(), it.gpus, it.element.clone(), it.operation.clone());
        key(self) == key(other)
    }

    fn same_row(&self, other: &Self) -> bool {
        self.same_run(other) && self.size == other.size
    }
}

/// Ends a row: both buffers of one size, in the run that it belongs to.
fn close(open: Option<(Line, [Option<[String; 4]>; 2])>, runs: &mut Vec<(Line, Run)>) {
    let Some((line, sides)) = open else { return };
    let collective = Collective::from_name(&line.name);
    if !runs.last().is_some_and(|(first, _)| first.same_run(&line)) {
        let gpus = (line.gpus > 0).then_some(line.gpus);
        runs.push((line.clone(), Run { collective, gpus, ..Run::default() }));
    }
    let Some((_, run)) = runs.last_mut() else { return };
    let parts = matches!(collective, Some(Collective::ReduceScatter | Collective::Scatter));
    let size = if parts { line.size.saturating_mul(u64::from(line.gpus.max(1))) } else { line.size };
    let count = row::type_bytes(&line.element).map_or(size, |bytes| (size as f64 / bytes) as u64);
    let rootless = collective.is_none_or(|it| it.is_ring() || it == Collective::AllToAll);
    let mut words = vec![size.to_string(), count.to_string(), line.element, line.operation];
    words.push(if rootless { "-1" } else { "0" }.to_owned());
    for side in sides {
        words.extend(side.unwrap_or_else(|| std::array::from_fn(|_| "N/A".to_owned())));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match row::parse(&words) {
        Some((point, _)) => run.rows.push(point),
        None => run.broken.extend(row::broken(&words)),
    }
}

/// `AllReduce, [1, 8, 8, 1 | 8], 1024, float, sum, 0, 23.9, 0.04, 0.07, 0`.
fn of_csv(line: &str) -> Option<Line> {
    let cells: Vec<&str> = line.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
    let (counts, rest) = cells.get(1..)?.split_at_checked(cells.len().checked_sub(9)?)?;
    let number = |at: usize| counts.get(at)?.parse::<u32>().ok();
    let gpus = match counts.len() {
        1 => number(0)?,
        // Ranks, ranks of a node, GPUs of each; with the column that the heading lacks in front.
        3 => number(0)?.saturating_mul(number(2)?),
        4 => number(1)?.saturating_mul(number(3)?),
        _ => return None,
    };
    let [size, element, operation, in_place, time, algbw, busbw, wrong] = rest else { return None };
    Some(Line {
        name: (*cells.first()?).to_owned(),
        gpus,
        size: size.parse().ok()?,
        element: (*element).to_owned(),
        operation: (*operation).to_owned(),
        in_place: *in_place == "1",
        figures: [time, algbw, busbw, wrong].map(|&text| text.to_owned()),
    })
}

/// The same as an object, which knows its fields by name.
fn of_json(line: &str) -> Option<Line> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| match &value[name] {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => "N/A".to_owned(),
        other => other.to_string(),
    };
    let count = |name: &str| value[name].as_u64().and_then(|count| u32::try_from(count).ok());
    let gpus = match count("gpus") {
        Some(gpus) => gpus,
        None => count("ranks")?.saturating_mul(count("gpusPerRank").unwrap_or(1)),
    };
    Some(Line {
        name: text("name"),
        gpus,
        size: value["size"].as_u64()?,
        element: text("type"),
        operation: text("redop"),
        in_place: value["inPlace"].as_u64() == Some(1) || value["inPlace"] == true,
        figures: ["time", "algBw", "busBw", "wrong"].map(text),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, Tool, read};
    use super::Collective;

    const HEADING: &str = "collective, ranks, rankspernode, gpusperrank, size, type, redop, inplace, time, algbw, busbw, #wrong\n";

    fn csv(rows: &str) -> super::super::Log {
        read("x.csv", format!("{HEADING}{rows}").as_bytes()).expect("a log")
    }

    #[test]
    fn both_buffers_of_a_size_are_one_row() {
        let log = csv("AllReduce, 1, 16, 16, 1, 1048576, float, sum, 0, 20.97, 50.0, 93.75, 0\n\
                       AllReduce, 1, 16, 16, 1, 1048576, float, sum, 1, 26.21, 40.0, 75.0, 3\n\
                       AllReduce, 1, 16, 16, 1, 2097152, float, sum, 0, 41.94, 50.0, 93.75, N/A\n");
        let [table] = log.tables.as_slice() else { panic!("{log:?}") };
        assert_eq!((table.tool, table.layout), (Tool::RcclTests, Some(Layout::Reporter)));
        assert_eq!(
            (table.named.as_slice(), table.asked),
            ([Collective::AllReduce].as_slice(), (Some(16), None))
        );
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.rows[0].out_of_place.map(|it| it.busbw_gb_per_s), Some(93.75));
        assert_eq!(table.rows[0].in_place.map(|it| (it.busbw_gb_per_s, it.wrong)), Some((75.0, Some(3))));
        assert_eq!(table.rows[1].out_of_place.map(|it| it.wrong), Some(None));
    }

    #[test]
    fn a_part_of_a_reduce_scatter_is_not_its_size() {
        let log = csv("ReduceScatter, 8, 8, 1, 1048576, float, sum, 0, 83.9, 100.0, 87.5, 0\n");
        assert!((log.tables[0].rows[0].size_bytes - 8_388_608.0).abs() < 0.5, "{log:?}");
    }

    #[test]
    fn objects_say_the_same_and_a_cut_line_nothing() {
        let line = |place: u32, busbw: f64| {
            format!(
                "{{\"name\":\"AllGather\", \"nodes\":1, \"ranks\":8, \"ranksPerNode\":8, \"gpusPerRank\":2, \
                 \"size\":1048576, \"type\":\"float\", \"redop\":\"none\", \"inPlace\":{place}, \"time\":20.97, \
                 \"algBw\":50.0, \"busBw\":{busbw}, \"wrong\":\"N/A\"}}\n"
            )
        };
        let text = line(0, 46.9) + &line(1, 40.0) + "{\"name\":\"AllGather\", \"nodes\":1, \"ra";
        let log = read("x.json", text.as_bytes()).expect("a log");
        let [table] = log.tables.as_slice() else { panic!("{log:?}") };
        assert_eq!((table.asked, table.rows.len()), ((Some(16), None), 1));
        assert_eq!(table.rows[0].in_place.map(|it| it.busbw_gb_per_s), Some(40.0));
    }

    #[test]
    fn other_operations_are_other_runs_and_nothing_panics() {
        let log = csv("AllReduce, 8, 8, 1, 1024, float, sum, 0, 1, 1.0, 1.75, 0\n\
                       AllReduce, 8, 8, 1, 1024, float, max, 0, 1, 1.0, 1.75, 0\n");
        assert_eq!(log.tables.len(), 2);
        for rows in [
            "",
            ",",
            "a, b, c\n",
            "AllReduce, x, 8, 1, 1, float, sum, 0, 1, 1, 1, 0",
            "AllReduce, 1, 1, float, sum, 0, 1, nan, 1, 0",
        ] {
            let _ = read("x.csv", format!("{HEADING}{rows}").as_bytes());
        }
    }
}
