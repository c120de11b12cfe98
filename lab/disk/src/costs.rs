//! What a disk's requests cost, in nanoseconds of the host's clock.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A disk and its costs, as the launcher passes them on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskCosts {
    /// Where QEMU connects.
    pub socket: PathBuf,
    /// The disk's size, a multiple of 512.
    pub bytes: u64,
    /// Request queues.
    pub queues: usize,
    /// At most 20 characters.
    pub serial: String,
    /// What each request takes beside its transfer.
    pub latency_ns: f64,
    /// Transfers follow each other, and each takes this long for each byte; 0: no limit.
    pub ns_per_byte: f64,
    /// What requests of each queue add. Queues behind its end add nothing.
    pub queue_ns: Vec<f64>,
    /// What buffers in these guest-physical addresses add. Other addresses add nothing.
    pub buffers: Vec<BufferCost>,
}

/// A range of guest-physical addresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferCost {
    /// Its first address.
    pub start: u64,
    /// The address behind its last.
    pub end: u64,
    /// Added to a request with a buffer here.
    pub extra_ns: f64,
}

impl DiskCosts {
    /// What a queue adds.
    pub(crate) fn queue_ns(&self, queue: usize) -> f64 {
        self.queue_ns.get(queue).copied().unwrap_or(0.0)
    }

    /// What a buffer adds: that of its most expensive byte.
    pub(crate) fn buffer_ns(&self, start: u64, bytes: u64) -> f64 {
        let end = start.saturating_add(bytes);
        let touched = self.buffers.iter().filter(|range| range.start < end && start < range.end);
        touched.map(|range| range.extra_ns).fold(0.0, f64::max)
    }
}
