//! How far a verdict on measurements can be trusted: one scale for logs of GPUs and for tests of networks.

/// How far a verdict can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// A hint.
    Low,
    /// Likely.
    Medium,
    /// As sure as a measurement can be.
    High,
}

impl Confidence {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
