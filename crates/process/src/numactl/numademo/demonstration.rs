//! An exercise under a policy: memory is allocated, touched, exercised and freed.

use nearfar_machine::{MachineCounters, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{Memory, PlaceError, Policy, PolicyGuard};

use super::exercise::Exercise;
use super::rates::Rates;
use crate::numactl::error::NumactlError;

/// Exercises of memory of one size, on a live machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demonstration<'a> {
    pub(super) source: &'a Source,
    pub(super) size: Bytes,
}

impl Demonstration<'_> {
    /// Exercises fresh memory that has a policy of its own.
    pub(super) fn for_memory(
        &self,
        exercise: Exercise,
        policy: &Policy,
    ) -> Result<Rates, NumactlError> {
        self.check_free(policy)?;
        let mut memory = Memory::with_policy(self.size, policy)?;
        memory.touch()?;
        let length = usize::try_from(self.size.0).unwrap_or(usize::MAX).min(memory.length());
        exercise.rates(&mut memory[..length]).ok_or(NumactlError::TooSmall { size: self.size })
    }

    /// Exercises fresh memory that follows the thread, under a policy of the thread.
    pub(super) fn for_thread(
        &self,
        exercise: Exercise,
        policy: &Policy,
    ) -> Result<Rates, NumactlError> {
        self.check_free(policy)?;
        let _guard = PolicyGuard::enter(policy)?;
        self.for_memory(exercise, &Policy::Default)
    }

    /// Bound memory that runs out ends the process, so free memory is checked before.
    fn check_free(&self, policy: &Policy) -> Result<(), PlaceError> {
        let Policy::Bind(nodes) = policy else { return Ok(()) };
        let Some(free) = self.free_on(nodes) else { return Ok(()) };
        let reserved = Bytes(free.0 / 16);
        if self.size + reserved <= free {
            return Ok(());
        }
        Err(PlaceError::TooLittleFree {
            place: format!("node {nodes}"),
            wanted: self.size,
            free,
            reserved,
        })
    }

    fn free_on(&self, nodes: &NodeSet) -> Option<Bytes> {
        let counters = MachineCounters::read(self.source);
        let there = counters.nodes.iter().filter(|node| nodes.contains(node.node));
        there.map(|node| node.memory.as_ref()?.get("MemFree").map(Bytes)).sum()
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;
    use nearfar_place::allowed_nodes;

    use super::*;

    #[test]
    fn thread_policies_are_restored() {
        let (source, before) = (Source::live(), Policy::current().unwrap());
        let demonstration = Demonstration { source: &source, size: Bytes::kib(64) };
        let nodes = Policy::Interleave(allowed_nodes().unwrap());
        assert!(demonstration.for_memory(Exercise::Memset, &nodes).is_ok());
        assert!(demonstration.for_thread(Exercise::Memset, &nodes).is_ok());
        assert_eq!(Policy::current().unwrap(), before);
    }

    #[test]
    fn insufficient_bound_memory_is_skipped() {
        let node = allowed_nodes().unwrap().first().unwrap();
        let meminfo = format!("Node {node} MemFree: 1024 kB\n");
        let source =
            Source::from_files([(format!("/sys/devices/system/node/node{node}/meminfo"), meminfo)]);
        let done = |size, policy| {
            Demonstration { source: &source, size }.for_memory(Exercise::Memset, policy)
        };
        let bound = Policy::Bind(NodeSet::from_id(node));
        assert!(done(Bytes::kib(512), &bound).is_ok());
        let refused = done(Bytes::kib(1000), &bound);
        assert!(
            matches!(refused, Err(NumactlError::PlaceError(PlaceError::TooLittleFree { .. }))),
            "{refused:?}"
        );
        assert!(done(Bytes::kib(1000), &Policy::Default).is_ok());
    }

    #[test]
    fn unavailable_memory_is_reported() {
        let source = Source::live();
        let absent = Policy::Interleave(NodeSet::from_id(NodeId(777)));
        let refused = Demonstration { source: &source, size: Bytes::kib(64) }
            .for_memory(Exercise::Memset, &absent)
            .unwrap_err();
        assert!(refused.to_string().contains("777"), "{refused}");
        let few = Demonstration { source: &source, size: Bytes(1) }
            .for_memory(Exercise::Memset, &Policy::Default)
            .unwrap_err();
        assert!(matches!(few, NumactlError::TooSmall { size: Bytes(1) }), "{few}");
    }
}
