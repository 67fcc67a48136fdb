//! A logarithmic axis for both directions: its ends, its ticks, and straight lines in it.

/// Steps of a decade at which an axis may end.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

/// Decades up to which every step has a label.
const FEW: f64 = 2.2;

/// Decades beyond which the steps between have no line either.
const MANY: f64 = 5.0;

/// The logarithms of the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// The axis that holds all figures, which are above 0.
    pub(super) fn around(figures: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for figure in figures {
            (least, most) = (least.min(figure), most.max(figure));
        }
        // A little air, so that no mark lies on the frame.
        let (low, high) = (step_below(least / 1.06), step_above(most * 1.06));
        Self { low: low.log10(), high: high.log10() }
    }

    /// Place of a figure, 0 at the lower end and 1 at the upper.
    pub(super) fn place(&self, figure: f64) -> f64 {
        (figure.log10() - self.low) / (self.high - self.low)
    }

    /// Figures with a line, and those with a label.
    pub(super) fn ticks(&self) -> Vec<(f64, Option<String>)> {
        let decades = self.high - self.low;
        let mut ticks = Vec::new();
        for decade in (self.low.floor() as i32)..=(self.high.ceil() as i32) {
            for step in STEPS {
                let figure = step * 10f64.powi(decade);
                let inside = (-1e-9..=1.0 + 1e-9).contains(&self.place(figure));
                if !inside || (step > 1.0 && decades > MANY) {
                    continue;
                }
                let labelled = step <= 1.0 || decades <= FEW;
                ticks.push((figure, labelled.then(|| short(figure))));
            }
        }
        ticks
    }

    /// Both ends of the line predicted = factor x measured inside the square.
    pub(super) fn ray(&self, factor: f64) -> ((f64, f64), (f64, f64)) {
        let shift = factor.log10() / (self.high - self.low);
        if shift >= 0.0 { ((0.0, shift), (1.0 - shift, 1.0)) } else { ((-shift, 0.0), (1.0, 1.0 + shift)) }
    }
}

fn step_below(figure: f64) -> f64 {
    let decade = 10f64.powf(figure.log10().floor());
    let fits = |step: &&f64| **step * decade <= figure * (1.0 + 1e-9);
    STEPS.iter().rev().find(fits).map_or(decade, |step| step * decade)
}

fn step_above(figure: f64) -> f64 {
    let decade = 10f64.powf(figure.log10().floor());
    let fits = |step: &&f64| **step * decade >= figure * (1.0 - 1e-9);
    STEPS.iter().find(fits).map_or(10.0 * decade, |step| step * decade)
}

/// A figure in few characters: `0.05`, `200`, `20k`, `5M`.
fn short(figure: f64) -> String {
    for (unit, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if figure >= unit * 0.999 {
            return format!("{}{letter}", plain(figure / unit));
        }
    }
    plain(figure)
}

fn plain(figure: f64) -> String {
    let places = (-figure.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{figure:.places$}")
}
