//! Rows of nodes, and rates of the machine.

use std::collections::BTreeMap;

use nearfar_machine::pmu::{DramTraffic, Fills, SampledLatency};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{
    CounterValues, MachineCounters, MemoryActivity, MemoryTraffic, NodeCounters,
};
use nearfar_model::{Bytes, CpuSet, NodeId};

use crate::document::{MachineRates, NodeRow};

/// The counters of nodes and machine at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReading {
    /// When, in seconds of any clock.
    pub at_s: f64,
    /// The nodes' counters.
    pub counters: MachineCounters,
    /// The machine's.
    pub activity: MemoryActivity,
    /// Traffic of nodes.
    pub traffic: BTreeMap<NodeId, MemoryTraffic>,
    /// Fills of nodes' CPUs since the reading before.
    pub fills: BTreeMap<NodeId, Fills>,
    /// Latencies of nodes' caches since the reading before.
    pub latencies: BTreeMap<NodeId, SampledLatency>,
    /// Traffic of nodes' DRAM since the reading before.
    pub dram: BTreeMap<NodeId, DramTraffic>,
}

/// The last two readings.
#[derive(Debug, Default)]
pub struct NodeTable {
    cpus: BTreeMap<NodeId, CpuSet>,
    page: Bytes,
    before: Option<NodeReading>,
    now: Option<NodeReading>,
}

impl NodeTable {
    /// A table without readings. `page` is the unit of the kernel's counters.
    pub fn new(nodes: &NodeSummaries, page: Bytes) -> Self {
        let cpus = nodes.nodes.iter().map(|node| (node.id, node.cpus.clone())).collect();
        Self { cpus, page, before: None, now: None }
    }

    /// Takes a reading.
    pub fn read(&mut self, reading: NodeReading) {
        self.before = self.now.replace(reading);
    }

    /// Pages migrated since boot, if the kernel counts them.
    pub fn migrated(&self) -> Option<u64> {
        self.now.as_ref()?.activity.migrated
    }

    /// Seconds between the last two readings; 0 before the second.
    pub fn interval_s(&self) -> f64 {
        self.span().map_or(0.0, |(_, _, seconds)| seconds)
    }

    fn span(&self) -> Option<(&NodeReading, &NodeReading, f64)> {
        let (before, now) = (self.before.as_ref()?, self.now.as_ref()?);
        let seconds = now.at_s - before.at_s;
        (seconds > 0.0).then_some((before, now, seconds))
    }

    /// The machine's rates between the last two readings.
    pub fn machine(&self) -> MachineRates {
        let Some(now) = &self.now else { return MachineRates::default() };
        let pressure = now.activity.pressure;
        let waiting = MachineRates {
            memory_wait_some: pressure.map(|pressure| pressure.some),
            memory_wait_full: pressure.map(|pressure| pressure.full),
            ..MachineRates::default()
        };
        let Some((before, now, seconds)) = self.span() else { return waiting };
        let counted = now.activity.since(&before.activity);
        let rate = |count: Option<u64>| count.map(|count| count as f64 / seconds);
        let bytes = |count| rate(count).map(|pages| pages * self.page.0 as f64);
        let local = counted
            .hint_faults
            .filter(|faults| *faults > 0)
            .and_then(|faults| Some((counted.hint_faults_local? as f64 / faults as f64).min(1.0)));
        MachineRates {
            migrated_bytes_per_s: bytes(counted.migrated),
            balanced_bytes_per_s: bytes(counted.balanced),
            hint_faults_per_s: rate(counted.hint_faults),
            hint_faults_local_share: local,
            promoted_bytes_per_s: bytes(counted.promoted),
            demoted_bytes_per_s: bytes(counted.demoted),
            ..waiting
        }
    }

    /// A row for each node.
    pub fn rows(&self) -> Vec<NodeRow> {
        let nodes = self.now.iter().flat_map(|now| &now.counters.nodes);
        nodes.map(|node| self.row(node)).collect()
    }

