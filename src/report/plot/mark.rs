//! Marks that differ in shape and in colour, so that either alone tells them apart within a row of six.

/// Colours that the colour-blind tell apart (Okabe & Ito 2008, Color Universal Design), without black and yellow, which
/// vanish on dark or white.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Outlines around (0, 0): circle, square, triangles, diamond, cross.
const SHAPES: [&str; 6] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.8L4.5 3.4H-4.5z",
    "M0 -5.2L5.2 0L0 5.2L-5.2 0z",
    "M0 4.8L4.5 -3.4H-4.5z",
    "M-1.4 -4.4h2.8v3h3v2.8h-3v3h-2.8v-3h-3v-2.8h3z",
];

/// One shape in one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    colour: &'static str,
    shape: &'static str,
}

/// What groups without a mark of their own share.
pub(super) const REST: Mark = Mark { colour: "#8b949e", shape: SHAPES[0] };

/// All marks; neighbours differ in both.
pub(super) const MARKS: [Mark; 36] = {
    let mut marks = [REST; 36];
    let mut at = 0;
    while at < marks.len() {
        marks[at] = Mark { colour: COLOURS[at % 6], shape: SHAPES[(at % 6 + at / 6) % 6] };
        at += 1;
    }
    marks
};

impl Mark {
    /// The mark at a place.
    pub(super) fn at(&self, x: f64, y: f64) -> String {
        let Self { colour, shape } = self;
        format!(
            "<path d=\"{shape}\" transform=\"translate({x:.1} {y:.1})\" fill=\"{colour}\" stroke=\"{colour}\"/>\n"
        )
    }
}
