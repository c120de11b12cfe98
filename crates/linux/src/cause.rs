//! Why the kernel does what it does with a table, with the bytes that it goes by.

use nearfar_firmware::acpi::HexBytes;
use serde::Serialize;

/// How many bytes of an entry evidence shows.
pub(super) const MAX_SHOWN_BYTES: usize = 64;

/// One reason for which the kernel does not take what firmware says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelCause {
    /// What it is called, in kebab-case: the same for a prediction and for the log's line.
    pub code: &'static str,
    /// What is lost.
    pub effect: CauseEffect,
    /// What is so, in a sentence.
    pub what: String,
    /// What the kernel prints, without the time; none where it is silent, or where a number in it
    /// cannot be known.
    pub message: Option<String>,
    /// Where Linux decides it: source file, and function.
    pub linux_source: &'static str,
    /// How the versions of Linux differ here, where they do.
    pub versions: Option<&'static str>,
    /// The entries at fault; empty where something is absent.
    pub evidence: Vec<TableEvidence>,
}

/// What a cause takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseEffect {
    /// All nodes: the kernel makes one node of all memory.
    Numa,
    /// The distances: the kernel takes 10 and 20.
    Distances,
    /// Latencies and bandwidths: no `access0`, no tiers.
    Hmat,
    /// The CPUs' nodes: the kernel deals them out in turn.
    CpuPlaces,
}

/// Something that the kernel takes as it is, and that is likely wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelDoubt {
    /// What it is called, in kebab-case.
    pub code: &'static str,
    /// What is so, and what follows, in a sentence or two.
    pub what: String,
    /// The entries it is about.
    pub evidence: Vec<TableEvidence>,
}

/// A place in a table, and what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableEvidence {
    /// The table: "SRAT", "SLIT", "device tree".
    pub table: String,
    /// Its file, or the place in the device tree.
    pub path: String,
    /// Where, in bytes from the start of the table; none in a device tree.
    pub offset: Option<usize>,
    /// The bytes there, the first 64 at most.
    pub bytes: HexBytes,
}