    fn row(&self, node: &NodeCounters) -> NodeRow {
        let size = |name| node.memory.as_ref().and_then(|memory| memory.get(name)).map(Bytes);
        let pools = |pages: fn(&nearfar_machine::HugePool) -> u64| {
            let sizes = node.pools.iter().map(|pool| pool.size_bytes.0.saturating_mul(pages(pool)));
            Bytes(sizes.fold(0, u64::saturating_add))
        };
        let counted = self.counted(node);
        let rate = |name| counted.as_ref().and_then(|(all, s)| Some(all.get(name)? as f64 / s));
        let (local, traffic) = self.traffic(node.node);
        let (local_fills, remote_fills) = self.fills(node.node).unzip();
        let latency = self.latency(node.node);
        let (dram_read, dram_written) = self.dram(node.node).unzip();
        NodeRow {
            node: node.node,
            cpus: self.cpus.get(&node.node).cloned().unwrap_or_default(),
            total_bytes: size("MemTotal"),
            used_bytes: size("MemUsed"),
            free_bytes: size("MemFree"),
            file_bytes: size("FilePages"),
            anonymous_bytes: size("AnonPages"),
            transparent_huge_bytes: size("AnonHugePages"),
            huge_total_bytes: pools(|pool| pool.total),
            huge_free_bytes: pools(|pool| pool.free),
            hit_pages_per_s: rate("numa_hit"),
            miss_pages_per_s: rate("numa_miss"),
            foreign_pages_per_s: rate("numa_foreign"),
            local_bytes_per_s: local,
            traffic_bytes_per_s: traffic,
            dram_read_bytes_per_s: dram_read,
            dram_written_bytes_per_s: dram_written,
            local_fills_per_s: local_fills,
            remote_fills_per_s: remote_fills,
            near_memory_ns: latency.near_ns,
            far_memory_ns: latency.far_ns,
        }
    }

    /// A node's allocations between the last two readings, and their seconds.
    fn counted(&self, node: &NodeCounters) -> Option<(CounterValues, f64)> {
        let (before, _, seconds) = self.span()?;
        let then = before.counters.nodes.iter().find(|then| then.node == node.node)?;
        Some((node.allocations.as_ref()?.since(then.allocations.as_ref()?), seconds))
    }

    /// A node's fills from local and remote memory a second; `None` where nothing was counted.
    fn fills(&self, node: NodeId) -> Option<(f64, f64)> {
        let (_, now, seconds) = self.span()?;
        let fills = now.fills.get(&node).filter(|fills| fills.running_ns > 0)?;
        Some((fills.local as f64 / seconds, fills.remote as f64 / seconds))
    }

    /// Latencies of a node's caches between the last two readings.
    fn latency(&self, node: NodeId) -> SampledLatency {
        let latency = self.span().and_then(|(_, now, _)| now.latencies.get(&node).copied());
        latency.unwrap_or_default()
    }

    /// What a node's DRAM reads and writes, in bytes a second.
    fn dram(&self, node: NodeId) -> Option<(f64, f64)> {
        let (_, now, seconds) = self.span()?;
        let dram = now.dram.get(&node)?;
        Some((dram.read.0 as f64 / seconds, dram.written.0 as f64 / seconds))
    }

