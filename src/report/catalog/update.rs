//! The answer of `catalog update`: what became of each source.

use crate::refresh::Doubt;
use crate::refresh::compare::told;
use crate::refresh::update::Judgement;
use crate::report::date::Dated;
use crate::report::document::{Body, Csv, Used};
use crate::report::number::Num;
use crate::report::view::{Block, Grid};
use rust_decimal::Decimal;
use serde::Serialize;

/// What an update comes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UpdateAnswer {
    /// Where prices are kept.
    pub data: String,
    /// The mirror, where it was not the sources themselves.
    pub from: Option<String>,
    /// Nothing was kept.
    pub dry_run: bool,
    /// How many sources failed.
    pub failed: usize,
    /// How many were refused by a limit.
    pub refused: usize,
    /// Each source, in the order of the program.
    pub sources: Vec<UpdateLine>,
    #[serde(skip)]
    used: Used,
}

/// What became of one source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UpdateLine {
    /// Its name.
    pub source: String,
    /// Whose prices it has.
    pub providers: Vec<String>,
    /// Format of its answers.
    pub format: String,
    /// `updated`, `unchanged`, `skipped`, `refused` or `failed`; after the last two the last good prices stay.
    pub status: &'static str,
    /// Why, where it is not `updated` or `unchanged`.
    pub message: Option<String>,
    /// Where it was asked.
    pub url: String,
    /// Terms of its data.
    pub licence: String,
    /// The newest day of its prices.
    pub as_of: Option<Dated>,
    /// Bytes of its answers, unpacked.
    pub bytes: u64,
    /// SHA-256 of each answer.
    pub sha256: Vec<String>,
    /// Prices that were read.
    pub quotes_read: u64,
    /// How many of them stand behind one that is kept.
    pub quotes_used: u64,
    /// Prices that it has now.
    pub prices: usize,
    /// Those of them that a check of the catalog warns of: how many, by which check, and the first.
    pub doubtful: Vec<String>,
    /// Prices that are new beside the last ones.
    pub added: usize,
    /// Prices that are gone.
    pub removed: usize,
    /// Prices with another amount.
    pub changed: usize,
    /// Prices that are gone, per cent of those before; `null` where nothing could be compared.
    pub lost_pct: Option<Num>,
    /// The change of the price that is farthest from what it was, in per cent of that, with its sign.
    pub greatest_change_pct: Option<Num>,
}

impl UpdateLine {
    /// Takes over what the checks of the catalog warn of.
    pub fn doubted(&mut self, doubts: &[Doubt]) {
        self.doubtful =
            doubts.iter().map(|it| format!("{} {} (such as {})", it.count, it.code, it.example)).collect();
    }

    /// Takes over what the comparison with the last prices says.
    pub fn judged(&mut self, judged: &Judgement) {
        self.added = judged.added;
        self.removed = judged.removed;
        self.changed = judged.changed;
        self.lost_pct = Some(percent(judged.lost_pct));
        self.greatest_change_pct = judged.greatest_pct.map(|it| number(told(it)));
    }
}

impl UpdateAnswer {
    /// The answer.
    pub fn new(data: String, from: Option<String>, dry_run: bool, sources: Vec<UpdateLine>) -> Self {
        let count = |status: &str| sources.iter().filter(|line| line.status == status).count();
        let (failed, refused) = (count("failed"), count("refused"));
        Self { data, from, dry_run, failed, refused, sources, used: Used::default() }
    }

    /// Whether any source was read and is good.
    pub fn got(&self) -> bool {
        self.sources.iter().any(|line| matches!(line.status, "updated" | "unchanged"))
    }

    /// What went wrong, a sentence a source.
    pub fn troubles(&self) -> Vec<String> {
        let bad = self.sources.iter().filter(|line| matches!(line.status, "failed" | "refused"));
        bad.map(|line| {
            format!("{} {}: {}", line.source, line.status, line.message.as_deref().unwrap_or_default())
        })
        .collect()
    }
}

fn percent(value: Decimal) -> Num {
    number(value.round_dp(1).normalize())
}

fn number(value: Decimal) -> Num {
    Num::exact(value.to_string().parse().unwrap_or_default())
}

impl Body for UpdateAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv {
            rows: "sources",
            spread: None,
            columns: &[
                "source",
                "providers",
                "format",
                "status",
                "message",
                "url",
                "licence",
                "as_of",
                "bytes",
                "sha256",
                "quotes_read",
                "quotes_used",
                "prices",
                "doubtful",
                "added",
                "removed",
                "changed",
                "lost_pct",
                "greatest_change_pct",
            ],
        }
    }

    fn headline(&self) -> Option<String> {
        let count = |status: &str| self.sources.iter().filter(|line| line.status == status).count();
        let all = ["updated", "unchanged", "skipped", "refused", "failed"];
        let parts: Vec<String> =
            all.iter().filter(|it| count(it) > 0).map(|it| format!("{} {it}", count(it))).collect();
        let kept = if self.dry_run { "Nothing is kept (--dry-run)" } else { "Kept" };
        Some(format!("{kept} in {}: {}.", self.data, parts.join(", ")))
    }

    fn blocks(&self) -> Vec<Block> {
        let titles = [
            "source",
            "providers",
            "status",
            "as of",
            ">prices",
            ">added",
            ">removed",
            ">changed",
            ">greatest %",
            "message",
        ];
        let mut grid = Grid::new(&titles);
        for line in &self.sources {
            let known = line.as_of.is_some();
            let number = |count: usize| if known { count.to_string() } else { String::new() };
            grid.push(vec![
                line.source.clone(),
                line.providers.join(", "),
                line.status.to_owned(),
                line.as_of.map_or_else(String::new, Dated::short),
                number(line.prices),
                number(line.added),
                number(line.removed),
                number(line.changed),
                line.greatest_change_pct.map_or_else(String::new, |it| it.to_string()),
                line.message.clone().unwrap_or_default(),
            ]);
        }
        let mut blocks =
            vec![Block::Table(grid.expendable(&["greatest %", "providers", "added", "changed"]))];
        let doubtful = |line: &UpdateLine| -> Vec<String> {
            line.doubtful.iter().map(|it| format!("{}, doubtful: {it}", line.source)).collect()
        };
        let doubts: Vec<String> = self.sources.iter().flat_map(doubtful).collect();
        if !doubts.is_empty() {
            blocks.push(Block::List(doubts));
        }
        blocks
    }
}
