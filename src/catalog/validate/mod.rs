//! From files as written to a catalog, with all findings at once.
//!
//! One layer is the embedded catalog or one `--catalog` path. Inside a layer a name may stand once; a later layer
//! replaces rows of an earlier one. Reads no files and prints nothing.

mod blocks;
mod causes;
mod charges;
mod currencies;
mod fabrics;
mod families;
pub(crate) mod findings;
mod gpus;
mod instances;
mod knowledge;
mod measured;
mod merge;
mod ownership;
mod presets;
mod price_checks;
mod price_terms;
mod prices;
mod providers;
mod software;
mod sources;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use findings::SourceFile;

use super::Catalog;
use super::codes::{self, Code};
use super::instance::ProviderId;
use super::provenance::SourceId;
use super::raw::{At, Row, Waiver, rows_of};
use crate::diag::Finding;
use blocks::{Piece, Split};
use findings::{Findings, Spot, did_you_mean};

/// Lists of rows that a file may hold, by the key of the list.
const LISTS: &[&str] = &[
    "gpu",
    "family",
    "provider",
    "region",
    "instance",
    "charge",
    "currency",
    "price",
    "model",
    "measured-rate",
    "fabric",
    "cause",
    "constant",
    "software",
    "rule",
    "scenario",
    "token-price",
    "carbon",
];

/// Most rows with ids of their own of one kind, overlays included: ids are 16 bits wide.
const MOST_ROWS: usize = 65_000;

/// Most GPUs and most providers: every other row looks them up by name.
const MOST_KINDS: usize = 5_000;

/// Checks one layer of files and lays it over `base`. Rows of an overlay are marked as overridden.
///
/// Returns the catalog made of all sound rows, and every finding in the order of files and places. The catalog is
/// only to be used when no finding is an error.
pub fn validate(files: &[SourceFile], base: Catalog, overlay: bool) -> (Catalog, Vec<Finding>) {
    let splits: Vec<Split<'_>> = files.iter().map(|file| Split::of(&file.text)).collect();
    let mut findings = Findings::default();
    let parsed: Vec<Spanned<DeTable<'_>>> =
        splits.iter().enumerate().map(|(file, split)| parse(file, &split.frame, &mut findings)).collect();
    let mut layer = Layer {
        catalog: base,
        files,
        splits: &splits,
        pieces: splits.iter().enumerate().map(|(file, split)| split.piece(file)).collect(),
        findings,
        overlay,
        broken: BTreeSet::new(),
        rows: Vec::new(),
        names: Vec::new(),
        provider_ids: BTreeMap::new(),
    };
    let tables: Vec<FileTable<'_>> =
        parsed.iter().enumerate().map(|(file, table)| layer.open(file, table.get_ref())).collect();
    layer.read_all(&tables);
    layer.finish()
}

/// Parses one piece of text; errors become findings at once.
fn parse<'t>(piece: usize, text: &'t str, findings: &mut Findings) -> Spanned<DeTable<'t>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let offset = error.span().map_or(0, |span| span.start);
        let spot = Spot { file: piece, offset };
        findings.push(spot, &codes::TOML_SYNTAX, error.message().to_owned(), "");
    }
    table
}

/// A file with its defaults resolved.
struct FileTable<'t> {
    lists: BTreeMap<&'static str, Vec<&'t DeTable<'t>>>,
    spots: BTreeMap<&'static str, Vec<Spot>>,
    provider: Option<At<&'t str>>,
    source: Option<At<&'t str>>,
    sources: BTreeMap<&'t str, Option<SourceId>>,
}

/// What stays known of a row after it was read: where it stands and what it accepts.
struct RowNote {
    spot: Spot,
    waivers: Vec<(Waiver, Cell<bool>)>,
}

/// Position of a row note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowId(usize);