    /// A node's traffic to its own and to all memory, in bytes a second.
    fn traffic(&self, node: NodeId) -> (Option<f64>, Option<f64>) {
        let counts = || {
            let (before, now, seconds) = self.span()?;
            Some((before.traffic.get(&node)?, now.traffic.get(&node)?, seconds))
        };
        let Some((before, now, seconds)) = counts() else { return (None, None) };
        let rate = |before: Option<u64>, now: Option<u64>| {
            Some(now?.saturating_sub(before?) as f64 / seconds)
        };
        (rate(before.local, now.local), rate(before.total, now.total))
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn reading(at_s: f64, hits: u64, migrated: u64, local: u64) -> NodeReading {
        let node = "/sys/devices/system/node/node1";
        let source = Source::from_files([
            (format!("{node}/meminfo"), "Node 1 MemFree: 4 kB\nNode 1 MemUsed: 8 kB\n".to_owned()),
            (format!("{node}/numastat"), format!("numa_hit {hits}\nnuma_miss 0\n")),
            (format!("{node}/hugepages/hugepages-2048kB/nr_hugepages"), "3".to_owned()),
            (format!("{node}/hugepages/hugepages-2048kB/free_hugepages"), "1".to_owned()),
            ("/proc/vmstat".to_owned(), format!("pgmigrate_success {migrated}\n")),
        ]);
        let traffic = MemoryTraffic { local: Some(local), total: None };
        NodeReading {
            at_s,
            counters: MachineCounters::read(&source),
            activity: MemoryActivity::read(&source),
            traffic: [(NodeId(1), traffic)].into(),
            fills: BTreeMap::new(),
            latencies: BTreeMap::new(),
            dram: BTreeMap::new(),
        }
    }

    #[test]
    fn rates_are_differences_over_time() {
        let mut table = NodeTable::new(&NodeSummaries::default(), Bytes(4096));
        table.read(reading(1.0, 100, 50, 1000));
        assert_eq!((table.interval_s(), table.rows()[0].hit_pages_per_s), (0.0, None));
        table.read(reading(3.0, 700, 60, 5000));
        let row = &table.rows()[0];
        assert_eq!((row.hit_pages_per_s, row.miss_pages_per_s), (Some(300.0), Some(0.0)));
        assert_eq!((row.local_bytes_per_s, row.traffic_bytes_per_s), (Some(2000.0), None));
        assert_eq!((row.free_bytes, row.huge_total_bytes), (Some(Bytes(4096)), Bytes::mib(6)));
        assert_eq!(row.huge_free_bytes, Bytes::mib(2));
        assert_eq!(table.machine().migrated_bytes_per_s, Some(5.0 * 4096.0));
        assert_eq!((table.machine().hint_faults_per_s, table.migrated()), (None, Some(60)));
    }

    #[test]
    fn fills_of_a_span_are_rates() {
        let fills = |node, local, remote, running_ns| {
            (NodeId(node), Fills { local, remote, enabled_ns: 1_000, running_ns })
        };
        let counted = |at_s, fills: [(NodeId, Fills); 1]| NodeReading {
            fills: fills.into(),
            latencies: [(NodeId(1), SampledLatency { near_ns: Some(118.0), far_ns: None })].into(),
            dram: [(NodeId(1), DramTraffic { read: Bytes(6_400), written: Bytes(0) })].into(),
            ..reading(at_s, 100, 50, 1000)
        };
        let mut table = NodeTable::new(&NodeSummaries::default(), Bytes(4096));
        table.read(counted(1.0, [fills(1, 9_999, 9_999, 1_000)]));
        let first = &table.rows()[0];
        assert_eq!((first.local_fills_per_s, first.near_memory_ns), (None, None));
        assert_eq!(first.dram_read_bytes_per_s, None);
        table.read(counted(3.0, [fills(1, 600, 200, 500)]));
        let row = &table.rows()[0];
        assert_eq!((row.local_fills_per_s, row.remote_fills_per_s), (Some(300.0), Some(100.0)));
        assert_eq!((row.near_memory_ns, row.far_memory_ns), (Some(118.0), None));
        let dram = (row.dram_read_bytes_per_s, row.dram_written_bytes_per_s);
        assert_eq!(dram, (Some(3_200.0), Some(0.0)));
        table.read(counted(4.0, [fills(1, 0, 0, 0)]));
        assert_eq!(table.rows()[0].local_fills_per_s, None, "never counted");
        table.read(counted(5.0, [fills(0, 600, 200, 500)]));
        assert_eq!(table.rows()[0].local_fills_per_s, None, "of another node");
    }

    #[test]
    fn clocks_that_stand_still_and_counters_that_fall_are_no_rates() {
        let mut table = NodeTable::new(&NodeSummaries::default(), Bytes(4096));
        table.read(reading(1.0, 100, 50, 1000));
        table.read(reading(1.0, 700, 60, 5000));
        assert_eq!((table.interval_s(), table.rows()[0].hit_pages_per_s), (0.0, None));
        table.read(reading(2.0, 1, 1, 1));
        assert_eq!(table.rows()[0].hit_pages_per_s, Some(0.0));
        assert_eq!(table.rows()[0].local_bytes_per_s, Some(0.0));
    }
}
