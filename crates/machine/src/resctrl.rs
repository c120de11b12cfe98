//! Memory traffic by node, from resctrl: counters of the L3 caches, without perf and its rights.
//!
//! A *domain* is an L3 cache, or the part of one that belongs to a node (sub-NUMA clustering, since
//! Linux 6.11). Each control group of resctrl has its own counters, which include its monitoring
//! groups. The machine's traffic is the sum over control groups.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, NodeId};

use crate::process::NodeSummaries;
use crate::source::Source;

const MOUNT: &str = "/sys/fs/resctrl";
const CPUS: &str = "/sys/devices/system/cpu";
/// Folders of resctrl that are no control groups.
const NOT_GROUPS: [&str; 3] = ["info", "mon_data", "mon_groups"];

/// Bytes since boot that the caches of a node read and wrote. `None` if it is not counted, or the
/// counter is out of use ("Unavailable").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryTraffic {
    /// To memory of the same node (`mbm_local_bytes`).
    pub local: Option<u64>,
    /// To all memory (`mbm_total_bytes`).
    pub total: Option<u64>,
}

/// The domains of this machine, with their nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrafficDomains(Vec<(NodeId, String)>);

impl TrafficDomains {
    /// Finds the domains; none where resctrl is not mounted or counts no traffic.
    ///
    /// # References
    ///
    /// Documentation/filesystems/resctrl.rst
    pub fn find(source: &Source, nodes: &NodeSummaries) -> Self {
        let by_cache = nodes_of_caches(source, nodes);
        let mut domains = Vec::new();
        for name in source.list(&format!("{MOUNT}/mon_data")) {
            let Some(id) = name.strip_prefix("mon_L3_").and_then(|id| id.parse().ok()) else {
                continue;
            };
            let parts = source.list(&format!("{MOUNT}/mon_data/{name}"));
            let mut subs = parts.iter().filter_map(|part| {
                let node = part.strip_prefix("mon_sub_L3_")?.parse().ok().map(NodeId)?;
                nodes.node(node).map(|_| (node, format!("{name}/{part}")))
            });
            match subs.next() {
                Some(first) => domains.extend([first].into_iter().chain(subs)),
                None => domains.extend(by_cache.get(&id).map(|node| (*node, name))),
            }
        }
        Self(domains)
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The traffic of each node, over all control groups.
    pub fn read(&self, source: &Source) -> BTreeMap<NodeId, MemoryTraffic> {
        if self.is_empty() {
            return BTreeMap::new();
        }
        let groups = source.list(MOUNT).into_iter().filter(|name| !NOT_GROUPS.contains(&&**name));
        let mut folders = vec![format!("{MOUNT}/mon_data")];
        let groups = groups.map(|name| format!("{MOUNT}/{name}/mon_data"));
        folders.extend(groups.filter(|folder| source.exists(folder)));
        self.read_folders(source, &folders)
    }

    /// The same of the default control group alone: the names of others may reveal what runs.
    pub(crate) fn read_default_group(&self, source: &Source) -> BTreeMap<NodeId, MemoryTraffic> {
        self.read_folders(source, &[format!("{MOUNT}/mon_data")])
    }

    fn read_folders(&self, source: &Source, folders: &[String]) -> BTreeMap<NodeId, MemoryTraffic> {
        let mut traffic = BTreeMap::new();
        for (node, domain) in &self.0 {
            let sum = |file: &str| {
                let counts = folders.iter().filter_map(|folder| {
                    source.text(&format!("{folder}/{domain}/{file}"))?.parse().ok()
                });
                counts.reduce(u64::saturating_add)
            };
            let entry: &mut MemoryTraffic = traffic.entry(*node).or_default();
            entry.local = added(entry.local, sum("mbm_local_bytes"));
            entry.total = added(entry.total, sum("mbm_total_bytes"));
        }
        traffic
    }
}

fn added(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (one, other) => one.or(other),
    }
}

/// The node of each L3 cache, by the cache's number. A cache of several nodes has none.
fn nodes_of_caches(source: &Source, nodes: &NodeSummaries) -> BTreeMap<u32, NodeId> {
    let mut found: BTreeMap<u32, Option<NodeId>> = BTreeMap::new();
    for cpu in source.numbered(CPUS, "cpu").into_iter().map(CpuId) {
        let Some(node) = nodes.node_of(cpu) else { continue };
        let id = source.text(&format!("{CPUS}/cpu{cpu}/cache/index3/id"));
        let Some(id) = id.and_then(|id| id.parse().ok()) else { continue };
        let known = found.entry(id).or_insert(Some(node));
        *known = known.filter(|known| *known == node);
    }
    found.into_iter().filter_map(|(id, node)| Some((id, node?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes with an L3 each, and a control group beside the default one.
    fn files() -> Vec<(String, &'static str)> {
        let file = |path: &str, text| (format!("{MOUNT}/{path}"), text);
        let cpu = |path: &str, text| (format!("{CPUS}/{path}"), text);
        let node = |path: &str, text| (format!("/sys/devices/system/node/{path}"), text);
        vec![
            node("online", "0-1"),
            node("node0/cpulist", "0"),
            node("node1/cpulist", "1"),
            cpu("cpu0/cache/index3/id", "0"),
            cpu("cpu1/cache/index3/id", "4"),
            file("mon_data/mon_L3_00/mbm_local_bytes", "100\n"),
            file("mon_data/mon_L3_00/mbm_total_bytes", "150\n"),
            file("mon_data/mon_L3_04/mbm_local_bytes", "Unavailable\n"),
            file("mon_data/mon_L3_04/mbm_total_bytes", "7\n"),
            file("batch/mon_data/mon_L3_00/mbm_local_bytes", "1\n"),
            file("batch/mon_data/mon_L3_00/mbm_total_bytes", "2\n"),
            file("info/L3_MON/num_rmids", "256\n"),
        ]
    }

    fn read(files: Vec<(String, &'static str)>) -> BTreeMap<NodeId, MemoryTraffic> {
        let source = Source::from_files(files);
        let nodes = NodeSummaries::read(&source);
        TrafficDomains::find(&source, &nodes).read(&source)
    }

    #[test]
    fn control_groups_are_summed_and_unavailable_counters_are_absent() {
        let traffic = read(files());
        let of = |node| traffic[&NodeId(node)];
        assert_eq!(of(0), MemoryTraffic { local: Some(101), total: Some(152) });
        assert_eq!(of(1), MemoryTraffic { local: None, total: Some(7) });
    }

    #[test]
    fn parts_of_a_cache_belong_to_their_node() {
        let mut files = files();
        files.retain(|(path, _)| !path.contains("mon_data"));
        for (part, bytes) in [("00", "5"), ("01", "6")] {
            let folder = format!("{MOUNT}/mon_data/mon_L3_00/mon_sub_L3_{part}");
            files.push((format!("{folder}/mbm_total_bytes"), bytes));
        }
        let totals: Vec<Option<u64>> = read(files).values().map(|value| value.total).collect();
        assert_eq!(totals, [Some(5), Some(6)]);
    }

    #[test]
    fn a_cache_of_two_nodes_has_no_node() {
        let mut files = files();
        for (path, text) in &mut files {
            if path.ends_with("index3/id") {
                *text = "0";
            }
        }
        assert!(read(files).is_empty());
        assert!(read(Vec::new()).is_empty());
    }
}
