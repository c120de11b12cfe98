//! Fills, latencies and DRAM traffic of nodes, where the PMU counts them for this user.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use nearfar_machine::pmu::{
    DramTraffic, EventSource, Fills, L3Latency, MemoryControllers, NodeFills, PmuRefusal,
    SampledLatency, node_fills,
};
use nearfar_machine::process::{NodeSummaries, NodeSummary};
use nearfar_machine::{EventSources, Pmu, Source};
use nearfar_model::{CpuId, NodeId};

use crate::document::PmuState;

/// Counters of all CPUs, opened once and read once an interval.
pub(crate) struct PmuCounters {
    state: PmuState,
    sums: PmuReading,
    sources: EventSources,
    fills: Option<NodeFills>,
    latency: Option<L3Latency>,
    controllers: Option<MemoryControllers>,
}

/// Counts by node since the counters were opened; without the nodes that nothing was counted of
/// since the reading before.
#[derive(Default)]
pub(crate) struct PmuReading {
    pub(crate) fills: BTreeMap<NodeId, Fills>,
    pub(crate) latencies: BTreeMap<NodeId, SampledLatency>,
    pub(crate) dram: BTreeMap<NodeId, DramTraffic>,
}

/// Adds what was counted to the sums, and returns these sums.
fn summed<T: AddAssign + Copy + Default>(
    sums: &mut BTreeMap<NodeId, T>,
    counted: impl IntoIterator<Item = (NodeId, T)>,
) -> BTreeMap<NodeId, T> {
    let add = |(node, more)| {
        let sum: &mut T = sums.entry(node).or_default();
        *sum += more;
        (node, *sum)
    };
    counted.into_iter().map(add).collect()
}

impl PmuCounters {
    /// Begins to count; `None` with one node, where nothing is remote.
    pub(crate) fn open(
        events: &dyn EventSource,
        source: &Source,
        nodes: &NodeSummaries,
    ) -> Option<Self> {
        if nodes.nodes.len() < 2 {
            return None;
        }
        let sources = EventSources::read(source);
        fn for_node(node: &NodeSummary) -> impl Iterator<Item = (NodeId, CpuId)> + '_ {
            node.cpus.iter().map(|cpu| (node.id, cpu))
        }
        let cpus = nodes.nodes.iter().flat_map(for_node);
        let (mut state, fills) = match node_fills(events, &sources, cpus) {
            Ok((known, fills)) => {
                (PmuState { events: Some(known.name), ..PmuState::default() }, Some(fills))
            }
            Err(refusal) => (PmuState { refusal: Some(refusal), ..PmuState::default() }, None),
        };
        let l3 = Pmu::read(source, L3Latency::PMU);
        let latency = L3Latency::open(events, &sources, l3.as_ref(), |cpu| nodes.node_of(cpu));
        let controllers = controllers(events, source, &sources, nodes).transpose();
        state.dram_refusal = controllers.as_ref().err().cloned();
        Some(Self {
            state,
            sums: PmuReading::default(),
            sources,
            fills,
            latency: latency.and_then(Result::ok),
            controllers: controllers.ok().flatten(),
        })
    }

    pub(crate) fn read(&mut self) -> PmuReading {
        let fills = self.fills.as_mut().map(NodeFills::take).unwrap_or_default();
        let was_enabled = fills.values().any(|fills| fills.enabled_ns > 0);
        if was_enabled && fills.values().all(|fills| fills.running_ns == 0) {
            self.state.refusal = Some(PmuRefusal::never_counted(&self.sources));
        } else if self.fills.is_some() {
            self.state.refusal = None;
        }
        let fills = fills.into_iter().filter(|(_, fills)| fills.running_ns > 0);
        let latencies = self.latency.as_mut().map(L3Latency::take).unwrap_or_default();
        let dram = self.controllers.as_mut().map(MemoryControllers::take).unwrap_or_default();
        PmuReading {
            fills: summed(&mut self.sums.fills, fills),
            latencies: summed(&mut self.sums.latencies, latencies),
            dram: summed(&mut self.sums.dram, dram),
        }
    }

    /// The events, or why nothing is counted.
    pub(crate) fn state(&self) -> PmuState {
        self.state.clone()
    }
}

