//! A reader between a foreign file and its parser: nothing that a parser must hold as one piece grows without bound.

use super::Fault;
use std::io::{self, Read};

/// Longest text, number or row that is read, bytes. Parsers hold one of these in memory.
pub const MOST_TOKEN: usize = 1 << 20;

/// Longest file that is read, bytes: four times the offer file of all AWS regions.
pub const MOST_BYTES: u64 = 32 << 30;

/// Deepest nesting of JSON that is read; no source needs more than a dozen.
const MOST_DEPTH: usize = 100;

/// What pieces of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Texts and numbers.
    Json,
    /// Rows, with quotes that hide line breaks.
    Csv,
}

/// Counts bytes, lines and columns, and stops at a piece that is too long.
pub(super) struct Guard<'r> {
    from: &'r mut dyn Read,
    grammar: Grammar,
    read: u64,
    line: u64,
    column: u64,
    token: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// What stopped it.
    fault: Option<Fault>,
}

impl<'r> Guard<'r> {
    pub(super) fn new(from: &'r mut dyn Read, grammar: Grammar) -> Self {
        Self {
            from,
            grammar,
            read: 0,
            line: 1,
            column: 1,
            token: 0,
            depth: 0,
            quoted: false,
            escaped: false,
            fault: None,
        }
    }

    /// What stopped the reader, if it was this one.
    pub(super) fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn stop(&mut self, message: String, hint: &str) -> io::Error {
        self.fault = Some(Fault::at(self.line, self.column, message, hint));
        io::Error::other("stopped")
    }

    /// Takes one byte into account; false when its piece is too long.
    fn step(&mut self, byte: u8) -> bool {
        let ends = match self.grammar {
            Grammar::Json if self.quoted => {
                let was_escaped = std::mem::take(&mut self.escaped);
                self.escaped = byte == b'\\' && !was_escaped;
                self.quoted = byte != b'"' || was_escaped;
                !self.quoted
            }
            Grammar::Json => {
                self.quoted = byte == b'"';
                match byte {
                    b'[' | b'{' => self.depth += 1,
                    b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.quoted
                    || matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'[' | b']' | b'{' | b'}')
            }
            Grammar::Csv => {
                self.quoted ^= byte == b'"';
                byte == b'\n' && !self.quoted
            }
        };
        self.token = if ends { 0 } else { self.token + 1 };
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        self.token <= MOST_TOKEN
    }
}

impl Read for Guard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        if self.read == 0 && (bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"PK\x03\x04")) {
            return Err(self.stop("a compressed file".to_owned(), "unpack it first"));
        }
        self.read += count as u64;
        if self.read > MOST_BYTES {
            let message = format!("longer than {} GiB", MOST_BYTES >> 30);
            return Err(self.stop(message, "import it in parts"));
        }
        for &byte in bytes {
            let fits = self.step(byte);
            if self.depth > MOST_DEPTH {
                return Err(self.stop(format!("nested deeper than {MOST_DEPTH}"), "no price list is"));
            }
            if !fits {
                let what = if self.grammar == Grammar::Json { "a text or number" } else { "a row" };
                let message = format!("{what} longer than {} MiB", MOST_TOKEN >> 20);
                return Err(self.stop(message, "such a file is damaged, or a quote is not closed"));
            }
        }
        Ok(count)
    }
}
