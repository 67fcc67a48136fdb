//! Compiled overlays: what a large overlay came to, kept in a folder of the user so that the next run need not read TOML.
//!
//! An entry is found by the hash of all that went into it: the program, its own catalog, and the name and content of each
//! overlay file, in their order. No clock is asked. An entry that is damaged, of another program or not the user's own
//! counts as none, and a folder that cannot be written costs nothing but time: the cache never makes a run fail.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Sections;
use crate::catalog::Catalog;
use crate::catalog::image::{self, SECTIONS};
use crate::diag::Finding;
use jiff::civil::Date;

/// What an entry starts with; the number changes with its layout.
const MAGIC: &[u8; 26] = b"gpuadvise catalog cache 3\n";

/// Bytes of a hash.
const HASH: usize = blake3::OUT_LEN;

/// The section behind those of the catalog: the newest day of the fetched prices of each provider.
const NEWEST: &str = "newest";

/// Bytes of the table: length and hash of each section.
const TABLE: usize = (SECTIONS.len() + 1) * (8 + HASH);

/// Bytes before the first section: the magic, the key, the table, the hash of all that.
const HEAD: usize = MAGIC.len() + HASH + TABLE + HASH;

/// Most entries that are kept.
const MOST_ENTRIES: usize = 8;

/// Most bytes of all entries together, but for the newest one.
const MOST_BYTES: u64 = 512 << 20;

/// A folder with compiled overlays.
#[derive(Clone, Debug)]
pub(super) struct Cache<'a> {
    folder: &'a Path,
}

/// What overlays came to: of the catalog the sections that were asked for, the warnings about them, and the newest day
/// of the fetched prices of each provider.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) catalog: Catalog,
    pub(super) warnings: Vec<Finding>,
    pub(super) newest: BTreeMap<String, Date>,
}

impl<'a> Cache<'a> {
    pub(super) fn in_folder(folder: &'a Path) -> Self {
        Self { folder }
    }

    /// The entry under a key; `Ok(None)` where there is none, an error that says why one cannot be used.
    pub(super) fn read(&self, key: blake3::Hash, sections: Sections) -> io::Result<Option<Entry>> {
        match fs::symlink_metadata(self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => is_private(&found?, true)?,
        }
        let path = self.path(key);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => is_private(&found?, false)?,
        }
        let mut file = File::open(&path)?;
        is_private(&file.metadata()?, false)?;
        read_entry(&mut file, key, sections).map(Some)
    }

    /// Writes an entry wholly or not at all, then removes old ones.
    pub(super) fn write(&self, key: blake3::Hash, entry: &Entry) -> io::Result<()> {
        let sections = SECTIONS.iter().map(|name| image::write(name, &entry.catalog, &entry.warnings));
        let newest = postcard::to_stdvec(&entry.newest).map_err(io::Error::other);
        let sections = sections.chain([newest]).collect::<io::Result<Vec<_>>>()?;
        create_folder(self.folder)?;
        is_private(&fs::symlink_metadata(self.folder)?, true)?;
        let temporary = self.folder.join(format!(".{}-{}.tmp", key.to_hex(), std::process::id()));
        let written =
            write_entry(&temporary, key, &sections).and_then(|()| fs::rename(&temporary, self.path(key)));
        if written.is_err() {
            // What counts is the first failure; a leftover that cannot be removed is in the same trouble.
            let _ = fs::remove_file(&temporary);
        }
        written.and_then(|()| self.tidy(key))
    }

    fn path(&self, key: blake3::Hash) -> PathBuf {
        self.folder.join(format!("{}.catalog", key.to_hex()))
    }

    /// Removes the oldest entries, and what killed runs left, until the folder is within its bounds.
    fn tidy(&self, kept: blake3::Hash) -> io::Result<()> {
        let kept = self.path(kept);
        let mut others = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            let path = entry?.path();
            let ours = path.extension().is_some_and(|it| it == "catalog" || it == "tmp");
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if ours && found.is_file() && path != kept {
                others.push((found.modified().ok(), path, found.len()));
            }
        }
        others.sort();
        let mut bytes = fs::metadata(&kept)?.len();
        for (at, (_, path, length)) in others.iter().rev().enumerate() {
            bytes = bytes.saturating_add(*length);
            if at + 1 >= MOST_ENTRIES || bytes > MOST_BYTES {
                // Another run may have removed it already.
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }
}

fn read_entry(file: &mut File, key: blake3::Hash, sections: Sections) -> io::Result<Entry> {
    let mut head = [0; HEAD];
    file.read_exact(&mut head)?;
    let (told, hash) = head.split_at(HEAD - HASH);
    let known = told.starts_with(MAGIC) && told[MAGIC.len()..].starts_with(key.as_bytes());
    if !known || blake3::hash(told).as_bytes() != hash {
        return Err(io::Error::other("its head is damaged"));
    }
    let table = &told[MAGIC.len() + HASH..];
    let mut entry = Entry::default();
    let mut at = HEAD as u64;
    let length = file.metadata()?.len();
    for (name, row) in SECTIONS.iter().chain([&NEWEST]).zip(table.as_chunks::<{ 8 + HASH }>().0) {
        let (count, hash) = row.split_at(8);
        let count = count.iter().rev().fold(0, |count, &byte| count << 8 | u64::from(byte));
        if count > length.saturating_sub(at) {
            return Err(io::Error::other("it is cut off"));
        }
        if sections.wants(name) || matches!(*name, "findings" | NEWEST) {
            let mut bytes = vec![0; usize::try_from(count).map_err(io::Error::other)?];
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut bytes)?;
            if blake3::hash(&bytes).as_bytes() != hash {
                return Err(io::Error::other(format!("its section {name} is damaged")));
            }
            match *name {
                "findings" => entry.warnings = image::read_findings(&bytes).map_err(io::Error::other)?,
                NEWEST => entry.newest = postcard::from_bytes(&bytes).map_err(io::Error::other)?,
                _ => image::read(name, &bytes, &mut entry.catalog).map_err(io::Error::other)?,
            }
        }
        at += count;
    }
    if image::is_coherent(&entry.catalog) { Ok(entry) } else { Err(io::Error::other("its ids lead nowhere")) }
}

fn write_entry(path: &Path, key: blake3::Hash, sections: &[Vec<u8>]) -> io::Result<()> {
    let mut head = Vec::with_capacity(HEAD);
    head.extend(MAGIC);
    head.extend(key.as_bytes());
    for section in sections {
        head.extend((section.len() as u64).to_le_bytes());
        head.extend(blake3::hash(section).as_bytes());
    }
    let hash = blake3::hash(&head);
    head.extend(hash.as_bytes());
    let mut file = private_options().write(true).create_new(true).open(path)?;
    file.write_all(&head)?;
    sections.iter().try_for_each(|section| file.write_all(section))?;
    file.flush()
}

/// Refuses what somebody else could have put there: links, what belongs to others, what others may write.
#[cfg(unix)]
fn is_private(found: &Metadata, folder: bool) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    is_kind(found, folder)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(io::Error::other("other users may write to it"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn is_private(found: &Metadata, folder: bool) -> io::Result<()> {
    is_kind(found, folder)
}

fn is_kind(found: &Metadata, folder: bool) -> io::Result<()> {
    match (folder, found.is_dir(), found.is_file()) {
        (true, true, _) | (false, _, true) => Ok(()),
        (true, ..) => Err(io::Error::other("it is no folder of its own")),
        (false, ..) => Err(io::Error::other("it is no plain file")),
    }
}

#[cfg(unix)]
fn private_options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_options() -> OpenOptions {
    OpenOptions::new()
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}
