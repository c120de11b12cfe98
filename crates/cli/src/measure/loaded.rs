//! Loaded latency from request to survey: nobody and a few loads first, then a delay at a time where curves bend.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use nearfar_infer::load_curve::next_delay;
use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId, Place};
use nearfar_probe::budget::Extent;
use nearfar_probe::loaded::{Load, LoadedSetup};
use nearfar_probe::{
    ColumnJob, Isa, Kernel, Layout, LayoutColumn, Outcome, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work,
};
use nearfar_survey::{BandwidthRun, Instruments, LoadedRun, Mode, Options, Survey, load_points};

use super::Session;
use super::bandwidth::{in_order, last_level};
use super::done::Done;
use super::instrument::{Cost, Instrument, least, most_turns, one_process, placing, seed_of_turn};
use super::sharing::alone;
use crate::exit::WrongUsage;

/// What is to be measured.
pub(crate) struct LoadedRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    /// Every row disturbs every other, through every memory.
    pub(crate) pairs: bool,
    pub(crate) kernel: Kernel,
    pub(crate) isa: Isa,
    /// Points of a curve, at most.
    pub(crate) points: usize,
    /// What the aggressors sweep together; by default four times the last-level cache.
    pub(crate) footprint: Option<Bytes>,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// A sample beside others, with their warm-up.
const VISIT: Duration = Duration::from_millis(40);

/// Delays that every curve begins with, beside nobody: the most traffic, and a few that are far apart.
const FIRST_DELAYS: [u32; 5] = [0, 100, 1_000, 10_000, 100_000];
/// Pages of each memory that a victim walks, one a sample.
const PAGES: u32 = 8;
/// Aggressors by default take at most this share of what a node has free.
const SHARE: u64 = 8;
/// And never less than this.
const LEAST: Bytes = Bytes::mib(64);

/// One victim row, one memory, one row of aggressors.
type Curve = (usize, usize, usize);

/// Measures.
pub(crate) fn measure_loaded(request: LoadedRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let budget = request.budget;
    let instrument = Loaded::prepare(&session, request)?;
    let options = options(&instrument.request, &instrument.setup);
    alone(&session, instrument, budget, options)
}

/// Carries out one plan, of this name: the machine does, or a simulated one.
type CarryOut<'c> = dyn Fn(&Plan, &LoadedSetup, &str) -> anyhow::Result<Outcome> + 'c;

/// What an exploration goes by.
struct Course<'c> {
    carry_out: &'c CarryOut<'c>,
    seed: u64,
    /// The time since it began.
    clock: &'c dyn Fn() -> Duration,
}

impl Course<'_> {
    /// That of a session, from now on.
    fn go<T>(session: &Session, explore: impl FnOnce(&Course<'_>) -> T) -> T {
        let begun = Instant::now();
        let carry_out =
            |plan: &Plan, setup: &LoadedSetup, what: &str| session.spaced(plan, Work::Loaded(setup.clone()), what);
        explore(&Course { carry_out: &carry_out, seed: session.seed, clock: &|| begun.elapsed() })
    }
}

/// The instrument.
pub(super) struct Loaded {
    request: LoadedRequest,
    layout: Layout,
    setup: LoadedSetup,
    curves: Vec<Curve>,
    /// Cells that a first turn begins with.
    first: usize,
    visited: Vec<Place>,
    outcome: Outcome,
    /// Where curves bend most, as far as they bend and have not points enough.
    bends: Vec<Place>,
    begun: bool,
    turns: u32,
}

