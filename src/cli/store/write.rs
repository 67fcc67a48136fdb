//! How the folder of `catalog update` is changed: by one process at a time, each file wholly or not at all.

use super::{PRICES, Store, plain, refused};
use anyhow::{Context, bail};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

/// Folder of what is known of the sources.
const SOURCES: &str = "sources";

/// The folder while nobody else may write to it.
pub struct Locked<'s> {
    store: &'s Store,
    /// Released by the system, also when the process is killed.
    _lock: File,
}

/// The name of what is known of the source of a provider.
pub fn source_name(provider: &str) -> String {
    format!("{SOURCES}/{provider}.json")
}

impl Store {
    /// Makes the folder where it is missing, takes it for this process alone, and removes what a killed one left half done.
    pub fn lock(&self) -> anyhow::Result<Locked<'_>> {
        let at = || format!("cannot keep prices in `{}`", self.folder.display());
        fs::create_dir_all(&self.folder).with_context(at)?;
        let path = self.folder.join("lock");
        plain(&path).with_context(at)?;
        let lock =
            OpenOptions::new().write(true).create(true).truncate(false).open(&path).with_context(at)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "another `catalog update` is at work in `{}`; nothing was changed",
                    self.folder.display()
                )
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(at),
        }
        for name in [PRICES, SOURCES] {
            let folder = self.folder.join(name);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(refused(&folder)).with_context(at),
                Err(_) => fs::create_dir(&folder).with_context(at)?,
            }
            sweep(&folder).with_context(at)?;
        }
        sweep(&self.folder).with_context(at)?;
        Ok(Locked { store: self, _lock: lock })
    }
}

impl Locked<'_> {
    /// Writes one file beside its place and renames it, when it is safe on the disk. A link in its place is refused.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.store.folder.join(name);
        replace(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    plain(path)?;
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else { return Err(refused(path)) };
    let temporary = folder.join(format!(".{}{TEMPORARY}", name.to_string_lossy()));
    // The lock makes this name ours; what a killed process left under it was removed.
    let written = OpenOptions::new().write(true).create_new(true).open(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let written = written.and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // What counts is the first failure.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    // Makes the new name last too, where the system can do that for a folder.
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(unix) => Err(error),
        _ => Ok(()),
    }
}

/// How names of files end that are being written.
const TEMPORARY: &str = ".gpuadvise-tmp";

fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(TEMPORARY) && !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
