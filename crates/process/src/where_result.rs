//! What `nearfar where` finds of processes: for text and JSON.

use nearfar_machine::Source;
use serde::Serialize;

use crate::condition::{ConditionResult, PlacementCondition};
use crate::device_nearness::ProcessDevices;
use crate::killed::KilledProcess;
use crate::memory::ProcessMemory;
use crate::unique_memory::UniqueMemory;
use crate::worker::{Worker, workers};

/// A process that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UnreadableProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
    /// Whether it has ended: no condition waits for it.
    #[serde(skip)]
    pub has_ended: bool,
}

/// Where the memory, threads and devices of processes are.
#[derive(Debug)]
pub struct WhereResult {
    /// The processes.
    pub processes: Vec<(ProcessMemory, ProcessDevices)>,
    /// The same by worker.
    pub workers: Vec<Worker>,
    /// All their memory, shared pages once.
    pub together: UniqueMemory,
    /// Those that cannot be read.
    pub unreadable: Vec<UnreadableProcess>,
    /// Those that the kernel killed since nodes were full.
    pub killed: Vec<KilledProcess>,
    /// What became of conditions.
    pub conditions: Vec<ConditionResult>,
}

impl WhereResult {
    /// Reads the devices and ranks of these processes, and judges the conditions.
    pub fn new(
        source: &Source,
        memories: Vec<ProcessMemory>,
        unreadable: Vec<UnreadableProcess>,
        killed: Vec<KilledProcess>,
        conditions: &[PlacementCondition],
    ) -> Self {
        let together = UniqueMemory::count(source, &memories);
        let with_devices = |memory| {
            let devices = ProcessDevices::read(source, &memory);
            (memory, devices)
        };
        let processes: Vec<_> = memories.into_iter().map(with_devices).collect();
        let workers = workers(source, &processes);
        let unread: Vec<String> = unreadable
            .iter()
            .filter(|one| !one.has_ended)
            .map(|one| format!("process {}: {}", one.pid, one.why))
            .collect();
        let judge = |condition: &PlacementCondition| condition.judge(&workers, &unread);
        let conditions = conditions.iter().map(judge).collect();
        Self { processes, workers, together, unreadable, killed, conditions }
    }

    /// Whether it is one process, and all of it is known.
    pub fn is_one(&self) -> bool {
        self.processes.len() == 1 && self.unreadable.is_empty()
    }
}
