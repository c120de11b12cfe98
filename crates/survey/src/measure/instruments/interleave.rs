//! Interleaved memory: every node alone, pairs and all nodes; then a search for the best weights;
//! then the best compared with the usual ones; and the latency there.

mod rows;
mod search;
#[cfg(test)]
mod tests;
mod weight_trials;

use std::time::Duration;

use nearfar_machine::{InterleaveWeights, Topology};
use nearfar_model::{Bytes, CellIndex, CpuId, Instrument};
use nearfar_probe::interleave::{InterleaveNode, InterleaveSetup, InterleaveTreatment};
use nearfar_probe::{Isa, Kernel, Layout, PageSize, PlanLimits, ProbeSpec, RowKind, Work};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::instruments::footprint::{self, last_level};
use crate::measure::run::{max_turns, one_process};
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, RunSummary, Scope, Session,
    Settings, SettingsError, StartSpacing, Turn,
};
use crate::{Bandwidth, Instruments, Interleave as Document, InterleaveRun, Mode, SpreadRun};
use rows::{InterleaveRows, spread_node, why_not};
use search::{SearchResult, chase_weights, is_one_or_all, search, usual};
use weight_trials::{WeightTrials, coarse, fine, plan, timeout};

/// Settings of interleaved memory.
#[derive(Clone, Debug)]
pub struct InterleaveSettings {
    /// Kernels to search the best weights for.
    pub kernels: Vec<Kernel>,
    /// Whether loads are measured, too.
    pub latency: bool,
    /// The footprint of a window, and the size of a chase; by default four times the last-level
    /// caches.
    pub size: Option<Bytes>,
    /// The length of a window: one per visit.
    pub window: Duration,
    /// Loads of a chase's sample.
    pub loads: u64,
    /// The largest weight to try.
    pub largest_weight: u32,
}

impl Default for InterleaveSettings {
    fn default() -> Self {
        Self {
            kernels: vec![Kernel::Read, Kernel::Copy],
            latency: true,
            size: None,
            window: Duration::from_millis(10),
            loads: 65_536,
            largest_weight: 16,
        }
    }
}

impl Settings for InterleaveSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let layout =
            Layout::new(&session.topology, &scope.by_group(), &ProbeSpec::chase(PageSize::Huge))?;
        let nodes: Vec<InterleaveNode> = layout.columns.iter().filter_map(spread_node).collect();
        let kernel_weights = kernel_weights(session, &nodes);
        let rows = InterleaveRows::new(&layout, scope.wanted.rows == RowKind::Auto);
        let experiment = InterleaveExperiment::new(
            self,
            scope,
            &session.topology,
            (rows, nodes),
            kernel_weights,
            session.seed,
        )?;
        Ok(Box::new(experiment))
    }
}

/// The minimum of the default size.
const MIN_BYTES: Bytes = Bytes::mib(16);
/// The largest fraction of a limited turn for the search; the rest is for latency.
const STREAMS_SHARE: f64 = 0.7;
/// Offsets of seeds: of chases, and of further turns.
const CHASES: u64 = 1_000;
const FURTHER: u64 = 10_000;

/// Interleaved memory of one machine.
struct InterleaveExperiment {
    mode: Mode,
    settings: InterleaveSettings,
    rows: InterleaveRows,
    kernel_weights: Option<Vec<u32>>,
    /// Why there is nothing to interleave.
    why: Option<String>,
    /// The setup before weights are known.
    setup: InterleaveSetup,
    /// The size of a chase.
    chased: Bytes,
    streams: Option<InterleavePart>,
    loads: Option<InterleavePart>,
    /// The options; streams and loads have the results.
    run: ExperimentRun,
}

/// The measurement of streams, or of loads.
struct InterleavePart {
    setup: InterleaveSetup,
    run: ExperimentRun,
    /// Cells that further turns measure again.
    open: Vec<CellIndex>,
}

impl InterleavePart {
    fn worst_error(&self) -> Option<f64> {
        self.run.outcome.worst_standard_error(&self.open, self.run.seed)
    }

    fn recorded<'s>(&'s self, rows: &'s InterleaveRows) -> SpreadRun<'s> {
        let ExperimentRun { outcome, visited, .. } = &self.run;
        SpreadRun { layout: &rows.layout, outcome, visited, setup: &self.setup }
    }
}

