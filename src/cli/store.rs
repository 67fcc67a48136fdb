//! The folder of `catalog update`: what it holds, and how it is read. `write` changes it.
//!
//! ```text
//! prices/PROVIDER.toml   the last good prices of one provider, a catalog overlay
//! sources/PROVIDER.json  where they come from: address, time, hashes, marks for the next time
//! history.csv            dated snapshots
//! lock                   held while an update writes
//! ```
//!
//! The folder itself may be a link that its owner made; nothing inside is followed that is one.

#[cfg(feature = "refresh")]
pub mod write;

use crate::diag::InputError;
use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Folder of the overlays.
const PRICES: &str = "prices";

/// Name of the snapshots.
pub const HISTORY: &str = "history.csv";

/// Longest file that is kept and read, bytes: the prices of more than a million offers.
pub const LONGEST: u64 = 256 << 20;

/// The folder and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The folder that was asked for, else that of the user: `$XDG_DATA_HOME/gpuadvise`, `~/.local/share/gpuadvise`
    /// (XDG Base Directory Specification 0.8; relative paths are ignored as it says), `%LOCALAPPDATA%` on Windows.
    pub fn find(asked: Option<&Path>) -> Option<Self> {
        if let Some(folder) = asked.filter(|folder| !folder.as_os_str().is_empty()) {
            return Some(Self { folder: folder.to_owned() });
        }
        let variable = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = variable("XDG_DATA_HOME")
            .or_else(|| variable("LOCALAPPDATA").filter(|_| cfg!(windows)))
            .or_else(|| variable("HOME").map(|home| home.join(".local/share")))?;
        Some(Self { folder: base.join("gpuadvise") })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The overlays, by name; none where there is no such folder.
    pub fn overlays(&self) -> io::Result<Vec<PathBuf>> {
        let folder = self.folder.join(PRICES);
        match fs::symlink_metadata(&folder) {
            Ok(found) if !found.is_dir() => return Err(refused(&folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "toml") {
                if !entry.file_type()?.is_file() {
                    return Err(refused(&entry.path()));
                }
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }

    /// The text of one file; `None` where there is none.
    pub fn read(&self, name: &str) -> Result<Option<String>, InputError> {
        let path = self.folder.join(name);
        let unreadable = |error: io::Error| {
            InputError::new(format!("cannot read `{}`: {error}", path.display()), "move it away")
        };
        match plain(&path) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        }
        let mut text = String::new();
        let read = fs::File::open(&path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
        match read {
            Ok(length) if length as u64 > LONGEST => Err(unreadable(io::ErrorKind::FileTooLarge.into())),
            Ok(_) => Ok(Some(text)),
            Err(error) => Err(unreadable(error)),
        }
    }
}

/// The name of the overlay of a provider.
pub fn overlay_name(provider: &str) -> String {
    format!("{PRICES}/{provider}.toml")
}

/// Whether a file is there. A link, a folder or a device in its place is an error.
fn plain(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(refused(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn refused(path: &Path) -> io::Error {
    let text =
        format!("{} is a link or something else than it should be, and is not followed", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, text)
}
