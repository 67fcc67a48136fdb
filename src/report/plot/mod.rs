//! Pictures of predicted against measured figures: SVG text, pure, the same for the same points. No scripts, no fonts but
//! the viewer's own, readable on white and on dark.

mod mark;
mod panels;
mod scale;

use crate::insight::score::quantile;
use mark::{MARKS, Mark, REST};
pub use panels::panels;
use scale::Scale;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One figure of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotPoint {
    /// What was measured.
    pub measured: f64,
    /// What is predicted.
    pub predicted: f64,
    /// Where the measurement comes from.
    pub group: String,
}

/// One picture of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it shows, such as kind and metric.
    pub title: String,
    /// Unit of both axes.
    pub unit: String,
    /// Its figures.
    pub points: Vec<PlotPoint>,
}

/// Width and height of one picture, pixels.
const SIZE: (f64, f64) = (860.0, 580.0);

/// Left, top and side length of the square of the axes.
const AREA: (f64, f64, f64) = (86.0, 64.0, 440.0);

/// Where the legend begins, and its line height.
const LEGEND: (f64, f64, f64) = (552.0, 84.0, 19.0);

/// Groups with a mark of their own; the others share one.
const NAMED: usize = 20;

/// Longest name in the legend, characters.
const NAME: usize = 40;

/// Beside the diagonal: estimates this far off.
const BAND: f64 = 0.25;

const STYLE: &str = "<style>\
    text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:13px;fill:#24292f}\
    .paper{fill:#ffffff}.grid{stroke:#d0d7de;stroke-width:1}.axis{stroke:#57606a;stroke-width:1;fill:none}\
    .same{stroke:#24292f;stroke-width:1.4}.band{stroke:#57606a;stroke-width:1.1;stroke-dasharray:5 4}\
    .title{font-size:16px;font-weight:600}.quiet{fill:#57606a;font-size:12px}\
    .mark{fill-opacity:.5;stroke-width:1.3}\
    @media (prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#30363d}\
    .axis{stroke:#8b949e}.same{stroke:#e6edf3}.band{stroke:#8b949e}.quiet{fill:#9aa4af}}\
    </style>";

/// One picture: predicted over measured, both logarithmic, a mark for each group, the diagonal and 25 % beside it. The
/// title gets the number of figures and their median error.
pub fn predicted_against_measured(title: &str, unit: &str, points: &[PlotPoint]) -> String {
    let panel = Panel { title: title.to_owned(), unit: unit.to_owned(), points: points.to_vec() };
    sheet(title, std::slice::from_ref(&panel))
}

/// Several pictures below each other, two in a row.
pub fn sheet(title: &str, panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, 2);
    let rows = panels.len().div_ceil(columns).max(1);
    let (width, height) = (SIZE.0 * columns as f64, SIZE.1 * rows as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{}</title>\n{STYLE}\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
        escaped(title)
    );
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % columns) as f64 * SIZE.0, (at / columns) as f64 * SIZE.1);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">\n{}</g>", draw(panel));
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw(panel: &Panel) -> String {
    let logs = |point: &&PlotPoint| {
        let fine = |figure: f64| figure.is_finite() && figure > 0.0;
        fine(point.measured) && fine(point.predicted)
    };
    let points: Vec<&PlotPoint> = panel.points.iter().filter(logs).collect();
    let mut out = String::new();
    let (left, top, side) = AREA;
    text(&mut out, left, 26.0, "title", "start", &panel.title);
    if points.is_empty() {
        text(&mut out, left, 46.0, "quiet", "start", "no figures");
        return out;
    }
    text(&mut out, left, 46.0, "quiet", "start", &summary(&points));
    let figures = points.iter().flat_map(|point| [point.measured, point.predicted]);
    let scale = Scale::around(figures);
    axes(&mut out, &scale, &panel.unit);
    let marks = marks(&points);
    let _ = writeln!(out, "<g class=\"mark\">");
    for point in &points {
        let x = left + scale.place(point.measured) * side;
        let y = top + side - scale.place(point.predicted) * side;
        out.push_str(&marks.get(point.group.as_str()).unwrap_or(&REST).at(x, y));
    }
    out.push_str("</g>\n");
    diagonals(&mut out, &scale);
    legend(&mut out, &points, &marks);
    out
}

