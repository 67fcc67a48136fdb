//! Recommends what to rent for a machine-learning workload: machine, nodes, layout, memory proof, time and cost.
//!
//! The rooms in reading order; an arrow goes only from a later one to an earlier one (`tests/it/layers.rs` holds the table).

pub mod advise;
pub mod calibrate;
pub mod catalog;
pub mod cli;
pub mod diag;
pub mod estimate;
pub mod export;
pub mod gate;
pub mod insight;
pub mod lang;
pub mod model;
pub mod money;
pub mod price;
pub mod refresh;
pub mod report;
pub mod rule;
pub mod units;
pub mod workload;
