//! Reads the counters of nodes and machine.

use nearfar_machine::pmu::LivePmu;
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{MachineCounters, MemoryActivity, PageSizes, Source, TrafficDomains};

use crate::document::PmuState;
use crate::pmu_counters::{PmuCounters, PmuReading};
use crate::reading::{MachineReading, NodeReading};

/// What readings of a machine have in common.
pub struct NodeReader {
    sizes: PageSizes,
    domains: TrafficDomains,
    pmu: Option<PmuCounters>,
}

impl NodeReader {
    /// Reads all but the PMU.
    pub fn new(source: &Source, nodes: &NodeSummaries) -> Self {
        let (sizes, domains) = (PageSizes::read(source), TrafficDomains::find(source, nodes));
        Self { sizes, domains, pmu: None }
    }

    /// Also reads the PMU of a live machine, from now on.
    pub fn with_pmu(self, source: &Source, nodes: &NodeSummaries) -> Self {
        Self {
            pmu: source.is_live().then(|| PmuCounters::open(&LivePmu, source, nodes)).flatten(),
            ..self
        }
    }

    /// The machine's page sizes.
    pub fn page_sizes(&self) -> PageSizes {
        self.sizes
    }

    /// The PMU's events, or why nothing is counted; `None` without it.
    pub fn pmu(&self) -> Option<PmuState> {
        self.pmu.as_ref().map(PmuCounters::state)
    }

    /// Reads all counters.
    pub fn read(&mut self, source: &Source, at_s: f64) -> MachineReading {
        let mut traffic = self.domains.read(source);
        let PmuReading { fills, latencies, dram } =
            self.pmu.as_mut().map(PmuCounters::read).unwrap_or_default();
        let counters = MachineCounters::read_with(source, self.sizes);
        let nodes = counters.nodes.into_iter().map(|counters| NodeReading {
            traffic: traffic.remove(&counters.node).unwrap_or_default(),
            fills: fills.get(&counters.node).copied(),
            latency: latencies.get(&counters.node).copied(),
            dram: dram.get(&counters.node).copied(),
            counters,
        });
        MachineReading {
            at_s,
            page: counters.page_sizes.base,
            activity: MemoryActivity::read(source),
            nodes: nodes.collect(),
        }
    }
}
