//! Where loads of latency were served from, as the PMU counts it: a witness beside their costs.

use nearfar_infer::{CellFillCount, ExpectedMemory, FillCheck, fill_check};
use nearfar_machine::pmu::{FillEvents, Fills, PmuRefusal};
use nearfar_machine::{EventSources, Topology};
use nearfar_model::{CellIndex, CpuSet};
use nearfar_probe::{Layout, LoadFills, PlanOutcome};
use serde::{Deserialize, Serialize};

use crate::MemoryKind;

/// Whether fills were to be counted.
#[derive(Clone, Copy)]
pub struct FillCounting<'a> {
    /// The events, or why none can be counted.
    pub events: &'a Result<FillEvents, PmuRefusal>,
    /// The machine's event sources.
    pub sources: &'a EventSources,
}

/// Fills from local and remote memory in each cell of latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FillEvidence {
    /// perf's name of the two events. Null where none could be counted.
    pub events: Option<String>,
    /// Why nothing was counted.
    pub refusal: Option<PmuRefusal>,
    /// Cells with counts, row by row.
    pub cells: Vec<CellFills>,
}

/// Fills in one cell, scaled to all its visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CellFills {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Where its loads should go: "local" or "remote". Null where the events do not decide it:
    /// nodes of one package, memory without CPUs.
    pub expected: Option<MemoryKind>,
    /// Timed loads.
    pub loads: u64,
    /// Fills from local memory.
    pub local: u64,
    /// Fills from remote memory.
    pub remote: u64,
    /// Remote fills of all. Null where fills are too few for these loads, as from caches.
    pub remote_share: Option<f64>,
    /// The part of the time that was counted: below 1 other programs used the counters, too.
    pub counted_share: f64,
}

impl FillEvidence {
    /// The counts of a run of latency.
    pub(crate) fn new(
        counting: FillCounting<'_>,
        topology: &Topology,
        layout: &Layout,
        outcome: &PlanOutcome,
    ) -> Self {
        let events = match counting.events {
            Ok(events) => events,
            Err(refusal) => {
                return Self { refusal: Some(refusal.clone()), ..Self::default() };
            }
        };
        let of_layout = outcome.fills.iter().filter(|(at, _)| at.column < layout.columns.len());
        let cells: Vec<CellFills> = of_layout
            .map(|(at, counted)| CellFills::new(*at, *counted, expected(topology, layout, *at)))
            .collect();
        let is_never_counted = cells.iter().all(|cell| cell.counted_share == 0.0);
        if !cells.is_empty() && is_never_counted {
            let refusal = Some(PmuRefusal::never_counted(counting.sources));
            return Self { refusal, ..Self::default() };
        }
        Self { events: Some(events.name.clone()), refusal: None, cells }
    }

    /// Whether the counts agree with the placement of memory.
    pub fn check(&self) -> FillCheck {
        fill_check(&self.cells.iter().map(CellFills::count).collect::<Vec<_>>())
    }

    /// The part of the time that was counted, in the cell with the least; `None` without cells.
    pub fn least_counted_share(&self) -> Option<f64> {
        self.cells.iter().map(|cell| cell.counted_share).reduce(f64::min)
    }
}

impl CellFills {
    fn new(at: CellIndex, counted: LoadFills, expected: Option<MemoryKind>) -> Self {
        let LoadFills { loads, fills } = counted;
        let Fills { local, remote, .. } = fills;
        let counted_share = fills.counted_share().unwrap_or(0.0);
        let (row, column) = (at.row, at.column);
        let cell =
            Self { row, column, expected, loads, local, remote, remote_share: None, counted_share };
        Self { remote_share: cell.count().remote_share(), ..cell }
    }

    fn count(&self) -> CellFillCount {
        let Self { loads, local, remote, counted_share, .. } = *self;
        let expected = match self.expected {
            Some(MemoryKind::Local) => ExpectedMemory::Local,
            Some(MemoryKind::Remote) => ExpectedMemory::Remote,
            None => ExpectedMemory::Uncertain,
        };
        CellFillCount { expected, loads, local, remote, counted_share }
    }
}

/// What the events should count in a cell, by what the kernel reports.
fn expected(topology: &Topology, layout: &Layout, at: CellIndex) -> Option<MemoryKind> {
    let (row, memory) = (&layout.rows[at.row], layout.columns[at.column].memory.node?);
    if row.node == Some(memory) {
        return Some(MemoryKind::Local);
    }
    let near = topology.node(memory)?.cpus.clone();
    let packages = |cpus: &CpuSet| -> Vec<usize> {
        let all = topology.packages().iter().enumerate();
        all.filter(|(_, one)| !one.cpus.is_disjoint(cpus)).map(|(index, _)| index).collect()
    };
    let (own, its) = (packages(&row.candidates), packages(&near));
    let is_known = !own.is_empty() && !its.is_empty();
    (is_known && own.iter().all(|one| !its.contains(one))).then_some(MemoryKind::Remote)
}

#[cfg(test)]
mod tests;
