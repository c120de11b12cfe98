//! How long L3 caches of Zen 4 and 5 wait for near and far memory, by node.
//!
//! The caches sample some of their requests. Each event of the latency stands for 10 ns.

use std::collections::BTreeMap;

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
const NS_PER_EVENT: f64 = 10.0;

/// Average latencies of a node's L3 caches during a span; `None` without requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampledLatency {
    /// Of memory of the same node, in nanoseconds.
    pub near_ns: Option<f64>,
    /// Of memory of other nodes, in nanoseconds.
    pub far_ns: Option<f64>,
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
        let mut sums: BTreeMap<NodeId, [u64; 4]> = BTreeMap::new();
        for (node, counter, before) in &mut self.0 {
            let Ok(now) = counter.read() else { continue };
            let sum = sums.entry(*node).or_default();
            let span = now.since(before).scaled();
            sum.iter_mut().zip(span).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            *before = now;
        }
        let ns = |latency: u64, requests: u64| {
            (requests > 0).then(|| latency as f64 * NS_PER_EVENT / requests as f64)
        };
        let average = |[near, far, near_requests, far_requests]: [u64; 4]| SampledLatency {
            near_ns: ns(near, near_requests),
            far_ns: ns(far, far_requests),
        };
        sums.into_iter().map(|(node, sum)| (node, average(sum))).collect()
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
