//! `schema [NAME]`: JSON Schemas of outputs and input files.

use crate::catalog::Catalog;
use crate::cli::args::SchemaArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::schema::{self, SCHEMAS};
use crate::diag::InputError;
use crate::report::listing::Listing;

/// Prints the schema, or the list without a name.
pub fn run(frame: &Frame, args: &SchemaArgs) -> anyhow::Result<Outcome> {
    let Some(name) = &args.name else {
        let listing = Listing::new(SCHEMAS.iter().map(|entry| (entry.name, entry.what)));
        frame.answer(&Catalog::default(), &[], &[], listing)?;
        return Ok(Outcome::Answered);
    };
    let text = schema::text(name).ok_or_else(|| {
        let hint = "`gpuadvise schema` lists the names";
        InputError::unknown("schema", name, SCHEMAS.iter().map(|entry| entry.name), hint)
    })?;
    frame.write(text.as_bytes())?;
    Ok(Outcome::Answered)
}
