//! Loaded latency: idle and a few loads first, then further delays where curves bend.

#[cfg(test)]
mod tests;

use std::time::Duration;

use nearfar_infer::load_curve::next_delay;
use nearfar_machine::Topology;
use nearfar_model::{Bytes, CellIndex, CpuId, Instrument};
use nearfar_probe::loaded::{Load, LoadedSetup};
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutColumn, PageSize, Plan, PlanLimits, PlanOutcome, ProbeSpec, Work,
};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::instruments::bandwidth::in_order;
use crate::measure::instruments::footprint::{affordable, last_level};
use crate::measure::run::{max_turns, one_process};
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings,
    SettingsError, StartSpacing, Turn,
};
use crate::{Bandwidth, Instruments, Loaded as Document, Mode, load_points};

/// Settings of loaded latency.
#[derive(Clone, Debug)]
pub struct LoadedSettings {
    /// Whether every row loads every other, through every memory.
    pub pairs: bool,
    /// The operation of the CPUs that load.
    pub kernel: Kernel,
    /// Their instruction set.
    pub isa: Isa,
    /// The largest number of points per curve; by default 8, 12 or 16 by mode.
    pub points: Option<usize>,
    /// The footprint of the CPUs that load; by default four times the last-level cache.
    pub size: Option<Bytes>,
}

impl Default for LoadedSettings {
    fn default() -> Self {
        Self { pairs: false, kernel: Kernel::Read, isa: Isa::best(), points: None, size: None }
    }
}

impl Settings for LoadedSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let layout =
            Layout::new(&session.topology, &scope.by_group(), &ProbeSpec::chase(PageSize::Huge))?;
        Ok(Box::new(LoadedExperiment::new(&self, scope, layout, &session.topology, session.seed)?))
    }
}

/// The time of a loaded sample, with its warm-up.
const VISIT: Duration = Duration::from_millis(40);
/// The first delays of every curve, besides idle: the most traffic, and a few at large intervals.
const FIRST_DELAYS: [u32; 5] = [0, 100, 1_000, 10_000, 100_000];
/// Pages of each memory that a victim walks, one per sample.
const PAGES: u32 = 8;
/// The minimum of the default footprint.
const MIN_BYTES: Bytes = Bytes::mib(64);

/// One victim row, one memory, one row of CPUs that load.
type Curve = (usize, usize, usize);

/// Loaded latency of one machine.
struct LoadedExperiment {
    points: usize,
    layout: Layout,
    setup: LoadedSetup,
    curves: Vec<Curve>,
    /// The number of cells at the start of a first turn.
    first: usize,
    /// The sharpest bends of curves that have too few points.
    bends: Vec<CellIndex>,
    run: ExperimentRun,
}

impl LoadedExperiment {
    fn new(
        settings: &LoadedSettings,
        scope: &Scope,
        layout: Layout,
        topology: &Topology,
        seed: u64,
    ) -> Result<Self, MeasureError> {
        let mut setup = setup(settings, topology, &layout)?;
        let curves = curves(&setup, &layout, settings.pairs)?;
        let bends = first_cells(&mut setup, &layout, &curves, settings.pairs);
        let points = settings.points.unwrap_or(match scope.mode {
            Mode::Quick => 8,
            Mode::Default => 12,
            Mode::Thorough => 16,
        });
        let options = scope.options(setup.footprint, ProbeSpec::page().accesses);
        let run = ExperimentRun::new(Instrument::Loaded, options, seed);
        Ok(Self { points, layout, setup, curves, first: bends.len(), bends, run })
    }

    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        places: Vec<CellIndex>,
        limits: PlanLimits,
        seed: u64,
        what: &str,
    ) -> Result<(), MeasureError> {
        let plan = Plan { places, controls: vec![], limits, seed };
        self.run.visit(
            turn,
            &plan,
            Work::Loaded(self.setup.clone()),
            StartSpacing::Spaced,
            what,
        )?;
        self.bends = next_cells(&mut self.setup, &self.run.outcome, &self.curves, self.points);
        Ok(())
    }

    fn first_limits(&self, effort: Effort) -> PlanLimits {
        effort.limits(self.run.limits, 6, 2)
    }

    fn cost(&self) -> VisitCost {
        let rows = self.setup.rows.len() as u64;
        let bytes = self
            .setup
            .footprint
            .0
            .saturating_mul(rows)
            .saturating_mul(self.layout.columns.len() as u64);
        VisitCost { process: placing(bytes), visit: VISIT }
    }
}

