//! Machines and programs with a known truth, replayed.

mod bounds;
mod cures;
mod doses;
mod obstacles;
mod trials;

use nearfar_machine::Source;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::{Bytes, NodeId};
use nearfar_process::PageSample;

use crate::explain::{AccessCosts, Around, ExplainedProcess, ObservedProcess, explain};

/// Latencies in ns from the CPUs of each node to the memory of each, with an interval of ±1 %.
fn costs(ns: &[&[f64]]) -> AccessCosts {
    let pairs = ns.iter().enumerate().flat_map(|(cpus, row)| {
        row.iter().enumerate().map(move |(memory, ns)| {
            let pair = (NodeId(cpus as u32), NodeId(memory as u32));
            (pair, *ns, Some([ns * 0.99, ns * 1.01]))
        })
    });
    AccessCosts::new(pairs)
}

/// Two nodes: 100 ns local, 180 ns remote.
fn two_nodes() -> AccessCosts {
    costs(&[&[100.0, 180.0], &[180.0, 100.0]])
}

/// Nodes of four CPUs and free memory of 4 GiB each.
fn nodes(count: u32) -> NodeSummaries {
    let mut files =
        vec![("/sys/devices/system/node/online".to_owned(), format!("0-{}", count - 1))];
    for node in 0..count {
        let folder = format!("/sys/devices/system/node/node{node}");
        files.push((format!("{folder}/cpulist"), format!("{}-{}", node * 4, node * 4 + 3)));
        let sizes = format!("Node {node} MemTotal: 8388608 kB\nNode {node} MemFree: 4194304 kB");
        files.push((format!("{folder}/meminfo"), sizes));
    }
    NodeSummaries::read(&Source::from_files(files))
}

/// A process of 1 GiB with sampled pages and CPU time by node.
fn process(pages: &[(u32, u64)], weights: &[(u32, f64)]) -> ObservedProcess {
    ObservedProcess {
        pid: 7,
        name: "db".to_owned(),
        memory: Bytes::gib(1),
        pages: PageSample {
            by_node: pages.iter().map(|&(node, pages)| (NodeId(node), pages)).collect(),
            is_whole: false,
        },
        weights: weights.iter().map(|&(node, weight)| (NodeId(node), weight)).collect(),
        threads: 1,
        busy_cpus: 1.0,
        ..ObservedProcess::default()
    }
}

fn explained(process: &ObservedProcess, costs: Option<&AccessCosts>) -> ExplainedProcess {
    let nodes = nodes(2);
    explain(process, &Around { nodes: &nodes, costs, balancing: None })
}
