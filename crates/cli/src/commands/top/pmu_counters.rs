//! Fills and latencies of nodes, where the PMU counts them for this user.

use std::collections::BTreeMap;

use nearfar_live::PmuState;
use nearfar_machine::process::{NodeSummaries, NodeSummary};
use nearfar_machine::{EventSources, Pmu, Source};
use nearfar_model::{CpuId, NodeId};
use nearfar_pmu::{
    EventSource, Fills, L3Latency, NodeFills, PmuRefusal, SampledLatency, node_fills,
};

/// Counters of all CPUs, opened once and read once an interval.
pub(super) struct PmuCounters {
    state: PmuState,
    sources: EventSources,
    fills: Option<NodeFills>,
    latency: Option<L3Latency>,
}

/// What the counters of one interval have.
#[derive(Default)]
pub(super) struct PmuReading {
    pub(super) fills: BTreeMap<NodeId, Fills>,
    pub(super) latencies: BTreeMap<NodeId, SampledLatency>,
}

impl PmuCounters {
    /// Begins to count; `None` with one node, where nothing is remote.
    pub(super) fn open(
        events: &dyn EventSource,
        source: &Source,
        nodes: &NodeSummaries,
    ) -> Option<Self> {
        if nodes.nodes.len() < 2 {
            return None;
        }
        let sources = EventSources::read(source);
        fn of_node(node: &NodeSummary) -> impl Iterator<Item = (NodeId, CpuId)> + '_ {
            node.cpus.iter().map(|cpu| (node.id, cpu))
        }
        let cpus = nodes.nodes.iter().flat_map(of_node);
        let (state, fills) = match node_fills(events, &sources, cpus) {
            Ok((known, fills)) => {
                (PmuState { events: Some(known.name), refusal: None }, Some(fills))
            }
            Err(refusal) => (PmuState { events: None, refusal: Some(refusal) }, None),
        };
        let l3 = Pmu::read(source, L3Latency::PMU);
        let latency = L3Latency::open(events, &sources, l3.as_ref(), |cpu| nodes.node_of(cpu));
        Some(Self { state, sources, fills, latency: latency.and_then(Result::ok) })
    }

    /// Reads the counters.
    pub(super) fn take(&mut self) -> PmuReading {
        let fills = self.fills.as_mut().map(NodeFills::take).unwrap_or_default();
        let was_enabled = fills.values().any(|fills| fills.enabled_ns > 0);
        if was_enabled && fills.values().all(|fills| fills.running_ns == 0) {
            self.state.refusal = Some(PmuRefusal::never_counted(&self.sources));
        } else if self.fills.is_some() {
            self.state.refusal = None;
        }
        let latencies = self.latency.as_mut().map(L3Latency::take).unwrap_or_default();
        PmuReading { fills, latencies }
    }

    /// The events, or why nothing is counted.
    pub(super) fn state(&self) -> PmuState {
        self.state.clone()
    }
}

#[cfg(test)]
mod tests {
    use nearfar_pmu::scripted::ScriptedSource;
    use nearfar_pmu::{CountTarget, EventGroup, GroupReading};

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
        counters.take();
        let PmuReading { fills, latencies } = counters.take();
        let of = |node: u32| (fills[&NodeId(node)].local, fills[&NodeId(node)].remote);
        assert_eq!((of(0), of(1)), ((200, 50), (200, 0)));
        let latency = latencies[&NodeId(1)];
        assert_eq!((latency.near_ns, latency.far_ns), (Some(118.0), Some(220.0)));
        let state = counters.state();
        assert!(state.events.unwrap().starts_with("ls_any_fills_from_sys"));
        assert_eq!(state.refusal, None);
    }

    #[test]
    fn what_is_not_counted_has_a_reason() {
        let mut denied = open(&ScriptedSource::refusing(13), &host(2)).unwrap();
        let PmuReading { fills, latencies } = denied.take();
        assert!(fills.is_empty() && latencies.is_empty());
        let level = PmuRefusal::Paranoid { level: 2, needed: 0 };
        assert_eq!(denied.state(), PmuState { events: None, refusal: Some(level) });
        // The counters are free in the third interval only.
        let busy = ScriptedSource::new(|group, number| {
            let running_ns = if number < 3 { 0 } else { 500 };
            Ok(GroupReading { running_ns, ..reading(group, number) })
        });
        let mut busy = open(&busy, &host(2)).unwrap();
        busy.take();
        let reason = Some(PmuRefusal::CountersBusy { nmi_watchdog: false });
        assert_eq!(busy.state().refusal, reason);
        busy.take();
        busy.take();
        assert_eq!(busy.state().refusal, None);
    }

    #[test]
    fn one_node_has_nothing_remote() {
        assert!(open(&ScriptedSource::refusing(13), &host(1)).is_none());
    }
}
