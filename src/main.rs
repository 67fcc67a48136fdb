//! The binary: everything happens in the library's `cli`.

fn main() -> std::process::ExitCode {
    gpuadvise::cli::run()
}
