//! From which CPUs a program's memory is near, and from which it is far.

use nearfar_model::NodeId;

use crate::explain::{Around, DosedProcess, ExplainError, ObservedProcess};

/// From far CPUs a process's memory has a latency larger by this share at least.
const FARTHER: f64 = 0.05;

/// For each process, the nodes from whose CPUs its memory has the least and the largest mean
/// latency; `to` is the far one if it is given. Without latencies, its memory is near where the
/// larger share of it is. Which of it a thread uses is not known: to one, far CPUs may be near.
///
/// # Errors
///
/// Only one node has CPUs, `to` has none, or the memory of a process is as near from all nodes.
pub fn thread_nodes(
    observed: &[ObservedProcess],
    around: &Around<'_>,
    to: Option<NodeId>,
) -> Result<Vec<DosedProcess>, ExplainError> {
    let with_cpus: Vec<NodeId> = around
        .nodes
        .nodes
        .iter()
        .filter(|node| !node.cpus.is_empty())
        .map(|node| node.id)
        .collect();
    if let Some(node) = to.filter(|node| !with_cpus.contains(node)) {
        return Err(ExplainError::NoCpus { node });
    }
    if with_cpus.len() < 2 {
        return Err(ExplainError::OneNodeWithCpus);
    }
    let busy: f64 = observed.iter().map(|process| process.busy_cpus).sum();
    let one = |process: &ObservedProcess| {
        let mut all: Vec<(NodeId, f64)> = with_cpus
            .iter()
            .filter_map(|node| Some((*node, distance(process, around, *node)?)))
            .collect();
        all.sort_by(|one, other| one.1.total_cmp(&other.1));
        let pid = process.pid;
        let (near, least) = *all.first().ok_or(ExplainError::SameFromAll { pid })?;
        let far = all.iter().rev().find(|(node, _)| to.is_none_or(|to| to == *node));
        let (far, most) = *far.ok_or(ExplainError::SameFromAll { pid })?;
        if far == near || most <= least * (1.0 + FARTHER) {
            return Err(ExplainError::SameFromAll { pid });
        }
        let weight =
            if busy > 0.0 { process.busy_cpus / busy } else { 1.0 / observed.len() as f64 };
        let (name, obstacles) = (process.name.clone(), Vec::new());
        Ok(DosedProcess { pid, name, near, far, weight, obstacles })
    };
    observed.iter().map(one).collect()
}

/// The mean latency of its memory from CPUs of a node; without latencies the share of it that is
/// elsewhere.
fn distance(process: &ObservedProcess, around: &Around<'_>, cpus: NodeId) -> Option<f64> {
    let pages = process.pages.pages();
    let costs = around.costs.filter(|costs| costs.cover(around.nodes));
    let one = |&(memory, count): &(NodeId, u64)| {
        let share = count as f64 / pages as f64;
        match costs {
            Some(costs) => Some(share * costs.get((cpus, memory))?.ns),
            None => Some(if memory == cpus { 0.0 } else { share }),
        }
    };
    let all = process.pages.by_node.iter().map(one).collect::<Option<Vec<f64>>>()?;
    (pages > 0).then(|| all.iter().sum())
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_machine::process::NodeSummaries;
    use nearfar_process::PageSample;

    use super::*;
    use crate::explain::AccessCosts;

    #[test]
    fn one_node_has_no_far_cpus() {
        let node = [
            ("/sys/devices/system/node/online", "0"),
            ("/sys/devices/system/node/node0/cpulist", "0-1"),
        ];
        let nodes = NodeSummaries::read(&Source::from_files(node));
        let around = Around { nodes: &nodes, costs: None, balancing: None };
        let error = thread_nodes(&[ObservedProcess::default()], &around, None).unwrap_err();
        assert!(error.to_string().starts_with("only one node here has CPUs"), "{error}");
    }

    /// Nodes 0 and 1 have CPUs, node 2 has not.
    fn nodes() -> NodeSummaries {
        NodeSummaries::read(&Source::from_files([
            ("/sys/devices/system/node/online", "0-2"),
            ("/sys/devices/system/node/has_memory", "0-2"),
            ("/sys/devices/system/node/node0/cpulist", "0-1"),
            ("/sys/devices/system/node/node1/cpulist", "2-3"),
            ("/sys/devices/system/node/node2/cpulist", ""),
            ("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 4096 kB\n"),
            ("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 4096 kB\n"),
            ("/sys/devices/system/node/node2/meminfo", "Node 2 MemTotal: 4096 kB\n"),
        ]))
    }

    fn found(
        by_node: &[(u32, u64)],
        costs: Option<&AccessCosts>,
        to: Option<u32>,
    ) -> Result<(u32, u32), String> {
        let by_node = by_node.iter().map(|(node, pages)| (NodeId(*node), *pages)).collect();
        let pages = PageSample { by_node, is_whole: true };
        let process = ObservedProcess { pid: 7, pages, busy_cpus: 1.0, ..Default::default() };
        let around = Around { nodes: &nodes(), costs, balancing: None };
        let found = thread_nodes(&[process], &around, to.map(NodeId));
        found.map(|all| (all[0].near.0, all[0].far.0)).map_err(|error| error.to_string())
    }

    #[test]
    fn near_is_where_the_memory_is_wherever_threads_run() {
        assert_eq!(found(&[(0, 10), (1, 90)], None, None), Ok((1, 0)));
        assert_eq!(found(&[(0, 90), (1, 10)], None, Some(1)), Ok((0, 1)));
        let same = found(&[(0, 50), (1, 50)], None, None).unwrap_err();
        assert!(same.contains("process 7") && same.contains("as near"), "{same}");
        assert!(found(&[(0, 90), (1, 10)], None, Some(0)).is_err());
        assert!(found(&[(2, 9)], None, None).is_err());
        assert!(found(&[], None, None).is_err());
        let without = found(&[(0, 1)], None, Some(2)).unwrap_err();
        assert!(without.contains("node 2 has no CPUs"), "{without}");
    }

    #[test]
    fn memory_without_cpus_is_near_by_latency() {
        let ns = [[80.0, 140.0, 250.0], [140.0, 80.0, 400.0]];
        let cells = (0..2).flat_map(|cpus| (0..3).map(move |memory| (cpus, memory)));
        let costs = AccessCosts::new(cells.map(|(cpus, memory)| {
            let ns: f64 = ns[cpus as usize][memory as usize];
            ((NodeId(cpus), NodeId(memory)), ns, Some([ns - 1.0, ns + 1.0]))
        }));
        assert_eq!(found(&[(2, 9)], Some(&costs), None), Ok((0, 1)));
        assert_eq!(found(&[(1, 8), (2, 1)], Some(&costs), None), Ok((1, 0)));
    }
}
