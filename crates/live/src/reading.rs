//! Readings of a machine's counters.

use nearfar_machine::pmu::{DramTraffic, Fills, SampledLatency};
use nearfar_machine::{CounterValues, MemoryActivity, MemoryTraffic, NodeCounters};
use nearfar_model::Bytes;

/// The counters of nodes and machine at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineReading {
    /// When, in seconds of any clock.
    pub at_s: f64,
    /// The page that the kernel counts in.
    pub page: Option<Bytes>,
    /// The machine's counters.
    pub activity: MemoryActivity,
    /// The nodes', ascending.
    pub nodes: Vec<NodeReading>,
}

/// The counters of a node at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReading {
    /// The kernel's counters.
    pub counters: NodeCounters,
    /// Traffic since boot.
    pub traffic: MemoryTraffic,
    /// Fills of its CPUs, since they are counted.
    pub fills: Option<Fills>,
    /// Latencies of its caches, since they are counted.
    pub latency: Option<SampledLatency>,
    /// Traffic of its DRAM, since it is counted.
    pub dram: Option<DramTraffic>,
}

impl MachineReading {
    pub(crate) fn bytes(&self, pages: Option<u64>) -> Option<f64> {
        Some(pages? as f64 * self.page?.0 as f64)
    }
}

impl NodeReading {
    pub(crate) fn meminfo(&self, name: &str) -> Option<f64> {
        value(self.counters.memory.as_ref(), name)
    }

    pub(crate) fn numastat(&self, name: &str) -> Option<f64> {
        value(self.counters.allocations.as_ref(), name)
    }
}

fn value(values: Option<&CounterValues>, name: &str) -> Option<f64> {
    Some(values?.get(name)? as f64)
}
