//! The verdict on several GPUs of one model together.

use super::{Judged, Verdict};
use crate::insight::Confidence;

/// One verdict of all: what must be mended comes first, then what is not known; GPUs that idle beside busy ones make the
/// whole oversized. The least confidence counts, of those that decide.
pub fn together(all: &[&Judged]) -> (Verdict, Confidence) {
    let count = |verdict: Verdict| all.iter().filter(|one| one.verdict == verdict).count();
    let any = |verdict: Verdict| count(verdict) > 0;
    let verdict = if any(Verdict::Errors) {
        Verdict::Errors
    } else if any(Verdict::TooSmall) {
        Verdict::TooSmall
    } else if all.is_empty() || any(Verdict::NotEnoughData) {
        Verdict::NotEnoughData
    } else if count(Verdict::Idle) == all.len() {
        Verdict::Idle
    } else if any(Verdict::Idle) || count(Verdict::Oversized) == all.len() {
        Verdict::Oversized
    } else if any(Verdict::MemoryBound) {
        Verdict::MemoryBound
    } else {
        Verdict::RightSized
    };
    let decides =
        |one: &&&Judged| !matches!(verdict, Verdict::Errors | Verdict::TooSmall) || one.verdict == verdict;
    let confidence = all.iter().filter(decides).map(|one| one.confidence).min().unwrap_or(Confidence::Low);
    (verdict, confidence)
}
