//! Where an answer goes: stdout, or a file that is written wholly or not at all.

use anyhow::Context;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `file`, or to stdout without one.
pub fn write(file: Option<&Path>, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(path) = file {
        return write_file(path, bytes).with_context(|| format!("cannot write `{}`", path.display()));
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever reads has seen enough; the outcome stands.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to stdout"),
    }
}

/// Writes beside the file and renames, so that a reader sees the old or the new one and never a half. Devices and pipes
/// are written to as they are.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(existing) if existing.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(existing) if !existing.is_file() => {
            return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
        }
        _ => {}
    }
    let (temporary, file) = create_beside(&target)?;
    let mut writer = BufWriter::new(file);
    let written = writer
        .write_all(bytes)
        .and_then(|()| writer.flush())
        .and_then(|()| keep_permissions(&target, &temporary))
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // What counts is the first failure; a leftover that cannot be removed is in the same trouble.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn keep_permissions(target: &Path, temporary: &Path) -> io::Result<()> {
    match fs::metadata(target) {
        Ok(existing) => fs::set_permissions(temporary, existing.permissions()),
        Err(_) => Ok(()),
    }
}

/// Creates a new file with a free name in the folder of `target`.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    for attempt in 0..100 {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = target.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

#[cfg(test)]
mod tests;
