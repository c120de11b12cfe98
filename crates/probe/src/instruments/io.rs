//! Disks: a CPU reads blocks of a file or a disk into memory of a node, one or many at a time.
//!
//! Reads bypass the page cache (`O_DIRECT`). Buffers are placed and proven as in every instrument,
//! then registered with the kernel, which pins them. A visit reads for a window of time: its figure
//! is the median latency (one read at a time) or the bytes per second (several at a time), and its
//! record has all latencies and the CPUs that served the disk's interrupts meanwhile.

mod accesses;
mod engine_choice;
mod progress;
mod ring;
mod setup;
mod station;
mod target_file;
mod threads;
mod traffic;

use std::collections::BTreeMap;
use std::fs;

use fastrand::Rng;
use nearfar_machine::Source;
use nearfar_machine::interrupts::{InterruptSetting, ServedInterrupts};
use nearfar_model::{Bytes, CellIndex, CpuId, DurationCounts};
use serde::{Deserialize, Serialize};

pub use engine_choice::EngineChoice;
pub use ring::try_uring;
pub use setup::{
    AccessPattern, InterruptPlace, InterruptPlaces, IoOperation, IoSetup, IoTarget, IoTreatment,
    IoWorkload,
};
pub use target_file::{FileIdentity, MIN_BYTES, TargetError, TargetFile, check_new, folder_of};

/// The least share of interrupts that the set CPUs must serve.
const MOSTLY: f64 = 0.9;
/// Fewer interrupts in a visit show nothing.
const FEW: u64 = 4;

/// Sets an interrupt's CPUs, one after another.
fn set(places: &[InterruptPlace]) -> Result<(), String> {
    for InterruptPlace { number, cpus } in places {
        let setting = InterruptSetting::Irq(*number);
        let path = setting.path();
        fs::write(&path, setting.file_text(cpus))
            .map_err(|error| format!("cannot set interrupt {number} to CPUs {cpus}: {error}"))?;
    }
    Ok(())
}

/// The counters before a visit.
struct ServedWatch {
    before: Option<ServedInterrupts>,
}

impl ServedWatch {
    fn begin(source: &Source, target: &IoTarget) -> Self {
        let before = (!target.interrupts.is_empty())
            .then(|| ServedInterrupts::read(source, &target.interrupts))
            .flatten();
        Self { before }
    }

    /// Interrupts since then, by CPU; empty if they are unknown.
    fn end(&self, source: &Source, target: &IoTarget) -> BTreeMap<CpuId, u64> {
        let after = self
            .before
            .as_ref()
            .and_then(|before| Some((ServedInterrupts::read(source, &target.interrupts)?, before)));
        after.map(|(after, before)| after.since(before)).unwrap_or_default()
    }
}

/// Whether interrupts ran on other CPUs than they were set to.
fn ran_elsewhere(served: &BTreeMap<CpuId, u64>, places: &[InterruptPlace]) -> bool {
    let all: u64 = served.values().sum();
    let is_set = |cpu: CpuId| places.iter().any(|place| place.cpus.contains(cpu));
    let there: u64 = served.iter().filter(|(cpu, _)| is_set(**cpu)).map(|(_, count)| count).sum();
    all >= FEW && (there as f64) < MOSTLY * all as f64
}

/// A way to hand accesses to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IoEngine {
    /// io_uring with buffers that the kernel has pinned.
    UringRegistered,
    /// io_uring with buffers that the kernel pins for each access.
    Uring,
    /// A thread for each access in flight, with `pread`.
    Threads,
}

impl IoEngine {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UringRegistered => "io_uring with registered buffers",
            Self::Uring => "io_uring",
            Self::Threads => "pread in threads",
        }
    }
}

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

/// Offsets in a target, each a multiple of the access size.
struct Offsets {
    pattern: AccessPattern,
    size: u64,
    blocks: u64,
    next: u64,
    random: Rng,
}

impl Offsets {
    /// Begins anywhere. The target holds at least one access.
    fn new(pattern: AccessPattern, size: Bytes, bytes: Bytes, mut random: Rng) -> Self {
        let blocks = (bytes.0 / size.0.max(1)).max(1);
        let next = random.u64(..blocks);
        Self { pattern, size: size.0, blocks, next, random }
    }

    /// The next offset. After the last block of a target comes the first.
    fn draw(&mut self) -> u64 {
        let block = self.next;
        self.next = match self.pattern {
            AccessPattern::Random => self.random.u64(..self.blocks),
            AccessPattern::Sequential => (block + 1) % self.blocks,
        };
        block * self.size
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nearfar_model::CpuSet;

    use super::*;

    #[test]
    fn interrupts_elsewhere_are_noticed() {
        let place = InterruptPlace { number: 24, cpus: CpuSet::parse_list("2-3").unwrap() };
        let served = |far, near| BTreeMap::from([(CpuId(0), far), (CpuId(3), near)]);
        let ran = |far, near| ran_elsewhere(&served(far, near), std::slice::from_ref(&place));
        assert!(ran(50, 50) && ran(4, 0));
        assert!(!ran(0, 100) && !ran(9, 100));
        assert!(!ran(1, 1), "too few to decide");
    }

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

    #[test]
    fn offsets_are_whole_blocks_within_the_target() {
        let bytes = Bytes(10 * 4096 + 100);
        for pattern in [AccessPattern::Random, AccessPattern::Sequential] {
            let mut offsets = Offsets::new(pattern, Bytes(4096), bytes, Rng::with_seed(1));
            let drawn: Vec<u64> = (0..200).map(|_| offsets.draw()).collect();
            assert!(drawn.iter().all(|offset| offset % 4096 == 0 && offset + 4096 <= bytes.0));
            let mut distinct = drawn.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 10, "{pattern:?}");
            assert_eq!(
                drawn.windows(2).all(|pair| pair[1] == (pair[0] + 4096) % (10 * 4096)),
                pattern == AccessPattern::Sequential
            );
        }
    }
}
