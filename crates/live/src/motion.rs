//! Memory that moves: one node's part falls and another's rises, by more than sampling explains.

use nearfar_infer::bounded_mean;
use nearfar_model::{Bytes, NodeId};
use nearfar_process::PageSample;

use crate::document::MovingMemory;

/// Rates below this are not reported: small pages of libraries come and go.
const MIN_BYTES_PER_S: f64 = 256.0 * 1024.0;

/// Memory by node, as intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Holding(Vec<(NodeId, [f64; 2])>);

impl Holding {
    /// From a sample of a process with this much memory.
    pub(crate) fn from_sample(pages: &PageSample, memory: Bytes) -> Self {
        let all = pages.pages();
        let of = |&(node, count): &(NodeId, u64)| {
            let share = bounded_mean(&[(1.0, count), (0.0, all - count)], pages.is_whole)?;
            Some((node, share.ci95.map(|end| end * memory.0 as f64)))
        };
        Self(pages.by_node.iter().filter_map(of).collect())
    }

    pub(crate) fn exact(by_node: &[(NodeId, Bytes)]) -> Self {
        Self(by_node.iter().map(|&(node, bytes)| (node, [bytes.0 as f64; 2])).collect())
    }

    fn on(&self, node: NodeId) -> [f64; 2] {
        self.0.iter().find(|(known, _)| *known == node).map_or([0.0; 2], |(_, bytes)| *bytes)
    }

    /// How the memory of each node certainly changed: 0 if the intervals overlap.
    fn changes<'h>(&'h self, earlier: &'h Self) -> impl Iterator<Item = (NodeId, f64)> + 'h {
        let nodes = self.0.iter().chain(&earlier.0).map(|(node, _)| *node);
        nodes.map(|node| {
            let ([low, high], [low_then, high_then]) = (self.on(node), earlier.on(node));
            let middle = (low + high) / 2.0 - (low_then + high_then) / 2.0;
            (node, if low > high_then || high < low_then { middle } else { 0.0 })
        })
    }

    /// The largest movement since an earlier holding, `seconds` ago. What one node lost and another
    /// gained has moved; what was freed or allocated besides has not.
    pub(crate) fn moving_since(&self, earlier: &Self, seconds: f64) -> Option<MovingMemory> {
        let by_change = |one: &(NodeId, f64), other: &(NodeId, f64)| one.1.total_cmp(&other.1);
        let (to, gained) = self.changes(earlier).max_by(by_change)?;
        let (from, lost) = self.changes(earlier).min_by(by_change)?;
        let bytes_per_s = gained.min(-lost) / seconds;
        (bytes_per_s >= MIN_BYTES_PER_S).then_some(MovingMemory { from, to, bytes_per_s })
    }
}

/// A holding, and the kernel's counter of migrated pages from shortly before it.
#[derive(Debug)]
pub(crate) struct HoldingAt {
    pub(crate) at_s: f64,
    pub(crate) held: Holding,
    pub(crate) migrated: Option<u64>,
}

impl HoldingAt {
    /// What moved since an earlier holding, and whether the kernel has counted migrations since.
    /// What was freed and allocated again has moved, too, and nothing is counted.
    pub(crate) fn moving_since(&self, earlier: &Self) -> (Option<MovingMemory>, bool) {
        let seconds = self.at_s - earlier.at_s;
        let moving =
            (seconds > 0.0).then(|| self.held.moving_since(&earlier.held, seconds)).flatten();
        (moving, self.migrated.is_none() || self.migrated != earlier.migrated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(on_0: u64, on_1: u64, memory: Bytes) -> Holding {
        let by_node = vec![(NodeId(0), on_0), (NodeId(1), on_1)];
        Holding::from_sample(&PageSample { by_node, is_whole: false }, memory)
    }

    #[test]
    fn a_migration_has_a_direction_and_a_rate() {
        let moving = held(200, 200, Bytes::gib(1)).moving_since(&held(400, 0, Bytes::gib(1)), 2.0);
        let moving = moving.unwrap();
        assert_eq!((moving.from, moving.to), (NodeId(0), NodeId(1)));
        assert!((moving.bytes_per_s / (1u64 << 28) as f64 - 1.0).abs() < 0.05, "{moving:?}");
    }

    #[test]
    fn sampling_noise_growth_and_freeing_are_no_movement() {
        let gib = Bytes::gib(1);
        assert_eq!(held(210, 190, gib).moving_since(&held(190, 210, gib), 1.0), None);
        let grown = held(200, 200, Bytes::gib(2));
        assert_eq!(grown.moving_since(&held(400, 0, gib), 1.0), None);
        assert_eq!(held(400, 0, gib).moving_since(&grown, 1.0), None);
    }

    #[test]
    fn exact_figures_need_no_sample() {
        let at = |on_0, on_1| {
            Holding::exact(&[(NodeId(0), Bytes::mib(on_0)), (NodeId(1), Bytes::mib(on_1))])
        };
        let moving = at(70, 40).moving_since(&at(100, 0), 1.0).unwrap();
        assert_eq!(moving.bytes_per_s, (30u64 << 20) as f64);
        assert_eq!(at(0, 0).moving_since(&at(0, 0), 1.0), None);
    }
}