impl InterleaveExperiment {
    fn new(
        settings: InterleaveSettings,
        scope: &Scope,
        topology: &Topology,
        (rows, nodes): (InterleaveRows, Vec<InterleaveNode>),
        kernel_weights: Option<Vec<u32>>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let why = why_not(&nodes);
        let caches = topology.last_level_groups().len().max(1) as u64;
        let one = Bandwidth::footprint(last_level(topology));
        let all = Bytes(one.0.saturating_mul(caches));
        let (streamed, chased) = match why {
            Some(_) => (settings.size.unwrap_or(Bytes(0)), Bytes(0)),
            None => {
                (affordable(settings.size, all, &nodes)?, affordable(settings.size, one, &nodes)?)
            }
        };
        let setup = InterleaveSetup {
            rows: rows
                .layout
                .rows
                .iter()
                .map(|row| row.cpus.iter().collect::<Vec<CpuId>>())
                .collect(),
            nodes,
            treatments: vec![],
            isa: Isa::best(),
            footprint: streamed,
            window: settings.window,
            loads: settings.loads,
        };
        let accesses = if settings.latency { settings.loads } else { 0 };
        let options = scope.options(setup.footprint, accesses);
        let run = ExperimentRun::new(Instrument::Interleave, options, seed);
        let (mode, streams, loads) = (scope.mode, None, None);
        Ok(Self { mode, settings, rows, kernel_weights, why, setup, chased, streams, loads, run })
    }

    /// Whether streams are less precise than loads, or the only measurement.
    fn streams_are_open(&self) -> bool {
        let worst = |spread: &Option<InterleavePart>| {
            spread.as_ref().map(|spread| spread.worst_error().unwrap_or(f64::INFINITY))
        };
        match (worst(&self.streams), worst(&self.loads)) {
            (Some(streams), Some(loads)) => streams >= loads,
            (streams, _) => streams.is_some(),
        }
    }

    /// Every process places new weights, on base pages.
    fn cost(&self) -> VisitCost {
        let placing = placing(self.setup.footprint.0);
        VisitCost {
            process: Duration::from_millis(200),
            visit: self.setup.window * 5 / 2 + placing,
        }
    }

    /// The minimal search is a quick one.
    fn mode(&self, effort: Effort) -> Mode {
        if effort == Effort::Minimal { Mode::Quick } else { self.mode }
    }

    /// Searches the best weights. They are kept before loads are measured, in case these fail.
    fn search(&mut self, turn: &mut Turn<'_>, mode: Mode) -> Result<SearchResult, MeasureError> {
        let mut trials = WeightTrials::new(turn, self.run.empty_copy(), self.setup.clone(), mode);
        let found =
            search(&mut trials, &self.settings, &self.rows, self.kernel_weights.as_deref())?;
        let WeightTrials { setup, run, .. } = trials;
        let place = |(row, treatment): &(usize, InterleaveTreatment)| {
            let at = setup.treatments.iter().position(|known| known == treatment)?;
            Some(CellIndex::new(*row, 0).with_treatment(at))
        };
        let open = found.contenders.iter().filter_map(place).collect();
        self.streams = Some(InterleavePart { setup, run, open });
        Ok(found)
    }

    /// Measures latency in memory of each node, of all of them, and with the best weights.
    fn measure_latency(
        &mut self,
        turn: &mut Turn<'_>,
        mode: Mode,
        best: &[Vec<u32>],
    ) -> Result<(), MeasureError> {
        let weights = chase_weights(self.setup.nodes.len(), best);
        let treatments: Vec<InterleaveTreatment> = weights
            .into_iter()
            .map(|weights| InterleaveTreatment { weights, kernel: None })
            .collect();
        let row_places = |&row: &usize| {
            (0..treatments.len()).map(move |at| CellIndex::new(row, 0).with_treatment(at))
        };
        let places: Vec<CellIndex> = self.rows.loading.iter().flat_map(row_places).collect();
        let limits = PlanLimits { deadline: Some(timeout(mode)), ..mode.limits() };
        let plan = plan(places, limits, self.run.seed.wrapping_add(CHASES));
        let setup = InterleaveSetup { treatments, footprint: self.chased, ..self.setup.clone() };
        let mut run = self.run.empty_copy();
        run.visit(turn, &plan, Work::Interleave(setup.clone()), StartSpacing::AtOnce, "latency")?;
        self.loads = Some(InterleavePart { setup, run, open: plan.places });
        Ok(())
    }
}

