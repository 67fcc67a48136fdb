//! What can be said of a table: verdict, what to make of it, how sure, resting on what.

/// What is said of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It reaches what such clusters reach.
    Healthy,
    /// It is as fast as PCIe: all that the cards have, or less than their link.
    PcieOnly,
    /// Slower than such clusters are.
    Degraded,
    /// The fast fabric is not used at all.
    SocketFallback,
    /// Sizes too small to say.
    TooSmall,
    /// Enough for some machines with such GPUs, too slow for others.
    DependsOnPlatform,
    /// Nothing to hold it against.
    UnknownPlatform,
    /// One GPU says nothing of a network.
    SingleGpu,
    /// The columns contradict each other, or the file what is said of it.
    Inconsistent,
    /// Results were wrong.
    WrongResults,
    /// The test failed.
    Failed,
    /// A header without rows.
    Truncated,
    /// Placeholders in place of figures.
    TemplateNotFilled,
}

impl Verdict {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::PcieOnly => "pcie-only",
            Self::Degraded => "degraded",
            Self::SocketFallback => "socket-fallback",
            Self::TooSmall => "sizes-too-small",
            Self::DependsOnPlatform => "depends-on-platform",
            Self::UnknownPlatform => "unknown-platform",
            Self::SingleGpu => "single-gpu",
            Self::Inconsistent => "inconsistent",
            Self::WrongResults => "wrong-results",
            Self::Failed => "failed",
            Self::Truncated => "truncated",
            Self::TemplateNotFilled => "template-not-filled",
        }
    }
}

/// What to make of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Fast enough for what it is.
    Pass,
    /// Slower than it should be.
    Warn,
    /// Broken.
    Fail,
    /// Nothing can be said.
    Unknown,
}

impl Status {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }
}

/// What an expectation rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Published runs of that platform, or what its operator expects.
    Published,
    /// The limit of a health check.
    Threshold,
    /// A share of the link between the GPUs of a node.
    Link,
    /// A share of PCIe.
    Pcie,
    /// A share of the network cards.
    Network,
}

impl Basis {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Threshold => "threshold",
            Self::Link => "link-share",
            Self::Pcie => "pcie-share",
            Self::Network => "network-share",
        }
    }
}
