//! What every command stands in: global flags, project file, catalog, terminal, and the one way out for its document.

use super::args::{GlobalArgs, WorkloadSourceArgs};
use super::config::{self, Settings};
use super::constraint::{ConstraintArgs, FilterArgs};
use super::environment;
use super::exit::{self, CatalogError};
use super::money::Money;
use super::project::Project;
use super::request::{self, Asked, Group};
use super::store::Store;
use super::terminal::Terminal;
use super::updates::{self, Laid};
use super::{output, policy};
use crate::catalog::Catalog;
use crate::catalog::load::{self, CatalogProblem, Loaded, Sections};
use crate::diag::{Assumption, Finding, InputError, Warning};
use crate::report::catalog::{Broken, Findings};
use crate::report::listing::Text;
use crate::report::{Body, Content, Document, Format, plain};
use crate::workload::settings::WorkloadArgs;
use anyhow::Context;
use clap::{Arg, Args, Command};
use jiff::civil::Date;
use std::cell::{OnceCell, RefCell};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) use super::reading::read_text;
pub use super::reading::{measurements, read, stored};

mod currency;

/// The surroundings of one run.
pub struct Frame {
    asked: Asked,
    global: GlobalArgs,
    started: Instant,
    project: OnceCell<Project>,
    /// What the overlays made the reader should know.
    overlay_warnings: RefCell<Vec<Warning>>,
    /// That fetched prices are used, once a catalog has them.
    updates: RefCell<Vec<Assumption>>,
    /// The currency of the answer, once it is settled.
    money: OnceCell<RefCell<Money>>,
}

impl Frame {
    /// Takes what was asked and the global flags. Reads nothing yet.
    pub fn new(asked: Asked, global: GlobalArgs) -> Result<Self, InputError> {
        let (started, project) = (Instant::now(), OnceCell::new());
        let mut global = asked.settle(global)?;
        global.output = global.output.filter(|path| path != Path::new("-"));
        let (overlay_warnings, updates) = (RefCell::default(), RefCell::default());
        Ok(Self { asked, global, started, project, overlay_warnings, updates, money: OnceCell::new() })
    }

    /// A flag of a group that was typed.
    pub fn typed_of<G: Args>(&self) -> Option<&str> {
        let group = G::augment_args(Command::new("flags"));
        let own = |flag: &&String| {
            let names = |arg: &Arg| arg.get_long().is_some_and(|long| long == flag.as_str());
            group.get_arguments().any(names)
        };
        self.asked.typed.iter().find(own).map(String::as_str)
    }

    /// Form of the answer.
    pub fn format(&self) -> Format {
        self.global.format
    }

    /// Flags of one group over the `[defaults]` of the project file.
    pub fn group<G: Group>(&self, flags: G) -> anyhow::Result<G> {
        Ok(flags.over(self.project()?.defaults.group()?))
    }

    /// All constraints over the `[defaults]` of the project file.
    pub fn constraints(&self, flags: ConstraintArgs) -> anyhow::Result<ConstraintArgs> {
        let ConstraintArgs { filter, limit, spot, bill } = flags;
        Ok(ConstraintArgs {
            filter: self.group(filter)?,
            limit: self.group(limit)?,
            spot: self.group(spot)?,
            bill: self.group(bill)?,
        })
    }

    /// The workload as asked: flags over environment over `--workload` file over `[defaults]`.
    pub fn workload(&self, source: WorkloadSourceArgs) -> anyhow::Result<WorkloadArgs> {
        self.workload_over(source, WorkloadArgs::default())
    }

    /// The same with a scenario between the file and the `[defaults]`.
    pub fn workload_over(
        &self,
        source: WorkloadSourceArgs,
        scenario: WorkloadArgs,
    ) -> anyhow::Result<WorkloadArgs> {
        let read = |path: &PathBuf| Settings::from_workload(&path.display().to_string(), &read(path)?);
        let file = source.workload.as_ref().map(read).transpose()?;
        let lower = scenario.over(self.project()?.defaults.group()?);
        Ok(request::workload(source.flags, &self.asked.from_environment, file.as_ref(), lower)?)
    }

    /// The catalog with the overlays of `--catalog`. Their findings go out as the document when one is an error.
    pub fn catalog(&self, sections: Sections) -> anyhow::Result<Catalog> {
        self.loaded(sections, true)?.or_else(|findings| self.refuse(&findings, None))
    }

    /// The same; the document of findings has the fields of the command, empty, too. It is there until the process ends, which
    /// is when a command is done with it: its thousands of texts are not given back one by one.
    pub fn catalog_for<B: Body>(
        &self,
        sections: Sections,
        nothing: impl FnOnce() -> B,
    ) -> anyhow::Result<ManuallyDrop<Catalog>> {
        let loaded = self.loaded(sections, true)?;
        loaded.or_else(|findings| self.refuse(&findings, Some(&nothing()))).map(ManuallyDrop::new)
    }

    /// The same without fetched prices, for what becomes an overlay of the program.
    pub fn unfetched_catalog_for<B: Body>(
        &self,
        sections: Sections,
        nothing: impl FnOnce() -> B,
    ) -> anyhow::Result<Catalog> {
        self.loaded(sections, false)?.or_else(|findings| self.refuse(&findings, Some(&nothing())))
    }

