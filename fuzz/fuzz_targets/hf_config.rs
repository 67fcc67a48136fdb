//! Fuzzes the target `hf_config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("hf_config", bytes));
