//! Which layer wins.

use super::*;
use crate::cli::constraint::LimitArgs;

fn limits<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> LimitArgs {
    LimitArgs::from_pairs(pairs).unwrap()
}

#[test]
fn the_upper_layer_wins_flag_by_flag() {
    let merged = limits([("top", "3")]).over(limits([("top", "5"), ("budget", "100")]));
    assert_eq!((merged.top, merged.budget.is_some()), (Some(3), true));
}

#[test]
fn alternatives_replace_each_other() {
    let merged = limits([("max-gpus", "16")]).over(limits([("gpus", "8")]));
    assert_eq!((merged.gpus, merged.max_gpus), (None, Some(16)));
}

#[test]
fn a_flag_puts_aside_what_the_environment_says_otherwise() {
    // clap has read the model from the environment and the size from the command line.
    let typed = <WorkloadArgs as Group>::from_pairs([("model", "llama-3-8b"), ("params", "1e9")]).unwrap();
    let from_environment = ["model".to_owned()];
    let merged = workload(typed, &from_environment, None, WorkloadArgs::default()).unwrap();
    assert_eq!((merged.model, merged.params.map(|count| count.0)), (None, Some(1_000_000_000)));
}

#[test]
fn switches_can_be_turned_off_by_an_upper_layer() {
    let merged = limits([("pareto", "false")]).over(limits([("pareto", "true")]));
    assert_eq!(merged.pareto, Some(false));
}

#[test]
fn errors_are_one_line_and_name_the_flag() {
    let error = LimitArgs::from_pairs([("gpus", "0")]).unwrap_err();
    assert!(error.contains("--gpus") && !error.contains('\n') && !error.contains("--help"), "{error}");
}
