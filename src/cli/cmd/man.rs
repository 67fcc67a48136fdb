//! `man [COMMAND]`: made from the same flags at run time.

use crate::cli::args::{Cli, ManArgs};
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::diag::InputError;
use anyhow::Context;
use clap::{Command, CommandFactory};

/// Prints the page in roff.
pub fn run(frame: &Frame, args: &ManArgs) -> anyhow::Result<Outcome> {
    let mut command = Cli::command();
    command.build();
    for name in &args.command {
        command = subcommand(&command, name)?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).context("cannot make the man page")?;
    frame.text(String::from_utf8_lossy(&page).into_owned())?;
    Ok(Outcome::Answered)
}

fn subcommand(command: &Command, name: &str) -> Result<Command, InputError> {
    command.find_subcommand(name).cloned().ok_or_else(|| {
        let known = command.get_subcommands().map(Command::get_name);
        InputError::unknown("command", name, known, "`gpuadvise --help` lists the commands")
    })
}
