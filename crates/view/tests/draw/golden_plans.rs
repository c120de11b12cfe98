//! Small examples of curves, a timeline, plans and a graph of links, as they were looked at.

use nearfar_model::CpuSet;
use nearfar_view::draw::{
    AxisScale, CacheGroup, CachePart, CurvePoint, Curves, DeviceBranch, DeviceShape, Die,
    GraphNode, Heading, Lane, LinkGraph, LinkSource, MachinePlan, Numbers, Picture, PlaceMark,
    PlanDevice, PlanInterrupts, PlanLink, PlanNode, PlanPackage, PlanSlot, Quantity, Screen,
    Series, Theme, Timeline, standalone,
};
use snapbox::{assert_data_eq, file};

fn curves() -> Curves {
    let series = |name: &str, scale: f64| {
        let point = |k: i32| {
            let (x, y) = (4096.0 * 2f64.powi(k), scale * (1.3 + f64::from(k * k) * 0.9));
            CurvePoint { x, y, interval: Some([y * 0.93, y * 1.08]) }
        };
        Series { name: name.into(), points: (0..14).map(point).collect(), fit: Vec::new() }
    };
    let mark = |x: f64, label: &str, claimed: bool| PlaceMark {
        x,
        interval: (!claimed).then_some([x * 0.8, x * 1.25]),
        label: label.into(),
        claimed,
    };
    Curves {
        heading: Heading::new(
            "Latency over size",
            "How long a dependent load takes in a working set of a size.",
        ),
        across: Quantity {
            label: "size of the working set".into(),
            spacing: AxisScale::Logarithmic,
            numbers: Numbers::Bytes,
            ..Quantity::default()
        },
        up: Quantity {
            label: "latency, ns".into(),
            spacing: AxisScale::Logarithmic,
            ..Quantity::default()
        },
        series: vec![series("CPU 0 to node 0", 1.0), series("CPU 0 to node 1", 1.7)],
        marks: vec![
            mark(32768.0, "L1d 32 KiB, claimed", true),
            mark(40000.0, "L1d 39 KiB", false),
            mark(524_288.0, "L2 512 KiB", false),
        ],
    }
}

fn timeline() -> Timeline {
    let lane = |name: &str, slots: usize, counts: &[(usize, u64)]| Lane {
        name: name.into(),
        slots,
        counts: counts.to_vec(),
    };
    Timeline {
        heading: Heading::new("Disturbances", "Samples that were dropped, by cause and round."),
        slot: "round".into(),
        counted: "sample".into(),
        lanes: vec![
            lane("CPU moved", 24, &[(3, 2), (4, 9), (17, 1)]),
            lane("page migrated", 24, &[(12, 4)]),
            lane("frequency fell", 7, &[]),
        ],
    }
}

fn node(id: u32, groups: &[(&str, usize)], cache: &str) -> PlanNode {
    let group = |(cpus, cores): &(&str, usize)| CacheGroup {
        cpus: cpus.parse().unwrap(),
        cores: *cores,
        cache: cache.into(),
        ..CacheGroup::default()
    };
    let die = Die { name: String::new(), groups: groups.iter().map(group).collect() };
    PlanNode {
        id,
        name: format!("node {id}"),
        memory: "64 GiB".into(),
        dies: vec![die],
        ..PlanNode::default()
    }
}

fn link(a: u32, b: u32, label: &str, claimed: bool) -> PlanLink {
    let source = if claimed { LinkSource::Claimed } else { LinkSource::Measured };
    let cost_ns = label.strip_suffix(" ns").and_then(|ns| ns.parse().ok());
    PlanLink { ends: [a, b], label: label.into(), source, cost_ns }
}

