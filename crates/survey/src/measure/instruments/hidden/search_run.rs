//! One search: its memory, its processes, and its result.

use std::time::Duration;

use nearfar_machine::{Source, Topology, memory_limits};
use nearfar_model::{Bytes, CellIndex, CpuSet};
use nearfar_probe::hidden::HiddenSetup;
use nearfar_probe::{Layout, Plan, PlanLimits, PlanOutcome, Work};

use super::design::{Pace, setup, some_rows};
use super::memory_budget::{MemoryBudget, refreshed};
use crate::measure::{MeasureError, StartSpacing, Turn};
use crate::{FirstLook, HiddenRun, Mode};

/// The memory to search, and the fraction that may be held.
#[derive(Debug)]
pub(super) struct SearchArea {
    pub(super) layout: Layout,
    pub(super) budget: MemoryBudget,
    pub(super) online: CpuSet,
    /// Ranges of memory: first and last physical address.
    pub(super) memory: Vec<[u64; 2]>,
    pub(super) share: f64,
}

/// One search: its design and its result.
pub(super) struct SearchRun {
    layout: Layout,
    setup: HiddenSetup,
    online: CpuSet,
    memory: Vec<[u64; 2]>,
    share: f64,
    pace: Pace,
    rounds: u32,
    pub(super) outcome: Result<PlanOutcome, String>,
}

impl SearchArea {
    /// The time of a plan with this many processes on an ordinary machine.
    pub(super) fn expected_time(&self, mode: Mode, processes: u32) -> Duration {
        let search = self.planned(Pace::usual(mode), mode);
        search.outcome.as_ref().map_or(Duration::ZERO, |_| search.process(mode) * processes)
    }

    /// Searches, at this machine's pace.
    pub(super) fn search(
        &self,
        turn: &mut Turn<'_>,
        mode: Mode,
        seed: u64,
    ) -> Result<SearchRun, MeasureError> {
        let mut search = self.planned(Pace::new(*turn.page_sample, mode), mode);
        search.visit(turn, search.pace.processes(), seed)?;
        Ok(search)
    }

    /// The same area with the memory that a second search may hold now, after one that held `held`.
    /// `None` if too little is free.
    pub(super) fn with_more_memory(
        &self,
        source: &Source,
        held: Bytes,
    ) -> Result<Option<Self>, MeasureError> {
        let now = Topology::read(source)?;
        let budget = MemoryBudget::new(&now, &self.layout, memory_limits(source));
        let share = budget.second_share(held);
        Ok(share.map(|share| Self {
            layout: refreshed(&self.layout, &now),
            budget,
            online: now.online(),
            memory: self.memory.clone(),
            share,
        }))
    }

    fn planned(&self, pace: Pace, mode: Mode) -> SearchRun {
        let (rows, rounds) = pace.rows_and_rounds(self.layout.rows.len());
        let layout = some_rows(&self.layout, rows);
        let (setup, budget) = setup(&layout, mode, self.share, &self.budget);
        let online = self.online.clone();
        SearchRun {
            layout,
            setup,
            online,
            memory: self.memory.clone(),
            share: self.share,
            pace,
            rounds,
            outcome: budget.map(|()| PlanOutcome::default()),
        }
    }
}

impl SearchRun {
    /// The time of one of its processes on an ordinary machine.
    pub(super) fn process(&self, mode: Mode) -> Duration {
        Pace::usual(mode).process(&self.setup, self.rounds)
    }

    /// Adds the measurements of this many fresh processes.
    pub(super) fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        processes: u32,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let Ok(before) = &mut self.outcome else { return Ok(()) };
        let plan = plan(&self.setup, self.rounds, processes, self.pace.timeout(), seed);
        turn.cost = Some(self.pace.cost(&self.setup));
        before.append(turn.run(
            &plan,
            Work::Hidden(self.setup.clone()),
            StartSpacing::AtOnce,
            "hidden nodes",
        )?);
        Ok(())
    }

    /// Whether at least `processes` processes ran, and measured anything.
    pub(super) fn has_figures_of(&self, processes: u32) -> bool {
        self.outcome
            .as_ref()
            .is_ok_and(|outcome| outcome.processes >= processes && !outcome.samples.is_empty())
    }

    /// The search as the document records it.
    pub(super) fn recorded<'l>(&'l self, first_look: Option<&'l FirstLook>) -> HiddenRun<'l> {
        let outcome = self.outcome.as_ref().map_err(String::clone);
        let Self { layout, setup, online, memory, share, .. } = self;
        HiddenRun { layout, setup, online, memory, share: *share, first_look, outcome }
    }
}

fn plan(setup: &HiddenSetup, rounds: u32, processes: u32, timeout: Duration, seed: u64) -> Plan {
    let rows = || 0..setup.rows.len();
    let beyond = || [setup.lines_column()].into_iter().chain(setup.reference_columns());
    Plan {
        places: rows()
            .flat_map(|row| (0..setup.pages).map(move |page| CellIndex::new(row, page)))
            .collect(),
        controls: rows()
            .flat_map(|row| beyond().map(move |column| CellIndex::new(row, column)))
            .collect(),
        limits: PlanLimits {
            first_rounds: rounds * processes,
            first_rounds_per_process: rounds,
            step_rounds: rounds,
            max_rounds: rounds * processes,
            // All rounds in any case: no single cell's precision decides.
            standard_error: 0.0,
            deadline: Some(timeout),
            ..PlanLimits::usual()
        },
        seed,
    }
}
