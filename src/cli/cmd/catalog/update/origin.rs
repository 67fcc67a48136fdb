//! Where the answers come from: the sources themselves, a mirror over HTTPS, or a folder. Page by page, nothing is kept.

use super::known::Known;
use crate::cli::args::UpdateArgs;
use crate::cli::frame::Frame;
use crate::diag::InputError;
use crate::refresh::fetch::{Address, Answer, Client, Failure, Question};
use crate::refresh::sources::{Limits, Source, last_change, next_page};
use jiff::civil::Date;
use std::io::Read;
use std::path::PathBuf;

/// The key in this environment variable, if there is one.
pub(super) fn key(variable: &str) -> Option<String> {
    std::env::var(variable).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}

/// Where answers come from.
pub(super) struct Origin {
    from: From,
    limits: Limits,
}

enum From {
    Sources(Client),
    Mirror(Client, String),
    Folder(PathBuf),
}

/// Takes one page, and when it was changed as its header says.
type Page<'p> = dyn FnMut(&[u8], Option<&str>) -> Result<(), String> + 'p;

/// What a source came to.
pub(super) enum Got {
    /// It has not changed since the last time.
    Same,
    /// All pages were handed out; marks of the only one.
    New { etag: Option<String>, modified: Option<String> },
    /// The mirror does not have it.
    Absent,
}

