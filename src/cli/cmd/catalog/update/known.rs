//! What is known of the last good prices of a source: where they came from, when, and whether the file is still that one.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// `sources/PROVIDER.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    /// Version of this file.
    pub(super) schema: u32,
    /// The program that wrote it.
    pub(super) generated_with: String,
    /// Name of the source.
    pub(super) source: String,
    /// Format of its answers.
    pub(super) format: String,
    /// Terms of its data.
    pub(super) licence: String,
    /// Where it was asked.
    pub(super) url: String,
    /// When.
    pub(super) fetched_at: String,
    /// The newest day of its prices.
    pub(super) as_of: String,
    /// The first day of which they may be, where that is another one.
    pub(super) not_before: Option<String>,
    /// What it answered, page by page.
    pub(super) bodies: Vec<Body>,
    /// Mark of the answer, for the next time.
    pub(super) etag: Option<String>,
    /// Time of the last change, as its header said.
    pub(super) last_modified: Option<String>,
    /// SHA-256 of the overlay made of it.
    pub(super) overlay_sha256: String,
}

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Body {
    /// Bytes, unpacked.
    pub(super) bytes: u64,
    /// SHA-256 of them.
    pub(super) sha256: String,
}

impl Body {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, sha256: sha256(bytes) }
    }
}

/// SHA-256 (FIPS 180-4) in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
