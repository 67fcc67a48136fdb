//! Fuzzes the target `nccl_output`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("nccl_output", bytes));
