//! Words behind the verdicts of a cluster's network: what may be wrong, and what to do.

use serde::{Deserialize, Serialize};

/// One cause of a verdict, or a remark beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Its stable id, unique in the catalog.
    pub id: String,
    /// One sentence without a full stop.
    pub message: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
    /// Came from an overlay.
    pub overridden: bool,
}
