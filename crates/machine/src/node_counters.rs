//! The kernel's counters of each node (`/sys/devices/system/node/nodeN`): allocations, memory use,
//! migrations, and pools of huge pages.
//!
//! Kernels have different counters: names and order are the kernel's.

use nearfar_model::{Bytes, NodeId};
use serde::{Serialize, Serializer};

use crate::available_memory;
use crate::gpu_memory::gpu_nodes;
use crate::page_sizes::PageSizes;
use crate::pci::PciAddress;
use crate::source::Source;

const FOLDER: &str = "/sys/devices/system/node";

/// The counters of all nodes, and their page sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCounters {
    /// The page sizes of allocations and huge pages.
    pub page_sizes: PageSizes,
    /// The online nodes, ascending; empty without NUMA or sysfs.
    pub nodes: Vec<NodeCounters>,
}

/// The counters of one node. `None` if the file is missing or unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCounters {
    /// The node.
    pub node: NodeId,
    /// `numastat`: allocations by intended and actual node, in base pages.
    pub allocations: Option<CounterValues>,
    /// `meminfo`: memory use in bytes.
    pub memory: Option<CounterValues>,
    /// Memory that programs can still get without swapping.
    pub available: Option<Bytes>,
    /// The GPU whose memory it is.
    pub gpu: Option<PciAddress>,
    /// `vmstat`: all events and amounts, in the kernel's units (mostly pages).
    pub events: Option<CounterValues>,
    /// Pools of huge pages, by page size.
    pub pools: Vec<HugePool>,
}

/// One node's pool of huge pages of one size (not transparent ones).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HugePool {
    /// The size of one page.
    pub size_bytes: Bytes,
    /// Pages in the pool.
    pub total: u64,
    /// Free pages.
    pub free: u64,
    /// Surplus pages, returned to the system when freed.
    pub surplus: u64,
}

impl HugePool {
    /// Whether it has pages.
    pub fn is_in_use(&self) -> bool {
        self.total > 0 || self.surplus > 0
    }
}

impl MachineCounters {
    /// Reads the counters of all nodes. Never fails.
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-devices-node, Documentation/admin-guide/numastat.rst
    pub fn read(source: &Source) -> Self {
        Self::read_with(source, PageSizes::read(source))
    }

    /// As [`read`](Self::read), with known page sizes, whose reading takes longer than the rest.
    pub fn read_with(source: &Source, page_sizes: PageSizes) -> Self {
        let ids = source.ids(FOLDER, "node");
        let mut nodes: Vec<NodeCounters> =
            ids.iter().map(|node| read_one(source, node, page_sizes)).collect();
        let totals = nodes.iter().filter_map(|node| node.memory.as_ref()?.get("MemTotal"));
        let total = totals.fold(0, u64::saturating_add);
        let available = available_memory::read(source, Bytes(total));
        let gpus = gpu_nodes(source);
        for node in &mut nodes {
            node.available = available.get(&node.node).copied();
            node.gpu = gpus.get(&node.node).copied();
        }
        Self { page_sizes, nodes }
    }
}

fn read_one(source: &Source, node: NodeId, sizes: PageSizes) -> NodeCounters {
    let folder = format!("{FOLDER}/node{node}");
    let text = |file: &str| source.text(&format!("{folder}/{file}"));
    NodeCounters {
        node,
        allocations: text("numastat").map(|text| CounterValues::counters(&text)),
        available: None,
        gpu: None,
        memory: text("meminfo").map(|text| CounterValues::sizes(&text, sizes.default_huge)),
        events: text("vmstat").map(|text| CounterValues::counters(&text)),
        pools: pools(source, &format!("{folder}/hugepages")),
    }
}

fn pools(source: &Source, folder: &str) -> Vec<HugePool> {
    let pool = |name: String| {
        let size_bytes: Bytes = name.strip_prefix("hugepages-")?.parse().ok()?;
        let count = |file: &str| source.text(&format!("{folder}/{name}/{file}"))?.parse().ok();
        let total: u64 = count("nr_hugepages")?;
        let (free, surplus) =
            (count("free_hugepages").unwrap_or(0), count("surplus_hugepages").unwrap_or(0));
        Some(HugePool { size_bytes, total, free, surplus })
    };
    let mut pools: Vec<HugePool> = source.list(folder).into_iter().filter_map(pool).collect();
    pools.sort_by_key(|pool| pool.size_bytes);
    pools
}

/// Named counter values in the kernel's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterValues(Vec<(String, u64)>);

impl CounterValues {
    /// Parses lines `name number`. Other lines are skipped.
    fn counters(text: &str) -> Self {
        let figure = |line: &str| {
            let (name, number) = line.trim().split_once(char::is_whitespace)?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        Self(text.lines().filter_map(figure).collect())
    }

    /// Parses a node's `meminfo`, in bytes: `Node 0 MemFree:  12 kB`. Lines without a unit count
    /// huge pages of the default size, and are skipped if that size is unknown.
    fn sizes(text: &str, huge_page: Option<Bytes>) -> Self {
        let figure = |line: &str| {
            let (before, value) = line.split_once(':')?;
            let name = before.split_whitespace().last()?;
            let bytes = match value.trim().strip_suffix("kB") {
                Some(kilobytes) => kilobytes.trim().parse::<u64>().ok()?.checked_mul(1024)?,
                None => value.trim().parse::<u64>().ok()?.checked_mul(huge_page?.0)?,
            };
            Some((name.to_owned(), bytes))
        };
        Self(text.lines().filter_map(figure).collect())
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name).map(|(_, number)| number)
    }

