//! Fuzzes the target `index`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("index", bytes));
