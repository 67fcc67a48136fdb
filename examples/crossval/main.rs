//! Fits the constants of the catalog to tables of measurements and says how far off the estimates are: in sample, and for
//! each source with constants that never saw it. A development command; users have `accuracy` and `calibrate`.
//!
//! `cargo run --profile fit --example crossval -- --fit --leave-one-out training.csv inference.csv`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a development command prints")]

mod table;

use anyhow::{Context as _, anyhow};
use clap::Parser;
use gpuadvise::calibrate::crossval::{self, LeftOut};
use gpuadvise::calibrate::fit::{Problem, Settings};
use gpuadvise::calibrate::free::Choice;
use gpuadvise::calibrate::regression;
use gpuadvise::calibrate::rows::Rows;
use gpuadvise::calibrate::values;
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, with_overlays};
use gpuadvise::insight::sample::sample;
use gpuadvise::insight::score::{Labels, Scores, score};
use gpuadvise::insight::table::{Measurement, read};
use gpuadvise::report::plot;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Fits constants to measurements and cross-validates them.
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
struct Arguments {
    /// Tables of measurements.
    #[arg(required = true, value_name = "FILE.csv")]
    files: Vec<PathBuf>,
    /// Fit the constants first; without it those of the catalog are judged.
    #[arg(long)]
    fit: bool,
    /// Refit without each source in turn and judge that source.
    #[arg(long)]
    leave_one_out: bool,
    /// Keep what the left-out source alone determines: no judgement then, only a comparison.
    #[arg(long)]
    keep_alone: bool,
    /// Only rows of these methods or kinds.
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Only rows whose source has one of these texts in its name.
    #[arg(long, value_delimiter = ',')]
    sources: Vec<String>,
    /// Only figures of these metrics.
    #[arg(long, value_delimiter = ',')]
    metrics: Vec<String>,
    /// Fit only constants of these keys.
    #[arg(long, value_delimiter = ',')]
    keys: Vec<String>,
    /// Another list of what may be fitted.
    #[arg(long, value_name = "FILE.toml")]
    free: Option<PathBuf>,
    /// Catalog files laid over the embedded ones: what you edit, without a rebuild.
    #[arg(long, value_name = "FILE.toml")]
    catalog: Vec<PathBuf>,
    /// Print every row, the worst last.
    #[arg(long)]
    rows: bool,
    /// Write the fitted values into these catalog files.
    #[arg(long, value_name = "FILE.toml", value_delimiter = ',')]
    write_constants: Vec<PathBuf>,
    /// Draw predicted against measured of the last table, a picture for each kind and metric.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Write `leave-one-out.toml` and `accuracy-baseline.toml` for the regression test into this folder.
    #[arg(long, value_name = "FOLDER", requires = "leave_one_out")]
    write_regression: Option<PathBuf>,
    /// Strength of the prior.
    #[arg(long, default_value_t = Settings::default().prior)]
    prior: f64,
    /// Most rounds of the fit.
    #[arg(long, default_value_t = Settings::default().rounds)]
    rounds: usize,
    /// Threads of the leave-one-out refits.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=2))]
    threads: u16,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let catalog = with_overlays(&arguments.catalog, Sections::ALL)?.catalog;
    let measurements = measurements(&arguments)?;
    let mut choice = match &arguments.free {
        Some(path) => Choice::read(&std::fs::read_to_string(path)?).map_err(|error| anyhow!(error))?,
        None => Choice::own().map_err(|error| anyhow!(error))?,
    }
    .for_published();
    if !arguments.keys.is_empty() {
        choice.keys.retain(|key| arguments.keys.contains(&key.key));
    }
    let show = |title: &str, scores: &Scores| table::print(title, scores, &arguments.metrics, arguments.rows);
    let mut last = score(&catalog, &measurements);
    show("catalog as it is", &last);
    if !arguments.fit && !arguments.leave_one_out {
        return draw(&arguments, &last);
    }
    let rows = Rows::new(&catalog, &choice, &measurements);
    let settings = Settings { rounds: arguments.rounds, prior: arguments.prior };
    let problem = Problem::new(&catalog, &rows, choice.of(&catalog), settings);
    eprintln!("{} rows, {} constants, {:.1?}", rows.rows.len(), problem.free.len(), start.elapsed());
    let mut fitted = catalog.clone();
    if arguments.fit {
        fitted = problem.fit(&catalog);
        let losses = (problem.loss(&catalog), problem.loss(&fitted));
        eprintln!("loss {:.5} -> {:.5}, {:.1?}", losses.0, losses.1, start.elapsed());
        values::settle(&catalog, &mut fitted, &problem.free);
        last = score(&fitted, &measurements);
        show("in sample", &last);
        constants(&catalog, &fitted);
        for path in &arguments.write_constants {
            let text = std::fs::read_to_string(path)?;
            std::fs::write(path, values::rewrite(&text, &fitted.constants))?;
        }
    }
    if arguments.leave_one_out {
        let published = published(&catalog, &arguments.files, &rows.sources)?;
        let left_out = leave_one_out(&problem, &fitted, &published, &arguments);
        let mut scores = Scores::default();
        for (source, left) in rows.sources.iter().zip(&left_out) {
            crossval::add(&mut scores, crossval::score_source(&left.catalog, &measurements, source));
        }
        show("leave one source out", &scores);
        last = scores;
        if let Some(folder) = &arguments.write_regression {
            write_regression(folder, &fitted, &rows.sources, &published, &left_out)?;
        }
        stand_ins(&fitted, &rows.sources, &left_out);
        eprintln!("{:.1?}", start.elapsed());
    }
    draw(&arguments, &last)
}

