//! One sentence on what to do about a process.
//!
//! It follows from the pages, the threads and the policies. It knows neither the cost of remote
//! memory on this machine (a survey does), nor which pages the program uses. So it claims no gain:
//! `nearfar explain` has bounds, and measures.

use nearfar_machine::process::NumaMode;
use nearfar_model::{NodeId, NodeSet};
use serde::Serialize;

use crate::by_node::BytesByNode;
use crate::gpu_memory::without_gpus;
use crate::locality::{Locality, NEARLY_ALL, NEARLY_NONE, busiest_node, usable_nodes};
use crate::memory::ProcessMemory;

/// What to do, with a code for scripts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PlacementAdvice {
    /// `one-node`, `little`, `unknown`, `well-placed`, `interleaved`, `memory-only-node`,
    /// `follow-threads`, `gather`, `spread`.
    pub code: &'static str,
    /// The sentence.
    pub text: String,
}

/// Bytes below which a process is too small to matter.
pub(crate) const SMALL: u64 = 16 << 20;

/// What to do about this process.
pub fn advise(memory: &ProcessMemory) -> PlacementAdvice {
    let sizes = &without_gpus(&memory.by_node(), &memory.around);
    let share = memory.threads.remote_share(sizes);
    let remote = share.unwrap_or_default();
    match Locality::judge(memory.around.nodes.len(), share, NEARLY_NONE) {
        Locality::OneNode => {
            advice("one-node", "Nothing to do about its memory: this machine has one memory node.")
        }
        Locality::Unknown => advice(
            "unknown",
            "Nothing can be advised: no page is in memory, or no thread's node is known.",
        ),
        Locality::Local => local(remote),
        Locality::Remote => remote_memory(memory, sizes, remote),
    }
}

fn local(remote: f64) -> PlacementAdvice {
    let unless = match remote > 0.0 {
        true => ", unless it uses mainly the rest",
        false => "",
    };
    let text = format!(
        "Nothing to do about its memory{unless}: {} is on the nodes of its threads.",
        percent(1.0 - remote)
    );
    advice("well-placed", text)
}

/// Some of its memory is on other nodes than its threads.
fn remote_memory(memory: &ProcessMemory, sizes: &BytesByNode, remote: f64) -> PlacementAdvice {
    if sizes.total().0 < SMALL {
        return advice(
            "little",
            format!(
                "Nothing to do about its memory if caches hold it: it has {}. 'nearfar explain {} \
                 --try' measures whether its place matters.",
                sizes.total(),
                memory.pid
            ),
        );
    }
    if let Some(nodes) = interleaved(memory, sizes) {
        let text = format!(
            "Its memory is interleaved over nodes {nodes}, so {} of it is remote, as expected. If \
             that is not intended, start it without --interleave.",
            percent(remote)
        );
        return advice("interleaved", text);
    }
    let near = memory.threads.nodes().intersection(&usable(memory));
    if let Some(node) = memory_only(memory, sizes).filter(|_| !near.is_empty()) {
        let text = format!(
            "Node {node} has no CPUs and holds {}: 'nearfar move {} --nodes {near}' moves that to \
             the nodes of its threads, as far as they have free memory.{}",
            sizes.on(node),
            memory.pid,
            gain(memory)
        );
        return advice("memory-only-node", text);
    }
    apart(memory, sizes, remote)
}

fn advice(code: &'static str, text: impl Into<String>) -> PlacementAdvice {
    PlacementAdvice { code, text: text.into() }
}

/// Threads and memory on different nodes.
fn apart(memory: &ProcessMemory, sizes: &BytesByNode, remote: f64) -> PlacementAdvice {
    let pid = memory.pid;
    let threads = memory.threads.by_node();
    let usable = usable(memory);
    let busiest = busiest_node(threads.iter().map(|on| (on.node, on.share)), &usable);
    if let Some((home, _)) = busiest.filter(|(_, share)| *share >= NEARLY_ALL) {
        let cpus = memory.around.cpus_of(&NodeSet::from_id(home));
        let pinned = memory.threads.allowed().is_subset(&cpus);
        let bind = if pinned { String::new() } else { format!(" --cpus {cpus}") };
        let text = format!(
            "Its threads run on node {home}, and {} of its memory is on other nodes: 'nearfar move \
             {pid}{bind} --nodes {home}' moves it there{}.{}",
            percent(remote),
            room(memory, sizes, home),
            gain(memory)
        );
        return advice("follow-threads", text);
    }
    let is_most = |node: &NodeId| sizes.on(*node).0 as f64 >= NEARLY_ALL * sizes.total().0 as f64;
    let largest = sizes.largest().filter(is_most);
    let gathering = largest.map(|node| (node, memory.around.cpus_of(&NodeSet::from_id(node))));
    if let Some((node, cpus)) = gathering.filter(|(_, cpus)| !cpus.is_empty()) {
        let otherwise = if usable.len() > 1 {
            "; if not, start it with 'nearfar run --interleave all'"
        } else {
            ""
        };
        let text = format!(
            "Its memory is on node {node}, and its threads run on nodes {}: 'nearfar move {pid} \
             --cpus {cpus}' moves them to that node, if {} CPUs are enough{otherwise}.{}",
            memory.threads.nodes(),
            cpus.len(),
            gain(memory)
        );
        return advice("gather", text);
    }
    spread(memory, sizes, &usable)
}

