//! Texts, tables and stored answers as they are read: from a file or stdin, with a limit on their length.

use crate::diag::InputError;
use std::io::{self, Read};
use std::path::Path;

/// Longest text that is read, bytes: far above any `config.json` or project file, and soon read from a device without
/// an end.
const LONGEST: u64 = 16 << 20;

/// A text file as bad input would be: what cannot be read is an error that names it.
pub fn read(path: &Path) -> Result<String, InputError> {
    read_text(path).map_err(|message| InputError::new(message, ""))
}

pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|file| {
        let length = file.metadata()?.len();
        if length <= LONGEST {
            file.take(LONGEST + 1).read_to_string(&mut text)?;
        }
        Ok(length.max(text.len() as u64))
    });
    match read {
        Ok(length) if length > LONGEST => Err(format!(
            "`{}` is longer than {} MiB: not a text that is read here",
            path.display(),
            LONGEST >> 20
        )),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

/// A table of measurements as bytes; `-` is stdin. Its text is judged by its reader, so that a fault has a line.
pub fn measurements(path: &Path) -> Result<Vec<u8>, InputError> {
    let read = if path == Path::new("-") {
        read_bytes(&mut io::stdin().lock())
    } else {
        std::fs::File::open(path).and_then(|mut file| read_bytes(&mut file))
    };
    match read {
        Ok(bytes) if bytes.len() as u64 > LONGEST_TABLE => {
            let message = format!("`{}` is longer than {} MiB", path.display(), LONGEST_TABLE >> 20);
            Err(InputError::new(message, "split the table into several runs"))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(InputError::new(format!("cannot read `{}`: {error}", path.display()), "")),
    }
}

/// A stored answer; `-` is stdin.
pub fn stored(path: &Path) -> Result<String, InputError> {
    let refused = |what: String| InputError::new(format!("cannot read `{}`: {what}", path.display()), "");
    let read = if path == Path::new("-") {
        read_bytes(&mut io::stdin().lock())
    } else {
        std::fs::File::open(path).and_then(|mut file| read_bytes(&mut file))
    };
    let bytes = read.map_err(|error| refused(error.to_string()))?;
    if bytes.len() as u64 > LONGEST_TABLE {
        return Err(refused(format!("longer than {} MiB", LONGEST_TABLE >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| refused("not UTF-8".to_owned()))
}

/// Longest table that is read, bytes: a hundred thousand rows and more.
const LONGEST_TABLE: u64 = 64 << 20;

fn read_bytes(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST_TABLE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