/// Memory controllers, if the kernel describes them.
fn controllers(
    events: &dyn EventSource,
    source: &Source,
    sources: &EventSources,
    nodes: &NodeSummaries,
) -> Option<Result<MemoryControllers, PmuRefusal>> {
    let names = sources.names.iter().flatten().filter(|name| MemoryControllers::has_channel(name));
    let channels: Vec<Pmu> = names.map(|name| Pmu::read(source, name)).collect::<Option<_>>()?;
    MemoryControllers::open(events, sources, &channels, nodes)
}

#[cfg(test)]
mod tests {
    use nearfar_machine::pmu::scripted::ScriptedSource;
    use nearfar_machine::pmu::{CountTarget, EventGroup, GroupReading};
    use nearfar_model::Bytes;

    use super::*;

    /// A host with Zen 4 CPUs: two nodes of two CPUs, an L3 cache each.
    fn host(nodes: u32) -> Source {
        let l3 = |path: &str, text: &str| {
            (format!("/sys/bus/event_source/devices/amd_l3/{path}"), text.to_owned())
        };
        let mut files = vec![
            (
                "/proc/cpuinfo".to_owned(),
                "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nflags : lm\n".to_owned(),
            ),
            ("/proc/sys/kernel/perf_event_paranoid".to_owned(), "2".to_owned()),
            ("/sys/bus/event_source/devices/cpu/type".to_owned(), "4".to_owned()),
            ("/sys/devices/system/node/online".to_owned(), format!("0-{}", nodes - 1)),
            l3("type", "14"),
            l3("cpumask", "0,2"),
        ];
        for (field, bits) in [
            ("event", "0-7"),
            ("umask", "8-15"),
            ("enallslices", "46"),
            ("enallcores", "47"),
            ("sliceid", "48-50"),
            ("threadmask", "56-57"),
        ] {
            files.push(l3(&format!("format/{field}"), &format!("config:{bits}")));
        }
        for node in 0..nodes {
            let cpus = format!("{}-{}", 2 * node, 2 * node + 1);
            files.push((format!("/sys/devices/system/node/node{node}/cpulist"), cpus));
        }
        Source::from_files(files)
    }

    /// The same host with Skylake-SP CPUs: a channel for each package.
    fn intel() -> Source {
        let imc = |path: &str, text: &str| {
            (format!("/sys/bus/event_source/devices/uncore_imc_0/{path}"), text.to_owned())
        };
        let mut files = vec![
            (
                "/proc/cpuinfo".to_owned(),
                "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nflags : lm\n".to_owned(),
            ),
            ("/proc/sys/kernel/perf_event_paranoid".to_owned(), "2".to_owned()),
            ("/sys/bus/event_source/devices/cpu/type".to_owned(), "4".to_owned()),
            ("/sys/devices/system/node/online".to_owned(), "0-1".to_owned()),
            ("/sys/devices/system/node/node0/cpulist".to_owned(), "0-1".to_owned()),
            ("/sys/devices/system/node/node1/cpulist".to_owned(), "2-3".to_owned()),
            imc("type", "24"),
            imc("cpumask", "0,2"),
            imc("format/event", "config:0-7"),
            imc("format/umask", "config:8-15"),
        ];
        for (event, mask) in [("cas_count_read", "0x03"), ("cas_count_write", "0x0c")] {
            files.push(imc(&format!("events/{event}"), &format!("event=0x04,umask={mask}")));
            files.push(imc(&format!("events/{event}.scale"), "6.103515625e-5"));
            files.push(imc(&format!("events/{event}.unit"), "MiB"));
        }
        Source::from_files(files)
    }

