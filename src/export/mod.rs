//! Hand-off files for the tools that launch machines, made from one row of an answer. Which tools, providers and programs
//! there are, and what they call things, is data: `export/*.toml`, with the templates of the files. Nothing here
//! estimates, prices, reads a file or a clock.

pub mod chosen;
mod header;
pub mod quote;
pub mod rows;
mod run;
mod scope;
pub mod template;

use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::report::export::{FileLine, LaunchFiles};
use chosen::Chosen;
use rows::{Target, software};
use template::{Scope, Value, render};

/// The launch files of one target for one chosen row, with what the reader should know.
///
/// # Errors
///
/// When the target does not know the provider, the machine or the accelerator, or when a name in the row cannot stand in
/// such a file.
pub fn export(catalog: &Catalog, target: &Target, chosen: &Chosen) -> Result<LaunchFiles, InputError> {
    chosen.check_names()?;
    let software = software()?;
    let place = target.place(&chosen.row)?;
    let mut notes = Vec::new();
    let mut scope = scope::scope(catalog, target, &place, chosen, &mut notes)?;
    let run = run::script(catalog, &software, chosen, &mut scope, &mut notes)?;
    let lines = |text: &str| Value::Lines(text.lines().map(str::to_owned).collect());
    scope.insert("run".to_owned(), lines(&run));
    scope.insert("header".to_owned(), Value::Lines(header::lines(target, chosen, &notes)));
    let files: Vec<FileLine> = target
        .files
        .iter()
        .filter(|file| file.is_for(&chosen.row.provider, &scope))
        .map(|file| file_of(file, &scope))
        .collect::<Result<_, _>>()?;
    Ok(LaunchFiles { files, notes })
}

fn file_of(file: &rows::FileTemplate, scope: &Scope) -> Result<FileLine, InputError> {
    let content = render(&file.text, file.syntax, scope)
        .map_err(|fault| InputError::new(format!("the template of {} is damaged: {fault}", file.name), ""))?;
    Ok(FileLine { name: file.name.clone(), content })
}
