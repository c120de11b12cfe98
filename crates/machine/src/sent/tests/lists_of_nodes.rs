//! Which nodes the machine has, where some outputs list only those with CPUs or near devices.

use super::*;

const ROCM: &str = "GPU[0]\t\t: (Topology) Numa Node: 0\nGPU[1]\t\t: (Topology) Numa Node: 2\n";

fn nodes(text: &str) -> (Vec<String>, String) {
    let sent = sent(text);
    assert_eq!(sent.conflicts, [], "{text}");
    let nodes = Topology::read(&sent.source).map(|topology| topology.nodes).unwrap_or_default();
    let nodes = nodes.iter().map(|node| format!("{}: {}", node.id, node.cpus));
    (nodes.collect(), sent.source.device_nodes().to_string())
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

#[test]
fn npus_are_not_of_nvidia() {
    let npus = SMI.replace("GPU", "NPU");
    assert_eq!(forms(&sent(&npus)), ["npu-smi info -t topo"]);
    assert_eq!(forms(&sent(SMI)), ["nvidia-smi topo -m"]);
}
