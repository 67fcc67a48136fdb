//! Fuzzes the target `project`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("project", bytes));