/// Threads and memory on several nodes.
fn spread(memory: &ProcessMemory, sizes: &BytesByNode, usable: &NodeSet) -> PlacementAdvice {
    if usable.len() <= 1 {
        let text = format!("Nothing to do about its memory: it may use node {usable} only.");
        return advice("one-node", text);
    }
    let whole: NodeSet = usable
        .iter()
        .filter(|node| !memory.around.cpus_of(&NodeSet::from_id(*node)).is_empty())
        .collect();
    let split = match whole.len() {
        0 | 1 => String::new(),
        _ => format!(
            "start one process on each of nodes {whole} with 'nearfar run -N NODE -m NODE', if the \
             work can be split; if not, "
        ),
    };
    let spread = sizes.nodes().union(&memory.threads.nodes());
    let text = format!(
        "Its threads and memory are spread over nodes {spread}: {split}'nearfar run --interleave \
         all' spreads its pages evenly.{}",
        gain(memory)
    );
    advice("spread", text)
}

/// What decides whether a move pays.
fn gain(memory: &ProcessMemory) -> String {
    format!(" 'nearfar explain {}' has what that may gain or cost.", memory.pid)
}

fn usable(memory: &ProcessMemory) -> NodeSet {
    usable_nodes(&memory.around, memory.allowed_nodes.as_ref())
}

/// A phrase if a node has too little free memory for all that is on other nodes.
fn room(memory: &ProcessMemory, sizes: &BytesByNode, home: NodeId) -> String {
    let wanted = sizes.total().0.saturating_sub(sizes.on(home).0);
    match memory.around.node(home).and_then(|node| node.free) {
        Some(free) if free.0 < wanted => format!(", up to its {free} of free memory"),
        _ => String::new(),
    }
}

/// The nodes over which most of the memory is interleaved by policy.
fn interleaved(memory: &ProcessMemory, sizes: &BytesByNode) -> Option<NodeSet> {
    let policies = memory.policies();
    let spread = policies.iter().filter(|policy| {
        matches!(policy.of.mode(), NumaMode::Interleave | NumaMode::WeightedInterleave)
    });
    let (mut nodes, mut size) = (NodeSet::new(), 0u64);
    for policy in spread {
        nodes = nodes.union(&policy.of.nodes());
        size = size.saturating_add(policy.by_node.total().0);
    }
    (size as f64 >= sizes.total().0 as f64 / 2.0).then_some(nodes)
}

