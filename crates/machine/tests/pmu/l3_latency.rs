//! Sampled latency of L3 caches, by a sysfs as Linux has it on Zen 4.

use nearfar_machine::pmu::scripted::ScriptedSource;
use nearfar_machine::pmu::{CountTarget, GroupReading, L3Latency, PmuRefusal};
use nearfar_machine::{EventSources, Pmu, Source};
use nearfar_model::{CpuId, NodeId};

use crate::refusals::sources;

/// Two caches, of CPUs 0 and 8. Formats as arch/x86/events/amd/uncore.c has them for family 19h.
fn pmu() -> Pmu {
    let file = |path: &str, text| (format!("/sys/bus/event_source/devices/amd_l3/{path}"), text);
    let source = Source::from_files([
        file("type", "14"),
        file("cpumask", "0,8"),
        file("format/event", "config:0-7"),
        file("format/umask", "config:8-15"),
        file("format/coreid", "config:42-44"),
        file("format/enallslices", "config:46"),
        file("format/enallcores", "config:47"),
        file("format/sliceid", "config:48-50"),
        file("format/threadmask", "config:56-57"),
    ]);
    Pmu::read(&source, L3Latency::PMU).unwrap()
}

fn node_of(cpu: CpuId) -> Option<NodeId> {
    Some(NodeId(u32::from(cpu.0 >= 8)))
}

fn open(source: &ScriptedSource, pmu: Option<&Pmu>, sources: &EventSources) -> Option<PmuRefusal> {
    L3Latency::open(source, sources, pmu, node_of)?.err()
}

#[test]
fn events_times_ten_over_requests_is_the_latency() {
    let source = ScriptedSource::new(|group, number| {
        assert_eq!(group.kind, 14);
        let enabled = 0x0303_c000_0000_0000_u64;
        let events = [0x01ac, 0x02ac, 0x01ad, 0x02ad].map(|event| enabled | event);
        assert_eq!(group.configs, events);
        let far_requests = if group.target == CountTarget::Cpu(CpuId(8)) { 0 } else { 5 };
        let counts = [1_180, 110, 100, far_requests].map(|count| count * number).to_vec();
        Ok(GroupReading { counts, enabled_ns: number, running_ns: number })
    });
    let pmu = pmu();
    let opened = L3Latency::open(&source, &sources(0), Some(&pmu), node_of);
    let Some(Ok(mut latency)) = opened else { panic!("not opened") };
    latency.take();
    let nodes = latency.take();
    let averages = |node| {
        [nodes[&NodeId(node)].near, nodes[&NodeId(node)].far]
            .map(|sum| (sum.requests > 0).then(|| sum.ns / sum.requests))
    };
    assert_eq!(averages(0), [Some(118), Some(220)]);
    assert_eq!(averages(1), [Some(118), None]);
}

#[test]
fn other_cpus_and_kernels_have_no_latency() {
    let refuses = ScriptedSource::refusing(13);
    let level = Some(PmuRefusal::Paranoid { level: 2, needed: 0 });
    assert_eq!(open(&refuses, Some(&pmu()), &sources(2)), level);
    assert_eq!(open(&refuses, None, &sources(2)), None);
    let mut zen_3 = sources(2);
    zen_3.cpu.as_mut().unwrap().model = 1;
    assert_eq!(open(&refuses, Some(&pmu()), &zen_3), None);
    let mut older = pmu();
    older.formats.remove("enallcores");
    assert_eq!(open(&refuses, Some(&older), &sources(2)), None);
}
