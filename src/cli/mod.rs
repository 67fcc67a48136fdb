//! The command line: arguments, environment, configuration, one short file a command, exit codes.
//!
//! The only room that prints, and with `catalog::load` the only one that reads files, the environment or the clock.

pub mod advice;
pub mod args;
pub mod cmd;
pub mod commitment_args;
pub mod config;
pub mod constraint;
pub mod discount;
pub mod environment;
pub mod exit;
pub mod find;
pub mod frame;
pub mod glossary;
pub mod help;
pub mod limit;
mod model_file;
pub mod money;
pub mod nccl;
pub mod network_args;
pub mod output;
pub mod policy;
pub mod project;
pub mod quota;
mod reading;
pub mod request;
pub mod rightsize_args;
pub mod schema;
pub mod speech;
pub mod store;
pub mod tco_args;
pub mod terminal;
mod updates;
mod usage;
pub mod value;
pub mod verdict;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use exit::Outcome;
use frame::Frame;
use std::process::ExitCode;

/// Runs the program with the arguments and the environment of the process.
pub fn run() -> ExitCode {
    if asks_for_version() {
        return exit::version();
    }
    let mut command = environment::settle(Cli::command());
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
        let asked = request::Asked::of(&matches);
        Cli::from_arg_matches(&matches).map(|cli| (cli, asked))
    });
    // The catalog takes the memory of hundreds of flags: new pages cost more than giving these back.
    drop(command);
    match parsed {
        Ok((cli, asked)) => {
            let lang = speech::choose(&cli.global, &asked).map(exit::speak);
            let frame = lang.and_then(|()| Frame::new(asked, cli.global)).map_err(anyhow::Error::from);
            exit::code(frame.and_then(|frame| dispatch(&frame, cli.command)))
        }
        Err(error) => {
            let typed: Vec<String> =
                std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            let lang = speech::guess(&typed);
            exit::speak(lang);
            let code = exit::usage(&error, usage::said(lang));
            let origin = || environment::origin(&error, &Cli::command(), &typed);
            if let Some(variable) = error.use_stderr().then(origin).flatten() {
                exit::note(&format!("the value stands in the environment variable {variable}"));
            }
            code
        }
    }
}

/// Whether nothing but the version is asked for, so that no command line need be built.
fn asks_for_version() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|word| word == "--version" || word == "-V") && words.next().is_none()
}

fn dispatch(frame: &Frame, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Recommend(args) => cmd::recommend::run(frame, *args),
        Command::Fit(args) => cmd::fit::run(frame, *args),
        Command::Cost(args) => cmd::cost::run(frame, *args),
        Command::Check(args) => cmd::check::run(frame, &args),
        Command::Diff(args) => cmd::diff::run(frame, &args),
        Command::Commitments(args) => cmd::commitments::run(frame, *args),
        Command::Network(args) => cmd::network::run(frame, *args),
        Command::Tco(args) => cmd::tco::run(frame, *args),
        Command::Rightsize(args) => cmd::rightsize::run(frame, *args),
        Command::Export(args) => cmd::export::run(frame, *args),
        Command::Calibrate(args) => cmd::calibrate::run(frame, &args),
        Command::Catalog { what } => cmd::catalog::run(frame, *what),
        Command::Accuracy(args) => cmd::accuracy::run(frame, &args),
        Command::Explain(args) => cmd::explain::run(frame, &args),
        Command::Schema(args) => cmd::schema::run(frame, &args),
        Command::Completions(args) => cmd::completions::run(frame, &args),
        Command::Man(args) => cmd::man::run(frame, &args),
    }
}
