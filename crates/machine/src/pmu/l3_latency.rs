//! How long L3 caches of Zen 4 and 5 wait for near and far memory, by node.
//!
//! The caches sample some of their requests. Each event of the latency stands for 10 ns.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use nearfar_model::{CpuId, NodeId};

use crate::pmu::bit_field::encode;
use crate::pmu::events::has_sampled_latency;
use crate::pmu::refusal::PmuRefusal;
use crate::pmu::source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};
use crate::{EventSources, Pmu};

/// `l3_xi_sampled_latency` and `l3_xi_sampled_latency_requests`; unit masks of DRAM of the same
/// node, and of another: Linux, `tools/perf/pmu-events/arch/x86/amdzen5/l3-cache.json` and
/// `amdzen4/cache.json`. The metric `l3_read_miss_latency` has the factor 10.
const LATENCY: u64 = 0xac;
const REQUESTS: u64 = 0xad;
const NEAR: u64 = 0x01;
const FAR: u64 = 0x02;
/// All slices, cores and threads of a cache, as that file has it.
const ENABLED: [(&str, u64); 4] =
    [("enallslices", 1), ("enallcores", 1), ("sliceid", 3), ("threadmask", 3)];
const NS_PER_EVENT: u64 = 10;

/// What a node's L3 caches waited for sampled requests during a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledLatency {
    /// Requests to memory of the same node.
    pub near: LatencySum,
    /// Requests to memory of other nodes.
    pub far: LatencySum,
}

/// Requests, and the sum of their latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatencySum {
    /// The sum in nanoseconds.
    pub ns: u64,
    /// The number of requests.
    pub requests: u64,
}

impl AddAssign for SampledLatency {
    fn add_assign(&mut self, more: Self) {
        for (sum, more) in [(&mut self.near, more.near), (&mut self.far, more.far)] {
            sum.ns = sum.ns.saturating_add(more.ns);
            sum.requests = sum.requests.saturating_add(more.requests);
        }
    }
}

/// A group of counters for each L3 cache.
pub struct L3Latency(Vec<(NodeId, Box<dyn GroupCounter>, GroupReading)>);

impl L3Latency {
    /// The PMU's name.
    pub const PMU: &str = "amd_l3";

    /// Begins to count; `None` if this CPU, or its kernel, has no such events.
    pub fn open(
        source: &dyn EventSource,
        sources: &EventSources,
        pmu: Option<&Pmu>,
        node_of: impl Fn(CpuId) -> Option<NodeId>,
    ) -> Option<Result<Self, PmuRefusal>> {
        let pmu = pmu.filter(|_| sources.cpu.as_ref().is_some_and(has_sampled_latency))?;
        let configs = configs(pmu)?;
        let mut caches = Vec::new();
        for (cpu, node) in pmu.cpus.iter().filter_map(|cpu| Some((cpu, node_of(cpu)?))) {
            let target = CountTarget::Cpu(cpu);
            let group = EventGroup { kind: pmu.kind, configs: configs.clone(), target };
            match source.open(&group) {
                Ok(counter) => caches.push((node, counter, GroupReading::default())),
                Err(error) => return Some(Err(PmuRefusal::from_error(&error, sources, target))),
            }
        }
        Some(Ok(Self(caches)))
    }

    /// Latencies of each node's caches since the last call.
    pub fn take(&mut self) -> BTreeMap<NodeId, SampledLatency> {
        let mut nodes: BTreeMap<NodeId, SampledLatency> = BTreeMap::new();
        let sum = |latency: u64, requests| LatencySum {
            ns: latency.saturating_mul(NS_PER_EVENT),
            requests,
        };
        for (node, counter, before) in &mut self.0 {
            let Ok(now) = counter.read() else { continue };
            if let [near, far, near_requests, far_requests] = now.since(before).scaled()[..] {
                let (near, far) = (sum(near, near_requests), sum(far, far_requests));
                *nodes.entry(*node).or_default() += SampledLatency { near, far };
            }
            *before = now;
        }
        nodes
    }
}

/// The four events, as the kernel's formats number them.
fn configs(pmu: &Pmu) -> Option<Vec<u64>> {
    let config = |(event, mask)| {
        let fields: Vec<_> =
            [("event", event), ("umask", mask)].into_iter().chain(ENABLED).collect();
        encode(&pmu.formats, &fields)
    };
    [(LATENCY, NEAR), (LATENCY, FAR), (REQUESTS, NEAR), (REQUESTS, FAR)]
        .map(config)
        .into_iter()
        .collect()
}