/// A switch with two devices and a disk with a narrow link, each below its root bus.
fn branches() -> Vec<DeviceBranch> {
    let device = |shape: DeviceShape, label: &str, names: &str, link: &str| PlanDevice {
        shape,
        label: label.into(),
        names: names.into(),
        link: link.into(),
        is_narrow: link.contains(" of "),
        interrupts: None,
    };
    let served = |text: &str, is_far| Some(PlanInterrupts { text: text.into(), is_far });
    let network = PlanDevice {
        interrupts: served("12k/s, 85 % far", true),
        ..device(DeviceShape::Network, "NIC0", "mlx5_0", "x16 32 GT/s")
    };
    let switch = DeviceBranch {
        name: "switch 0000:21:00.0".into(),
        devices: vec![device(DeviceShape::Processor, "GPU0", "card0", "x16 32 GT/s"), network],
        ..DeviceBranch::default()
    };
    let bus = |name: &str, devices: Vec<PlanDevice>, branches: Vec<DeviceBranch>| DeviceBranch {
        name: name.into(),
        devices,
        branches,
    };
    let usb = device(DeviceShape::Small, "USB0-3", "", "");
    vec![
        bus("pci0000:20", vec![usb], vec![switch]),
        bus(
            "pci0000:40",
            vec![PlanDevice {
                interrupts: served("940/s near", false),
                ..device(DeviceShape::Disk, "DISK0", "nvme0", "x2 of 4, 16 GT/s")
            }],
            Vec::new(),
        ),
    ]
}

/// Two packages of two nodes, and an expander.
fn plan() -> MachinePlan {
    let package = |k: u32| {
        let mut first = node(2 * k, &[("0-2,24-26", 3), ("3-5,27-29", 3)], "L3 8 MiB");
        first.devices = branches();
        let text = "interrupts 2.7k/s, 35 % far".into();
        first.interrupts = Some(PlanInterrupts { text, is_far: false });
        PlanPackage {
            name: format!("package {k}"),
            nodes: vec![first, node(2 * k + 1, &[("6-11", 6)], "L3 16 MiB")],
            slots: Vec::new(),
        }
    };
    let apart =
        PlanNode { id: 4, name: "node 4".into(), memory: "32 GiB".into(), ..PlanNode::default() };
    MachinePlan {
        heading: Heading::new("Machine", "Two packages of two nodes, and memory without CPUs."),
        packages: vec![package(0), package(1)],
        apart: vec![apart],
        elsewhere: Vec::new(),
        slots: Vec::new(),
        links: vec![
            link(0, 1, "127 ns", false),
            link(2, 3, "127 ns", false),
            link(1, 2, "167 ns", false),
            link(0, 3, "230 ns", false),
            link(3, 4, "340 ns", true),
        ],
    }
}

fn caches(names: &[&str], cpus: &str, below: Vec<CachePart>) -> CachePart {
    let cpus: CpuSet = cpus.parse().unwrap();
    let innermost = CachePart { cpus: cpus.clone(), below, ..CachePart::default() };
    names.iter().rev().fold(innermost, |inner, name| {
        // A cache over several cores holds them; one over a core holds it.
        let below = if inner.cache.is_empty() && !inner.below.is_empty() {
            inner.below
        } else {
            vec![inner]
        };
        CachePart { cache: (*name).into(), cpus: cpus.clone(), below, ..CachePart::default() }
    })
}

