//! Fits constants of the catalog to measurements: published ones for the catalog itself, a user's own for an overlay.
//!
//! Pure: rows come in, constants go out. No formula lives here, and a fit sees rows only through `insight`; the weights of
//! the loss know a source as a group of rows that share their habits, a constant never does.

pub mod crossval;
pub mod dependence;
pub mod fit;
pub mod free;
pub mod narrow;
pub mod own;
pub mod parent;
pub mod regression;
pub mod rows;
pub mod runs;
pub mod values;

#[cfg(test)]
mod tests;
