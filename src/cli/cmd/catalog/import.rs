//! `catalog import`: files of price sources become an overlay.

use crate::catalog::load::Sections;
use crate::catalog::validate::{SourceFile, validate};
use crate::cli::args::ImportArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::diag::InputError;
use crate::refresh::{self, File, Ledger, doubts};
use crate::report::Format;
use crate::report::catalog::ImportAnswer;
use std::io::Read;
use std::path::Path;

/// Answers `catalog import`. In the form for people the document is the overlay itself, ready for `--catalog`.
pub(super) fn run(frame: &Frame, args: &ImportArgs) -> anyhow::Result<Outcome> {
    let format = refresh::format(&args.kind)?;
    let today = frame.today()?;
    if let Some(day) = args.as_of.filter(|day| *day > today) {
        return Err(
            InputError::new(format!("--as-of {day} is in the future"), "give the day of the prices").into()
        );
    }
    let stdin = args.files.iter().filter(|path| path.as_path() == Path::new("-")).count();
    if stdin > 1 {
        return Err(InputError::new("`-` stands twice", "stdin holds one file").into());
    }
    let catalog = frame.unfetched_catalog_for(Sections::PRICES, ImportAnswer::default)?;
    let mut ledger = Ledger::new(&catalog, today).map_err(|fault| fault.of_file("rules"))?;
    let names: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
    for (path, name) in args.files.iter().zip(&names) {
        let (provider, source) = (args.provider.as_deref(), args.source.as_deref());
        let file = File { name, provider, as_of: args.as_of, since: None, source };
        let mut from = open(path, name)?;
        refresh::read(format, &file, &mut *from, &mut ledger).map_err(|fault| fault.of_file(name))?;
        frame.step(&format!("{name} read"));
    }
    let import = ledger.finish();
    let text = import.overlay.text(&[]);
    let laid = SourceFile { label: "overlay".to_owned(), text: text.clone() };
    let (_, findings) = validate(&[laid], catalog.clone(), true);
    let answer = ImportAnswer::new(format.name, &names, &import, &doubts(&text, &findings));
    let nothing = answer.imported.prices == 0;
    if frame.format() == Format::Table {
        answer.summary().iter().for_each(|line| frame.tell(line));
        frame.write(answer.overlay.as_bytes())?;
    } else {
        answer.doubtful.iter().for_each(|line| frame.tell(&line.sentence()));
        frame.answer(&catalog, &[], &[], answer)?;
    }
    if nothing {
        frame.complain("nothing of it can be used as a price; `left out` tells why");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Answered)
}

fn open(path: &Path, name: &str) -> Result<Box<dyn Read>, InputError> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let unreadable = |what: String| InputError::new(format!("cannot read `{name}`: {what}"), "");
    let file = std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
    if file.metadata().is_ok_and(|it| it.is_dir()) {
        return Err(InputError::new(format!("`{name}` is a folder"), "name its files"));
    }
    Ok(Box::new(file))
}
