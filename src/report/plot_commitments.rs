//! The pictures of `commitments` as one SVG file: the load-duration curve with its tiers, and break-even lines; the lines
//! alone for one machine of `cost`.
//!
//! Plain SVG 1.1 without scripts, fonts or links, so that it may stand in a repository and a wiki.

use super::commitments::{Commitments, PartKind};
use super::kinds::Kinds;
use super::number::Num;
use std::fmt::Write as _;

/// Colours of commitments in turn, chosen to differ for colour-blind eyes too (Okabe and Ito 2008).
const COMMITTED: [&str; 6] = ["#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#000000"];
const SPOT: &str = "#f0e442";
const ON_DEMAND: &str = "#e69f00";
const IDLE: &str = "#d9d9d9";
const INK: &str = "#333333";

/// The frame of one picture in units of the drawing.
#[derive(Clone, Copy)]
struct Panel {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Value at the right end.
    most_x: f64,
    /// Value at the top.
    most_y: f64,
}

impl Panel {
    fn x(&self, value: f64) -> f64 {
        self.left + value / self.most_x * self.width
    }

    fn y(&self, value: f64) -> f64 {
        self.top + self.height - value / self.most_y * self.height
    }
}

/// The file.
pub fn svg(answer: &Commitments) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"640\" viewBox=\"0 0 840 640\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"840\" height=\"640\" fill=\"#ffffff\"/>\n",
    );
    let _ = writeln!(out, "<title>Commitments over {} h</title>", answer.hours);
    load(answer, &mut out);
    break_even(&answer.kinds(), 370.0, &mut out);
    out.push_str("</svg>\n");
    out
}

fn load(answer: &Commitments, out: &mut String) {
    let top = answer.curve.iter().map(|column| column.demand + column.idle).fold(0.0, f64::max);
    if top <= 0.0 {
        return;
    }
    let panel = Panel {
        left: 70.0,
        top: 50.0,
        width: 520.0,
        height: 230.0,
        most_x: answer.curve.len() as f64,
        most_y: top,
    };
    text(out, (70.0, 28.0), "start", "Base and burst: hours sorted by demand, busiest first");
    // Columns overlap a little, so that no renderer leaves a gap between them.
    let width = panel.width / panel.most_x + 0.5;
    out.push_str("<g shape-rendering=\"crispEdges\">\n");
    for (at, column) in answer.curve.iter().enumerate() {
        let mut below = 0.0;
        let parts = column.used.iter().zip(&answer.tiers).map(|(used, tier)| (*used, color(tier.part)));
        for (height, color) in parts.chain([(column.idle, IDLE)]) {
            if height > 0.0 {
                let (x, y) = (panel.x(at as f64), panel.y(below + height));
                let tall = panel.y(below) - y;
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{tall:.2}\" fill=\"{color}\"/>"
                );
            }
            below += height;
        }
    }
    out.push_str("</g>\n");
    let unit = if answer.unit == "gpu" { "GPUs" } else { "instances" };
    axes(out, panel, &[(0.0, "0".to_owned()), (top, Num::rounded(top, 2).to_string())], unit);
    text(out, (panel.left, panel.top + panel.height + 18.0), "start", "0 h");
    let right = (panel.left + panel.width, panel.top + panel.height + 18.0);
    text(out, right, "end", &format!("{} h", answer.hours));
    let mut entries: Vec<(&str, String)> = Vec::new();
    for tier in &answer.tiers {
        let entry = (color(tier.part), name(tier.billing, tier.upfront));
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries.push((IDLE, "committed, not used".to_owned()));
    for (at, (color, name)) in entries.iter().enumerate() {
        let y = 60.0 + at as f64 * 20.0;
        let _ = writeln!(out, "<rect x=\"604\" y=\"{y:.2}\" width=\"12\" height=\"12\" fill=\"{color}\"/>");
        text(out, (622.0, y + 10.0), "start", name);
    }
}

