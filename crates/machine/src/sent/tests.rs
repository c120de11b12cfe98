use nearfar_model::NodeId;

use super::*;
use crate::topology::Topology;

const LSCPU: &str = "Architecture:          x86_64
CPU(s):                8
On-line CPU(s) list:   0-7
Model name:            AMD EPYC 7451 24-Core Processor
Thread(s) per core:    2
Core(s) per socket:    2
Socket(s):             2
Hypervisor vendor:     KVM
L1d cache:             128 KiB (4 instances)
L3 cache:              16 MiB (2 instances)
NUMA node(s):          2
NUMA node0 CPU(s):     0,1,4,5
NUMA node1 CPU(s):     2,3,6,7
Flags:                 fpu lm hypervisor
";
const NUMACTL: &str = "available: 2 nodes (0-1)
node 0 cpus: 0 1 4 5
node 0 size: 1024 MB
node 0 free: 512 MB
node 1 cpus: 2 3 6 7
node 1 size: 2048 MB
node 1 free: 100 MB
node distances:
node   0   1
  0:  10  21
  1:  21  10
";
const TABLE: &str = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,0,,1,1,1,0
2,2,1,1,,2,2,2,1
3,3,1,1,,3,3,3,1
4,0,0,0,,0,0,0,0
5,1,0,0,,1,1,1,0
6,2,1,1,,2,2,2,1
7,3,1,1,,3,3,3,1
";
const SMI: &str = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tSYS\t0-1,4-5\t0
GPU1\tSYS\t X \t2-3,6-7\t1
";
const LOG: &str = "[    0.000000] Linux version 6.1.0-28-amd64 (x)
[    0.000000] Command line: ro numa=off
[    0.010000] NUMA turned off
";

fn sent(text: &str) -> Sent {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn forms(sent: &Sent) -> Vec<&str> {
    sent.parts.iter().map(|part| part.form).collect()
}

fn shape(topology: &Topology) -> (usize, usize, usize, Vec<String>) {
    let nodes = topology.nodes.iter().map(|node| node.cpus.to_string()).collect();
    (topology.cpus.len(), topology.cores().len(), topology.packages().len(), nodes)
}

#[test]
fn each_output_alone_is_a_machine() {
    let nodes = || vec!["0-1,4-5".to_owned(), "2-3,6-7".to_owned()];
    for (text, cores, packages) in [(LSCPU, 4, 2), (TABLE, 4, 2), (NUMACTL, 8, 0), (SMI, 8, 0)] {
        let topology = Topology::read(&sent(text).source).unwrap();
        assert_eq!(shape(&topology), (8, cores, packages, nodes()), "{text}");
    }
}

#[test]
fn several_outputs_in_one_paste_are_one_machine() {
    let sent = sent(&[LSCPU, NUMACTL, TABLE, SMI, LOG].concat());
    assert_eq!(
        forms(&sent),
        ["lscpu", "numactl -H", "lscpu -p", "nvidia-smi topo -m", "kernel log"]
    );
    assert_eq!(sent.conflicts, []);
    let topology = Topology::read(&sent.source).unwrap();
    let memory: Vec<u64> =
        topology.nodes.iter().map(|node| node.memory.unwrap().total.0 >> 20).collect();
    assert_eq!(memory, [1024, 2048]);
    assert_eq!(topology.distances.unwrap().between(NodeId(0), NodeId(1)), Some(21));
    assert_eq!(topology.identity.model.as_deref(), Some("AMD EPYC 7451 24-Core Processor"));
    let l3: Vec<String> = topology
        .caches
        .iter()
        .filter(|cache| cache.level == 3)
        .map(|cache| format!("{} {}", cache.cpus, cache.size.unwrap()))
        .collect();
    assert_eq!(l3, ["0-1,4-5 8 MiB", "2-3,6-7 8 MiB"]);
    assert!(crate::kernel_log::read(&sent.source).has_boot());
    assert!(sent.source.is_sent());
}

#[test]
fn different_machines_are_refused_by_what_differs() {
    for (other, what) in [
        (NUMACTL.replace("6 7", "6 7 8"), "the CPUs are 0-7 in one, 0-8 in the other"),
        (LSCPU.replace("7451 24", "7551 32"), "the CPU's model is"),
        (LSCPU.replace("x86_64", "i686"), "the architecture is"),
    ] {
        let error = parse(format!("{LSCPU}{other}").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn contradictions_are_listed() {
    let one_node = "available: 1 nodes (0)\nnode 0 cpus: 0 1 2 3 4 5 6 7\nnode 0 size: 3072 MB\n";
    for (other, kind) in [
        (one_node.to_owned(), ConflictKind::Nodes),
        (SMI.replace("2-3,6-7\t1", "2-3,6-7\t3"), ConflictKind::Nodes),
        (
            NUMACTL.replace("0 1 4 5", "0 4").replace("2 3 6 7", "1 2 3 5 6 7"),
            ConflictKind::NodeCpus,
        ),
        (LSCPU.replace("16 MiB", "32 MiB"), ConflictKind::Caches),
    ] {
        let found = sent(&format!("{LSCPU}{other}")).conflicts;
        assert!(found.iter().any(|conflict| conflict.kind == kind), "{found:?}: {other}");
    }
}

#[test]
fn what_nothing_reads_is_refused() {
    assert!(matches!(parse(b" \n"), Err(SentError::Empty { .. })));
    for text in ["hello\n", "CPU0 CPU1\n", "Architecture: x\n", "{\n", "# CPU,Core\n"] {
        assert!(matches!(parse(text.as_bytes()), Err(SentError::NotUnderstood { .. })), "{text}");
    }
}
