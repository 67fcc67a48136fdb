//! `sources.toml`, read: where prices are fetched from, and the limits on every source. Nothing is fetched here.

use super::Fault;
use jiff::civil::Date;
use serde::Deserialize;
use std::time::Duration;

/// All sources and their limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sources {
    /// Limits on every source.
    pub limits: Limits,
    /// In the order of preference.
    pub source: Vec<Source>,
}

/// Limits on every source.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Seconds of one request.
    pub timeout_s: u64,
    /// Attempts after the first.
    pub retries: u32,
    /// Milliseconds before the first retry.
    pub back_off_ms: u64,
    /// Longest wait before a retry, seconds.
    pub most_wait_s: u64,
    /// Redirects that are followed.
    pub most_redirects: u32,
    /// MiB over the wire of one answer.
    pub most_compressed_mib: u64,
    /// MiB of one answer unpacked.
    pub most_plain_mib: u64,
    /// Pages of one source.
    pub most_pages: usize,
    /// Prices that a source may lose, per cent.
    pub max_lost_pct: f64,
    /// Change of the price in the middle, per cent.
    pub max_median_change_pct: f64,
    /// Days that a snapshot is kept.
    pub keep_days: i32,
}

/// One source.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// As answers call it.
    pub name: String,
    /// Whose prices it has.
    pub providers: Vec<String>,
    /// As `catalog import` knows it.
    pub format: String,
    /// Where it is.
    pub url: String,
    /// Path below the folder or address of a mirror.
    pub mirror: String,
    /// How more of it is found.
    pub pages: Option<Pages>,
    /// Who tells when it last changed.
    pub changed: Option<String>,
    /// Environment variable that holds the key.
    pub key_env: Option<String>,
    /// Header that carries the key: `Name: text with {key}`.
    pub key_header: Option<String>,
    /// What is posted; absent is GET.
    pub post: Option<String>,
    /// Terms of its data.
    pub licence: String,
}

/// How the next page is found.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Pages {
    /// `NextPageLink` is its address.
    NextPageLink,
    /// `nextPageToken` is added to the address as `pageToken`.
    NextPageToken,
}

impl Sources {
    /// The sources that the program knows.
    pub fn own() -> Result<Self, Fault> {
        toml::from_str(include_str!("sources.toml"))
            .map_err(|error| Fault::new(format!("the sources of this program are damaged: {error}"), ""))
    }
}

impl Limits {
    /// Time of one request.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }
}

impl Source {
    /// The provider that its file is named after.
    pub fn slot(&self) -> &str {
        self.providers.first().map_or(self.name.as_str(), String::as_str)
    }
}

/// Where the next page is, as one answer says; `None` after the last one.
pub fn next_page(pages: Pages, first: &str, body: &[u8]) -> Result<Option<String>, Fault> {
    #[derive(Deserialize)]
    struct Next {
        #[serde(rename = "NextPageLink")]
        link: Option<String>,
        #[serde(rename = "nextPageToken")]
        token: Option<String>,
    }
    let next: Next = serde_json::from_slice(body)
        .map_err(|error| Fault::new(format!("not the JSON that was expected: {error}"), ""))?;
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    Ok(match pages {
        Pages::NextPageLink => said(next.link),
        Pages::NextPageToken => said(next.token).map(|token| {
            let mark = if first.contains('?') { '&' } else { '?' };
            format!("{first}{mark}pageToken={}", encoded(&token))
        }),
    })
}

/// The day of the newest commit of a list, as GitHub answers it
/// (<https://docs.github.com/en/rest/commits/commits#list-commits>, 2026-11-30).
pub fn last_change(body: &[u8]) -> Result<Date, Fault> {
    #[derive(Deserialize)]
    struct Listed {
        commit: Commit,
    }
    #[derive(Deserialize)]
    struct Commit {
        committer: Signed,
    }
    #[derive(Deserialize)]
    struct Signed {
        date: String,
    }
    let list: Vec<Listed> = serde_json::from_slice(body)
        .map_err(|error| Fault::new(format!("not the list of commits that was expected: {error}"), ""))?;
    let date = list.first().map_or("", |first| first.commit.committer.date.as_str());
    let day = date.get(..10).and_then(|day| day.parse().ok());
    day.ok_or_else(|| Fault::new("the list of commits has no day", ""))
}

/// A text as a part of an address (RFC 3986, section 2.3).
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
