//! What a cell of a disk is visited with.

use nearfar_model::{Instrument, Unit};
use nearfar_probe::io::{IoSetup, IoTreatment};
use serde::{Deserialize, Serialize};

use super::super::placement::{INTERRUPT_PLACES, PlacedAccess, PlacedTreatment};
use super::INSTRUMENT;
use crate::Treatment;

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

/// An access whose figure is nanoseconds.
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
#[serde(transparent)]
pub struct IoLatencyAccess(pub IoAccess);

/// An access whose figure is bytes a second.
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
#[serde(transparent)]
pub struct IoRateAccess(pub IoAccess);

impl Treatment for IoLatencyAccess {
    const INSTRUMENT: Instrument = INSTRUMENT;
}

impl Treatment for IoRateAccess {
    const INSTRUMENT: Instrument = INSTRUMENT;
    const UNIT: Unit = Unit::BytesPerSecond;
}

/// A treatment that is an access.
pub trait AccessTreatment: PlacedTreatment<Access = IoAccess> {
    /// From an access.
    fn new(access: IoAccess) -> Self;
}

impl AccessTreatment for IoLatencyAccess {
    fn new(access: IoAccess) -> Self {
        Self(access)
    }
}

impl PlacedTreatment for IoLatencyAccess {
    type Access = IoAccess;

    fn access(&self) -> &IoAccess {
        &self.0
    }
}

impl AccessTreatment for IoRateAccess {
    fn new(access: IoAccess) -> Self {
        Self(access)
    }
}

impl PlacedTreatment for IoRateAccess {
    type Access = IoAccess;

    fn access(&self) -> &IoAccess {
        &self.0
    }
}

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
