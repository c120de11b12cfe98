//! Fills of all CPUs, by node.

use std::collections::BTreeMap;
use std::io;

use nearfar_model::{CpuId, NodeId};

use crate::pmu::events::FillEvents;
use crate::pmu::fills::{FillCounter, Fills};
use crate::pmu::source::{CountTarget, EventSource};

/// A counter for each CPU. Opened once, since opening costs more than reading.
pub struct NodeFills(Vec<(NodeId, FillCounter)>);

impl NodeFills {
    /// Begins to count on CPUs of nodes.
    pub fn open(
        source: &dyn EventSource,
        events: &FillEvents,
        cpus: impl IntoIterator<Item = (NodeId, CpuId)>,
    ) -> io::Result<Self> {
        let counter =
            |(node, cpu)| Ok((node, FillCounter::open(source, events, CountTarget::Cpu(cpu))?));
        Ok(Self(cpus.into_iter().map(counter).collect::<io::Result<_>>()?))
    }

    /// Fills of each node's CPUs since the last call. CPUs that went offline have none.
    pub fn take(&mut self) -> BTreeMap<NodeId, Fills> {
        let mut nodes: BTreeMap<NodeId, Fills> = BTreeMap::new();
        for (node, counter) in &mut self.0 {
            *nodes.entry(*node).or_default() += counter.take().unwrap_or_default();
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmu::scripted::ScriptedSource;
    use crate::pmu::source::GroupReading;

    #[test]
    fn cpus_are_added_up_by_node() {
        let source = ScriptedSource::new(|group, number| match group.target {
            CountTarget::Cpu(CpuId(3)) if number > 0 => Err(io::ErrorKind::NotFound.into()),
            CountTarget::Cpu(CpuId(cpu)) => {
                let counts = vec![100 * number, u64::from(cpu) * number];
                Ok(GroupReading { counts, enabled_ns: number, running_ns: number })
            }
            CountTarget::Thread | CountTarget::OtherThread(_) => panic!("not a CPU"),
        });
        let events = FillEvents { name: String::new(), local: 1, remote: 2 };
        let cpus = [(0, 0), (0, 1), (1, 2), (1, 3)].map(|(node, cpu)| (NodeId(node), CpuId(cpu)));
        let mut fills = NodeFills::open(&source, &events, cpus).unwrap();
        for _ in 0..2 {
            let by_node = fills.take().into_iter();
            let counts: Vec<_> = by_node.map(|(_, fills)| (fills.local, fills.remote)).collect();
            assert_eq!(counts, [(200, 1), (100, 2)], "CPU 3 is offline");
        }
    }
}
