//! The only place that opens a network connection, and only for `catalog update`: one answer over HTTPS, within limits.
//!
//! No file is read here and no clock; waiting between attempts is the caller's. What fails is a [`Failure`] with a
//! sentence; keys are in none of them, nor is what stands behind `?` of an address.

mod address;

pub use address::Address;

use super::sources::Limits;
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::time::Duration;
use ureq::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER,
};
use ureq::http::{Request, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Error, Proxy};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// In a sentence.
    pub message: String,
    /// A second attempt can help.
    passing: bool,
    /// How long the server asks to wait, seconds.
    after: Option<u64>,
    /// There is nothing at that address (404, 410).
    pub absent: bool,
}

impl Failure {
    /// One that no second attempt can help.
    pub fn for_good(message: impl Into<String>) -> Self {
        Self { message: message.into(), passing: false, after: None, absent: false }
    }

    fn passing(message: impl Into<String>) -> Self {
        Self { passing: true, ..Self::for_good(message) }
    }

    fn under(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }
}

/// What is asked for. No `Debug`: it may hold a key.
pub struct Question<'a> {
    /// Where.
    pub address: &'a Address,
    /// Name and value of the header with the key.
    pub key: Option<(&'a str, &'a str)>,
    /// What is posted; absent is GET.
    pub post: Option<&'a str>,
    /// What the last answer was marked with.
    pub etag: Option<&'a str>,
    /// When the last answer was changed, as its header said.
    pub modified: Option<&'a str>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The same as last time.
    Same,
    /// Another one.
    New {
        /// Unpacked.
        body: Vec<u8>,
        /// Its mark, for the next time.
        etag: Option<String>,
        /// When it was changed, as its header says.
        modified: Option<String>,
    },
}

/// Fetches within limits.
pub struct Client {
    agent: Agent,
    /// For this machine itself: no proxy in between.
    near: Agent,
    limits: Limits,
}

impl Client {
    /// A client. `roots` is a file of certificates (PEM) to trust instead of Mozilla's. Proxies are those of the system:
    /// `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`.
    pub fn new(limits: Limits, roots: Option<&[u8]>) -> Result<Self, Failure> {
        let roots = match roots {
            Some(pem) => RootCerts::from(certificates(pem)?),
            None => RootCerts::WebPki,
        };
        let tls = TlsConfig::builder().root_certs(roots).build();
        let agent = |proxy: Option<Proxy>| -> Agent {
            let config = Agent::config_builder()
                .timeout_global(Some(limits.timeout()))
                .max_redirects(0)
                .max_redirects_will_error(false)
                .http_status_as_error(false)
                .max_idle_connections(0)
                .user_agent(concat!("gpuadvise/", env!("CARGO_PKG_VERSION")))
                .proxy(proxy)
                .tls_config(tls.clone());
            config.build().into()
        };
        Ok(Self { agent: agent(Proxy::try_from_env()), near: agent(None), limits })
    }

    /// The answer to a question, after as many attempts as the limits allow; `wait` is called before each but the first.
    pub fn ask(&self, question: &Question<'_>, wait: &mut dyn FnMut(Duration)) -> Result<Answer, Failure> {
        let mut attempt = 0;
        loop {
            let failure = match self.follow(question) {
                Err(failure) if failure.passing && attempt < self.limits.retries => failure,
                Err(failure) if failure.passing && attempt > 0 => {
                    return Err(Failure {
                        message: format!("{} (after {} attempts)", failure.message, attempt + 1),
                        ..failure
                    });
                }
                done => return done,
            };
            let doubled = self.limits.back_off_ms.saturating_mul(1 << attempt.min(16));
            let asked = failure.after.unwrap_or(0).saturating_mul(1000);
            let most = self.limits.most_wait_s.saturating_mul(1000);
            wait(Duration::from_millis(doubled.max(asked).min(most)));
            attempt += 1;
        }
    }

    /// One attempt, redirects included. The key goes to the first host only.
    fn follow(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        let mut address = question.address.clone();
        for _ in 0..=self.limits.most_redirects {
            let mut response = self.send(question, &address)?;
            let status = response.status();
            if status == StatusCode::NOT_MODIFIED {
                let known = question.etag.is_some() || question.modified.is_some();
                let odd = || Failure::for_good("answered 304 (not modified) without being asked");
                return if known { Ok(Answer::Same) } else { Err(odd()) };
            }
            if !status.is_redirection() {
                return self.read(&mut response);
            }
            let location = text(response.headers(), &LOCATION)
                .ok_or_else(|| Failure::for_good(format!("answered {status} without saying where to go")))?;
            let to = address.redirect(&location)?;
            if question.post.is_some() {
                return Err(Failure::for_good(format!("a POST is not sent on to {}", to.shown())));
            }
            address = to;
        }
        Err(Failure::for_good(format!("more than {} redirects", self.limits.most_redirects)))
    }

