//! The one integration-test binary. Each module proves one thing of the whole; details are tested beside the code.
#![allow(clippy::unwrap_used, reason = "helpers of tests may unwrap as the tests do")]

mod accuracy;
mod accuracy_regression;
mod advise;
mod answers;
mod bill;
mod calibrate;
mod catalog;
#[cfg(unix)]
mod ci;
mod cmd;
mod commitments;
mod example;
mod export;
mod foreign;
mod gate;
mod golden;
mod guide;
mod lang;
mod lang_data;
mod lang_errors;
mod lang_help;
mod law;
mod layers;
mod model_files;
mod money;
mod network;
mod output;
mod program;
mod report;
mod rightsize;
mod rightsize_use;
mod rules;
mod samples;
mod serving;
mod size;
mod software;
mod spot;
mod tco;
#[cfg(feature = "refresh")]
mod tls;
mod training;
#[cfg(feature = "refresh")]
mod update;
#[cfg(feature = "refresh")]
mod update_harm;
mod user_reports;
mod workload;
