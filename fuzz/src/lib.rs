//! The targets, shared with the tests of the package.

#[allow(dead_code, reason = "seeds are for the driver: libFuzzer has a corpus of its own")]
#[path = "../../tests/it/foreign/targets.rs"]
mod targets;

/// Hands bytes to the target with this name.
pub fn run(name: &str, bytes: &[u8]) {
    targets::TARGETS.iter().filter(|target| target.name == name).for_each(|target| (target.read)(bytes));
}