/// Two fast cores, four efficient ones with one cache, and slots for memory.
fn hybrid() -> MachinePlan {
    let fast = ["0-1", "2-3"].map(|cpus| CachePart {
        kind: "P-cores".into(),
        ..caches(&["L2 2 MiB", "L1d 48 KiB"], cpus, Vec::new())
    });
    let efficient: Vec<CachePart> =
        ["4", "5", "6", "7"].map(|cpus| caches(&["L1d 32 KiB"], cpus, Vec::new())).to_vec();
    let efficient = CachePart { kind: "E-cores".into(), ..caches(&["L2 4 MiB"], "4-7", efficient) };
    let group = |below: Vec<CachePart>, cpus: &str| CacheGroup {
        cpus: cpus.parse().unwrap(),
        cores: 6,
        cache: "L3 24 MiB".into(),
        below,
        inner: Vec::new(),
    };
    let narrow: Vec<CachePart> = (0..16)
        .map(|k| caches(&["L2 1 MiB", "L1d 32 KiB"], &format!("{k},{}", k + 16), Vec::new()))
        .collect();
    let node = |id: u32, group: CacheGroup| PlanNode {
        id,
        name: format!("node {id}"),
        memory: "32 GiB".into(),
        dies: vec![Die { name: String::new(), groups: vec![group] }],
        ..PlanNode::default()
    };
    let slot = |name: &str, size: &str| PlanSlot { name: name.into(), size: size.into() };
    let all = fast.into_iter().chain([efficient]).collect();
    MachinePlan {
        heading: Heading::new("Caches", "Caches over cores, drawn once where they are alike."),
        packages: vec![
            PlanPackage {
                name: "package 0".into(),
                nodes: vec![node(0, group(all, "0-7"))],
                slots: vec![slot("A1", "16 GiB"), slot("A2", ""), slot("B1", "16 GiB")],
            },
            PlanPackage {
                name: "package 1".into(),
                nodes: vec![node(1, group(narrow, "0-31"))],
                slots: Vec::new(),
            },
        ],
        slots: vec![slot("C1", "size unknown")],
        ..MachinePlan::default()
    }
}

fn graph() -> LinkGraph {
    let node = |id: u32| GraphNode {
        id,
        name: format!("node {id}"),
        group: format!("package {}", id / 4),
    };
    let mut links: Vec<PlanLink> = (0..4).map(|k| link(k, (k + 1) % 4, "127 ns", false)).collect();
    links.extend((0..4).map(|k| link(4 + k, 4 + (k + 1) % 4, "127 ns", false)));
    links.extend([link(0, 4, "190 ns", false), link(2, 6, "190 ns", true)]);
    LinkGraph {
        heading: Heading::new("Links", "Which nodes are connected directly."),
        nodes: (0..8).map(node).collect(),
        links,
    }
}

#[test]
fn the_examples_are_drawn_as_they_were_looked_at() {
    assert_data_eq!(standalone(&curves(), Theme::Light), file!["../golden/curves.svg"].raw());
    assert_data_eq!(standalone(&timeline(), Theme::Light), file!["../golden/timeline.svg"].raw());
    assert_data_eq!(standalone(&plan(), Theme::Dark), file!["../golden/machine_plan.svg"].raw());
    assert_data_eq!(standalone(&hybrid(), Theme::Light), file!["../golden/plan_caches.svg"].raw());
    assert_data_eq!(standalone(&graph(), Theme::Light), file!["../golden/link_graph.svg"].raw());
}

#[test]
fn the_examples_are_shown_in_characters() {
    let pictures: [&dyn Picture; 5] = [&curves(), &timeline(), &plan(), &hybrid(), &graph()];
    let shown: Vec<String> =
        pictures.iter().filter_map(|p| p.in_terminal(&Screen::PLAIN)).collect();
    assert_data_eq!(shown.join("\n"), file!["../golden/plans.txt"].raw());
}

#[test]
fn of_many_links_those_between_packages_are_drawn() {
    let mut plan = plan();
    plan.links.extend((0..9).map(|_| link(0, 1, "", false)));
    let body = plan.drawing().body.into_string();
    assert!(body.contains("11 more links, all within packages, are not drawn here."));
    assert!(
        body.contains("<title>1 – 2: 167 ns</title>")
            && !body.contains("<title>2 – 3: 127 ns</title>")
    );
}

#[test]
fn long_lists_and_titles_are_not_cut() {
    let mut plan = plan();
    let node = &mut plan.packages[0].nodes[0];
    node.name = "part of node 0".to_owned();
    node.memory = "of 5.77 GiB".to_owned();
    node.dies[0].groups[0].inner = [
        "CPUs 0-11, each core: L2 1.25 MiB, L1d 48 KiB, L1i 32 KiB",
        "CPUs 12-19, each 4 CPUs: L2 2 MiB",
        "CPUs 12-19, each CPU: L1d 32 KiB, L1i 64 KiB",
    ]
    .map(str::to_owned)
    .to_vec();
    let body = plan.drawing().body.into_string();
    assert!(!body.contains('…'), "{body}");
}
