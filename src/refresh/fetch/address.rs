//! Addresses: which ones may be fetched, and where a redirect leads. Text only, no network.

use super::Failure;

/// The parts of an address that decide whether it may be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    secure: bool,
    /// Host and port, lower case.
    authority: String,
    /// Path and query, with the slash.
    path: String,
}

impl Address {
    /// Reads an address: `https://` anywhere, `http://` only to this machine itself.
    pub fn new(text: &str) -> Result<Self, Failure> {
        let odd = |c: char| c.is_control() || c.is_whitespace() || !c.is_ascii();
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let secure = scheme.eq_ignore_ascii_case("https");
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        let path = path.split('#').next().unwrap_or_default();
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let found = Self { secure, authority: authority.to_ascii_lowercase(), path };
        if text.contains(odd) || authority.is_empty() || authority.contains(['@', '\\']) {
            return Err(Failure::for_good(
                "not an address that is fetched: a name and a path behind https://",
            ));
        }
        if secure || (scheme.eq_ignore_ascii_case("http") && found.is_loopback()) {
            return Ok(found);
        }
        let what =
            if scheme.eq_ignore_ascii_case("http") { "http:// is not secure" } else { "no https address" };
        Err(Failure::for_good(format!("{what}: only https:// is fetched")))
    }

    /// Whether it is this machine by number, with a port or without. Names are not trusted: `localhost` may be anything.
    pub fn is_loopback(&self) -> bool {
        let (host, port) = match self.authority.strip_prefix("[::1]") {
            Some(port) => ("::1", port),
            None => self.authority.split_at(self.authority.find(':').unwrap_or(self.authority.len())),
        };
        let port = port.is_empty() || port.strip_prefix(':').is_some_and(|it| it.parse::<u16>().is_ok());
        port && (host == "::1" || host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()))
    }

    /// Whether a key for `self` may be sent to `other`, and whether a page of `self` may go on there.
    pub fn same_host(&self, other: &Self) -> bool {
        self.secure == other.secure && self.authority == other.authority
    }

    /// The address as text.
    pub fn text(&self) -> String {
        format!("{}://{}{}", if self.secure { "https" } else { "http" }, self.authority, self.path)
    }

    /// The same without what stands behind `?`, for messages.
    pub fn shown(&self) -> String {
        let text = self.text();
        text.split('?').next().unwrap_or(&text).to_owned()
    }

    /// Where `location` leads from here. From a secure address only to secure ones.
    pub fn redirect(&self, location: &str) -> Result<Self, Failure> {
        let scheme = if self.secure { "https" } else { "http" };
        let text = if location.contains("://") {
            location.to_owned()
        } else if let Some(rest) = location.strip_prefix("//") {
            format!("{scheme}://{rest}")
        } else if location.starts_with('/') {
            format!("{scheme}://{}{location}", self.authority)
        } else {
            let path = self.path.split('?').next().unwrap_or_default();
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{scheme}://{}{folder}/{location}", self.authority)
        };
        let to = Self::new(&text).map_err(|failure| failure.under("redirected"))?;
        if self.secure && !to.secure {
            return Err(Failure::for_good("redirected from https to http"));
        }
        if !to.secure && !self.same_host(&to) {
            return Err(Failure::for_good("redirected to another host without https"));
        }
        Ok(to)
    }
}
