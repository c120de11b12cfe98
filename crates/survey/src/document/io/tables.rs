//! The figures of one kind of access: by the program's CPUs, the buffer's node, and the target.

use std::collections::BTreeMap;

use nearfar_infer::InferError;
use nearfar_machine::Topology;
use nearfar_model::{CellIndex, CpuSet, MatrixShape};
use nearfar_probe::io::IoRecord;
use serde::{Deserialize, Serialize};

use super::controls::IoControl;
use super::factors::{FactorCell, IoBest, IoFactorEffect, THRESHOLD, effects};
use super::latencies::IoLatencies;
use super::tails::IoTail;
use super::treatments::{AccessTreatment, IoAccess};
use super::{IoMeasured, IoPlanRun, IoTargetFacts};
use crate::TreatmentMatrix;

/// Figures by row, column and access, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct IoTable<T> {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<T>,
    /// All latencies. Null when samples were left out.
    pub latencies: Option<Vec<IoLatencies>>,
    /// The distribution of latencies, by cell.
    pub tails: Vec<IoTail>,
    /// Which nodes served interrupts, by cell; empty where they are unknown.
    pub served: Vec<IoServed>,
    /// What each factor costs.
    pub factors: Vec<IoFactorEffect>,
    /// The best placement, by kind of access.
    pub best: Vec<IoBest>,
    /// Cells that were measured twice.
    pub controls: Vec<IoControl>,
}

/// Which nodes served the interrupts of a cell's target while it was accessed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoServed {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// Interrupts.
    pub interrupts: u64,
    /// Shares by node. CPUs of unknown nodes are left out.
    pub by_node: BTreeMap<String, f64>,
    /// The share that CPUs of the program's row served.
    pub by_row: f64,
}

impl<T: AccessTreatment> IoTable<T> {
    pub(super) fn new(measured: &IoMeasured<'_>, run: &IoPlanRun<'_>) -> Self {
        let treatments: Vec<T> = run
            .setup
            .treatments
            .iter()
            .map(|treatment| T::new(IoAccess::new(run.setup, treatment)))
            .collect();
        let part = TreatmentMatrix::new(measured.layout, run.outcome, treatments, run.visited);
        let rows: Vec<_> = measured.layout.rows.iter().map(|row| &row.cpus).collect();
        let mut served: BTreeMap<CellIndex, IoRecord> = BTreeMap::new();
        for record in &run.outcome.io {
            let of_cell = served.entry(record.place).or_default();
            for (&cpu, &count) in &record.served {
                *of_cell.served.entry(cpu).or_default() += count;
            }
        }
        let served = served.iter().filter(|(place, _)| run.visited.contains(place)).filter_map(
            |(place, record)| {
                IoServed::new(*place, record, rows.get(place.row)?, measured.topology)
            },
        );
        Self {
            part,
            served: served.collect(),
            latencies: Some(run.outcome.io.iter().map(IoLatencies::new).collect()),
            tails: Vec::new(),
            factors: Vec::new(),
            best: Vec::new(),
            controls: Vec::new(),
        }
    }

    /// Derives figures, tails, effects and controls. Without samples nothing changes.
    pub(super) fn judge(&mut self, targets: &[IoTargetFacts], seed: u64) -> Result<(), InferError> {
        self.part.judge(seed)?;
        if let Some(latencies) = &self.latencies {
            self.tails = IoTail::all_of(latencies, &self.part.places(), seed);
        }
        let Some(samples) = &self.part.samples else { return Ok(()) };
        let shape = self.part.shape();
        let samples = samples.readings(shape)?;
        let cells = self.factor_cells(shape);
        let mut accesses: Vec<IoAccess> =
            cells.iter().map(|cell| cell.access.without_interrupts()).collect();
        accesses.retain(|access| !access.is_control());
        accesses.sort();
        accesses.dedup();
        let of_access = |access: &IoAccess| {
            let target = targets.iter().find(|target| target.path == access.target);
            effects(&samples, &cells, access, target, seed)
        };
        let factors: Vec<IoFactorEffect> = accesses.iter().flat_map(of_access).collect();
        let best = accesses.iter().map(|access| IoBest::new(&factors, access)).collect();
        let controls = self.find_controls(shape, |cell, again| {
            IoControl::new(&samples, cell, again, THRESHOLD, seed)
        });
        (self.factors, self.best, self.controls) = (factors, best, controls);
        Ok(())
    }

    pub(super) fn strip_samples(&mut self) {
        self.part.samples = None;
        self.latencies = None;
    }

    fn factor_cells(&self, shape: MatrixShape) -> Vec<FactorCell<'_>> {
        let cell = |place: CellIndex| {
            Some(FactorCell {
                row: place.row,
                column: shape.index_in_row(place),
                program: self.part.matrix.rows.get(place.row)?.node,
                buffer: self.part.matrix.columns.get(place.column)?.node,
                access: self.part.treatments.get(place.treatment)?.access(),
            })
        };
        self.part.places().into_iter().filter_map(cell).collect()
    }

    /// Every treatment that repeats another one, in all cells.
    fn find_controls(
        &self,
        shape: MatrixShape,
        control: impl Fn((CellIndex, usize), usize) -> Option<IoControl>,
    ) -> Vec<IoControl> {
        let accesses: Vec<&IoAccess> =
            self.part.treatments.iter().map(AccessTreatment::access).collect();
        let repeated = |again: usize| {
            let first = IoAccess { control: None, ..accesses[again].clone() };
            let first = accesses.iter().position(|access| **access == first)?;
            accesses[again].is_control().then_some((first, again))
        };
        let pairs: Vec<(usize, usize)> = (0..accesses.len()).filter_map(repeated).collect();
        let mut controls = Vec::new();
        for place in self.part.places() {
            for (_, again) in pairs.iter().filter(|(first, _)| *first == place.treatment) {
                let again = shape.index_in_row(place.with_treatment(*again));
                controls.extend(control((place, shape.index_in_row(place)), again));
            }
        }
        controls
    }
}

impl IoServed {
    fn new(place: CellIndex, record: &IoRecord, row: &CpuSet, topology: &Topology) -> Option<Self> {
        let interrupts: u64 = record.served.values().sum();
        let share = |count: u64| count as f64 / interrupts as f64;
        let mut by_node: BTreeMap<String, f64> = BTreeMap::new();
        let mut by_row = 0.0;
        for (&cpu, &count) in &record.served {
            if let Some(node) = topology.cpu(cpu).and_then(|known| known.node) {
                *by_node.entry(node.to_string()).or_default() += share(count);
            }
            by_row += if row.contains(cpu) { share(count) } else { 0.0 };
        }
        let CellIndex { row, column, treatment } = place;
        (interrupts > 0).then_some(Self { row, column, treatment, interrupts, by_node, by_row })
    }
}
