//! Disks: latency and throughput by the node of the program, the node of its buffer and where
//! interrupts run; and what each of these costs.

mod best;
mod latencies;
mod tables;
mod tails;
mod targets;
#[cfg(test)]
mod tests;
mod treatments;

use nearfar_infer::InferError;
use nearfar_machine::Topology;
use nearfar_model::{CellIndex, Instrument};
use nearfar_probe::io::{EngineChoice, IoSetup};
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use super::placement::PlacementEffect;
use super::streamed;
use crate::InstrumentTable;

pub use best::IoBest;
pub use latencies::IoLatencies;
pub use tables::{IoServed, IoTable};
pub use tails::IoTail;
pub use targets::{IoDiskFacts, IoTargetFacts};
pub use treatments::{AccessTreatment, IoAccess, IoLatencyAccess, IoRateAccess};

/// The figures of one instrument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Io {
    /// The files and disks, in the order of the command.
    pub targets: Vec<IoTargetFacts>,
    /// How accesses were handed to the kernel: "io_uring with registered buffers", "io_uring" or
    /// "pread in threads".
    pub engine: String,
    /// Why it was not the first of these.
    pub engine_why: Option<String>,
    /// The length of a visit, in milliseconds, unless few accesses ended within it.
    pub window_ms: f64,
    /// Nanoseconds an access, one at a time. Null where it was not measured.
    #[serde(default, deserialize_with = "streamed::disk_part")]
    pub latency: Option<IoTable<IoLatencyAccess>>,
    /// Bytes a second with several accesses in flight. Null where it was not measured.
    #[serde(default, deserialize_with = "streamed::disk_part")]
    pub throughput: Option<IoTable<IoRateAccess>>,
}

/// What was measured of disks.
pub struct IoMeasured<'a> {
    /// The files and disks.
    pub targets: &'a [IoTargetFacts],
    /// The engine.
    pub engine: &'a EngineChoice,
    /// The rows and columns.
    pub layout: &'a Layout,
    /// The machine, for the node of each CPU.
    pub topology: &'a Topology,
    /// Accesses one at a time, where they were measured.
    pub latency: Option<IoPlanRun<'a>>,
    /// Several in flight, where they were measured.
    pub throughput: Option<IoPlanRun<'a>>,
}

/// What one plan measured.
pub struct IoPlanRun<'a> {
    /// What was measured.
    pub outcome: &'a PlanOutcome,
    /// What was visited, without controls.
    pub visited: &'a [CellIndex],
    /// The workers' setup.
    pub setup: &'a IoSetup,
}

impl Io {
    /// The part before its figures.
    pub fn new(measured: &IoMeasured<'_>) -> Self {
        let setups = [&measured.latency, &measured.throughput];
        let window = setups.into_iter().flatten().map(|run| run.setup.window).max();
        Self {
            targets: measured.targets.to_vec(),
            engine: measured.engine.engine.name().to_owned(),
            engine_why: measured.engine.why.clone(),
            window_ms: window.unwrap_or_default().as_secs_f64() * 1e3,
            latency: measured.latency.as_ref().map(|run| IoTable::new(measured, run)),
            throughput: measured.throughput.as_ref().map(|run| IoTable::new(measured, run)),
        }
    }

    /// What each factor costs, latency first.
    pub fn factors(&self) -> impl Iterator<Item = &PlacementEffect<IoAccess>> {
        let latency = self.latency.iter().flat_map(|table| &table.factors);
        latency.chain(self.throughput.iter().flat_map(|table| &table.factors))
    }
}

impl InstrumentPart for Io {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        let targets = &self.targets;
        self.latency.as_mut().map_or(Ok(()), |table| table.judge(targets, seed))?;
        self.throughput.as_mut().map_or(Ok(()), |table| table.judge(targets, seed))
    }

    fn strip_samples(&mut self) {
        self.latency.iter_mut().for_each(IoTable::strip_samples);
        self.throughput.iter_mut().for_each(IoTable::strip_samples);
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        let latency = self.latency.iter().map(|table| table.part.table(|_| true));
        latency.chain(self.throughput.iter().map(|table| table.part.table(|_| true))).collect()
    }
}

/// The instrument of this part.
const INSTRUMENT: Instrument = Instrument::Io;