impl Loaded {
    /// Lays out what was asked for; what cannot be had is refused.
    pub(super) fn prepare(session: &Session, request: LoadedRequest) -> anyhow::Result<Self> {
        let wanted = Wanted {
            // A victim's neighbours disturb it, so a row is more than a core.
            rows: if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows },
            ..request.wanted.clone()
        };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        Self::of(request, layout, &session.topology)
    }

    fn of(request: LoadedRequest, layout: Layout, topology: &Topology) -> anyhow::Result<Self> {
        let mut setup = setup(&request, topology, &layout)?;
        let curves = curves(&setup, &layout, request.pairs)?;
        let bends = first_cells(&mut setup, &layout, &curves, request.pairs);
        let (first, visited, outcome) = (bends.len(), vec![], Outcome::default());
        Ok(Self { request, layout, setup, curves, first, visited, outcome, bends, begun: false, turns: 0 })
    }

    /// Measures what every curve begins with, then, unless that is all there is time for, a delay of each where it bends most, until none bends or
    /// there are points enough.
    fn explore(&mut self, course: &Course<'_>, extent: Extent) -> anyhow::Result<()> {
        let limits = first_limits(self.request.mode, extent);
        let first = std::mem::take(&mut self.bends);
        self.visit(course, first, limits, course.seed, "loads")?;
        // Each adds a point to every curve that bends; no more, whatever was dropped.
        let stages = if extent == Extent::Least { 0 } else { self.request.points as u64 };
        for stage in 1..=stages {
            let patience = limits.deadline.unwrap_or_default().saturating_sub((course.clock)());
            if self.bends.is_empty() || patience.is_zero() {
                break;
            }
            let limits = PlanLimits { deadline: Some(patience), ..limits };
            self.visit(course, self.bends.clone(), limits, course.seed.wrapping_add(stage), "bends")?;
        }
        Ok(())
    }

    fn visit(
        &mut self,
        course: &Course<'_>,
        places: Vec<Place>,
        limits: PlanLimits,
        seed: u64,
        what: &str,
    ) -> anyhow::Result<()> {
        let plan = Plan { places, controls: vec![], limits, seed };
        let heard = (course.carry_out)(&plan, &self.setup, what)?;
        let fresh: Vec<_> = plan.places.into_iter().filter(|place| !self.visited.contains(place)).collect();
        self.visited.extend(fresh);
        self.begun = true;
        self.outcome.append(heard);
        self.bends = next_cells(&mut self.setup, &self.outcome, &self.curves, self.request.points);
        Ok(())
    }

    fn cost(&self) -> Cost {
        let rows = self.setup.rows.len() as u64;
        let bytes = self.setup.footprint.0.saturating_mul(rows).saturating_mul(self.layout.columns.len() as u64);
        Cost { process: placing(bytes), visit: VISIT }
    }
}

impl Instrument for Loaded {
    fn name(&self) -> &'static str {
        "loaded"
    }

    fn expected(&self, extent: Extent) -> Duration {
        let first = self.cost().of(first_limits(self.request.mode, extent), self.first);
        match extent {
            Extent::Least => first,
            // Half of the further points that a curve may have.
            Extent::Whole => {
                let further = u32::try_from(self.request.points.saturating_sub(FIRST_DELAYS.len()) / 2).unwrap_or(0);
                first + self.cost().of(limits(self.request.mode), self.curves.len()) * further
            }
        }
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        Course::go(session, |course| self.explore(course, extent))
    }

    fn aim(&self) -> f64 {
        limits(self.request.mode).standard_error
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error(&self.visited, session.seed)
    }

    fn still_looks(&self) -> bool {
        !self.bends.is_empty()
    }

    fn further(&self) -> Option<Duration> {
        let usual = limits(self.request.mode);
        let (cells, limits) = match self.bends.len() {
            0 => (self.visited.len(), one_process(usual)),
            bends => (bends, first_limits(self.request.mode, Extent::Least)),
        };
        let most = most_turns(usual) + u32::try_from(self.request.points).unwrap_or(0);
        (self.turns < most).then(|| self.cost().of(limits, cells))
    }

    /// Where curves bend, as precisely as the first loads; else one more process over all of them.
    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let seed = seed_of_turn(session.seed, self.turns);
        let (cells, limits, what) = match self.bends.is_empty() {
            true => (self.visited.clone(), one_process(limits(self.request.mode)), "further rounds"),
            false => (self.bends.clone(), first_limits(self.request.mode, Extent::Least), "bends"),
        };
        Course::go(session, |course| self.visit(course, cells, limits, seed, what))
    }

    fn done(&self) -> Done {
        Done::of([&self.outcome])
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        let (layout, outcome, setup) = (&self.layout, &self.outcome, &self.setup);
        document.loaded = self.begun.then(|| LoadedRun { layout, outcome, visited: self.visited.clone(), setup });
    }
}

fn setup(request: &LoadedRequest, topology: &Topology, layout: &Layout) -> anyhow::Result<LoadedSetup> {
    let rows: Vec<Vec<CpuId>> = layout.rows.iter().map(|row| in_order(topology, row)).collect();
    if rows.iter().map(Vec::len).sum::<usize>() < 2 {
        let cpus = rows.iter().flatten().next().map_or_else(String::new, |cpu| format!(" (CPU {cpu})"));
        return Err(WrongUsage(format!(
            "loaded latency needs two CPUs, one that waits and one that disturbs it: there is one only{cpus}"
        ))
        .into());
    }
    Ok(LoadedSetup {
        rows,
        cores: topology.cores().iter().map(|core| core.cpus.clone()).collect(),
        spinners: layout.spinners.clone(),
        columns: layout.columns.iter().map(pages).collect(),
        loads: vec![None],
        kernel: request.kernel,
        isa: request.isa,
        footprint: footprint(request, topology, layout)?,
    })
}

/// The victims' pages of a column.
fn pages(column: &LayoutColumn) -> ColumnJob {
    ColumnJob {
        probe: ProbeSpec::page(),
        node: column.node,
        pages: PAGES,
        touch_from: column.touch_from.clone(),
        free: column.free,
        why_not: column.why_not.clone(),
    }
}

