//! Fuzzes the target `smi_log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("smi_log", bytes));
