//! `catalog update`: prices from their sources or a mirror, judged beside the last good ones and kept for later runs.
//!
//! One source after the other; what goes wrong with one leaves its last good prices as they are and the others go on.

mod known;
mod one;
mod origin;

use crate::catalog::Catalog;
use crate::catalog::load::{self, Sections};
use crate::cli::args::UpdateArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::{Frame, catalog_problem};
use crate::cli::store::write::Locked;
use crate::cli::store::{HISTORY, LONGEST, Store};
use crate::diag::InputError;
use crate::refresh::history::{History, Line};
use crate::refresh::sources::{Source, Sources};
use crate::refresh::update::Guards;
use crate::report::catalog::{UpdateAnswer, UpdateLine};
use jiff::Timestamp;
use jiff::civil::Date;
use origin::Origin;
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// What all sources of one run share.
struct Run<'r> {
    frame: &'r Frame,
    args: &'r UpdateArgs,
    store: &'r Store,
    /// Absent where nothing is kept.
    lock: Option<Locked<'r>>,
    own: &'r Catalog,
    origin: Origin,
    guards: Guards,
    now: Timestamp,
    today: Date,
}

/// The prices of one source on a day, for the history.
struct Snapshot {
    providers: Vec<String>,
    day: Date,
    prices: BTreeMap<Line, Decimal>,
}

/// Answers `catalog update`.
pub(super) fn run(frame: &Frame, args: &UpdateArgs) -> anyhow::Result<Outcome> {
    let mut sources = Sources::own().map_err(|fault| fault.of_file("sources"))?;
    sources.limits.timeout_s = args.timeout.unwrap_or(sources.limits.timeout_s);
    sources.limits.retries = args.retries.unwrap_or(sources.limits.retries);
    let (now, today) = (frame.now()?, frame.today()?);
    if let Some(day) = args.as_of.filter(|day| *day > today) {
        let message = format!("--as-of {day} is in the future");
        return Err(InputError::new(message, "give the day of the prices").into());
    }
    if args.as_of.is_some() && args.from.is_none() {
        let hint = "what the sources answer is of today";
        return Err(InputError::new("--as-of is about a mirror: say --from too", hint).into());
    }
    let own = load::embedded(Sections::ALL).map_err(catalog_problem)?;
    let origin = Origin::new(args, sources.limits)?;
    let chosen = choose(&sources, &own, args, origin.is_mirror())?;
    let store = frame.store()?;
    let lock = if args.dry_run { None } else { Some(store.lock()?) };
    let limits = sources.limits;
    let guards = Guards {
        max_lost: args.max_lost.map_or(limits.max_lost_pct, |it| it.0),
        max_change: args.max_change.map(|it| it.0),
        max_median_change: args.max_change.is_none().then_some(limits.max_median_change_pct),
    };
    let run = Run { frame, args, store: &store, lock, own: &own, origin, guards, now, today };
    let mut lines = Vec::new();
    let mut snapshots = Vec::new();
    for choice in chosen {
        let (line, snapshot) = match choice {
            Choice::Fetch(sources) => run.first(&sources),
            Choice::NoKey(source) => (run.without_key(source), None),
        };
        frame.step(&format!("{} {}", line.source, line.status));
        lines.push(line);
        snapshots.extend(snapshot);
    }
    let kept = run.keep_history(&snapshots, limits.keep_days);
    finish(&run, lines, kept)
}

fn finish(run: &Run<'_>, lines: Vec<UpdateLine>, kept: anyhow::Result<()>) -> anyhow::Result<Outcome> {
    let folder = run.store.folder().display().to_string();
    let answer = UpdateAnswer::new(folder, run.args.from.clone(), run.args.dry_run, lines);
    let (failed, refused) = (answer.failed, answer.refused);
    let got = answer.got();
    let troubles = answer.troubles();
    run.frame.answer(&Catalog::default(), &[], &[], answer)?;
    for line in &troubles {
        run.frame.complain(line);
    }
    kept?;
    if failed > 0 || (refused == 0 && !got) {
        let good = if got { "the others are up to date" } else { "nothing new was kept" };
        anyhow::bail!("{failed} of the sources failed; their last good prices stay as they were, {good}");
    }
    Ok(if refused > 0 { Outcome::OverLimit } else { Outcome::Answered })
}

