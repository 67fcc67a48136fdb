//! A whole import as an overlay, from ten thousand prices to a million: the program as users start it, once its cache is
//! made, and the first run that makes it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{fs, io};

#[path = "../tests/it/catalog/big.rs"]
mod big;

const PRICES: [usize; 3] = [10_000, 100_000, 1_000_000];

static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("gpuadvise-scale-{}", std::process::id())));

fn main() -> io::Result<()> {
    fs::create_dir_all(&*FOLDER)?;
    for prices in PRICES {
        fs::write(overlay(prices), big::overlay(prices))?;
    }
    divan::main();
    fs::remove_dir_all(&*FOLDER)
}

fn overlay(prices: usize) -> PathBuf {
    FOLDER.join(format!("{prices}.toml"))
}

/// `recommend` under an overlay; whether it found something.
fn recommend(overlay: &Path, more: &[&str]) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpuadvise"));
    command
        .args(["recommend", "--model", "llama-3-8b", "--task", "infer", "--catalog"])
        .arg(overlay)
        .args(more);
    command.env("GPUADVISE_CACHE", FOLDER.join("cache")).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The whole process, with what the overlay came to in the cache.
#[divan::bench(args = PRICES, sample_count = 10, sample_size = 1)]
fn cached(bencher: divan::Bencher<'_, '_>, prices: usize) {
    let path = overlay(prices);
    recommend(&path, &[]);
    bencher.bench(|| recommend(&path, &[]));
}

/// The whole process without a cache.
#[divan::bench(args = PRICES, sample_count = 1, sample_size = 1)]
fn compiled(bencher: divan::Bencher<'_, '_>, prices: usize) {
    let path = overlay(prices);
    bencher.bench(|| recommend(&path, &["--no-cache"]));
}
