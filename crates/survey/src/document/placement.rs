//! What the places of a program and of its buffer cost: the same for disks and for GPUs.

mod controls;
mod effects;

use nearfar_infer::{InferError, SampleMatrix};
use nearfar_model::{CellIndex, Instrument, MatrixShape, NodeId};

use crate::{Treatment, TreatmentMatrix};

pub use controls::CellControl;
pub(super) use effects::{INTERRUPT_PLACES, design};
pub use effects::{PlacementEffect, PlacementFactor};

/// The smallest effect that counts.
pub(super) const THRESHOLD: f64 = 0.02;

/// A treatment whose cells are compared by the nodes of program and buffer.
pub trait PlacedTreatment: Treatment {
    /// What is done from each of these places.
    type Access: PlacedAccess;

    /// From what is done.
    fn new(access: Self::Access) -> Self;

    /// What is done.
    fn access(&self) -> &Self::Access;
}

/// What is done from each place.
pub trait PlacedAccess: Clone + Default + Ord {
    /// Which instrument does it.
    const INSTRUMENT: Instrument;

    /// The same, wherever interrupts run.
    #[must_use]
    fn without_interrupts(&self) -> Self {
        self.clone()
    }

    /// Whether it repeats a cell.
    fn is_control(&self) -> bool;

    /// The same as no repetition.
    #[must_use]
    fn without_control(&self) -> Self;

    /// Where interrupts were set to: 0 is near, and where they were left alone.
    fn interrupt_level(&self) -> u32 {
        0
    }
}

/// Declares treatments that are what is done, by the unit of their figures.
macro_rules! placed_treatments {
    ($($(#[$doc:meta])* $treatment:ident($access:ty): $unit:ident;)+) => {$(
        $(#[$doc])*
        #[derive(
            Clone,
            Debug,
            Default,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            serde::Serialize,
            serde::Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $treatment(pub $access);

        impl crate::Treatment for $treatment {
            const INSTRUMENT: nearfar_model::Instrument =
                <$access as crate::PlacedAccess>::INSTRUMENT;
            const UNIT: nearfar_model::Unit = nearfar_model::Unit::$unit;
        }

        impl crate::PlacedTreatment for $treatment {
            type Access = $access;

            fn new(access: $access) -> Self {
                Self(access)
            }

            fn access(&self) -> &$access {
                &self.0
            }
        }
    )+};
}
pub(super) use placed_treatments;

/// What follows from the samples of a table.
pub(super) struct JudgedPlacement<A> {
    /// The kinds of access, wherever interrupts run, in order.
    pub(super) accesses: Vec<A>,
    pub(super) effects: Vec<PlacementEffect<A>>,
    pub(super) controls: Vec<CellControl>,
}

impl<A: PlacedAccess> JudgedPlacement<A> {
    /// The effects on each kind of access, compared with its `preferred` node. Nothing without
    /// samples.
    pub(super) fn new<T: PlacedTreatment<Access = A>>(
        part: &TreatmentMatrix<T>,
        preferred: impl Fn(&A) -> Option<NodeId>,
        seed: u64,
    ) -> Result<Option<Self>, InferError> {
        let Some(samples) = &part.samples else { return Ok(None) };
        let shape = part.shape();
        let samples = samples.readings(shape)?;
        let cells = placed_cells(part, shape);
        let accesses = accesses(&cells);
        let of_access = |access: &A| {
            effects::effects(&samples, &cells, access, preferred(access), seed).into_iter()
        };
        let effects = accesses.iter().flat_map(of_access).collect();
        let controls = controls(part, shape, &samples, seed);
        Ok(Some(Self { accesses, effects, controls }))
    }
}

/// A cell of a table for this purpose.
pub(super) struct PlacedCell<'c, A> {
    pub(super) row: usize,
    /// The column of the samples' matrix.
    pub(super) column: usize,
    pub(super) program: Option<NodeId>,
    pub(super) buffer: Option<NodeId>,
    pub(super) access: &'c A,
}

/// All cells of a table.
pub(super) fn placed_cells<T: PlacedTreatment>(
    part: &TreatmentMatrix<T>,
    shape: MatrixShape,
) -> Vec<PlacedCell<'_, T::Access>> {
    let cell = |place: CellIndex| {
        Some(PlacedCell {
            row: place.row,
            column: shape.index_in_row(place),
            program: part.matrix.rows.get(place.row)?.node,
            buffer: part.matrix.columns.get(place.column)?.node,
            access: part.treatments.get(place.treatment)?.access(),
        })
    };
    part.places().into_iter().filter_map(cell).collect()
}

/// The kinds of access, without controls.
pub(super) fn accesses<A: PlacedAccess>(cells: &[PlacedCell<'_, A>]) -> Vec<A> {
    let mut accesses: Vec<A> = cells.iter().map(|cell| cell.access.without_interrupts()).collect();
    accesses.retain(|access| !access.is_control());
    accesses.sort();
    accesses.dedup();
    accesses
}

/// Every treatment that repeats another one, in all cells.
fn controls<T: PlacedTreatment>(
    part: &TreatmentMatrix<T>,
    shape: MatrixShape,
    samples: &SampleMatrix,
    seed: u64,
) -> Vec<CellControl> {
    let accesses: Vec<&T::Access> = part.treatments.iter().map(PlacedTreatment::access).collect();
    let repeated = |again: usize| {
        let first = accesses[again].without_control();
        let first = accesses.iter().position(|access| **access == first)?;
        accesses[again].is_control().then_some((first, again))
    };
    let pairs: Vec<(usize, usize)> = (0..accesses.len()).filter_map(repeated).collect();
    let mut controls = Vec::new();
    for place in part.places() {
        for (_, again) in pairs.iter().filter(|(first, _)| *first == place.treatment) {
            let again = shape.index_in_row(place.with_treatment(*again));
            let cell = (place, shape.index_in_row(place));
            controls.extend(CellControl::new(samples, cell, again, THRESHOLD, seed));
        }
    }
    controls
}
