//! Curves, timelines, plans and graphs of whatever there is: no figure and no name breaks them,
//! leaves them or is taken for markup.

use nearfar_model::{CpuId, CpuSet};
use nearfar_view::draw::{
    CacheGroup, CachePart, CurvePoint, Curves, DeviceBranch, DeviceShape, Die, GraphNode, Lane,
    LinkGraph, LinkSource, MachinePlan, Picture, PlaceMark, PlanDevice, PlanInterrupts, PlanLink,
    PlanNode, PlanPackage, PlanSlot, Series, Theme, Timeline, standalone,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::cases::cases;
use crate::strange::anything::{figure, heading, quantity, words};
use crate::strange::{CASES, sound};

fn interval() -> impl Strategy<Value = Option<[f64; 2]>> {
    option::of([figure(), figure()])
}

fn series() -> impl Strategy<Value = Series> {
    let point =
        (figure(), figure(), interval()).prop_map(|(x, y, interval)| CurvePoint { x, y, interval });
    (words(), vec(point, 0..70), vec([figure(), figure()], 0..9))
        .prop_map(|(name, points, fit)| Series { name, points, fit })
}

fn curves() -> impl Strategy<Value = Curves> {
    let mark = (figure(), interval(), words(), any::<bool>())
        .prop_map(|(x, interval, label, claimed)| PlaceMark { x, interval, label, claimed });
    let many = prop_oneof![6 => vec(series(), 0..12), 1 => vec(series(), 38..45)];
    (heading(), quantity(), quantity(), many, vec(mark, 0..9)).prop_map(
        |(heading, across, up, series, marks)| Curves { heading, across, up, series, marks },
    )
}

fn timeline() -> impl Strategy<Value = Timeline> {
    let slot = || prop_oneof![8 => 0usize..900, 1 => any::<usize>()];
    let lane = (words(), slot(), vec((slot(), any::<u64>()), 0..20))
        .prop_map(|(name, slots, counts)| Lane { name, slots, counts });
    (heading(), words(), words(), vec(lane, 0..60))
        .prop_map(|(heading, slot, counted, lanes)| Timeline { heading, slot, counted, lanes })
}

fn interrupts() -> impl Strategy<Value = Option<PlanInterrupts>> {
    option::of((words(), any::<bool>()).prop_map(|(text, is_far)| PlanInterrupts { text, is_far }))
}

fn device() -> impl Strategy<Value = PlanDevice> {
    use DeviceShape::{Disk, Memory, Network, Processor, Small};
    let shape = prop::sample::select(vec![Processor, Network, Disk, Memory, Small]);
    (shape, words(), words(), words(), any::<bool>(), interrupts()).prop_map(
        |(shape, label, names, link, is_narrow, interrupts)| PlanDevice {
            shape,
            label,
            names,
            link,
            is_narrow,
            interrupts,
        },
    )
}

fn branch() -> impl Strategy<Value = DeviceBranch> {
    let leaf = (words(), vec(device(), 0..4)).prop_map(|(name, devices)| DeviceBranch {
        name,
        devices,
        branches: Vec::new(),
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        (words(), vec(device(), 0..4), vec(inner, 0..3))
            .prop_map(|(name, devices, branches)| DeviceBranch { name, devices, branches })
    })
}

fn cache_part() -> impl Strategy<Value = CachePart> {
    let cpus =
        || vec(0u32..1000, 0..9).prop_map(|ids| ids.into_iter().map(CpuId).collect::<CpuSet>());
    let core =
        (words(), cpus()).prop_map(|(kind, cpus)| CachePart { kind, cpus, ..CachePart::default() });
    core.prop_recursive(3, 40, 6, move |inner| {
        (words(), words(), cpus(), vec(inner, 0..6))
            .prop_map(|(cache, kind, cpus, below)| CachePart { cache, kind, cpus, below })
    })
}

fn node() -> impl Strategy<Value = PlanNode> {
    let cpus = vec(0u32..1000, 0..40).prop_map(|ids| ids.into_iter().map(CpuId).collect());
    let cores = prop_oneof![6 => 0usize..40, 1 => any::<usize>()];
    let group = (cpus, cores, vec(cache_part(), 0..9), words(), vec(words(), 0..3)).prop_map(
        |(cpus, cores, below, cache, inner)| CacheGroup { cpus, cores, below, cache, inner },
    );
    let die = (words(), vec(group, 0..6)).prop_map(|(name, groups)| Die { name, groups });
    (0u32..20, words(), words(), vec(die, 0..5), vec(branch(), 0..4), interrupts()).prop_map(
        |(id, name, memory, dies, devices, interrupts)| PlanNode {
            id,
            name,
            memory,
            dies,
            devices,
            interrupts,
        },
    )
}

fn links() -> impl Strategy<Value = Vec<PlanLink>> {
    let source =
        prop::sample::select(vec![LinkSource::Measured, LinkSource::Claimed, LinkSource::Open]);
    let cost = prop_oneof![Just(None), any::<f64>().prop_map(Some)];
    let link = ([0u32..20, 0u32..20], words(), source, cost)
        .prop_map(|(ends, label, source, cost_ns)| PlanLink { ends, label, source, cost_ns });
    vec(link, 0..16)
}

fn plan() -> impl Strategy<Value = MachinePlan> {
    let slots = || {
        let slot = (words(), words()).prop_map(|(name, size)| PlanSlot { name, size });
        vec(slot, 0..9)
    };
    let package = (words(), vec(node(), 0..7), slots())
        .prop_map(|(name, nodes, slots)| PlanPackage { name, nodes, slots });
    let apart = vec(node(), 0..6);
    (heading(), vec(package, 0..12), apart, vec(node(), 0..3), slots(), links()).prop_map(
        |(heading, packages, apart, elsewhere, slots, links)| MachinePlan {
            heading,
            packages,
            apart,
            elsewhere,
            slots,
            links,
        },
    )
}

fn graph() -> impl Strategy<Value = LinkGraph> {
    let node =
        (0u32..20, words(), words()).prop_map(|(id, name, group)| GraphNode { id, name, group });
    (heading(), vec(node, 0..70), links()).prop_map(|(heading, nodes, links)| LinkGraph {
        heading,
        nodes,
        links,
    })
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn curves_are_sound(picture in curves()) {
        sound::check(&picture);
    }

    #[test]
    fn timelines_are_sound(picture in timeline()) {
        sound::check(&picture);
    }

    #[test]
    fn plans_are_sound(picture in plan()) {
        sound::check(&picture);
    }

    #[test]
    fn graphs_are_sound(picture in graph()) {
        sound::check(&picture);
    }
}

#[test]
fn a_node_of_a_thousand_caches_is_summed_up() {
    let group = |k: usize| CacheGroup {
        cpus: CpuSet::from_id(CpuId(k as u32)),
        cores: 1,
        cache: "L2 1 MiB".into(),
        ..CacheGroup::default()
    };
    let die = Die { name: String::new(), groups: (0..1024).map(group).collect() };
    let node = PlanNode {
        name: "node 0".into(),
        memory: "1 TiB".into(),
        dies: vec![die],
        ..PlanNode::default()
    };
    let package =
        PlanPackage { name: "package 0".into(), nodes: vec![node], ..PlanPackage::default() };
    let plan = MachinePlan { packages: vec![package], ..MachinePlan::default() };
    assert!(standalone(&plan, Theme::Light).contains("1024 cache groups of 1 CPU"));
    assert!(plan.drawing().height < 400.0);
}
