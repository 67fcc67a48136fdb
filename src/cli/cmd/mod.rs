//! One short file a command: resolve what was asked, call the library, emit the document.

pub mod accuracy;
pub mod calibrate;
pub mod catalog;
pub mod check;
pub mod commitments;
pub mod completions;
pub mod cost;
pub mod diff;
pub mod explain;
pub mod export;
pub mod fit;
pub mod man;
pub mod network;
pub mod recommend;
pub mod rightsize;
pub mod scenario;
pub mod schema;
pub mod show;
pub mod tco;
