//! The share of a process's memory that is remote to its threads, and what that costs.
//!
//! The kernel does not record which thread uses which page. As in `nearfar where`, every thread is
//! taken to use all pages equally, weighted by its CPU time.

use nearfar_infer::{BoundedMean, bounded_mean};
use nearfar_model::NodeId;
use nearfar_process::{NodeWeights, PageSample, weight_on};

use crate::document::Interval;
use crate::latencies::NodeLatencies;

/// The remote share. `None` without pages or threads. `nodes` are the machine's nodes with memory.
pub fn remote_share(
    pages: &PageSample,
    weights: &NodeWeights,
    nodes: &[NodeId],
) -> Option<Interval> {
    mean_of(pages, weights, nodes, |node| Some(1.0 - weight_on(weights.iter().copied(), node)))
}

/// By how much an average access is slower than a local one, as a fraction. `None` where a latency
/// is not measured.
pub(crate) fn remote_cost(
    pages: &PageSample,
    weights: &NodeWeights,
    nodes: &[NodeId],
    latencies: &NodeLatencies,
) -> Option<Interval> {
    mean_of(pages, weights, nodes, |memory| {
        let slower =
            |&(cpus, weight): &(NodeId, f64)| Some(weight * (latencies.ratio(cpus, memory)? - 1.0));
        weights.iter().map(slower).sum()
    })
}

fn mean_of(
    pages: &PageSample,
    weights: &NodeWeights,
    nodes: &[NodeId],
    value: impl Fn(NodeId) -> Option<f64>,
) -> Option<Interval> {
    if weights.is_empty() {
        return None;
    }
    let found = pages.by_node.iter().map(|(node, count)| Some((value(*node)?, *count)));
    let mut values = found.collect::<Option<Vec<_>>>()?;
    // Pages that were not drawn may be on any node.
    values.extend(nodes.iter().filter_map(|node| Some((value(*node)?, 0))));
    let BoundedMean { mean, ci95 } = bounded_mean(&values, pages.is_whole)?;
    Some(Interval { value: mean, ci95 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(by_node: &[(u32, u64)], is_whole: bool) -> PageSample {
        PageSample {
            by_node: by_node.iter().map(|&(node, pages)| (NodeId(node), pages)).collect(),
            is_whole,
        }
    }

    const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];

    #[test]
    fn shares_weight_threads_by_cpu_time() {
        let weights = vec![(NodeId(0), 0.75), (NodeId(1), 0.25)];
        let share = remote_share(&pages(&[(0, 200), (1, 200)], false), &weights, &NODES).unwrap();
        assert!((share.value - 0.5).abs() < 1e-12 && share.ci95[0] > 0.45, "{share:?}");
        let whole = remote_share(&pages(&[(0, 2)], true), &weights, &NODES).unwrap();
        assert_eq!(whole, Interval { value: 0.25, ci95: [0.25, 0.25] });
    }

    #[test]
    fn a_sample_without_remote_pages_leaves_room_for_some() {
        let weights = vec![(NodeId(0), 1.0)];
        let share = remote_share(&pages(&[(0, 400)], false), &weights, &NODES).unwrap();
        assert_eq!((share.value, share.ci95[0]), (0.0, 0.0));
        assert!((0.005..0.02).contains(&share.ci95[1]), "{share:?}");
        let all = remote_share(&pages(&[(1, 400)], false), &weights, &NODES).unwrap();
        assert!(all.value == 1.0 && all.ci95[1] == 1.0 && all.ci95[0] > 0.98, "{all:?}");
    }

    #[test]
    fn costs_are_ratios_of_latencies() {
        let at = |cpus, memory, ns| ((NodeId(cpus), NodeId(memory)), ns);
        let cells = [at(0, 0, 100.0), at(0, 1, 180.0)];
        let latencies = NodeLatencies::new(String::new(), cells).unwrap();
        let weights = vec![(NodeId(0), 1.0)];
        let cost_of =
            |on: &[(u32, u64)]| remote_cost(&pages(on, false), &weights, &NODES, &latencies);
        let cost = cost_of(&[(0, 50), (1, 50)]).unwrap();
        assert!((cost.value - 0.4).abs() < 1e-12, "{cost:?}");
        assert!(cost.ci95[0] > 0.3 && cost.ci95[1] < 0.5, "{cost:?}");
        assert_eq!(cost_of(&[(2, 9)]), None);
    }

    #[test]
    fn no_pages_or_no_threads_give_no_share() {
        assert_eq!(remote_share(&pages(&[], false), &vec![(NodeId(0), 1.0)], &NODES), None);
        assert_eq!(remote_share(&pages(&[(0, 9)], false), &Vec::new(), &NODES), None);
    }
}