/// What was asked for, if every memory has room for it; else four times the last-level cache, as far as there is room.
fn footprint(request: &LoadedRequest, topology: &Topology, layout: &Layout) -> anyhow::Result<Bytes> {
    let measurable = layout.columns.iter().filter(|column| column.why_not.is_none());
    let tightest = measurable.filter_map(|column| Some((column.free?, &column.label))).min();
    match (request.footprint, tightest) {
        (Some(wanted), Some((free, label))) if wanted > free => {
            Err(WrongUsage(format!("--size {wanted} is more than can be had on {label}, {free}: ask for less")).into())
        }
        (Some(wanted), _) => Ok(wanted),
        (None, tightest) => {
            let usual = BandwidthRun::footprint(last_level(topology));
            Ok(tightest.map_or(usual, |(free, _)| usual.min(Bytes(free.0 / SHARE)).max(LEAST)))
        }
    }
}

/// Every victim and memory beside its own row, or the next one where it is alone; with pairs beside every row.
fn curves(setup: &LoadedSetup, layout: &Layout, pairs: bool) -> anyhow::Result<Vec<Curve>> {
    let rows = setup.rows.len();
    let disturbs = |victim: usize, row: usize| row != victim || setup.rows[row].len() > 1;
    let usual = |victim: usize| {
        let own_first = (0..rows).map(|step| (victim + step) % rows);
        own_first.filter(|&row| disturbs(victim, row)).take(1).collect::<Vec<_>>()
    };
    let all = |victim: usize| (0..rows).filter(|&row| disturbs(victim, row)).collect::<Vec<_>>();
    let beside = |victim| if pairs { all(victim) } else { usual(victim) };
    let curves: Vec<Curve> = layout
        .places()
        .into_iter()
        .flat_map(|place| beside(place.row).into_iter().map(move |row| (place.row, place.column, row)))
        .collect();
    match curves.is_empty() {
        true => Err(anyhow::anyhow!("no memory can be measured: {}", why_not(layout))),
        false => Ok(curves),
    }
}

fn why_not(layout: &Layout) -> String {
    let mut reasons: Vec<&str> = layout.columns.iter().filter_map(|column| column.why_not.as_deref()).collect();
    reasons.dedup();
    reasons.join("; ")
}

/// Nobody, the first delays of every curve, and the same aggressors at other memory; with pairs all aggressors at all memory.
fn first_cells(setup: &mut LoadedSetup, layout: &Layout, curves: &[Curve], pairs: bool) -> Vec<Place> {
    let idle = setup.treatment(None);
    let mut cells: Vec<Place> = layout.places().into_iter().map(|place| place.with_treatment(idle)).collect();
    let measurable = |column: &usize| layout.columns[*column].why_not.is_none();
    for &(victim, column, row) in curves {
        let own = FIRST_DELAYS.map(|delay| Load { row, memory: None, delay });
        let others = (0..layout.columns.len()).filter(measurable).filter(|&memory| memory != column);
        // Row by row on machines of few nodes; more only where somebody asked.
        let others = others.filter(|_| pairs || layout.columns.len() <= 4);
        let others: Vec<Load> = others.map(|memory| Load { row, memory: Some(memory), delay: 0 }).collect();
        let loads = own.into_iter().chain(others);
        cells.extend(loads.map(|load| Place::new(victim, column).with_treatment(setup.treatment(Some(load)))));
    }
    cells
}

/// The delay of each curve that shows most, as long as it has fewer points than this.
fn next_cells(setup: &mut LoadedSetup, outcome: &Outcome, curves: &[Curve], most: usize) -> Vec<Place> {
    let mut cells = Vec::new();
    let of_curves = load_points(setup, outcome, curves);
    for (&(victim, column, row), points) in curves.iter().zip(of_curves) {
        if points.len() >= most {
            continue;
        }
        if let Some(delay) = next_delay(&points) {
            let load = setup.treatment(Some(Load { row, memory: None, delay }));
            cells.push(Place::new(victim, column).with_treatment(load));
        }
    }
    cells
}

fn first_limits(mode: Mode, extent: Extent) -> PlanLimits {
    match extent {
        Extent::Least => least(limits(mode), 6, 2),
        Extent::Whole => limits(mode),
    }
}

/// A loaded sample takes twenty times as long as an idle one, and scatters.
fn limits(mode: Mode) -> PlanLimits {
    let (standard_error, most_rounds, patience_s) = match mode {
        Mode::Quick => (0.02, 15, 60),
        Mode::Default => (0.01, 30, 300),
        Mode::Thorough => (0.005, 90, 1800),
    };
    PlanLimits {
        first_rounds: 10,
        first_rounds_per_process: 2,
        step_rounds: 5,
        most_rounds,
        standard_error,
        deadline: Some(Duration::from_secs(patience_s)),
    }
}

fn options(request: &LoadedRequest, setup: &LoadedSetup) -> Options {
    let probe = ProbeSpec::page();
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: setup.footprint.0,
        accesses: probe.accesses,
    }
}