impl Origin {
    pub(super) fn new(args: &UpdateArgs, limits: Limits) -> anyhow::Result<Self> {
        let client = || -> anyhow::Result<Client> {
            let roots = match std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
                Some(path) => Some(std::fs::read(&path).map_err(|error| {
                    let path = PathBuf::from(&path);
                    let message = format!("cannot read `{}` of SSL_CERT_FILE: {error}", path.display());
                    InputError::new(message, "it names certificates in PEM that are trusted")
                })?),
                None => None,
            };
            Client::new(limits, roots.as_deref())
                .map_err(|failure| InputError::new(failure.message, "").into())
        };
        let from = match args.from.as_deref() {
            None => From::Sources(client()?),
            Some(text) if text.contains("://") => {
                let address = Address::new(text).map_err(|failure| {
                    InputError::new(format!("--from: {}", failure.message), "or a folder")
                })?;
                if address.text().contains('?') {
                    return Err(InputError::new("--from has a `?`: a mirror is a folder of files", "").into());
                }
                From::Mirror(client()?, address.text().trim_end_matches('/').to_owned())
            }
            Some(text) => {
                let folder = PathBuf::from(text);
                if !folder.is_dir() {
                    let hint =
                        "a mirror is a folder with the files of the sources, such as skypilot/v8/aws/vms.csv";
                    return Err(InputError::new(format!("--from: `{text}` is no folder"), hint).into());
                }
                From::Folder(folder)
            }
        };
        Ok(Self { from, limits })
    }

    pub(super) fn is_mirror(&self) -> bool {
        !matches!(self.from, From::Sources(_))
    }

    /// Where a source is, as records name it.
    pub(super) fn place(&self, source: &Source) -> String {
        match &self.from {
            From::Sources(_) => source.url.clone(),
            From::Mirror(_, base) => format!("{base}/{}", source.mirror),
            From::Folder(folder) => folder.join(&source.mirror).display().to_string(),
        }
    }

    /// The same as prices cite it: without what stands behind `?`, and without the name of a folder of this machine.
    pub(super) fn cited(&self, source: &Source) -> String {
        let place =
            if matches!(self.from, From::Folder(_)) { source.mirror.clone() } else { self.place(source) };
        place.split('?').next().unwrap_or(&place).to_owned()
    }

    /// Hands out all pages of a source.
    pub(super) fn pages(
        &self,
        frame: &Frame,
        source: &Source,
        known: Option<&Known>,
        page: &mut Page<'_>,
    ) -> Result<Got, String> {
        match &self.from {
            From::Folder(folder) => self.file(frame, &folder.join(&source.mirror), page),
            From::Mirror(client, base) => {
                let alone = Source { pages: None, post: None, key_env: None, ..source.clone() };
                let url = format!("{base}/{}", source.mirror);
                match self.fetch(frame, client, &url, &alone, known, page) {
                    Err(failure) if failure.absent => Ok(Got::Absent),
                    done => done.map_err(|failure| failure.message),
                }
            }
            From::Sources(client) => {
                let done = self.fetch(frame, client, &source.url, source, known, page);
                done.map_err(|failure| failure.message)
            }
        }
    }

    /// The day on which a source last changed, where somebody tells that.
    pub(super) fn changed(&self, frame: &Frame, source: &Source) -> Result<Option<Date>, String> {
        let (From::Sources(client), Some(url)) = (&self.from, &source.changed) else { return Ok(None) };
        let of = |message: String| format!("it is not told of which day it is: {message}");
        let address = Address::new(url).map_err(|failure| of(failure.message))?;
        frame.tell(&format!("fetching {}", address.shown()));
        let question = Question { address: &address, key: None, post: None, etag: None, modified: None };
        match client.ask(&question, &mut std::thread::sleep).map_err(|failure| of(failure.message))? {
            Answer::New { body, .. } => last_change(&body).map(Some).map_err(|fault| of(fault.message)),
            Answer::Same => Ok(None),
        }
    }

    fn file(&self, frame: &Frame, path: &std::path::Path, page: &mut Page<'_>) -> Result<Got, String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("cannot read it: {error}");
        // Looked at before it is opened: a pipe without a writer would never answer.
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Got::Absent),
            Err(error) => return Err(unreadable(&error)),
            Ok(found) if !found.is_file() => return Err("it is no plain file".to_owned()),
            Ok(_) => {}
        }
        let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
        frame.tell(&format!("reading {}", path.display()));
        let most = self.limits.most_plain_mib << 20;
        let mut body = Vec::new();
        file.take(most + 1).read_to_end(&mut body).map_err(|error| unreadable(&error))?;
        if body.len() as u64 > most {
            return Err(format!("longer than {} MiB", self.limits.most_plain_mib));
        }
        page(&body, None)?;
        Ok(Got::New { etag: None, modified: None })
    }

    fn fetch(
        &self,
        frame: &Frame,
        client: &Client,
        url: &str,
        source: &Source,
        known: Option<&Known>,
        page: &mut Page<'_>,
    ) -> Result<Got, Failure> {
        let first = Address::new(url)?;
        let key = source.key_env.as_deref().and_then(key);
        let header = key.zip(source.key_header.as_deref().and_then(|it| it.split_once(": ")));
        let header = header.map(|(key, (name, value))| (name, value.replace("{key}", &key)));
        let known = known.filter(|_| source.pages.is_none() && source.post.is_none());
        let mut address = first.clone();
        for number in 1..=self.limits.most_pages {
            let of = if number == 1 { String::new() } else { format!(", page {number}") };
            frame.tell(&format!("fetching {}{of}", address.shown()));
            let question = Question {
                address: &address,
                key: header.as_ref().map(|(name, value)| (*name, value.as_str())),
                post: source.post.as_deref(),
                etag: known.and_then(|it| it.etag.as_deref()),
                modified: known.and_then(|it| it.last_modified.as_deref()),
            };
            let (body, etag, modified) = match client.ask(&question, &mut std::thread::sleep)? {
                Answer::Same => return Ok(Got::Same),
                Answer::New { body, etag, modified } => (body, etag, modified),
            };
            page(&body, modified.as_deref()).map_err(Failure::for_good)?;
            let next = match source.pages {
                Some(pages) => {
                    next_page(pages, url, &body).map_err(|fault| Failure::for_good(fault.message))?
                }
                None => None,
            };
            let Some(next) = next else { return Ok(Got::New { etag, modified }) };
            let to = address.redirect(&next)?;
            if !to.same_host(&first) {
                return Err(Failure::for_good(format!("its next page is at another host: {}", to.shown())));
            }
            if to == address {
                return Err(Failure::for_good("its next page is the same page"));
            }
            address = to;
        }
        Err(Failure::for_good(format!("more than {} pages", self.limits.most_pages)))
    }
}