impl Experiment for LoadedExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        let first = self.cost().of(self.first_limits(effort), self.first);
        match effort {
            Effort::Minimal => first,
            // Half of the further points that a curve may have.
            Effort::Full => {
                let further =
                    u32::try_from(self.points.saturating_sub(FIRST_DELAYS.len()) / 2).unwrap_or(0);
                first + self.cost().of(self.run.limits, self.curves.len()) * further
            }
        }
    }

    /// Measures the first points of every curve. With time for more, it adds a delay to each curve
    /// at its sharpest bend, until no curve bends or has too few points.
    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let begun = turn.backend.elapsed();
        let limits = self.first_limits(effort);
        let first = std::mem::take(&mut self.bends);
        self.visit(turn, first, limits, self.run.seed, "loads")?;
        // Each stage adds a point to every curve that bends; no more, whatever was dropped.
        let stages = if effort == Effort::Minimal { 0 } else { self.points as u64 };
        for stage in 1..=stages {
            let taken = turn.backend.elapsed().saturating_sub(begun);
            let left = limits.deadline.unwrap_or_default().saturating_sub(taken);
            if self.bends.is_empty() || left.is_zero() {
                break;
            }
            let limits = PlanLimits { deadline: Some(left), ..limits };
            self.visit(
                turn,
                self.bends.clone(),
                limits,
                self.run.seed.wrapping_add(stage),
                "bends",
            )?;
        }
        Ok(())
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        let (places, limits) = match self.bends.len() {
            0 => (self.run.visited.len(), one_process(self.run.limits)),
            bends => (bends, self.first_limits(Effort::Minimal)),
        };
        let most = max_turns(self.run.limits) + u32::try_from(self.points).unwrap_or(0);
        (self.run.refinements < most).then(|| self.cost().of(limits, places))
    }

    /// Measures bends, as precisely as the first loads; otherwise one more process over all cells.
    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (limits, seed) = self.run.refine();
        if self.bends.is_empty() {
            return self.visit(turn, self.run.visited.clone(), limits, seed, "further rounds");
        }
        self.visit(turn, self.bends.clone(), self.first_limits(Effort::Minimal), seed, "bends")
    }

    fn is_searching(&self) -> bool {
        !self.bends.is_empty()
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let ExperimentRun { outcome, visited, begun, .. } = &self.run;
        if *begun {
            document.add(Instrument::Loaded, [outcome]).loaded =
                Some(Document::new(&self.layout, outcome, visited, &self.setup));
        }
    }
}

fn setup(
    settings: &LoadedSettings,
    topology: &Topology,
    layout: &Layout,
) -> Result<LoadedSetup, SettingsError> {
    let rows: Vec<Vec<CpuId>> = layout.rows.iter().map(|row| in_order(topology, row)).collect();
    if rows.iter().map(Vec::len).sum::<usize>() < 2 {
        return Err(SettingsError::OneCpuToLoad { cpu: rows.into_iter().flatten().next() });
    }
    Ok(LoadedSetup {
        rows,
        cores: topology.cores().iter().map(|core| core.cpus.clone()).collect(),
        spinners: layout.spinners.clone(),
        columns: layout.columns.iter().map(victims_pages).collect(),
        loads: vec![None],
        kernel: settings.kernel,
        isa: settings.isa,
        footprint: footprint(settings, topology, layout)?,
    })
}

