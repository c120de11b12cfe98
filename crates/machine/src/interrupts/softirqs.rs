//! `/proc/softirqs`: the work after interrupts, by CPU.

use nearfar_model::CpuId;
use serde::Serialize;

use super::InterruptTable;
use crate::source::{FileContents, Source};

/// How often each CPU ran each kind of softirq.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SoftirqCounts {
    /// The CPUs of the columns: all that are possible.
    pub cpus: Vec<CpuId>,
    /// The kind (`NET_RX`), and a counter for each CPU.
    pub kinds: Vec<(String, Vec<u64>)>,
}

impl SoftirqCounts {
    /// The file has the layout of `/proc/interrupts`.
    ///
    /// # References
    ///
    /// proc(5)
    pub(super) fn read(source: &Source) -> Option<Self> {
        let FileContents::Bytes(text) = source.contents("/proc/softirqs") else { return None };
        let table = InterruptTable::parse(&text).ok()?;
        let kinds = table.lines.into_iter().map(|line| (line.name, line.counts)).collect();
        Some(Self { cpus: table.cpus, kinds })
    }
}
