//! Reasons for the kernel's decisions about a table, with the bytes they are based on.

use serde::Serialize;

use crate::acpi::HexBytes;

/// Maximum number of bytes that evidence shows.
pub(super) const MAX_SHOWN_BYTES: usize = 64;

/// One reason why the kernel does not use firmware's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelCause {
    /// Its code in kebab-case, the same for a prediction and for a log line.
    pub code: &'static str,
    /// What is lost because of it.
    pub effect: CauseEffect,
    /// A sentence that describes it.
    pub what: String,
    /// The kernel's message without its timestamp; `None` if the kernel is silent, or a number in
    /// it is unknown.
    pub message: Option<String>,
    /// Source file and function in Linux.
    pub linux_source: &'static str,
    /// Differences between versions of Linux, if there are any.
    pub versions: Option<&'static str>,
    /// The table entries at fault; empty if something is missing.
    pub evidence: Vec<TableEvidence>,
}

/// What is lost because of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseEffect {
    /// All nodes: all memory becomes one node.
    Numa,
    /// The distances: the kernel uses 10 and 20.
    Distances,
    /// Latencies and bandwidths: no `access0`, no tiers.
    Hmat,
    /// The CPUs' nodes: the kernel assigns them round-robin.
    CpuPlaces,
}

/// Data that the kernel accepts and that is likely wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelDoubt {
    /// Its code in kebab-case.
    pub code: &'static str,
    /// Its description and consequence, in a sentence or two.
    pub what: String,
    /// The table entries it is about.
    pub evidence: Vec<TableEvidence>,
}

/// A position in a table, and the bytes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableEvidence {
    /// The table: "SRAT", "SLIT", "device tree".
    pub table: String,
    /// Path of its file, or in the device tree.
    pub path: String,
    /// Offset in bytes from the start of the table; `None` in a device tree.
    pub offset: Option<usize>,
    /// The bytes there, at most 64.
    pub bytes: HexBytes,
}