impl Experiment for InterleaveExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    /// The length of the search is unknown in advance: about eight steps, and the final comparison.
    fn expected(&self, effort: Effort) -> Duration {
        if self.why.is_some() {
            return Duration::ZERO;
        }
        let (mode, cost) = (self.mode(effort), self.cost());
        let kinds = self.rows.streaming.len() * self.settings.kernels.len();
        let usual = usual(self.setup.nodes.len());
        let chases =
            usual.iter().filter(|one| is_one_or_all(one)).count() * self.rows.loading.len();
        let streams = cost.of(coarse(mode), usual.len() * kinds)
            + cost.of(coarse(mode), kinds) * 8
            + cost.of(fine(mode), 4 * kinds);
        let loads = cost.of(mode.limits(), chases);
        streams + if self.settings.latency { loads } else { Duration::ZERO }
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        if self.why.is_some() {
            self.run.begun = true;
            return Ok(());
        }
        let mode = self.mode(effort);
        let share = if self.settings.latency { STREAMS_SHARE } else { 1.0 };
        let found = self.search(&mut turn.share(share), mode)?;
        self.run.begun = true;
        if self.settings.latency { self.measure_latency(turn, mode, &found.best) } else { Ok(()) }
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        let limits = fine(self.mode);
        let places = self.streams.as_ref()?.open.len();
        (self.run.refinements < 2 * max_turns(limits))
            .then(|| self.cost().of(one_process(limits), places))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        self.run.refine();
        let limits = one_process(fine(self.mode));
        let seed = self.run.seed.wrapping_add(u64::from(self.run.refinements) + FURTHER);
        let spread = if self.streams_are_open() { &mut self.streams } else { &mut self.loads };
        if let Some(spread) = spread {
            let plan = plan(spread.open.clone(), limits, seed);
            let work = Work::Interleave(spread.setup.clone());
            spread.run.visit(turn, &plan, work, StartSpacing::AtOnce, "further rounds")?;
        }
        Ok(())
    }

    fn worst_error(&self) -> Option<f64> {
        if self.why.is_some() {
            return Some(0.0);
        }
        let all = self.streams.iter().chain(&self.loads);
        let errors: Option<Vec<f64>> = all.map(InterleavePart::worst_error).collect();
        errors?.into_iter().reduce(f64::max)
    }

    fn done(&self) -> RunSummary {
        // Loads came last, and streams are the subject of the search.
        RunSummary::from_outcomes(
            self.loads.iter().chain(&self.streams).map(|spread| &spread.run.outcome),
        )
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        if self.run.begun {
            let run = InterleaveRun {
                nodes: self.setup.nodes.iter().map(|node| node.node).collect(),
                kernel_weights: self.kernel_weights.clone(),
                bandwidth: self.streams.as_ref().map(|streams| streams.recorded(&self.rows)),
                latency: self.loads.as_ref().map(|loads| loads.recorded(&self.rows)),
                why: self.why.clone(),
            };
            let outcomes = self.streams.iter().chain(&self.loads).map(|spread| &spread.run.outcome);
            document.add(Instrument::Interleave, outcomes).interleave = Some(Document::new(&run));
        }
    }
}

/// The kernel's weights of these nodes, if it has one for each.
fn kernel_weights(session: &Session, nodes: &[InterleaveNode]) -> Option<Vec<u32>> {
    let all = InterleaveWeights::read(&session.source)?;
    nodes.iter().map(|node| all.weights.get(&node.node).map(|&weight| u32::from(weight))).collect()
}

/// The requested size, if every node has it free, since each is measured alone, too; otherwise the
/// usual size, limited by free memory.
fn affordable(
    size: Option<Bytes>,
    usual: Bytes,
    nodes: &[InterleaveNode],
) -> Result<Bytes, SettingsError> {
    let tightest = nodes.iter().filter_map(|node| Some((node.free?, node.node))).min();
    footprint::affordable(
        size,
        usual,
        MIN_BYTES,
        tightest.map(|(free, node)| (free, format!("node {node}"))),
    )
}
