//! Which nodes the machine has, where some outputs list only those with CPUs or near devices.

use super::*;

const ROCM: &str = "GPU[0]\t\t: (Topology) Numa Node: 0\nGPU[1]\t\t: (Topology) Numa Node: 2\n";

fn nodes(text: &str) -> (Vec<String>, String) {
    let sent = sent(text);
    assert_eq!(sent.conflicts, [], "{text}");
    let nodes = Topology::read(&sent.source).map(|topology| topology.nodes).unwrap_or_default();
    let nodes = nodes.iter().map(|node| format!("{}: {}", node.id, node.cpus));
    (nodes.collect(), sent.source.named_nodes().to_string())
}

#[test]
fn nodes_without_cpus_are_in_lscpu_and_not_in_its_table() {
    let lscpu = LSCPU.replace("node(s):          2", "node(s):          3");
    let lscpu = lscpu.replace("2,3,6,7\n", "2,3,6,7\nNUMA node2 CPU(s):     \n");
    for text in [format!("{lscpu}{TABLE}"), format!("{TABLE}{lscpu}"), lscpu] {
        assert_eq!(nodes(&text).0, ["0: 0-1,4-5", "1: 2-3,6-7", "2: "], "{text}");
    }
    assert_eq!(nodes(TABLE).0.len(), 2);
}

/// All GPUs may be near one node of two.
#[test]
fn nodes_near_devices_are_not_all_nodes() {
    let one = SMI.replace("2-3,6-7\t1", "0-1,4-5\t0");
    assert_eq!(nodes(&one), (vec![], "0".to_owned()));
    assert_eq!(nodes(SMI), (vec![], "0-1".to_owned()));
    assert_eq!(nodes(ROCM), (vec![], "0,2".to_owned()));
    let card = "Slot:\t3b:00.0\nClass:\tx [0200]\nVendor:\ty [8086]\nDevice:\tz [1521]\n";
    assert_eq!(nodes(&format!("{card}NUMANode:\t1\n")).1, "1");
    assert_eq!(nodes(&format!("{one}{TABLE}")).0, ["0: 0-1,4-5", "1: 2-3,6-7"]);
    assert_eq!(nodes(&format!("{one}{LSCPU}")).1, "", "the machine's nodes are known");
}

/// Topologies of NCCL have the nodes of GPUs and network cards: in the corpus, one of two, and
/// four of eight.
#[test]
fn nodes_of_nccl_are_not_all_nodes() {
    let cpu = |node: u8, cpus| format!("<cpu numaid='{node}' affinity='{cpus}'>");
    let gpu = "<pci busid='0000:3b:00.0' class='0x030200'/></cpu>";
    let one = format!("<system version='1'>\n{}{gpu}\n</system>\n", cpu(1, "0xcc"));
    assert_eq!(nodes(&one), (vec![], "1".to_owned()));
    let known = nodes(&format!("{one}{LSCPU}"));
    assert_eq!(known, (vec!["0: 0-1,4-5".to_owned(), "1: 2-3,6-7".to_owned()], String::new()));
    let without_cpus = "<system version='1'>\n<cpu numaid='0'/>\n<cpu numaid='2'/>\n</system>\n";
    assert_eq!(nodes(without_cpus), (vec![], "0,2".to_owned()));
}

#[test]
fn zones_of_memory_name_nodes_without_cpus() {
    let zones = "Node 0, zone    DMA32\n  managed 1000\nNode 3, zone   Normal\n  managed 1000\n";
    assert_eq!(nodes(zones), (vec![], "0,3".to_owned()));
}

#[test]
fn npus_are_not_of_nvidia() {
    let npus = SMI.replace("GPU", "NPU");
    assert_eq!(forms(&sent(&npus)), ["npu-smi info -t topo"]);
    assert_eq!(forms(&sent(SMI)), ["nvidia-smi topo -m"]);
}
