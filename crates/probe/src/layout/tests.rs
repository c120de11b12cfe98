//! Layouts of machines written by hand.

use nearfar_machine::{Source, Topology};
use nearfar_model::{CellIndex, CpuSet, NodeId, NodeSet};

use super::{Layout, LayoutRequest, RowKind};
use crate::{PageSize, ProbeKind, ProbeSpec};

/// A node as these tests write it: id, CPUs, MiB of memory.
type WrittenNode = (u32, &'static str, u64);

/// A machine of nodes, each a package of its own whose CPUs share one cache, with cores of one CPU.
fn machine(nodes: &[WrittenNode], allowed_cpus: &str) -> Topology {
    machine_with_offline(nodes, "", allowed_cpus)
}

/// The same with additional offline CPUs, which nodes do not list.
fn machine_with_offline(nodes: &[WrittenNode], offline: &str, allowed_cpus: &str) -> Topology {
    Topology::read(&Source::from_files(files(nodes, offline, allowed_cpus))).unwrap()
}

/// A machine whose nodes report these distances, one line each.
fn machine_with_distances(
    nodes: &[WrittenNode],
    allowed_cpus: &str,
    distances: &[&str],
) -> Topology {
    let distance = |((id, ..), line): (&WrittenNode, &&str)| {
        (format!("/sys/devices/system/node/node{id}/distance"), (*line).to_owned())
    };
    let distances = nodes.iter().zip(distances).map(distance);
    Topology::read(&Source::from_files(files(nodes, "", allowed_cpus).into_iter().chain(distances)))
        .unwrap()
}

fn files(nodes: &[WrittenNode], offline: &str, allowed_cpus: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut write = |path: String, text: &str| files.push((path, text.to_owned()));
    let ids: NodeSet = nodes.iter().map(|(id, ..)| nearfar_model::NodeId(*id)).collect();
    let mut all = CpuSet::new();
    for (id, cpus, mib) in nodes {
        let folder = format!("/sys/devices/system/node/node{id}");
        let kib = mib * 1024;
        write(format!("{folder}/cpulist"), cpus);
        write(
            format!("{folder}/meminfo"),
            &format!("Node {id} MemTotal: {kib} kB\nNode {id} MemFree: {kib} kB\n"),
        );
        let set = CpuSet::parse_list(cpus).unwrap();
        for cpu in set.iter() {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
            write(format!("{folder}/topology/physical_package_id"), &id.to_string());
            write(format!("{folder}/topology/core_id"), &cpu.to_string());
            write(format!("{folder}/topology/thread_siblings_list"), &cpu.to_string());
            write(format!("{folder}/topology/core_siblings_list"), cpus);
            write(format!("{folder}/cache/index3/level"), "3");
            write(format!("{folder}/cache/index3/type"), "Unified");
            write(format!("{folder}/cache/index3/shared_cpu_list"), cpus);
        }
        all = all.union(&set);
    }
    write("/sys/devices/system/cpu/online".into(), &all.to_string());
    for cpu in CpuSet::parse_list(offline).unwrap().iter() {
        write(format!("/sys/devices/system/cpu/cpu{cpu}/online"), "0");
        all = all.union(&CpuSet::from_id(cpu));
    }
    write("/sys/devices/system/cpu/possible".into(), &all.to_string());
    write("/sys/devices/system/cpu/present".into(), &all.to_string());
    write("/sys/devices/system/node/online".into(), &ids.to_string());
    write(
        "/proc/self/status".into(),
        &format!("Cpus_allowed_list:\t{allowed_cpus}\nMems_allowed_list:\t{ids}\n"),
    );
    files
}

#[test]
fn cpus_without_memory_use_the_nearest_node() {
    let nodes = [(0, "0-1", 64), (1, "2-3", 0), (2, "4-5", 64), (3, "6-7", 0)];
    let distances = ["10 32 20 12", "32 10 11 12", "20 12 10 32", "21 11 21 10"];
    let topology = machine_with_distances(&nodes, "0-7", &distances);
    let layout = layout(&topology, &LayoutRequest::default());
    let nearest = |node: u32| layout.nearest_column(&topology, Some(NodeId(node)));
    assert_eq!([0, 1, 2].map(nearest), [Some(0), Some(2), Some(2)]);
    assert_eq!(nearest(3), Some(0), "equal distances: the first");
    assert_eq!(layout.nearest_column(&topology, None), Some(0));
    let without_distances = machine(&nodes, "0-7");
    assert_eq!(
        layout.nearest_column(&without_distances, Some(NodeId(1))),
        Some(0),
        "distances are unknown"
    );
}

fn layout(topology: &Topology, wanted: &LayoutRequest) -> Layout {
    Layout::new(topology, wanted, &ProbeSpec::page()).unwrap()
}

fn error(topology: &Topology, cpus: Option<&str>, nodes: Option<&str>) -> String {
    let cpus = cpus.map(|list| CpuSet::parse_list(list).unwrap());
    let nodes = nodes.map(|list| NodeSet::parse_list(list).unwrap());
    let wanted = LayoutRequest { rows: RowKind::Auto, cpus, nodes };
    Layout::new(topology, &wanted, &ProbeSpec::page()).unwrap_err().to_string()
}

fn row_cpus(layout: &Layout) -> Vec<String> {
    layout.rows.iter().map(|row| row.cpus.to_string()).collect()
}

#[test]
fn a_row_is_a_group_and_a_column_a_node() {
    let layout =
        layout(&machine(&[(0, "0-1", 512), (4, "2-3", 512)], "0-3"), &LayoutRequest::default());
    assert_eq!(row_cpus(&layout), ["0-1", "2-3"]);
    let labels: Vec<&str> = layout.columns.iter().map(|column| column.label.as_str()).collect();
    assert_eq!(labels, ["node 0", "node 4"]);
    assert_eq!(layout.places().len(), 4);
}

#[test]
fn one_group_is_split_by_core_and_page_set() {
    let layout = layout(&machine(&[(0, "0-2", 512)], "0-2"), &LayoutRequest::default());
    assert_eq!(row_cpus(&layout), ["0", "1", "2"]);
    assert_eq!(layout.columns.len(), 4);
    assert!(
        layout.columns.iter().all(|column| column.memory.node == Some(nearfar_model::NodeId(0)))
    );
}

#[test]
fn every_row_is_compared_with_itself_on_its_own_node() {
    let layout =
        layout(&machine(&[(0, "0", 512), (1, "1", 512)], "0-1"), &LayoutRequest::default());
    let pairs: Vec<_> =
        layout.controls.iter().map(|pair| (pair.row, pair.column, pair.again)).collect();
    assert_eq!(pairs, [(0, 0, 2), (1, 1, 3)]);
    assert_eq!(layout.setup().columns.len(), 4);
    assert_eq!(layout.setup().columns[3].memory.node, layout.columns[1].memory.node);
}

#[test]
fn nodes_without_memory_have_a_column_with_reason() {
    let layout = layout(&machine(&[(0, "0", 512), (1, "1", 0)], "0-1"), &LayoutRequest::default());
    assert_eq!(layout.columns[1].memory.why_not.as_deref(), Some("node 1 has no memory"));
    assert_eq!(layout.places(), [CellIndex::new(0, 0), CellIndex::new(1, 0)]);
    assert_eq!(layout.controls[1].column, 0, "a row without memory uses another node's");
}

#[test]
fn memory_without_cpus_is_touched_from_elsewhere() {
    let layout =
        layout(&machine(&[(0, "0-1", 512), (3, "", 512)], "0-1"), &LayoutRequest::default());
    assert_eq!(layout.rows.len(), 2, "one group: its cores");
    assert_eq!(layout.columns[1].memory.touch_from.to_string(), "0-1");
}

#[test]
fn packages_with_cores_to_spare_get_a_spinner() {
    let layout =
        layout(&machine(&[(0, "0-3", 512), (1, "4-7", 512)], "0-7"), &LayoutRequest::default());
    assert_eq!(layout.spinners.to_string(), "3,7");
    assert_eq!(layout.rows[0].candidates.to_string(), "0-2");
    assert_eq!(layout.rows[0].cpus.to_string(), "0-3");
}

#[test]
fn unavailable_cpus_and_nodes_are_refused() {
    let topology = machine(&[(0, "0-1", 512), (1, "2-3", 512)], "0-2");
    assert_eq!(
        error(&topology, Some("9"), None),
        "CPU 9 does not exist: this machine has CPUs 0-3"
    );
    assert_eq!(
        error(&topology, Some("3"), None),
        "CPU 3 is outside the cpuset of this process: it may use 0-2"
    );
    assert_eq!(
        error(&topology, None, Some("5")),
        "node 5 does not exist: this machine has nodes 0-1"
    );
    assert!(error(&topology, Some(""), None).starts_with("the list of CPUs is empty"));
    assert!(error(&topology, None, Some("")).starts_with("the list of nodes is empty"));
}

#[test]
fn offline_cpus_are_skipped_and_refused_by_name() {
    let topology = machine_with_offline(&[(0, "0-1", 512), (1, "4-5", 512)], "2-3,6", "0-7");
    assert_eq!(row_cpus(&layout(&topology, &LayoutRequest::default())), ["0-1", "4-5"]);
    assert!(error(&topology, Some("0-3"), None).starts_with("CPU 2-3 is offline"));
    assert_eq!(
        error(&topology, Some("0-7"), None),
        "CPU 7 does not exist: this machine has CPUs 0-6"
    );
}

#[test]
fn rows_may_be_nodes_or_cores() {
    let topology = machine(&[(0, "0-1", 512), (1, "2-3", 512)], "0-3");
    let rows = |kind| {
        row_cpus(&layout(&topology, &LayoutRequest { rows: kind, ..LayoutRequest::default() }))
    };
    assert_eq!(rows(RowKind::Node), ["0-1", "2-3"]);
    assert_eq!(rows(RowKind::Core), ["0", "1", "2", "3"]);
}

#[test]
fn large_buffers_have_one_control() {
    let topology = machine(&[(0, "0", 512), (1, "1", 512)], "0-1");
    let layout =
        Layout::new(&topology, &LayoutRequest::default(), &ProbeSpec::chase(PageSize::Huge))
            .unwrap();
    assert_eq!(layout.controls.len(), 1);
    assert!(layout.columns.iter().all(|column| column.pages == 1));
}

#[test]
fn page_sizes_have_one_row_and_one_node() {
    let whole = layout(&machine(&[(0, "0", 512), (1, "1", 512)], "0-1"), &LayoutRequest::default());
    let pages = whole.page_sizes().unwrap();
    assert_eq!((pages.rows.len(), pages.columns.len()), (1, 2));
    assert_eq!(
        [pages.columns[0].probe.pages, pages.columns[1].probe.pages],
        [PageSize::Huge, PageSize::Base]
    );
    assert_eq!(pages.columns[0].probe.kind, ProbeKind::Chase);
}

#[test]
fn core_walk_controls_use_the_first_cpu() {
    let topology = machine(&[(0, "0-2", 512)], "0-2");
    let layout =
        Layout::core_walk(&topology, &LayoutRequest::default(), &ProbeSpec::core_walk()).unwrap();
    assert_eq!(row_cpus(&layout), ["0", "1", "2", "0", "0", "0"]);
    assert_eq!(layout.columns.len(), 1);
    assert_eq!(layout.columns[0].memory.touch_from.to_string(), "0");
}