    /// All values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// The difference to an earlier reading. Decreasing and new counters count as 0.
    pub fn since(&self, earlier: &Self) -> Self {
        let gone = |(name, now): (&str, u64)| {
            (name.to_owned(), now.saturating_sub(earlier.get(name).unwrap_or(now)))
        };
        Self(self.iter().map(gone).collect())
    }
}

impl<'n> FromIterator<(&'n str, u64)> for CounterValues {
    fn from_iter<I: IntoIterator<Item = (&'n str, u64)>>(figures: I) -> Self {
        Self(figures.into_iter().map(|(name, number)| (name.to_owned(), number)).collect())
    }
}

nearfar_model::schema_as!(CounterValues: std::collections::BTreeMap<String, u64>);

impl Serialize for CounterValues {
    /// A map by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MEMINFO: &str = "\
Node 2 MemTotal:       1024 kB
Node 2 Active(anon):      4 kB
Node 2 HugePages_Total:     3
Node 2 HugePages_Free:      1
";

    fn machine() -> Source {
        let node = "/sys/devices/system/node/node2";
        let pool = |size: &str, file: &str| format!("{node}/hugepages/hugepages-{size}kB/{file}");
        Source::from_files([
            ("/proc/meminfo".to_owned(), "MemTotal: 9 kB\nHugepagesize:    2048 kB\n"),
            (format!("{node}/meminfo"), MEMINFO),
            (format!("{node}/numastat"), "numa_hit 7\nnuma_miss 0\n"),
            (pool("1048576", "nr_hugepages"), "2"),
            (pool("1048576", "free_hugepages"), "1"),
            (pool("2048", "nr_hugepages"), "3"),
            (pool("broken", "nr_hugepages"), "3"),
            ("/sys/devices/system/node/node7/cpulist".to_owned(), ""),
        ])
    }

    #[test]
    fn sparse_nodes_keep_their_numbers() {
        let counters = MachineCounters::read(&machine());
        let ids: Vec<u32> = counters.nodes.iter().map(|node| node.node.0).collect();
        assert_eq!(ids, [2, 7]);
        assert_eq!(counters.nodes[0].allocations.as_ref().unwrap().get("numa_hit"), Some(7));
        assert_eq!(counters.nodes[1].memory, None);
    }

    #[test]
    fn huge_page_counts_are_converted_to_bytes() {
        let counters = MachineCounters::read(&machine());
        let memory = counters.nodes[0].memory.as_ref().unwrap();
        assert_eq!(memory.get("MemTotal"), Some(1 << 20));
        assert_eq!(memory.get("HugePages_Total"), Some(6 << 20));
        let pools = &counters.nodes[0].pools;
        let sizes: Vec<(Bytes, u64)> =
            pools.iter().map(|pool| (pool.size_bytes, pool.total)).collect();
        assert_eq!(sizes, [(Bytes::mib(2), 3), (Bytes::gib(1), 2)]);
    }

    #[test]
    fn a_machine_without_nodes_has_no_counters() {
        assert_eq!(
            MachineCounters::read(&Source::from_files([("/sys/x", "")])),
            MachineCounters::default()
        );
    }

    #[test]
    fn values_keep_the_kernel_s_order() {
        let figures = CounterValues::counters("numa_hit 12\nnonsense\nnuma_miss x\nb 3\na 4\n");
        assert_eq!(figures.iter().collect::<Vec<_>>(), [("numa_hit", 12), ("b", 3), ("a", 4)]);
    }

    #[test]
    fn sizes_of_unknown_pages_are_skipped() {
        let sizes = CounterValues::sizes(
            "Node 0 A: 1 kB\nNode 0 HugePages_Free: 5\nNode 0 B: 99999999999999999999 kB",
            None,
        );
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [("A", 1024)]);
    }

    #[test]
    fn differences_are_never_negative() {
        let (then, now) =
            (CounterValues::counters("a 5\nb 9"), CounterValues::counters("a 8\nb 1\nc 4"));
        assert_eq!(now.since(&then).iter().collect::<Vec<_>>(), [("a", 3), ("b", 0), ("c", 0)]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "(Node [0-9]{1,3} [A-Za-z()]{0,9}:? *[0-9]{0,25} ?(kB)?\n|.{0,30}\n){0,9}"
        ) {
            let counted = CounterValues::counters(&text);
            let sized = CounterValues::sizes(&text, Some(Bytes(u64::MAX)));
            prop_assert!(counted.since(&sized).iter().count() <= text.lines().count());
        }
    }
}