/// Number of figures, median error, share within the band.
fn summary(points: &[&PlotPoint]) -> String {
    let error = |point: &&PlotPoint| (point.predicted / point.measured - 1.0).abs();
    let errors: Vec<f64> = points.iter().map(error).collect();
    let near = errors.iter().filter(|error| **error <= BAND).count() as f64 / errors.len() as f64;
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for point in points {
        groups.entry(&point.group).or_default().push(error(point));
    }
    let medians: Vec<f64> = groups.into_values().map(|errors| quantile(errors, 0.5)).collect();
    let sources = medians.len();
    format!(
        "n = {}, median error {:.1} %, of source medians {:.1} % ({sources} source{}), {:.0} % within \u{b1}25 %",
        errors.len(),
        quantile(errors.clone(), 0.5) * 100.0,
        quantile(medians, 0.5) * 100.0,
        if sources == 1 { "" } else { "s" },
        near * 100.0,
    )
}

/// Where predicted is measured, and 25 % above and below.
fn diagonals(out: &mut String, scale: &Scale) {
    let (left, top, side) = AREA;
    for (class, factor) in [("same", 1.0), ("band", 1.0 + BAND), ("band", 1.0 - BAND)] {
        let (from, to) = scale.ray(factor);
        let at = |(x, y): (f64, f64)| (left + x * side, top + side - y * side);
        line(out, class, at(from), at(to));
    }
}

fn axes(out: &mut String, scale: &Scale, unit: &str) {
    let (left, top, side) = AREA;
    for (figure, label) in scale.ticks() {
        let (x, y) = (left + scale.place(figure) * side, top + side - scale.place(figure) * side);
        line(out, "grid", (x, top), (x, top + side));
        line(out, "grid", (left, y), (left + side, y));
        if let Some(label) = label {
            text(out, x, top + side + 18.0, "quiet", "middle", &label);
            text(out, left - 8.0, y + 4.0, "quiet", "end", &label);
        }
    }
    let _ =
        writeln!(out, "<rect class=\"axis\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"/>");
    text(out, left + side / 2.0, top + side + 42.0, "", "middle", &format!("measured, {unit}"));
    let (x, y) = (left - 58.0, top + side / 2.0);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">{}</text>",
        escaped(&format!("predicted, {unit}"))
    );
}

/// Marks of the groups with most figures.
fn marks<'a>(points: &[&'a PlotPoint]) -> BTreeMap<&'a str, Mark> {
    let order = by_number(points);
    let named = if order.len() > NAMED { NAMED - 1 } else { order.len() };
    order.into_iter().take(named).map(|(group, _)| group).zip(MARKS).collect()
}

/// Groups with their number of figures, the largest first.
fn by_number<'a>(points: &[&'a PlotPoint]) -> Vec<(&'a str, usize)> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for point in points {
        *numbers.entry(&point.group).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = numbers.into_iter().collect();
    order.sort_by_key(|&(group, number)| (std::cmp::Reverse(number), group));
    order
}

fn legend(out: &mut String, points: &[&PlotPoint], marks: &BTreeMap<&str, Mark>) {
    let (left, mut y, height) = LEGEND;
    let order = by_number(points);
    let (mut others, mut rest) = (0, 0);
    let mut entry = |mark: &Mark, name: &str| {
        let _ = writeln!(out, "<g class=\"mark\">{}</g>", mark.at(left, y - 4.0));
        text(out, left + 13.0, y, "quiet", "start", name);
        y += height;
    };
    for (group, number) in order {
        if let Some(mark) = marks.get(group) {
            entry(mark, &format!("{} ({number})", shortened(group)));
        } else {
            (others, rest) = (others + 1, rest + number);
        }
    }
    if others > 0 {
        entry(&REST, &format!("{others} other sources ({rest})"));
    }
    y += 10.0;
    for (class, name) in [("same", "predicted = measured"), ("band", "25 % above and below")] {
        line(out, class, (left - 8.0, y - 4.0), (left + 8.0, y - 4.0));
        text(out, left + 13.0, y, "quiet", "start", name);
        y += height;
    }
}

/// A name that fits beside the axes.
fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let start: String = name.chars().take(NAME - 1).collect();
    format!("{}\u{2026}", start.trim_end())
}

fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(out: &mut String, x: f64, y: f64, class: &str, anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

/// Text that cannot end its element, without characters that XML 1.0 (section 2.2) forbids.
fn escaped(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if crate::diag::is_odd(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