/// The source of some providers, and whether it can be asked.
enum Choice<'s> {
    /// The first of these that is there.
    Fetch(Vec<&'s Source>),
    NoKey(&'s Source),
}

/// For each provider that is asked for the first source whose key is there. A mirror needs no keys.
fn choose<'s>(
    sources: &'s Sources,
    own: &Catalog,
    args: &UpdateArgs,
    mirror: bool,
) -> anyhow::Result<Vec<Choice<'s>>> {
    let slots = |source: &&Source| source.slot().to_owned();
    let mut wanted: Vec<String> = Vec::new();
    for name in &args.provider {
        let id = own.resolve_provider(name)?;
        let name = &own.provider(id).name;
        let source = sources.source.iter().find(|source| source.providers.contains(name));
        let with: Vec<&str> =
            sources.source.iter().flat_map(|source| &source.providers).map(String::as_str).collect();
        let none = || {
            let hint = format!("sources are known for: {}", unique(&with).join(", "));
            InputError::new(format!("no source of prices is known for `{name}`"), hint)
        };
        wanted.push(source.as_ref().map(slots).ok_or_else(none)?);
    }
    let all: Vec<String> = sources.source.iter().map(|source| source.slot().to_owned()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut chosen = Vec::new();
    for slot in unique(&all) {
        if !wanted.is_empty() && !wanted.iter().any(|it| it == slot) {
            continue;
        }
        let mut own = sources.source.iter().filter(|source| source.slot() == slot);
        if mirror {
            chosen.push(Choice::Fetch(own.collect()));
            continue;
        }
        let first = own.clone().next();
        let ready =
            own.find(|source| source.key_env.as_deref().is_none_or(|name| origin::key(name).is_some()));
        chosen.extend(ready.map(|it| Choice::Fetch(vec![it])).or_else(|| first.map(Choice::NoKey)));
    }
    Ok(chosen)
}

fn unique<'t>(all: &[&'t str]) -> Vec<&'t str> {
    let mut unique: Vec<&str> = Vec::new();
    for one in all {
        if !unique.contains(one) {
            unique.push(one);
        }
    }
    unique
}

impl Run<'_> {
    /// The first source that a mirror has. What was asked for by name and is nowhere has failed.
    fn first(&self, sources: &[&Source]) -> (UpdateLine, Option<Snapshot>) {
        let mut last = (UpdateLine::default(), None);
        for source in sources {
            last = self.one(source);
            if last.0.status != "skipped" {
                return last;
            }
        }
        if !self.args.provider.is_empty() {
            last.0.status = "failed";
        }
        last
    }

    /// A source that nobody was asked for is passed over, one that was asked for has failed.
    fn without_key(&self, source: &Source) -> UpdateLine {
        let variable = source.key_env.as_deref().unwrap_or_default();
        let message = format!("needs a key in the environment: {variable}");
        let status = if self.args.provider.is_empty() { "skipped" } else { "failed" };
        UpdateLine { status, message: Some(message), ..self.line(source) }
    }

    fn line(&self, source: &Source) -> UpdateLine {
        UpdateLine {
            source: source.name.clone(),
            providers: source.providers.clone(),
            format: source.format.clone(),
            licence: source.licence.clone(),
            url: self.origin.place(source),
            status: "failed",
            ..UpdateLine::default()
        }
    }

    fn keep_history(&self, snapshots: &[Snapshot], keep_days: i32) -> anyhow::Result<()> {
        let Some(lock) = self.lock.as_ref().filter(|_| !snapshots.is_empty()) else { return Ok(()) };
        let before = self.store.read(HISTORY)?;
        let name = self.store.folder().join(HISTORY).display().to_string();
        let mut history = match &before {
            Some(text) => History::parse(text).map_err(|fault| fault.of_file(&name))?,
            None => History::default(),
        };
        for snapshot in snapshots {
            history.record(&snapshot.providers, snapshot.day, &snapshot.prices);
        }
        history.forget(keep_days);
        let (mut text, mut days) = (history.text(), keep_days);
        // What would be too long to be read again is kept for a shorter time.
        while text.len() as u64 > LONGEST && days > 0 {
            days /= 2;
            history.forget(days);
            text = history.text();
        }
        if before.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        lock.write(HISTORY, text.as_bytes())
    }
}
