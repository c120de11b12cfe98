//! The CPU time of a process's threads, by node.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, NodeId};
use nearfar_process::{NodeWeights, ThreadReading};

/// The shares of CPU time since the last sample; without one, or if no thread ran, since each
/// thread's start; if none ever ran, of threads.
pub fn thread_weights(
    threads: &[ThreadReading],
    before: Option<&BTreeMap<u32, u64>>,
    node_of: impl Fn(CpuId) -> Option<NodeId>,
) -> NodeWeights {
    let by_node = |weight: &dyn Fn(&ThreadReading) -> u64| {
        let mut sums = BTreeMap::<NodeId, f64>::new();
        for thread in threads {
            let Some(node) = thread.cpu.and_then(&node_of) else { continue };
            *sums.entry(node).or_default() += weight(thread) as f64;
        }
        let all: f64 = sums.values().sum();
        let shares = sums.into_iter().filter(|(_, sum)| *sum > 0.0);
        (all > 0.0).then(|| shares.map(|(node, sum)| (node, sum / all)).collect())
    };
    let recent = before.and_then(|before| {
        by_node(&|thread| {
            let then = before.get(&thread.tid).copied().unwrap_or(0);
            thread.ticks.saturating_sub(then)
        })
    });
    recent
        .or_else(|| by_node(&|thread| thread.ticks))
        .or_else(|| by_node(&|_| 1))
        .unwrap_or_default()
}