    /// Writes the findings of an invalid catalog, beside the empty fields of the command where it has some.
    fn refuse(&self, findings: &[Finding], empty: Option<&dyn Content>) -> anyhow::Result<Catalog> {
        let found = Findings::new(findings);
        // Nothing is priced, so that no rate is missed.
        let _ = self.money.set(RefCell::default());
        match empty {
            Some(empty) => self.answer(&Catalog::default(), &[], &[], Broken::new(empty, found))?,
            None => self.answer(&Catalog::default(), &[], &[], found)?,
        }
        Err(CatalogError::of(findings).into())
    }

    /// The catalog, or what makes it invalid.
    fn loaded(
        &self,
        sections: Sections,
        with_fetched: bool,
    ) -> anyhow::Result<Result<Catalog, Vec<Finding>>> {
        let laid = updates::load(&self.global, sections, with_fetched);
        if let Ok(laid) = &laid {
            laid.loaded.notes.iter().for_each(|note| self.step(note));
        }
        self.step("catalog loaded");
        match laid {
            Ok(Laid { loaded: Loaded { mut catalog, warnings, .. }, used, unusable }) => {
                self.overlay_warnings.borrow_mut().extend(warnings.iter().map(warning).chain(unusable));
                self.updates.borrow_mut().extend(used);
                if sections.rules && !self.global.catalog.is_empty() {
                    policy::check_rules(&catalog)?;
                }
                if sections.prices {
                    self.settle(&mut catalog)?;
                }
                Ok(Ok(catalog))
            }
            Err(CatalogProblem::Invalid { findings }) => Ok(Err(findings)),
            Err(problem) => Err(catalog_problem(problem)),
        }
    }

    /// The catalog with the overlays of `--catalog` and with others over them. A problem is given back as it is.
    pub fn catalog_beside(
        &self,
        others: Vec<PathBuf>,
        sections: Sections,
    ) -> Result<Catalog, CatalogProblem> {
        let paths: Vec<PathBuf> = self.global.catalog.iter().cloned().chain(others).collect();
        load::with_cache(&paths, sections, environment::cache(&self.global).as_deref())
            .map(|loaded| loaded.catalog)
    }

