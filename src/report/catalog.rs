//! The bodies of the `catalog` commands: rows with every field of the files, each with its source and date.

mod difference;
mod hardware;
mod history;
mod import;
mod knowledge;
mod money;
mod place;
mod provider;
#[cfg(feature = "refresh")]
mod update;

pub use difference::{CatalogDiff, Counts, DifferenceRow, LimitLine, Limits};
pub use hardware::{GpuRow, InstanceRow};
pub use history::{HistoryAnswer, HistoryRow};
pub use import::{ImportAnswer, Imported, SkippedLine, SourceLine};
pub use knowledge::{ModelRow, RuleRow, ScenarioRow, ScenarioWorkloadRow};
pub use money::{AllowRow, PriceRow};
pub use place::{FamilyRow, RegionRow};
pub use provider::ProviderRow;
#[cfg(feature = "refresh")]
pub use update::{UpdateAnswer, UpdateLine};

use super::document::{Body, Content, Csv, Used};
use super::view::{Block, Grid};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Family, GpuId};
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::knowledge::{Rule, Scenario};
use crate::catalog::preset::Preset;
use crate::catalog::price::Price;
use crate::catalog::provenance::SourceId;
use crate::catalog::region::Region;
use crate::diag::Finding;
use serde::Serialize;

/// One row of a catalog listing.
pub trait CatalogRow: Serialize {
    /// What the row is: `gpu`, `instance` …
    const KIND: &'static str;

    /// Columns of CSV: every field.
    const COLUMNS: &'static [&'static str];

    /// Column titles of the table; CSV and JSON have every field.
    fn titles() -> &'static [&'static str];

    /// Titles that a narrow terminal may do without, the first to go first.
    const EXPENDABLE: &'static [&'static str] = &[];

    /// Cells under these titles.
    fn cells(&self) -> Vec<String>;
}

/// A listing: `catalog gpus`, `catalog prices` …
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rows<T> {
    /// In the order given.
    pub rows: Vec<T>,
    #[serde(skip)]
    used: Used,
}

impl<T> Rows<T> {
    /// No rows, for a document of findings.
    pub fn none() -> Self {
        Self { rows: Vec::new(), used: Used::default() }
    }
}

/// The answer of `catalog gpus`.
pub fn gpus(catalog: &Catalog, ids: impl IntoIterator<Item = GpuId>) -> Rows<GpuRow> {
    let figure = |id| (catalog.gpu(id).source, GpuRow::new(catalog, id));
    Rows::figures(ids.into_iter().map(figure))
}

/// The answer of `catalog instances`.
pub fn instances(catalog: &Catalog, ids: impl IntoIterator<Item = InstanceId>) -> Rows<InstanceRow> {
    let figure = |id| (catalog.instance(id).source, InstanceRow::new(catalog, id));
    Rows::figures(ids.into_iter().map(figure))
}

/// The answer of `catalog prices`.
pub fn prices<'a>(catalog: &Catalog, prices: impl IntoIterator<Item = &'a Price>) -> Rows<PriceRow> {
    let mut used = Used::default();
    let row = |price: &Price| {
        used.price(price.source);
        PriceRow::new(catalog, price)
    };
    let rows = prices.into_iter().map(row).collect();
    Rows { rows, used }
}

/// The answer of `catalog models`.
pub fn models<'a>(catalog: &Catalog, presets: impl IntoIterator<Item = &'a Preset>) -> Rows<ModelRow> {
    Rows::figures(presets.into_iter().map(|preset| (preset.source, ModelRow::new(catalog, preset))))
}

/// The answer of `catalog scenarios`.
pub fn scenarios<'a>(
    catalog: &Catalog,
    scenarios: impl IntoIterator<Item = &'a Scenario>,
) -> Rows<ScenarioRow> {
    Rows::figures(scenarios.into_iter().map(|s| (s.source, ScenarioRow::new(catalog, s))))
}

/// The answer of `catalog rules`.
pub fn rules<'a>(catalog: &Catalog, rules: impl IntoIterator<Item = &'a Rule>) -> Rows<RuleRow> {
    Rows::figures(rules.into_iter().map(|rule| (rule.source, RuleRow::new(catalog, rule))))
}

/// A family of GPUs, for `catalog show`.
pub fn family(catalog: &Catalog, family: &Family) -> Rows<FamilyRow> {
    let members = family.members.iter().map(|&id| catalog.gpu(id).source);
    let mut used = Used::default();
    members.for_each(|source| used.figure(source));
    Rows { rows: vec![FamilyRow::new(catalog, family)], used }
}

/// A provider, for `catalog show`.
pub fn provider(catalog: &Catalog, id: ProviderId) -> Rows<ProviderRow> {
    providers(catalog, [id])
}

/// The answer of `catalog providers`.
pub fn providers(catalog: &Catalog, ids: impl IntoIterator<Item = ProviderId>) -> Rows<ProviderRow> {
    let mut used = Used::default();
    let row = |id| {
        used.also(&provider::sources(catalog, catalog.provider(id), id));
        ProviderRow::new(catalog, id)
    };
    let rows = ids.into_iter().map(row).collect();
    Rows { rows, used }
}

