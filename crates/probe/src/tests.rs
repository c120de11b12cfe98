//! Helpers of this crate's tests: memory wherever the kernel places it, and properties of a
//! worker's messages that hold on a busy machine. Tests of the default tier assert these, and no
//! figure.

use nearfar_model::{Bytes, CellIndex, CpuSet};
use nearfar_place::{AffinityGuard, BufferPlace, PlacedBuffer, WantedPages};

use crate::worker::messages::Messages;
use crate::worker::station::{Prepare, measure};
use crate::worker_message::{Batch, Dropped, PlanScope, Visit, WorkerMessage};

/// `bytes` of memory, on huge pages if available.
pub(crate) fn memory(bytes: u64) -> PlacedBuffer {
    let request = BufferPlace {
        node: None,
        bytes: Bytes(bytes),
        pages: WantedPages::Huge,
        touch_from: CpuSet::new(),
        free: None,
    };
    PlacedBuffer::on_node(&request).expect("a few MiB")
}

/// A visit of process 0 in round 0.
pub(crate) fn visit(row: usize, column: usize, treatment: usize) -> Visit {
    Visit { process: 0, round: 0, place: CellIndex { row, column, treatment }, draw: 0 }
}

/// The message that a scope cannot be measured.
pub(crate) fn unavailable(scope: PlanScope, why: &str) -> WorkerMessage {
    WorkerMessage::Unavailable { scope, why: why.to_owned() }
}

/// Parses a worker's output.
pub(crate) fn read(output: &[u8]) -> Vec<WorkerMessage> {
    String::from_utf8_lossy(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A worker's messages for these visits; restores the calling thread's affinity.
pub(crate) fn answers(setup: &dyn Prepare, seed: u64, visits: Vec<Visit>) -> Vec<WorkerMessage> {
    let _restore = AffinityGuard::save();
    let mut output = Vec::new();
    let mut messages = Messages::new(&mut output);
    measure(setup, &Batch { process: 0, seed, visits }, &mut messages);
    messages.finish().unwrap();
    read(&output)
}

/// Checks that each visit has a sample or a reason for its absence, and that each sample is a
/// positive figure.
pub(crate) fn assert_answered(visits: &[Visit], answers: &[WorkerMessage]) {
    for answer in answers {
        if let WorkerMessage::Sample(sample) = answer {
            assert!(sample.value.is_finite() && sample.value > 0.0, "{sample:?}");
            let is_its = |visit: &Visit| {
                (visit.process, visit.round, visit.place)
                    == (sample.process, sample.round, sample.place)
            };
            assert!(visits.iter().any(is_its), "{sample:?} of {visits:?}");
        }
    }
    for visit in visits {
        assert!(answers.iter().any(|answer| concerns(answer, *visit)), "{visit:?}: {answers:?}");
    }
}

fn concerns(answer: &WorkerMessage, visit: Visit) -> bool {
    match answer {
        WorkerMessage::Sample(sample) => (sample.round, sample.place) == (visit.round, visit.place),
        WorkerMessage::Dropped(Dropped { visit: dropped, .. }) => *dropped == visit,
        WorkerMessage::Unavailable { scope, .. } => {
            PlanScope::containing(visit.place).contains(scope)
        }
        _ => false,
    }
}