    fn send(
        &self,
        question: &Question<'_>,
        address: &Address,
    ) -> Result<ureq::http::Response<Body>, Failure> {
        let agent = if address.is_loopback() { &self.near } else { &self.agent };
        let mut headers = HeaderMap::new();
        let mut put = |name: HeaderName, value: &str, what: &str| -> Result<(), Failure> {
            // The text of the error is ours: the value may be a key.
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| Failure::for_good(format!("{what} has characters that no header may have")))?;
            value.set_sensitive(true);
            headers.insert(name, value);
            Ok(())
        };
        put(ACCEPT_ENCODING, "gzip", "the encoding")?;
        if let Some((name, value)) = question.key.filter(|_| question.address.same_host(address)) {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap_or(AUTHORIZATION);
            put(name, value, "the key")?;
        }
        if let Some(etag) = question.etag {
            put(IF_NONE_MATCH, etag, "the mark of the last answer")?;
        }
        if let Some(modified) = question.modified {
            put(IF_MODIFIED_SINCE, modified, "the time of the last answer")?;
        }
        let uri = address.text();
        let sent = match question.post {
            Some(post) => {
                put(CONTENT_TYPE, "application/json", "the type")?;
                Request::post(&uri).body(post.to_owned()).map(|request| (Some(request), None))
            }
            None => Request::get(&uri).body(()).map(|request| (None, Some(request))),
        };
        let response = match sent {
            Ok((Some(mut post), _)) => {
                *post.headers_mut() = headers;
                agent.run(post)
            }
            Ok((None, Some(mut get))) => {
                *get.headers_mut() = headers;
                agent.run(get)
            }
            _ => return Err(Failure::for_good("not an address that is fetched")),
        };
        response.map_err(|error| of_error(&error))
    }

    fn read(&self, response: &mut ureq::http::Response<Body>) -> Result<Answer, Failure> {
        let status = response.status();
        // A part that nobody asked for, and nothing, are no answers either.
        if status != StatusCode::OK {
            return Err(of_status(status, response.headers()));
        }
        let headers = response.headers().clone();
        let length = response.body().content_length();
        let packed = match text(&headers, &CONTENT_ENCODING).as_deref() {
            None | Some("" | "identity") => false,
            Some("gzip" | "x-gzip") => true,
            Some(_) => return Err(Failure::for_good("packed in a way that was not asked for")),
        };
        let (most_packed, most_plain) =
            (self.limits.most_compressed_mib << 20, self.limits.most_plain_mib << 20);
        let most_packed = if packed { most_packed } else { most_plain };
        if length.is_some_and(|length| length > most_packed) {
            return Err(too_long(most_packed, "as it announces"));
        }
        let reader = response.body_mut().with_config().limit(u64::MAX).reader();
        let mut counted = Counted { from: reader, count: 0, most: most_packed };
        let mut body = Vec::new();
        let read = if packed {
            MultiGzDecoder::new(&mut counted).take(most_plain + 1).read_to_end(&mut body)
        } else {
            (&mut counted).take(most_plain + 1).read_to_end(&mut body)
        };
        if counted.count > most_packed {
            return Err(too_long(most_packed, "over the wire"));
        }
        if body.len() as u64 > most_plain {
            return Err(too_long(most_plain, "unpacked"));
        }
        read.map_err(|error| match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(inner) => of_error(inner),
            None => Failure::passing(format!("the answer broke off or is damaged: {error}")),
        })?;
        if length.is_some_and(|length| length != counted.count) {
            return Err(Failure::passing("the answer broke off: it is shorter than announced"));
        }
        Ok(Answer::New { body, etag: text(&headers, &ETAG), modified: text(&headers, &LAST_MODIFIED) })
    }
}

/// Counts what comes over the wire, and ends one byte behind the limit.
struct Counted<R> {
    from: R,
    count: u64,
    most: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.count > self.most {
            return Err(std::io::Error::other("too long"));
        }
        let read = self.from.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

fn too_long(most: u64, how: &str) -> Failure {
    Failure::for_good(format!("longer than {} MiB {how}", most >> 20))
}

/// A header as text that is short enough to be kept.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().filter(|text| text.len() <= 4096).map(str::to_owned)
}

fn of_status(status: StatusCode, headers: &HeaderMap) -> Failure {
    let message = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => format!("answered {status}: is the key right?"),
        _ => format!("answered {status}"),
    };
    let passing = status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    let absent = matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE);
    let after = text(headers, &RETRY_AFTER).and_then(|text| text.trim().parse().ok());
    Failure { message, passing, after, absent }
}

/// What went wrong on the way. Whether a certificate is refused is no passing thing; almost everything else may be.
fn of_error(error: &Error) -> Failure {
    match error {
        Error::Timeout(_) => Failure::passing("took too long"),
        // What a handshake refuses comes wrapped in this kind, as rustls hands it out.
        Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => insecure(error),
        Error::Io(error) => Failure::passing(format!("no connection: {error}")),
        Error::HostNotFound => Failure::passing("the name of the host is not known"),
        Error::ConnectionFailed => Failure::passing("no connection"),
        Error::ConnectProxyFailed(why) => Failure::passing(format!("the proxy refused: {why}")),
        Error::Protocol(error) => Failure::passing(format!("not an answer in HTTP: {error}")),
        Error::Rustls(error) => insecure(error),
        _ => Failure::for_good("no answer that can be used"),
    }
}

fn insecure(error: &dyn std::fmt::Display) -> Failure {
    Failure::for_good(format!(
        "the connection is not secure: {error}; SSL_CERT_FILE names roots to trust, such as those of a proxy"
    ))
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, Failure> {
    let found: Vec<Certificate<'static>> = parse_pem(pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        Err(Failure::for_good("SSL_CERT_FILE has no certificate in PEM"))
    } else {
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
