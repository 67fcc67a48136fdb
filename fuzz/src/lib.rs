//! The targets, shared with the tests of the package.

#[path = "../../tests/it/foreign/targets.rs"]
mod targets;

/// Hands bytes to the target with this name.
pub fn run(name: &str, bytes: &[u8]) {
    targets::TARGETS.iter().filter(|target| target.name == name).for_each(|target| (target.read)(bytes));
}