/// The work on one layer.
struct Layer<'t> {
    catalog: Catalog,
    files: &'t [SourceFile],
    splits: &'t [Split<'t>],
    /// Where the texts stand in the files that were parsed: spots hold the number of a piece until the end.
    pieces: Vec<Piece>,
    findings: Findings,
    overlay: bool,
    /// Kind and name of rows that exist but cannot be used: what refers to them is not reported again.
    broken: BTreeSet<(&'static str, String)>,
    rows: Vec<RowNote>,
    /// Kind, name and row of everything that this layer names.
    names: Vec<(&'static str, String, RowId)>,
    /// Providers by squeezed name, once they are read.
    provider_ids: BTreeMap<String, ProviderId>,
}

impl<'t> Layer<'t> {
    /// Checks the top level of a file and reads its sources and defaults.
    fn open(&mut self, file: usize, table: &'t DeTable<'t>) -> FileTable<'t> {
        let f = &mut self.findings;
        let mut top = Row::new("file", table, Spot { file, offset: 0 });
        let schema = top.whole::<u32>(f, "schema", 0);
        if let (Some(version), Some((_, spot))) =
            (schema.filter(|&version| version != 1), top.value("schema"))
        {
            let message = format!("`schema = {version}` is not known here, this program reads schema 1");
            top.refuse(f, spot, &codes::BAD_VALUE, message, "update the program or write `schema = 1`");
        }
        let source = top.text(f, "source");
        let sources = sources::read(&mut top, f, &mut self.catalog.sources);
        let mut lists = BTreeMap::new();
        let mut spots = BTreeMap::new();
        let mut provider = None;
        for &kind in LISTS {
            let Some((value, spot)) = top.value(kind) else { continue };
            if kind == "provider"
                && let DeValue::String(name) = value
            {
                provider = Some(At { value: name.as_ref(), spot });
                continue;
            }
            let Some(rows) = rows_of(kind, value, file) else {
                f.push(
                    spot,
                    &codes::WRONG_TYPE,
                    format!("`{kind}` must be a list of tables"),
                    format!("write `[[{kind}]]`"),
                );
                continue;
            };
            spots.insert(kind, rows.iter().map(|row| row.spot).collect());
            lists.insert(kind, rows.iter().map(Row::table).collect());
        }
        top.finish(f);
        let mut opened = FileTable { lists, spots, provider, source, sources };
        opened.provider = opened.provider.take().or_else(|| opened.only_provider(file));
        opened
    }

    /// Reads every kind of row, those that others refer to first.
    fn read_all(&mut self, tables: &[FileTable<'t>]) {
        let held = [
            ("gpu", self.catalog.gpus.len(), MOST_KINDS),
            ("provider", self.catalog.providers.len(), MOST_KINDS),
            ("region", self.catalog.regions.len(), MOST_ROWS),
            ("instance", self.catalog.instances.len(), MOST_ROWS),
        ];
        for (kind, held, most) in held {
            let spots: Vec<&Spot> =
                tables.iter().filter_map(|table| table.spots.get(kind)).flatten().collect();
            if let Some(&&spot) = spots.get(most.saturating_sub(held)) {
                let message = format!("the catalog holds at most {most} {kind} rows");
                self.findings.push(spot, &codes::BAD_COUNT, message, "split the catalog");
                return;
            }
        }
        self.read_gpus(tables);
        self.read_families(tables);
        self.check_names();
        self.check_peaks();
        self.read_providers(tables);
        self.read_regions(tables);
        self.read_instances(tables);
        self.read_charges(tables);
        self.read_currencies(tables);
        self.read_prices(tables);
        self.read_presets(tables);
        self.read_measured(tables);
        self.read_fabrics(tables);
        self.read_causes(tables);
        self.read_constants(tables);
        self.read_software(tables);
        self.read_rules(tables);
        self.read_scenarios(tables);
        self.read_token_prices(tables);
        self.read_carbon(tables);
    }

    fn finish(mut self) -> (Catalog, Vec<Finding>) {
        for row in &self.rows {
            for (waiver, used) in &row.waivers {
                if !used.get() {
                    let message = format!("nothing on this row raises `{}`", waiver.code.name);
                    self.findings.push(waiver.spot, &codes::WAIVER_UNUSED, message, "remove the entry");
                }
            }
        }
        if self.findings.has(&codes::TOML_SYNTAX) {
            // What a broken file defines is not known, so nothing can be called unknown.
            self.findings.forget(&[
                &codes::UNKNOWN_GPU,
                &codes::UNKNOWN_PROVIDER,
                &codes::UNKNOWN_REGION,
                &codes::UNKNOWN_INSTANCE,
                &codes::UNKNOWN_SOURCE,
                &codes::MISSING_FIELD,
                &codes::MISSING_SOURCE,
            ]);
        }
        (self.catalog, self.findings.finish(self.files, &self.pieces))
    }

    /// Remembers a row for later checks.
    fn note(&mut self, spot: Spot, waivers: Vec<Waiver>) -> RowId {
        let waivers = waivers.into_iter().map(|waiver| (waiver, Cell::new(false))).collect();
        self.rows.push(RowNote { spot, waivers });
        RowId(self.rows.len() - 1)
    }

    /// Reports a finding on a row unless the row accepts it.
    fn raise(&mut self, row: RowId, code: &'static Code, message: String, hint: impl Into<String>) {
        let note = &self.rows[row.0];
        match note.waivers.iter().find(|(waiver, _)| waiver.code.name == code.name) {
            Some((_, used)) => used.set(true),
            None => self.findings.push(note.spot, code, message, hint),
        }
    }

    /// ``did you mean `a`?``, or what else to do; that alone where there are too many findings for the search.
    fn guess<'a>(&self, wanted: &str, names: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
        if self.findings.is_crowded() { otherwise.to_owned() } else { did_you_mean(wanted, names, otherwise) }
    }

    /// `line 12` or `other.toml:12`, for messages that name a second row.
    fn line_of(&self, row: RowId, seen_from: Spot) -> String {
        let (spot, seen_from) = (self.real(self.rows[row.0].spot), self.real(seen_from));
        let place = findings::place(self.files, spot);
        if spot.file == seen_from.file {
            format!("line {}", place.line)
        } else {
            format!("{}:{}", place.file, place.line)
        }
    }

    /// The place in the files themselves.
    fn real(&self, spot: Spot) -> Spot {
        self.pieces.get(spot.file).map_or(spot, |piece| piece.real(spot.offset))
    }

    /// The source of a row: its own or the file's. Reports what is wrong with it.
    fn source_of(&mut self, row: &mut Row<'_>, file: &FileTable<'_>) -> Option<SourceId> {
        let own = row.text(&mut self.findings, "source");
        let Some(id) = own.as_ref().or(file.source.as_ref()) else {
            if !row.has("source") {
                let message = format!("this {} row has no source", row.kind);
                let hint =
                    "add `source = \"ID\"` to the row or to the top of the file, and a table `[sources.ID]`";
                row.refuse(&mut self.findings, row.spot, &codes::MISSING_SOURCE, message, hint);
            }
            return None;
        };
        self.source_named(row, file, id)
    }

    /// The source with this id in the row's file.
    fn source_named(&mut self, row: &mut Row<'_>, file: &FileTable<'_>, id: &At<&str>) -> Option<SourceId> {
        if let Some(source) = file.sources.get(id.value) {
            return *source;
        }
        let message = format!("no `[sources.{}]` in this file", id.value);
        let hint = did_you_mean(id.value, file.sources.keys().copied(), "define it with `text` and `as-of`");
        row.refuse(&mut self.findings, id.spot, &codes::UNKNOWN_SOURCE, message, hint);
        None
    }
}

impl<'t> FileTable<'t> {
    /// The rows of one kind.
    fn rows(&self, kind: &'static str) -> Vec<Row<'t>> {
        let tables = self.lists.get(kind).into_iter().flatten();
        let spots = self.spots.get(kind).into_iter().flatten();
        tables.zip(spots).map(|(table, &spot)| Row::new(kind, table, spot)).collect()
    }

    /// The provider that a file defines, when it defines exactly one: the default of its other rows.
    fn only_provider(&self, file: usize) -> Option<At<&'t str>> {
        let [table] = self.lists.get("provider")?.as_slice() else { return None };
        let value = table.get("name")?;
        let spot = Spot { file, offset: value.span().start };
        value.get_ref().as_str().map(|value| At { value, spot })
    }
}
