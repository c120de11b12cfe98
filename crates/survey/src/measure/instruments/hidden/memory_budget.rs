//! The memory that a search for hidden nodes may hold.
//!
//! The first search holds a quarter of the free memory, which disturbs no other process. A second
//! one holds three quarters, and only of unused memory: page cache could be reclaimed as well, but
//! would have to be read again. So a machine in use is not filled up.

use nearfar_infer::hidden::MAX_SHARE;
use nearfar_machine::{MemoryLimit, Topology};
use nearfar_model::{Bytes, NodeId};
use nearfar_probe::{Layout, LayoutColumn};

/// The default fraction of free memory for a first search.
pub(super) const SHARE: f64 = 0.25;
/// A machine, or a cgroup with a limit, is in use if less than this fraction of it is free.
const MIN_FREE: f64 = 0.5;
/// A second search holds at least this multiple of the first; otherwise it shows nothing new.
const MIN_GROWTH: f64 = 2.0;

/// The searched memory, and each memory limit above this process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MemoryBudget(pub(super) Vec<MemoryLimit>);

impl MemoryBudget {
    /// The memory that is laid out. Empty if the kernel does not report free memory.
    pub(super) fn new(topology: &Topology, layout: &Layout, limits: Vec<MemoryLimit>) -> Self {
        Self(all_memory(topology, layout).into_iter().chain(limits).collect())
    }

    /// The free memory within all limits.
    pub(super) fn free(&self) -> Option<Bytes> {
        self.0.iter().map(|room| room.free).min()
    }

    /// The fraction that a second search may hold after one that held `held`, if any.
    pub(super) fn second_share(&self, held: Bytes) -> Option<f64> {
        let is_idle = |room: &MemoryLimit| room.free.0 as f64 >= MIN_FREE * room.total.0 as f64;
        let holds = MAX_SHARE * self.free()?.0 as f64;
        (self.0.iter().all(is_idle) && holds >= MIN_GROWTH * held.0 as f64).then_some(MAX_SHARE)
    }
}

/// The sum of a layout's memories.
fn all_memory(topology: &Topology, layout: &Layout) -> Option<MemoryLimit> {
    let mut nodes: Vec<Option<NodeId>> =
        layout.measurable_columns().map(|column| layout.columns[column].memory.node).collect();
    nodes.dedup();
    let room = |node| match node {
        None => Some(MemoryLimit { free: topology.memory_free?, total: topology.memory_total? }),
        Some(node) => topology
            .node(node)?
            .memory
            .as_ref()
            .map(|memory| MemoryLimit { free: memory.free, total: memory.total }),
    };
    let rooms: Option<Vec<MemoryLimit>> = nodes.into_iter().map(room).collect();
    rooms?
        .into_iter()
        .reduce(|sum, one| MemoryLimit { free: sum.free + one.free, total: sum.total + one.total })
}

/// The same layout, with the free memory of now.
pub(super) fn refreshed(layout: &Layout, topology: &Topology) -> Layout {
    let mut layout = layout.clone();
    for LayoutColumn { memory, .. } in &mut layout.columns {
        memory.free = match memory.node {
            None => topology.memory_free,
            Some(node) => {
                topology.node(node).and_then(|node| node.memory.as_ref()).map(|memory| memory.free)
            }
        };
    }
    layout
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_probe::{LayoutRequest, ProbeSpec};
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn room(free: u64, total: u64) -> MemoryLimit {
        MemoryLimit { free: Bytes::mib(free), total: Bytes::mib(total) }
    }

    #[test]
    fn only_an_idle_machine_is_searched_again() {
        let second = |rooms: &[MemoryLimit], held| {
            MemoryBudget(rooms.to_vec()).second_share(Bytes::mib(held))
        };
        assert_eq!(second(&[room(600, 768)], 150), Some(0.75));
        assert_eq!(second(&[room(300, 768)], 75), None, "most of it is in use");
        assert_eq!(second(&[room(600, 768), room(100, 400)], 25), None, "the cgroup is in use");
        assert_eq!(second(&[room(600, 768), room(390, 400)], 97), Some(0.75));
        assert_eq!(second(&[room(600, 768)], 400), None, "no more than before");
        assert_eq!(second(&[], 100), None, "nothing is known");
    }

    proptest! {
        #[test]
        fn a_quarter_of_each_limit_stays_free(
            limits in proptest::collection::vec((0u64..1 << 40, 0u64..1 << 40), 0..5),
            held in 0u64..1 << 40,
        ) {
            let limits = limits
                .into_iter()
                .map(|(free, used)| MemoryLimit { free: Bytes(free), total: Bytes(free + used) });
            let budget = MemoryBudget(limits.collect());
            if let Some(share) = budget.second_share(Bytes(held)) {
                let holds = (share * budget.free().unwrap().0 as f64) as u64;
                prop_assert!(holds >= held);
                let is_kept = |one: &MemoryLimit| {
                    holds <= one.free.0 / 4 * 3 + 3 && one.free.0 >= one.total.0 / 2
                };
                prop_assert!(budget.0.iter().all(is_kept));
            }
        }
    }

    #[test]
    fn free_memory_is_summed_and_reread() {
        let machine = |free: u64| {
            let node = |id: u64| {
                let sizes = format!(
                    "Node {id} MemTotal: 1048576 kB\nNode {id} MemFree: {} kB\n",
                    free << 10
                );
                (format!("/sys/devices/system/node/node{id}/meminfo"), sizes)
            };
            let cpus = [
                ("/sys/devices/system/cpu/online", "0"),
                ("/sys/devices/system/node/online", "0-1"),
            ];
            let owned = cpus.map(|(path, text)| (path.to_owned(), text.to_owned()));
            Topology::read(&Source::from_files(owned.into_iter().chain([node(0), node(1)])))
                .unwrap()
        };
        let before = machine(800);
        let layout = Layout::new(&before, &LayoutRequest::default(), &ProbeSpec::page()).unwrap();
        let limit = room(900, 1000);
        assert_eq!(
            MemoryBudget::new(&before, &layout, vec![limit]),
            MemoryBudget(vec![room(1600, 2048), limit])
        );
        assert_eq!(MemoryBudget::new(&before, &layout, vec![limit]).free(), Some(Bytes::mib(900)));
        let now = machine(100);
        assert_eq!(MemoryBudget::new(&now, &layout, vec![]).free(), Some(Bytes::mib(200)));
        let free: Vec<_> =
            refreshed(&layout, &now).columns.iter().map(|column| column.memory.free).collect();
        assert_eq!(free, [Some(Bytes::mib(100)); 2]);
    }
}
