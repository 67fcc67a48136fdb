//! The only output contract: documents, their rows, and one renderer a format. Renderers write to a `Write`, never
//! to the terminal; nothing here estimates, prices or ranks.

pub mod accuracy;
pub mod calibrate;
pub mod catalog;
pub mod check;
pub mod commitments;
pub mod contract;
pub mod cost;
mod csv;
pub mod date;
pub mod diff;
pub mod document;
pub mod exchange;
pub mod explain;
pub mod explained;
pub mod export;
pub mod fit;
mod html;
pub mod impact;
pub mod json;
pub mod junit;
pub mod kinds;
pub mod listing;
mod markdown;
pub mod network;
mod node;
pub mod number;
pub mod plot;
pub mod plot_commitments;
pub mod recommend;
pub mod rightsize;
pub mod row;
mod said;
pub mod scenario;
pub mod schema;
pub mod style;
mod table;
pub mod tco;
mod text;
pub mod view;
pub mod workload;
pub mod wrap;

pub use document::{Body, Content, Csv, Document, Used};
pub use style::{Format, Style};
pub use table::plain;
