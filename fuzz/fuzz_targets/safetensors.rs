//! Fuzzes the target `safetensors`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("safetensors", bytes));