/// The contracts of one machine as a file of their own.
pub fn break_even_svg(kinds: &Kinds) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"310\" viewBox=\"0 0 840 310\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"840\" height=\"310\" fill=\"#ffffff\"/>\n",
    );
    let _ = writeln!(out, "<title>{}</title>", escaped(&kinds.title));
    break_even(kinds, 50.0, &mut out);
    out.push_str("</svg>\n");
    out
}

/// Price of an instance-hour that is paid over the share of the hours that are used: a commitment is level, on demand
/// and spot rise; where they meet is the break-even.
fn break_even(kinds: &Kinds, top: f64, out: &mut String) {
    let Some(on_demand) = kinds.on_demand.map(Num::value) else { return };
    let highest = kinds.levels.iter().map(|level| level.usd_per_hour.value()).fold(on_demand, f64::max);
    let highest = kinds.spot.map_or(highest, |spot| highest.max(spot.value()));
    if highest <= 0.0 {
        return;
    }
    let panel = Panel { left: 70.0, top, width: 520.0, height: 210.0, most_x: 100.0, most_y: highest * 1.05 };
    text(out, (70.0, top - 22.0), "start", &kinds.title);
    let ticks = [(0.0, "0".to_owned()), (on_demand, Num::rounded(on_demand, 4).to_string())];
    axes(out, panel, &ticks, "USD/h");
    for share in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let below = (panel.x(share), panel.top + panel.height + 18.0);
        text(out, below, "middle", &format!("{share} % used"));
    }
    let rising = [(Some(on_demand), ON_DEMAND, "on-demand"), (kinds.spot.map(Num::value), SPOT, "spot")];
    let mut labels = Vec::new();
    for (rate, color, name) in rising {
        let Some(rate) = rate else { continue };
        line(out, (panel.x(0.0), panel.y(0.0)), (panel.x(100.0), panel.y(rate)), color);
        labels.push((panel.y(rate), name.to_owned()));
    }
    let mut levels: Vec<_> = kinds.levels.iter().enumerate().collect();
    levels.sort_by(|a, b| a.1.usd_per_hour.value().total_cmp(&b.1.usd_per_hour.value()));
    for (at, it) in levels {
        let (y, color) = (panel.y(it.usd_per_hour.value()), COMMITTED[at % COMMITTED.len()]);
        line(out, (panel.x(0.0), y), (panel.x(100.0), y), color);
        labels.push((y, it.name.clone()));
        if let Some(percent) = it.percent.map(Num::value).filter(|&percent| percent <= 100.0) {
            let x = panel.x(percent);
            let _ = writeln!(out, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{color}\"/>");
            text(out, (x, y - 8.0), "end", &format!("{} %", Num::rounded(percent, 1)));
        }
    }
    // Labels of lines that lie close are moved apart, from the lowest line up.
    labels.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut last = f64::INFINITY;
    for (y, name) in labels {
        last = (last - 14.0).min(y + 4.0);
        text(out, (panel.x(100.0) + 8.0, last), "start", &name);
    }
}

fn axes(out: &mut String, panel: Panel, ticks: &[(f64, String)], unit: &str) {
    let (left, bottom) = (panel.left, panel.top + panel.height);
    line(out, (left, panel.top), (left, bottom), INK);
    line(out, (left, bottom), (left + panel.width, bottom), INK);
    for (value, label) in ticks {
        text(out, (left - 6.0, panel.y(*value) + 4.0), "end", label);
    }
    text(out, (left - 6.0, panel.top - 8.0), "end", unit);
}

fn color(part: PartKind) -> &'static str {
    match part {
        PartKind::Spot => SPOT,
        PartKind::OnDemand => ON_DEMAND,
        PartKind::Committed(at) => COMMITTED[at % COMMITTED.len()],
    }
}

fn name(billing: &str, upfront: Option<&str>) -> String {
    super::text::billing(billing, upfront, false).replace('\u{a0}', " ")
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), color: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{color}\" stroke-width=\"2\"/>"
    );
}

fn text(out: &mut String, at: (f64, f64), anchor: &str, words: &str) {
    let words = escaped(words);
    let (x, y) = at;
    let _ = writeln!(
        out,
        "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{words}</text>"
    );
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
