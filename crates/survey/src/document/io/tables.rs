//! The figures of one kind of access: by the program's CPUs, the buffer's node, and the target.

use std::collections::BTreeMap;

use nearfar_infer::InferError;
use nearfar_machine::Topology;
use nearfar_model::{CellIndex, CpuSet};
use nearfar_probe::io::IoRecord;
use serde::{Deserialize, Serialize};

use super::super::placement::{CellControl, JudgedPlacement, PlacementEffect};
use super::IoBest;
use super::IoLatencies;
use super::IoTail;
use super::{AccessTreatment, IoAccess};
use super::{IoMeasured, IoPlanRun, IoTargetFacts};
use crate::TreatmentMatrix;

/// Figures by row, column and access, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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
    pub factors: Vec<PlacementEffect<IoAccess>>,
    /// The best placement, by kind of access.
    pub best: Vec<IoBest>,
    /// Cells that were measured twice.
    pub controls: Vec<CellControl>,
}

/// Which nodes served the interrupts of a cell's target while it was accessed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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
            let total = served.entry(record.place).or_default();
            for (&cpu, &count) in &record.served {
                *total.served.entry(cpu).or_default() += count;
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
        let node_of =
            |access: &IoAccess| targets.iter().find(|target| target.path == access.target)?.node;
        let Some(judged) = JudgedPlacement::new(&self.part, node_of, seed)? else { return Ok(()) };
        let best = judged.accesses.iter().map(|access| IoBest::new(&judged.effects, access));
        self.best = best.collect();
        (self.factors, self.controls) = (judged.effects, judged.controls);
        Ok(())
    }

    pub(super) fn strip_samples(&mut self) {
        self.part.samples = None;
        self.latencies = None;
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
