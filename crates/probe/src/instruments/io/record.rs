//! What a visit gave beside its figure.

use std::collections::BTreeMap;

use nearfar_model::{CellIndex, CpuId, DurationCounts};
use serde::{Deserialize, Serialize};

/// All latencies at a place, and the CPUs that served the disk's interrupts meanwhile: of one visit
/// in messages, of one process in outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoRecord {
    /// Number of the worker process, counted over the whole plan.
    pub process: u32,
    /// The place.
    pub place: CellIndex,
    /// From an access's submission to its end.
    pub latencies: DurationCounts,
    /// Interrupts by the CPU that served them; empty if they are unknown.
    pub served: BTreeMap<CpuId, u64>,
}

impl IoRecord {
    /// Adds a record to that of the same process and place, or to the end.
    pub(crate) fn collect(self, records: &mut Vec<Self>) {
        let key = |record: &Self| (record.process, record.place);
        // The last ones are of the same process.
        match records.iter_mut().rev().find(|known| key(known) == key(&self)) {
            Some(known) => known.merge(&self),
            None => records.push(self),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        for (&cpu, &count) in &other.served {
            *self.served.entry(cpu).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn visits_of_a_process_and_place_add_up() {
        let record = |process, row| {
            let mut latencies = DurationCounts::default();
            latencies.add(Duration::from_micros(80));
            let served = BTreeMap::from([(CpuId(3), 2)]);
            IoRecord { process, place: CellIndex::new(row, 0), latencies, served }
        };
        let mut records = Vec::new();
        for (process, row) in [(0, 0), (0, 1), (0, 0), (1, 0)] {
            record(process, row).collect(&mut records);
        }
        let totals: Vec<(u64, u64)> = records
            .iter()
            .map(|record| (record.latencies.total(), record.served[&CpuId(3)]))
            .collect();
        assert_eq!(totals, [(2, 4), (1, 2), (1, 2)]);
    }
}