/// Regions, for `catalog show`.
pub fn regions<'a>(catalog: &Catalog, regions: impl IntoIterator<Item = &'a Region>) -> Rows<RegionRow> {
    Rows::figures(regions.into_iter().map(|region| (region.source, RegionRow::new(catalog, region))))
}

impl<T> Rows<T> {
    fn figures(rows: impl Iterator<Item = (SourceId, T)>) -> Self {
        let mut used = Used::default();
        let rows = rows
            .map(|(source, row)| {
                used.figure(source);
                row
            })
            .collect();
        Self { rows, used }
    }
}

impl<T: CatalogRow> Body for Rows<T> {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: T::COLUMNS }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut grid = Grid::new(T::titles());
        self.rows.iter().for_each(|row| grid.push(row.cells()));
        let s = if self.rows.len() == 1 { "" } else { "s" };
        let rows = format!("{} row{s}.", self.rows.len());
        vec![Block::Table(grid.expendable(T::EXPENDABLE)), Block::Text(rows)]
    }
}

/// The answer of `catalog show NAME`: one object with all its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Show<T> {
    /// `gpu`, `instance`, `price`, `model`, `scenario` or `rule`.
    pub kind: &'static str,
    /// The object, as in its listing.
    pub object: T,
    /// What can be said of it beside: the prices of a machine, the machines of a GPU.
    pub related: Vec<String>,
    #[serde(skip)]
    used: Used,
}

impl<T: CatalogRow> Show<T> {
    /// The first row of a listing as one object; `None` when the listing is empty.
    pub fn first(rows: Rows<T>, related: Vec<String>) -> Option<Self> {
        let used = rows.used;
        rows.rows.into_iter().next().map(|object| Self { kind: T::KIND, object, related, used })
    }
}

impl<T: CatalogRow> Body for Show<T> {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "object", spread: None, columns: T::COLUMNS }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut grid = Grid::new(&["field", "value"]);
        for (field, value) in super::node::flat_fields(&self.object) {
            grid.push(vec![field, if value.is_empty() { "n/a".to_owned() } else { value }]);
        }
        let mut blocks = vec![Block::Table(grid)];
        if !self.related.is_empty() {
            blocks.push(Block::Heading("See also".to_owned()));
            blocks.push(Block::List(self.related.clone()));
        }
        blocks
    }
}

/// The answer of `catalog check`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// In the order of the files.
    pub findings: Vec<FindingRow>,
    /// How many are errors.
    pub errors: usize,
    /// How many are warnings.
    pub warnings_found: usize,
    #[serde(skip)]
    used: Used,
}

/// One finding as printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingRow {
    /// Stable code, for `explain`.
    pub code: &'static str,
    /// `error` or `warning`.
    pub level: &'static str,
    /// File as the user named it.
    pub file: String,
    /// 1-based.
    pub line: usize,
    /// 1-based.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Findings {
    /// The body for these findings.
    pub fn new(findings: &[Finding]) -> Self {
        let row = |f: &Finding| FindingRow {
            code: f.code,
            level: f.level.name(),
            file: f.place.file.clone(),
            line: f.place.line,
            column: f.place.column,
            message: f.message.clone(),
            hint: f.hint.clone(),
        };
        let findings: Vec<FindingRow> = findings.iter().map(row).collect();
        let errors = findings.iter().filter(|f| f.level == "error").count();
        Self { errors, warnings_found: findings.len() - errors, findings, used: Used::default() }
    }
}

impl Body for Findings {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv {
            rows: "findings",
            spread: None,
            columns: &["code", "level", "file", "line", "column", "message", "hint"],
        }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        for f in &self.findings {
            blocks.push(Block::Text(format!(
                "{}:{}:{}: {}[{}]: {}{}",
                f.file,
                f.line,
                f.column,
                f.level,
                f.code,
                f.message,
                if f.hint.is_empty() { String::new() } else { format!(" (hint: {})", f.hint) }
            )));
        }
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        blocks.push(Block::Text(format!(
            "{}, {}.",
            plural(self.errors, "error"),
            plural(self.warnings_found, "warning")
        )));
        blocks
    }
}

/// The answer of a command whose catalog is invalid: its own fields without content, and the findings.
pub struct Broken<'b> {
    empty: &'b dyn Content,
    findings: Findings,
}

impl<'b> Broken<'b> {
    /// The findings beside an answer without content.
    pub fn new(empty: &'b dyn Content, findings: Findings) -> Self {
        Self { empty, findings }
    }
}

impl Content for Broken<'_> {
    fn used(&self) -> &Used {
        Content::used(&self.findings)
    }

    fn csv(&self) -> Csv {
        Content::csv(&self.findings)
    }

    fn headline(&self) -> Option<String> {
        None
    }

    fn tag(&self) -> Option<&'static str> {
        self.empty.tag()
    }

    fn blocks(&self) -> Vec<Block> {
        Content::blocks(&self.findings)
    }

    fn json(&self) -> serde_json::Result<String> {
        Ok(super::json::joined(&self.empty.json()?, &self.findings.json()?))
    }
}