/// The node without CPUs that holds at least a quarter of the memory.
fn memory_only(memory: &ProcessMemory, sizes: &BytesByNode) -> Option<NodeId> {
    let total = sizes.total().0 as f64;
    let without = memory.around.nodes.iter().filter(|node| node.cpus.is_empty());
    without.map(|node| node.id).find(|node| sizes.on(*node).0 as f64 >= total * 0.25)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    /// A process of four nodes (node 3 without CPUs): one mapping with a policy and pages, threads
    /// with a CPU and ticks.
    fn advice(mapping: &str, threads: &[(u32, u32)]) -> PlacementAdvice {
        limited(mapping, threads, None, "0-3")
    }

    /// The same where a node has CPUs and no memory, and with a cpuset.
    fn limited(
        mapping: &str,
        threads: &[(u32, u32)],
        empty: Option<u32>,
        cpuset: &str,
    ) -> PlacementAdvice {
        let mut files = vec![("/sys/devices/system/node/online".to_owned(), "0-3".to_owned())];
        for node in 0..3 {
            let folder = format!("/sys/devices/system/node/node{node}");
            files.push((format!("{folder}/cpulist"), format!("{}-{}", node * 4, node * 4 + 3)));
            let total = if empty == Some(node) { 0 } else { 1 << 20 };
            let sizes = format!("Node {node} MemTotal: {total} kB\nNode {node} MemFree: 10240 kB");
            files.push((format!("{folder}/meminfo"), sizes));
        }
        files.push(("/proc/9/status".into(), format!("Mems_allowed_list: {cpuset}")));
        files.push(("/proc/9/numa_maps".into(), format!("1000 {mapping} kernelpagesize_kB=4\n")));
        for (tid, (cpu, ticks)) in (9..).zip(threads) {
            let line =
                format!("{tid} (x) R 1 0 0 0 0 0 0 0 0 0 {ticks} 0 {}{cpu}", "0 ".repeat(23));
            files.push((format!("/proc/9/task/{tid}/stat"), line));
            files.push((format!("/proc/9/task/{tid}/status"), "Cpus_allowed_list: 0-11".into()));
        }
        let memory = ProcessMemory::read(&Source::from_files(files), 9).unwrap();
        assert_eq!(
            memory.threads.0.iter().map(|thread| thread.cpu.unwrap().0).collect::<Vec<_>>(),
            threads.iter().map(|t| t.0).collect::<Vec<_>>()
        );
        advise(&memory)
    }

    #[test]
    fn each_situation_has_its_sentence() {
        for (mapping, threads, code, words) in [
            ("default N1=8192", vec![(4, 90)], "well-placed", "100 %"),
            ("default N0=100", vec![(4, 90)], "little", "400 KiB"),
            (
                "default N0=8192",
                vec![(4, 90)],
                "follow-threads",
                "nearfar move 9 --cpus 4-7 --nodes 1",
            ),
            ("default N0=8192", vec![(4, 90)], "follow-threads", "10 MiB of free memory"),
            ("interleave:0-2 N0=4000 N1=4000 N2=4000", vec![(4, 90)], "interleaved", "nodes 0-2"),
            (
                "weighted interleave:0-2 N0=4000 N1=4000 N2=4000",
                vec![(4, 90)],
                "interleaved",
                "67 % of it is remote",
            ),
            ("default N3=8192", vec![(4, 90)], "memory-only-node", "Node 3 has no CPUs"),
            ("default N0=8192", vec![(0, 50), (4, 50)], "gather", "--cpus 0-3"),
            ("default N0=8192 N1=8192", vec![(0, 50), (8, 50)], "spread", "nodes 0-2"),
        ] {
            let advice = advice(mapping, &threads);
            assert_eq!(advice.code, code, "{mapping}: {}", advice.text);
            assert!(advice.text.contains(words), "{}", advice.text);
            assert!(!advice.text.contains('\n') && advice.text.ends_with('.'));
            // Devices may need something.
            assert!(!advice.text.starts_with("Nothing to do:"), "{}", advice.text);
        }
    }

    #[test]
    fn advice_names_only_nodes_with_memory() {
        for (mapping, threads, empty, cpuset, code, words) in [
            ("default N0=8192", vec![(4, 90)], Some(1), "0-3", "gather", "--cpus 0-3"),
            ("default N0=8192", vec![(4, 90)], None, "0,2", "gather", "if not, start it"),
            ("default N0=8192", vec![(4, 90)], None, "0", "gather", "if 4 CPUs are enough."),
            ("default N0=8192", vec![(4, 90)], None, "0", "gather", "may gain or cost."),
            (
                "default N3=8192",
                vec![(4, 90)],
                Some(1),
                "0-3",
                "spread",
                "one process on each of nodes 0,2 with",
            ),
            (
                "default N3=8192",
                vec![(4, 50), (8, 50)],
                Some(1),
                "0-3",
                "memory-only-node",
                "--nodes 2'",
            ),
            (
                "default N3=8192",
                vec![(4, 90)],
                None,
                "0,3",
                "spread",
                "nodes 1,3: 'nearfar run --interleave",
            ),
            (
                "default N0=8192 N2=8192",
                vec![(4, 90)],
                Some(1),
                "0-3",
                "spread",
                "one process on each of nodes 0,2 with",
            ),
            ("default N0=8192 N2=8192", vec![(4, 90)], None, "2", "one-node", "node 2 only"),
        ] {
            let advice = limited(mapping, &threads, empty, cpuset);
            assert_eq!(advice.code, code, "{mapping}: {}", advice.text);
            assert!(advice.text.contains(words), "{}", advice.text);
        }
    }

    #[test]
    fn one_node_leaves_nothing_to_do() {
        let files = [
            ("/sys/devices/system/node/online", "0"),
            ("/proc/9/numa_maps", "1000 default N0=9999 kernelpagesize_kB=4"),
        ];
        let memory = ProcessMemory::read(&Source::from_files(files), 9).unwrap();
        assert_eq!(advise(&memory).code, "one-node");
    }
}
