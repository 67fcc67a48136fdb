//! Fuzzes the target `stored_document`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gpuadvise_fuzz::run("stored_document", bytes));
