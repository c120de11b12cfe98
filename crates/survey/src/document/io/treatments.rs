//! What a cell of a disk is visited with.

use nearfar_model::Instrument;
use nearfar_probe::io::{IoSetup, IoTreatment};
use serde::{Deserialize, Serialize};

use super::super::placement::{INTERRUPT_PLACES, PlacedAccess, PlacedTreatment, placed_treatments};
use super::INSTRUMENT;

/// A target, how it is accessed, and where its interrupts run.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct IoAccess {
    /// Its path.
    pub target: String,
    /// "read" or "write".
    pub operation: String,
    /// Accesses in flight.
    pub depth: u32,
    /// Bytes of an access.
    pub size_bytes: u64,
    /// "random" or "sequential".
    pub pattern: String,
    /// Where its interrupts were set to: "near" or "far"; null where they were left alone.
    pub interrupts: Option<String>,
    /// "again" of a control, which repeats a cell; null of all others.
    pub control: Option<String>,
}

placed_treatments! {
    /// An access whose figure is nanoseconds.
    IoLatencyAccess(IoAccess): Nanoseconds;
    /// An access whose figure is bytes a second.
    IoRateAccess(IoAccess): BytesPerSecond;
}

/// A treatment that is an access.
pub trait AccessTreatment: PlacedTreatment<Access = IoAccess> {}

impl<T: PlacedTreatment<Access = IoAccess>> AccessTreatment for T {}

impl IoAccess {
    pub(super) fn new(setup: &IoSetup, treatment: &IoTreatment) -> Self {
        let workload = treatment.workload;
        let target = &setup.targets[treatment.target];
        let places = treatment.interrupts.and_then(|place| target.interrupt_places.get(place));
        Self {
            target: target.path.display().to_string(),
            operation: workload.operation.name().to_owned(),
            depth: workload.depth,
            size_bytes: workload.size.0,
            pattern: workload.pattern.name().to_owned(),
            interrupts: places.map(|places| places.name.clone()),
            control: treatment.again.then(|| "again".to_owned()),
        }
    }
}

impl PlacedAccess for IoAccess {
    const INSTRUMENT: Instrument = INSTRUMENT;

    fn without_interrupts(&self) -> Self {
        Self { interrupts: None, ..self.clone() }
    }

    fn is_control(&self) -> bool {
        self.control.is_some()
    }

    fn without_control(&self) -> Self {
        Self { control: None, ..self.clone() }
    }

    fn interrupt_level(&self) -> u32 {
        u32::from(self.interrupts.as_deref() == Some(INTERRUPT_PLACES[1]))
    }
}
