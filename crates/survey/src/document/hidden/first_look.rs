//! A look at little memory that settled nothing, and was followed by one at more.

use nearfar_infer::hidden::PageReason;
use serde::{Deserialize, Serialize};

use super::HiddenPages;

/// What it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstLook {
    /// The share of the free memory that a process might hold.
    pub share: f64,
    /// Memory that each process touched and held, in bytes.
    pub held_bytes: u64,
    /// Why it settled nothing.
    pub reasons: Vec<PageReason>,
}

impl FirstLook {
    pub(super) fn of(pages: &HiddenPages) -> Self {
        Self { share: pages.share, held_bytes: pages.held_bytes, reasons: pages.found.reasons.clone() }
    }
}