    fn open(events: &ScriptedSource, host: &Source) -> Option<PmuCounters> {
        PmuCounters::open(events, host, &NodeSummaries::read(host))
    }

    /// Each CPU of node 0 fetches 100 lines from local memory and 25 from remote; those of node 1
    /// only from local. Caches of Zen 4 wait 118 and 220 ns.
    fn reading(group: &EventGroup, number: u64) -> GroupReading {
        let CountTarget::Cpu(CpuId(cpu)) = group.target else { panic!("{group:?}") };
        let counts = match group.kind {
            EventGroup::RAW => vec![100, if cpu < 2 { 25 } else { 0 }],
            _ => vec![118, 220, 10, 10],
        };
        let counts = counts.into_iter().map(|count| count * number).collect();
        GroupReading { counts, enabled_ns: 1_000 * number, running_ns: 1_000 * number }
    }

    #[test]
    fn nodes_have_fills_and_latencies() {
        let source = ScriptedSource::new(|group, number| Ok(reading(group, number)));
        let mut counters = open(&source, &host(2)).unwrap();
        counters.read();
        let PmuReading { fills, latencies, dram } = counters.read();
        let of = |node: u32| (fills[&NodeId(node)].local, fills[&NodeId(node)].remote);
        assert_eq!((of(0), of(1)), ((400, 100), (400, 0)), "of both intervals");
        let SampledLatency { near, far } = latencies[&NodeId(1)];
        assert_eq!((near.ns / near.requests, far.ns / far.requests), (118, 220));
        assert!(dram.is_empty(), "AMD's controllers have no events in sysfs");
        let state = counters.state();
        assert!(state.events.unwrap().starts_with("ls_any_fills_from_sys"));
        assert_eq!(state.refusal, None);
    }

    #[test]
    fn nodes_have_dram_where_the_kernel_describes_it() {
        let source = ScriptedSource::new(|group, number| {
            let counts = if group.kind == 24 { [300, 100] } else { [100, 25] };
            let counts = counts.map(|count| count * number).to_vec();
            Ok(GroupReading { counts, enabled_ns: number, running_ns: number })
        });
        let mut counters = open(&source, &intel()).unwrap();
        counters.read();
        let dram = counters.read().dram[&NodeId(1)];
        assert_eq!((dram.read, dram.written), (Bytes(19_200), Bytes(6_400)));
        assert_eq!(counters.state().dram_refusal, None);
        let denied = open(&ScriptedSource::refusing(13), &intel()).unwrap();
        let level = Some(PmuRefusal::Paranoid { level: 2, needed: 0 });
        let PmuState { events, refusal, dram_refusal } = denied.state();
        assert_eq!((events, &refusal, &dram_refusal), (None, &level, &level));
    }

    #[test]
    fn what_is_not_counted_has_a_reason() {
        let mut denied = open(&ScriptedSource::refusing(13), &host(2)).unwrap();
        let PmuReading { fills, latencies, dram } = denied.read();
        assert!(fills.is_empty() && latencies.is_empty() && dram.is_empty());
        let level = PmuRefusal::Paranoid { level: 2, needed: 0 };
        assert_eq!(denied.state(), PmuState { refusal: Some(level), ..PmuState::default() });
        // The counters are free in the third interval only.
        let busy = ScriptedSource::new(|group, number| {
            let running_ns = if number < 3 { 0 } else { 500 };
            Ok(GroupReading { running_ns, ..reading(group, number) })
        });
        let mut busy = open(&busy, &host(2)).unwrap();
        busy.read();
        let reason = Some(PmuRefusal::CountersBusy { nmi_watchdog: false });
        assert_eq!(busy.state().refusal, reason);
        busy.read();
        busy.read();
        assert_eq!(busy.state().refusal, None);
    }

    #[test]
    fn one_node_has_nothing_remote() {
        assert!(open(&ScriptedSource::refusing(13), &host(1)).is_none());
    }
}
