//! How long the kernel takes to move pages.

use std::time::Instant;

use nearfar_model::NodeSet;
use nearfar_place::{ExistingPages, Memory, PlaceError, Policy, PolicyFlags};

/// A move of memory to nodes, and whether it was one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimedMove {
    /// Pages that were elsewhere before. Without any, the time is that of looking them up.
    pub(super) to_move: usize,
    /// Pages that are still elsewhere. With any, the time means nothing.
    pub(super) stayed: usize,
    /// What the call took, seconds.
    pub(super) seconds: f64,
}

impl TimedMove {
    /// Binds memory to nodes by mbind(2), which moves its pages there, and times that call alone.
    /// Pages whose node the kernel does not report count as moved.
    pub(super) fn bind(memory: &Memory, to: &NodeSet) -> Result<Self, PlaceError> {
        let to_move = elsewhere(memory, to)?;
        let start = Instant::now();
        memory.set_policy(
            &Policy::Bind(to.clone()),
            PolicyFlags::default(),
            ExistingPages::Move,
        )?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Self { to_move, stayed: elsewhere(memory, to)?, seconds })
    }
}

/// Pages on other nodes than these.
fn elsewhere(memory: &Memory, nodes: &NodeSet) -> Result<usize, PlaceError> {
    let residences = memory.residences()?;
    Ok(residences
        .iter()
        .filter(|page| page.node().is_some_and(|node| !nodes.contains(node)))
        .count())
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};
    use nearfar_place::allowed_nodes;

    use super::*;

    #[test]
    fn moves_take_time_and_leave_no_pages() {
        let nodes = allowed_nodes().unwrap();
        let memory = Memory::bound(Bytes::kib(256), &nodes).unwrap();
        memory.touch().unwrap();
        let moved = TimedMove::bind(&memory, &nodes).unwrap();
        assert!(moved.seconds > 0.0 && (moved.to_move, moved.stayed) == (0, 0), "{moved:?}");
        assert_eq!(
            elsewhere(&memory, &NodeSet::from_id(NodeId(777))).unwrap(),
            memory.pages().count()
        );
        assert!(TimedMove::bind(&memory, &NodeSet::from_id(NodeId(777))).is_err());
    }
}
