//! Rows of nodes, and rates of the machine.

use std::collections::BTreeMap;

use nearfar_machine::process::NodeSummaries;
use nearfar_model::{CpuSet, NodeId};

use crate::columns::machine::MachineRates;
use crate::columns::nodes::NodeRow;
use crate::columns::row;
use crate::reading::{MachineReading, NodeReading};

/// The last two readings.
#[derive(Debug, Default)]
pub struct NodeTable {
    cpus: BTreeMap<NodeId, CpuSet>,
    before: Option<MachineReading>,
    now: Option<MachineReading>,
}

impl NodeTable {
    /// A table without readings.
    pub fn new(nodes: &NodeSummaries) -> Self {
        let cpus = nodes.nodes.iter().map(|node| (node.id, node.cpus.clone())).collect();
        Self { cpus, before: None, now: None }
    }

    /// Takes a reading.
    pub fn read(&mut self, reading: MachineReading) {
        self.before = self.now.replace(reading);
    }

    /// Pages migrated since boot, if the kernel counts them.
    pub fn migrated(&self) -> Option<u64> {
        self.now.as_ref()?.activity.migrated
    }

    /// Seconds between the last two readings; 0 before the second.
    pub fn interval_s(&self) -> f64 {
        self.before().map_or(0.0, |(_, seconds)| seconds)
    }

    /// The reading before, and the seconds since.
    fn before(&self) -> Option<(&MachineReading, f64)> {
        let (before, now) = (self.before.as_ref()?, self.now.as_ref()?);
        let seconds = now.at_s - before.at_s;
        (seconds > 0.0).then_some((before, seconds))
    }

    /// The machine's rates between the last two readings.
    pub fn machine(&self) -> MachineRates {
        let Some(now) = &self.now else { return MachineRates::default() };
        let rates: MachineRates = row(self.before(), now);
        let faults = rates.hint_faults_per_s.filter(|faults| *faults > 0.0);
        let local = rates.local_hint_faults_per_s;
        let share = faults.zip(local).map(|(faults, local)| (local / faults).min(1.0));
        MachineRates { hint_faults_local_share: share, ..rates }
    }

    /// A row for each node.
    pub fn rows(&self) -> Vec<NodeRow> {
        self.now.iter().flat_map(|now| &now.nodes).map(|node| self.row(node)).collect()
    }

    fn row(&self, reading: &NodeReading) -> NodeRow {
        let node = reading.counters.node;
        let before = self.before().and_then(|(before, seconds)| {
            Some((before.nodes.iter().find(|then| then.counters.node == node)?, seconds))
        });
        let cpus = self.cpus.get(&node).cloned().unwrap_or_default();
        let gpu = reading.counters.gpu.map(|gpu| gpu.to_string());
        NodeRow { node, cpus, gpu, ..row(before, reading) }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::pmu::{DramTraffic, Fills, LatencySum, SampledLatency};
    use nearfar_machine::{MachineCounters, MemoryActivity, MemoryTraffic, Source};
    use nearfar_model::Bytes;

    use super::*;

    fn reading(at_s: f64, hits: u64, migrated: u64, local: u64) -> MachineReading {
        let node = "/sys/devices/system/node/node1";
        let source = Source::from_files([
            (format!("{node}/meminfo"), "Node 1 MemFree: 4 kB\nNode 1 MemUsed: 8 kB\n".to_owned()),
            (format!("{node}/numastat"), format!("numa_hit {hits}\nnuma_miss 0\n")),
            (format!("{node}/hugepages/hugepages-2048kB/nr_hugepages"), "3".to_owned()),
            (format!("{node}/hugepages/hugepages-2048kB/free_hugepages"), "1".to_owned()),
            ("/proc/vmstat".to_owned(), format!("pgmigrate_success {migrated}\n")),
        ]);
        let node = NodeReading {
            counters: MachineCounters::read(&source).nodes.remove(0),
            traffic: MemoryTraffic { local: Some(local), total: None },
            fills: None,
            latency: None,
            dram: None,
        };
        let page = Some(Bytes(4096));
        MachineReading { at_s, page, activity: MemoryActivity::read(&source), nodes: vec![node] }
    }

    #[test]
    fn rates_are_differences_over_time() {
        let mut table = NodeTable::new(&NodeSummaries::default());
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
    fn counts_of_the_pmu_are_rates() {
        let counted = |at_s, fills: Option<[u64; 2]>, requests, read| {
            let mut reading = reading(at_s, 100, 50, 1000);
            let node = &mut reading.nodes[0];
            node.fills = fills.map(|[local, remote]| Fills { local, remote, ..Fills::default() });
            let near = LatencySum { ns: 118 * requests, requests };
            node.latency = Some(SampledLatency { near, ..SampledLatency::default() });
            node.dram = Some(DramTraffic { read: Bytes(read), written: Bytes(9) });
            reading
        };
        let mut table = NodeTable::new(&NodeSummaries::default());
        table.read(counted(1.0, Some([9_000, 9_000]), 5, 600));
        let first = &table.rows()[0];
        assert_eq!((first.local_fills_per_s, first.near_memory_ns), (None, None));
        assert_eq!(first.dram_read_bytes_per_s, None);
        table.read(counted(3.0, Some([9_600, 9_200]), 15, 7_000));
        let row = &table.rows()[0];
        assert_eq!((row.local_fills_per_s, row.remote_fills_per_s), (Some(300.0), Some(100.0)));
        assert_eq!((row.near_memory_ns, row.far_memory_ns), (Some(118.0), None));
        let dram = (row.dram_read_bytes_per_s, row.dram_written_bytes_per_s);
        assert_eq!(dram, (Some(3_200.0), Some(0.0)));
        table.read(counted(4.0, None, 15, 7_000));
        let row = &table.rows()[0];
        assert_eq!((row.local_fills_per_s, row.near_memory_ns), (None, None));
    }

    #[test]
    fn clocks_that_stand_still_and_counters_that_fall_are_no_rates() {
        let mut table = NodeTable::new(&NodeSummaries::default());
        table.read(reading(1.0, 100, 50, 1000));
        table.read(reading(1.0, 700, 60, 5000));
        assert_eq!((table.interval_s(), table.rows()[0].hit_pages_per_s), (0.0, None));
        table.read(reading(2.0, 1, 1, 1));
        assert_eq!(table.rows()[0].hit_pages_per_s, Some(0.0));
        assert_eq!(table.rows()[0].local_bytes_per_s, Some(0.0));
    }
}
