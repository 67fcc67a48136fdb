//! The files behind `--catalog`: found, bounded, hashed, read.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::CatalogProblem;
use crate::catalog::validate::SourceFile;

/// Longest overlay file, bytes; above what two million prices take.
const LONGEST: u64 = 512 << 20;

/// Longest overlay that comes through a pipe or a device, bytes: it is held in memory before it can be looked at.
const LONGEST_STREAM: u64 = 64 << 20;

/// Most TOML files of one folder.
const MOST_FILES: usize = 20_000;

/// Deepest folder that is entered.
const DEEPEST: usize = 64;

/// One overlay file that was found.
#[derive(Debug)]
pub(super) enum Overlay {
    /// A plain file of so many bytes.
    File(PathBuf, u64),
    /// What came through a pipe or a device, which can be read but once.
    Held(PathBuf, Vec<u8>),
}

impl Overlay {
    /// Its length in bytes, as far as known.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Held(_, bytes) => bytes.len() as u64,
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::File(path, _) | Self::Held(path, _) => path,
        }
    }

    /// Path as messages show it.
    pub(super) fn label(&self) -> String {
        self.path().display().to_string()
    }

    /// The hash of its content.
    pub(super) fn hash(&self) -> Result<blake3::Hash, CatalogProblem> {
        match self {
            Self::Held(_, bytes) => Ok(blake3::hash(bytes)),
            Self::File(path, _) => {
                let mut hasher = blake3::Hasher::new();
                let read = File::open(path).and_then(|mut file| {
                    let mut buffer = vec![0; 256 << 10];
                    loop {
                        match file.read(&mut buffer)? {
                            0 => return Ok(hasher.finalize()),
                            count => hasher.update(&buffer[..count]),
                        };
                    }
                });
                read.map_err(|error| unreadable(path, error))
            }
        }
    }

    /// Its text.
    pub(super) fn text(self) -> Result<SourceFile, CatalogProblem> {
        let label = self.label();
        let (path, bytes) = match self {
            Self::Held(path, bytes) => (path, bytes),
            Self::File(path, _) => {
                let bytes = bounded(&path, LONGEST)?;
                (path, bytes)
            }
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let place = crate::diag::Place::at(&label, &before, valid);
            let what = format!("not UTF-8 at line {}, column {}", place.line, place.column);
            unreadable(&path, io::Error::new(io::ErrorKind::InvalidData, what))
        })?;
        Ok(SourceFile { label, text })
    }
}

/// The TOML files behind a path, a folder's in the order of their paths. Linked folders are not entered, so that a loop
/// of links ends.
pub(super) fn find(path: &Path) -> Result<Vec<Overlay>, CatalogProblem> {
    let found = fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if found.is_file() {
        return one(path.to_owned(), found.len()).map(|file| vec![file]);
    }
    if !found.is_dir() {
        if is_fifo(found.file_type()) && fs::canonicalize(path).is_ok() {
            // One without a writer would never answer. The pipes of a shell have no name.
            let why = "it is a named pipe; write its content to a file first";
            return Err(unreadable(path, io::Error::other(why)));
        }
        let bytes = bounded(path, LONGEST_STREAM)?;
        return Ok(vec![Overlay::Held(path.to_owned(), bytes)]);
    }
    let mut files = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if depth > DEEPEST {
            return Err(unreadable(
                path,
                io::Error::other(format!("its folders are more than {DEEPEST} deep")),
            ));
        }
        for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), error))?;
            if kind.is_dir() {
                folders.push((entry.path(), depth + 1));
            } else if entry.path().extension().is_some_and(|extension| extension == "toml")
                && entry.path().is_file()
            {
                files.push(entry.path());
            }
        }
        if files.len() > MOST_FILES {
            return Err(unreadable(path, io::Error::other(format!("more than {MOST_FILES} TOML files"))));
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(CatalogProblem::Empty { path: path.to_owned() });
    }
    let sized = |path: PathBuf| match fs::metadata(&path) {
        Ok(found) => one(path, found.len()),
        Err(error) => Err(unreadable(&path, error)),
    };
    files.into_iter().map(sized).collect()
}

fn one(path: PathBuf, length: u64) -> Result<Overlay, CatalogProblem> {
    if length > LONGEST { Err(too_long(&path, LONGEST)) } else { Ok(Overlay::File(path, length)) }
}

/// The bytes of a file, or of a device as far as the limit.
fn bounded(path: &Path, most: u64) -> Result<Vec<u8>, CatalogProblem> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| {
            bytes.reserve(usize::try_from(file.metadata()?.len().min(most)).unwrap_or_default());
            file.take(most + 1).read_to_end(&mut bytes)
        })
        .map_err(|error| unreadable(path, error))?;
    if bytes.len() as u64 > most { Err(too_long(path, most)) } else { Ok(bytes) }
}

fn too_long(path: &Path, most: u64) -> CatalogProblem {
    let what = format!("it is longer than {} MiB; split it, or leave out what you do not rent", most >> 20);
    unreadable(path, io::Error::new(io::ErrorKind::FileTooLarge, what))
}

fn unreadable(path: &Path, error: io::Error) -> CatalogProblem {
    CatalogProblem::Unreadable { path: path.to_owned(), error }
}

#[cfg(unix)]
fn is_fifo(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: FileType) -> bool {
    false
}