    /// All findings about the overlays of `--catalog` and `paths`; about the catalog of the program without any.
    pub fn check_catalog(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<Finding>> {
        let paths: Vec<PathBuf> = self.global.catalog.iter().chain(paths).cloned().collect();
        load::check(&paths).map_err(catalog_problem)
    }

    /// The project file: that of `--config`, or the nearest one upward, whose path is told; empty without one.
    pub fn project(&self) -> Result<&Project, InputError> {
        if let Some(project) = self.project.get() {
            return Ok(project);
        }
        let project = self.find_project()?.unwrap_or_default();
        Ok(self.project.get_or_init(|| project))
    }

    /// The project file that must be there: `file`, else that of `--config`, else the nearest one upward.
    pub fn project_of(&self, file: Option<&Path>) -> Result<Project, InputError> {
        if let Some(path) = file {
            return Project::read(&path.display().to_string(), &read(path)?);
        }
        self.find_project()?.ok_or_else(|| {
            let (name, hint) = (config::FILE_NAME, "name it, or run the command in its folder or below");
            InputError::new(format!("no project file: there is no {name} here or in a folder above"), hint)
        })
    }

    fn find_project(&self) -> Result<Option<Project>, InputError> {
        if self.global.no_config {
            return Ok(None);
        }
        if let Some(path) = &self.global.config {
            return Project::read(&path.display().to_string(), &read(path)?).map(Some);
        }
        let Some(path) = std::env::current_dir().ok().and_then(|folder| config::find(&folder)) else {
            return Ok(None);
        };
        self.tell(&format!("note: settings from {}", path.display()));
        Project::read(&path.display().to_string(), &read(&path)?).map(Some)
    }

    /// Now. `SOURCE_DATE_EPOCH` (seconds, reproducible-builds.org) stands in for the clock.
    pub fn now(&self) -> Result<jiff::Timestamp, InputError> {
        let Ok(seconds) = std::env::var("SOURCE_DATE_EPOCH") else { return Ok(jiff::Timestamp::now()) };
        let time = seconds.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
        time.ok_or_else(|| InputError::new(format!("SOURCE_DATE_EPOCH is not a time: `{seconds}`"), ""))
    }

    /// Today, for the age of prices.
    pub fn today(&self) -> anyhow::Result<Date> {
        Ok(jiff::tz::Offset::UTC.to_datetime(self.now()?).date())
    }

    /// The folder of `catalog update`.
    pub fn store(&self) -> Result<Store, InputError> {
        Store::find(self.global.data.as_deref()).ok_or_else(|| {
            InputError::new("no folder to keep prices in: HOME is not set", "name one: --data FOLDER")
        })
    }

    /// Said once wherever a constraint of law was asked for.
    fn of_law(&self) -> anyhow::Result<Option<Warning>> {
        let mut asked = self.asked.typed.iter().chain(&self.asked.from_environment);
        let mut defaults = FilterArgs::default();
        if let Some(project) = self.project.get() {
            defaults = project.defaults.group()?;
        }
        let law = asked.any(|flag| FilterArgs::LAW.contains(&flag.as_str())) || defaults.names_law();
        Ok(law.then(|| Warning {
            id: "not-legal-advice",
            message: "countries and jurisdictions are what the sources of the catalog tag regions and seats of \
                      companies with; what is not known is left out. This is no legal advice: ask the provider for \
                      the contract and the certificate"
                .to_owned(),
        }))
    }

    /// Writes the document of the command: its warnings to stderr too.
    #[expect(clippy::needless_pass_by_value, reason = "whoever answers is done with the body")]
    pub fn answer(
        &self,
        catalog: &Catalog,
        assumptions: &[Assumption],
        warnings: &[Warning],
        body: impl Content,
    ) -> anyhow::Result<()> {
        self.draw(catalog, assumptions, warnings, &body)
    }

    /// The same for a body whose type is forgotten: this is in the program once.
    fn draw(
        &self,
        catalog: &Catalog,
        assumptions: &[Assumption],
        warnings: &[Warning],
        body: &dyn Content,
    ) -> anyhow::Result<()> {
        let mut all = self.overlay_warnings.take();
        all.extend_from_slice(warnings);
        all.extend(self.of_law()?);
        if self.money.get().is_none() {
            self.settle(&mut Catalog::default())?;
        }
        let told = self.money.get().map(|money| money.borrow().told(body.used())).transpose()?;
        let (exchange, rates) = told.unwrap_or_default();
        for warning in &mut all {
            warning.message = self.in_currency(&warning.message);
        }
        let assumptions = [assumptions, &self.updates.take(), &rates].concat();
        let document =
            Document::new(catalog, &self.asked.command, &assumptions, &all, body).exchanged(exchange);
        let mut bytes = Vec::new();
        document
            .write(self.format(), &self.terminal().style(exit::language()), &mut bytes)
            .context("cannot draw the answer")?;
        if self.global.ascii {
            bytes = plain(self.format(), &String::from_utf8_lossy(&bytes)).into_bytes();
        }
        self.step("answer drawn");
        document.warning_messages().for_each(|message| self.tell(&format!("warning: {message}")));
        self.write(&bytes)
    }

    /// Writes a finished text, such as a script; in JSON it is one field of a document.
    pub fn text(&self, text: String) -> anyhow::Result<()> {
        if matches!(self.format(), Format::Json | Format::Html) {
            return self.answer(&Catalog::default(), &[], &[], Text::new(text));
        }
        self.write(text.as_bytes())
    }

    /// Writes bytes that are a document as they are.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        output::write(self.global.output.as_deref(), bytes)
    }

    /// Writes another file beside the answer, wholly or not at all.
    pub fn write_file(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let same = |output: &Path| {
            let place = |path: &Path| {
                std::fs::canonicalize(path)
                    .or_else(|_| std::path::absolute(path))
                    .unwrap_or_else(|_| path.to_owned())
            };
            place(output) == place(path)
        };
        if path == Path::new("-") || self.global.output.as_deref().is_some_and(same) {
            let message = format!("`{}` is where the answer goes", path.display());
            return Err(InputError::new(message, "name another file").into());
        }
        output::write(Some(path), bytes)
    }

    fn terminal(&self) -> Terminal {
        let terminal = Terminal::detect(self.global.color, self.global.ascii, self.global.output.is_some());
        // A language that was asked for is written with its own letters, whatever the locale says of the terminal.
        let ascii = terminal.ascii && (self.global.ascii || exit::language().is_english());
        Terminal { ascii, ..terminal }
    }

    /// A line on stderr, unless `--quiet`.
    pub fn tell(&self, line: &str) {
        if !self.global.quiet {
            exit::say(line);
        }
    }

    /// Why the answer is not what was hoped for, on stderr even with `--quiet`: the exit code is not 0 either.
    pub fn complain(&self, line: &str) {
        exit::complain(&self.in_currency(line));
    }

    /// A step that is done, with the time since the start, on stderr with `--verbose`.
    pub fn step(&self, what: &str) {
        if self.global.verbose {
            let ms = self.started.elapsed().as_secs_f64() * 1e3;
            exit::say(&format!("{ms:8.2} ms  {what}"));
        }
    }
}

fn warning(finding: &Finding) -> Warning {
    Warning { id: finding.code, message: format!("{}: {}", finding.place, finding.message) }
}

/// A file that cannot be read is bad input; a damaged image is a bug of the program.
pub fn catalog_problem(problem: CatalogProblem) -> anyhow::Error {
    match problem {
        CatalogProblem::Unreadable { .. } | CatalogProblem::Empty { .. } | CatalogProblem::TooMuch { .. } => {
            InputError::new(problem.to_string(), "").into()
        }
        CatalogProblem::Invalid { findings } => CatalogError::of(&findings).into(),
        CatalogProblem::Image(_) => problem.into(),
    }
}