/// The victims' pages of a column.
fn victims_pages(column: &LayoutColumn) -> LayoutColumn {
    LayoutColumn { probe: ProbeSpec::page(), pages: PAGES, ..column.clone() }
}

/// The requested size, if every memory has it free; otherwise four times the last-level cache,
/// limited by free memory.
fn footprint(
    settings: &LoadedSettings,
    topology: &Topology,
    layout: &Layout,
) -> Result<Bytes, SettingsError> {
    let measurable = layout.measurable_columns().map(|column| &layout.columns[column]);
    let tightest =
        measurable.filter_map(|column| Some((column.memory.free?, column.label.clone()))).min();
    affordable(settings.size, Bandwidth::footprint(last_level(topology)), MIN_BYTES, tightest)
}

/// Every victim and memory with its own row as the load, or the next one if the victim is alone;
/// with `pairs` every row.
fn curves(setup: &LoadedSetup, layout: &Layout, pairs: bool) -> Result<Vec<Curve>, MeasureError> {
    let rows = setup.rows.len();
    let disturbs = |victim: usize, row: usize| row != victim || setup.rows[row].len() > 1;
    let beside = |victim: usize| {
        let own_first =
            (0..rows).map(|step| (victim + step) % rows).filter(|&row| disturbs(victim, row));
        let mut beside: Vec<usize> = own_first.take(if pairs { rows } else { 1 }).collect();
        beside.sort_unstable();
        beside
    };
    let curves: Vec<Curve> = layout
        .places()
        .into_iter()
        .flat_map(|place| {
            beside(place.row).into_iter().map(move |row| (place.row, place.column, row))
        })
        .collect();
    if curves.is_empty() {
        Err(MeasureError::NoMemory { reasons: why_not(layout) })
    } else {
        Ok(curves)
    }
}

fn why_not(layout: &Layout) -> String {
    let mut reasons: Vec<&str> =
        layout.columns.iter().filter_map(|column| column.memory.why_not.as_deref()).collect();
    reasons.dedup();
    reasons.join("; ")
}

/// Idle, the first delays of every curve, and the same aggressors at other memory; with `pairs` all
/// aggressors at all memory.
fn first_cells(
    setup: &mut LoadedSetup,
    layout: &Layout,
    curves: &[Curve],
    pairs: bool,
) -> Vec<CellIndex> {
    let idle = setup.treatment(None);
    let mut cells: Vec<CellIndex> =
        layout.places().into_iter().map(|place| place.with_treatment(idle)).collect();
    for &(victim, column, row) in curves {
        let own = FIRST_DELAYS.map(|delay| Load { row, memory: None, delay });
        let others = layout.measurable_columns().filter(|&memory| memory != column);
        // Other memory on machines of few nodes; on larger ones on request only.
        let others = others.filter(|_| pairs || layout.columns.len() <= 4);
        let others: Vec<Load> =
            others.map(|memory| Load { row, memory: Some(memory), delay: 0 }).collect();
        let loads = own.into_iter().chain(others);
        cells.extend(loads.map(|load| {
            CellIndex::new(victim, column).with_treatment(setup.treatment(Some(load)))
        }));
    }
    cells
}

/// The most informative next delay of each curve with fewer than `most` points.
fn next_cells(
    setup: &mut LoadedSetup,
    outcome: &PlanOutcome,
    curves: &[Curve],
    most: usize,
) -> Vec<CellIndex> {
    let mut cells = Vec::new();
    let of_curves = load_points(setup, outcome, curves);
    for (&(victim, column, row), points) in curves.iter().zip(of_curves) {
        if points.len() >= most {
            continue;
        }
        if let Some(delay) = next_delay(&points) {
            let load = setup.treatment(Some(Load { row, memory: None, delay }));
            cells.push(CellIndex::new(victim, column).with_treatment(load));
        }
    }
    cells
}
