//! `completions SHELL`: made from the same flags at run time.

use crate::cli::args::{Cli, CompletionsArgs};
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use clap::CommandFactory;

/// Prints the script.
pub fn run(frame: &Frame, args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gpuadvise", &mut script);
    frame.text(String::from_utf8_lossy(&script).into_owned())?;
    Ok(Outcome::Answered)
}
