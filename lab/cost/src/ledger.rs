//! What was charged, by CPU and home: the truth that a measurement inside is held against.

use serde::{Deserialize, Serialize};

use crate::device_access::DeviceReached;

/// Everything a guest was charged, as the plugin writes it when the guest ends: one JSON file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// QEMU's plugin interface that was spoken.
    pub plugin_api: u32,
    /// Lines fetched from memory: one entry for each CPU and home that had any.
    pub fetched: Vec<Charged>,
    /// Lines fetched from another CPU that held them modified: one entry for each CPU and home
    /// that had any.
    pub transferred: Vec<Charged>,
    /// Lines of streams fetched from memory, which are not among `fetched`: one entry for each CPU
    /// and home that had any.
    pub streamed: Vec<Moved>,
    /// Lines given back to memory, for which no CPU waited, or which went past the caches: one
    /// entry for each CPU and home that had any.
    pub written: Vec<Moved>,
    /// Accesses to registers of devices: one entry for each CPU and device that had any.
    pub reached: Vec<DeviceReached>,
}

/// Lines that one CPU moved from or to one home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The virtual CPU.
    pub cpu: usize,
    /// The home.
    pub home: usize,
    /// How many lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long the CPU waited for them, all together: while it did nothing else, bytes over this
    /// is its bandwidth.
    pub total_ns: u64,
}

/// What one CPU was charged for the lines of one home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charged {
    /// The virtual CPU.
    pub cpu: usize,
    /// The home.
    pub home: usize,
    /// How many lines.
    pub lines: u64,
    /// Their charges together, waiting for memory and links included.
    pub total_ns: u64,
    /// How many lines cost how much, in buckets 1 % wide: (their mean charge in ns, lines).
    pub histogram: Vec<(f64, u64)>,
}

impl Charged {
    /// The charge that half of the lines did not exceed; absent without lines.
    pub fn median_ns(&self) -> Option<f64> {
        let mut so_far = 0;
        let mut half = self.histogram.iter().skip_while(|(_, lines)| {
            so_far += lines;
            so_far < self.lines.div_ceil(2)
        });
        half.next().map(|(ns, _)| *ns)
    }
}