/// Draws what `--plot` asks for.
fn draw(arguments: &Arguments, scores: &Scores) -> anyhow::Result<()> {
    let Some(path) = &arguments.plot else { return Ok(()) };
    let svg = plot::sheet("Predicted against measured", &plot::panels(scores));
    std::fs::write(path, svg).with_context(|| format!("writing {}", path.display()))
}

/// Keeps the constants fitted without each source, and the errors that its rows in the sample have then. The catalog of
/// the program must hold the fitted values already: what is kept is the difference to it.
fn write_regression(
    folder: &Path,
    fitted: &Catalog,
    sources: &[String],
    published: &[BTreeSet<String>],
    left_out: &[LeftOut],
) -> anyhow::Result<()> {
    let sample = sample().map_err(|error| anyhow!(error))?;
    let (mut kept, mut baseline) = (regression::LeftOut::default(), regression::Baseline::default());
    let mut names: Vec<&String> = sample.iter().map(|row| &row.source_group).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let at = sources.iter().position(|source| source == name);
        let without = at.map_or(fitted, |at| &left_out[at].catalog);
        let own = at.map(|at| published[at].clone()).unwrap_or_default();
        let values = regression::SourceValues::new(name, &own, fitted, without);
        // The test starts from rounded values: so must the errors.
        let rounded = values.apply(fitted).map_err(|error| anyhow!(error))?;
        baseline.group.extend(regression::medians(&crossval::score_source(&rounded, &sample, name)));
        if !values.values.is_empty() || !values.published.is_empty() {
            kept.source.push(values);
        }
    }
    std::fs::create_dir_all(folder)?;
    let head = "# Written by examples/crossval --leave-one-out --write-regression; not by hand.\n";
    std::fs::write(folder.join("leave-one-out.toml"), format!("{head}{}", toml::to_string(&kept)?))?;
    std::fs::write(folder.join("accuracy-baseline.toml"), format!("{head}{}", toml::to_string(&baseline)?))?;
    Ok(())
}

/// All rows of the files that are asked for.
fn measurements(arguments: &Arguments) -> anyhow::Result<Vec<Measurement>> {
    let mut all = Vec::new();
    for path in &arguments.files {
        let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        let name = path.display().to_string();
        all.extend(read(&name, &bytes).map_err(|error| anyhow!("{}: {}", error.message, error.hint))?);
    }
    all.retain(|row| {
        let kind = Labels::of(row).kind;
        (arguments.kinds.is_empty() || arguments.kinds.contains(&kind))
            && (arguments.sources.is_empty()
                || arguments.sources.iter().any(|s| row.source_group.contains(s)))
    });
    for row in &mut all {
        let wanted = |name: &str| arguments.metrics.is_empty() || arguments.metrics.iter().any(|m| m == name);
        row.answer.values.retain(|metric, _| wanted(metric.name()));
    }
    Ok(all)
}

/// For each source the publishers of measured rates that its rows name in the column `source`: those rates are its own.
fn published(
    catalog: &Catalog,
    files: &[PathBuf],
    sources: &[String],
) -> anyhow::Result<Vec<BTreeSet<String>>> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path)?;
        let header = reader.headers()?.clone();
        let column = |name: &str| header.iter().position(|own| own == name);
        let (Some(group), Some(source)) = (column("source_group"), column("source")) else { continue };
        for record in reader.records() {
            let record = record?;
            let (Some(group), Some(source)) = (record.get(group), record.get(source)) else { continue };
            texts.entry(group.trim().to_owned()).or_default().insert(source.to_owned());
        }
    }
    let own = |source: &String| {
        let texts = texts.get(source).into_iter().flatten().map(String::as_str);
        crossval::publishers(catalog, texts.chain([source.as_str()]))
    };
    Ok(sources.iter().map(own).collect())
}

/// One refit a source, in the order of the sources.
fn leave_one_out(
    problem: &Problem<'_>,
    fitted: &Catalog,
    published: &[BTreeSet<String>],
    arguments: &Arguments,
) -> Vec<LeftOut> {
    let sources = problem.rows.sources.len();
    let (threads, keep) = (usize::from(arguments.threads), arguments.keep_alone);
    let mut done: BTreeMap<usize, LeftOut> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                scope.spawn(move || {
                    let own = (0..sources).skip(worker).step_by(threads);
                    own.map(|source| {
                        (source, crossval::without(problem, fitted, source, &published[source], keep))
                    })
                    .collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    (0..sources).filter_map(|source| done.remove(&source)).collect()
}

/// What the fit changed.
fn constants(before: &Catalog, after: &Catalog) {
    println!("== fitted constants (value before -> after, range)");
    for (old, new) in before
        .constants
        .iter()
        .zip(&after.constants)
        .filter(|(old, new)| old.value.to_bits() != new.value.to_bits())
    {
        let range = new.range.map_or(String::new(), |(low, high)| format!("  {low}..{high}"));
        println!("{:60} {:>10} -> {:>10}{range}", values::label(old), old.value, new.value);
    }
}

/// Constants that one source alone determines.
fn stand_ins(catalog: &Catalog, sources: &[String], left_out: &[LeftOut]) {
    println!("== constants that one source alone determines");
    for (source, left) in sources.iter().zip(left_out) {
        let names = |list: &[usize]| {
            list.iter().map(|&at| values::label(&catalog.constants[at])).collect::<Vec<_>>().join(", ")
        };
        if !left.replaced.is_empty() {
            println!("{source}: a wider one stood in for {}", names(&left.replaced));
        }
        if !left.kept.is_empty() {
            println!("{source}: NOT LEFT OUT, nothing wider: {}", names(&left.kept));
        }
    }
}
