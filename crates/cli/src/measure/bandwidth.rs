//! Bandwidth from request to survey: how many threads it takes first, then every kernel with so many; or with each number that was asked for.

use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId, Place};
use nearfar_probe::bandwidth::{BandwidthSetup, MemoryJob, Treatment, thread_steps};
use nearfar_probe::budget::Extent;
use nearfar_probe::crew::warm_up;
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutRow, Outcome, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work,
};
use nearfar_survey::{BandwidthRun, Instruments, Mode, Options, Peak, StoodOut, Survey, knee};

use super::Session;
use super::done::Done;
use super::instrument::{Cost, Instrument, least, most_turns, one_process, placing, seed_of_turn};
use super::sharing::alone;
use super::standing_out::{again, points, wild_cells};
use crate::exit::WrongUsage;

/// What is to be measured.
pub(crate) struct BandwidthRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) isa: Isa,
    /// So many threads, ascending, in place of a curve; none for the curve.
    pub(crate) threads: Vec<usize>,
    /// What the threads of a window sweep together; by default four times the last-level cache.
    pub(crate) footprint: Option<Bytes>,
    pub(crate) window: Duration,
    /// So many windows a visit; by default as many as fill [`VISIT`].
    pub(crate) windows: Option<u32>,
    pub(crate) peak: Option<Peak>,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// Of a turn that is limited, reading by threads takes so much at most.
const CURVE_SHARE: f64 = 0.5;
/// Windows on end take so long, unless one is longer: what comes before them, placing memory above all, takes more.
const VISIT: Duration = Duration::from_millis(40);
/// Until all threads of a visit are awake, and their memory is looked at.
const STARTING: Duration = Duration::from_millis(5);

/// Measures.
pub(crate) fn measure_bandwidth(request: BandwidthRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let budget = request.budget;
    let instrument = Bandwidth::prepare(&session, request)?;
    let options = options(&instrument.request, &instrument.setup);
    alone(&session, instrument, budget, options)
}

/// The instrument.
pub(super) struct Bandwidth {
    request: BandwidthRequest,
    layout: Layout,
    setup: BandwidthSetup,
    peak: Option<Peak>,
    visited: Vec<Place>,
    outcome: Outcome,
    stood_out: Vec<StoodOut>,
    begun: bool,
    turns: u32,
}

impl Bandwidth {
    /// Lays out what was asked for; what cannot be had is refused.
    pub(super) fn prepare(session: &Session, request: BandwidthRequest) -> anyhow::Result<Self> {
        let wanted = Wanted {
            // A core by itself does not fill a node's channels.
            rows: if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows },
            ..request.wanted.clone()
        };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        let setup = setup(&request, &session.topology, &layout);
        check(&request, &setup)?;
        let peak = request.peak.clone().or_else(|| peak_of(session));
        let (visited, outcome, stood_out) = (vec![], Outcome::default(), vec![]);
        Ok(Self { request, layout, setup, peak, visited, outcome, stood_out, begun: false, turns: 0 })
    }

    /// Visits cells, some of which may have been visited before.
    fn visit(
        &mut self,
        session: &Session,
        places: &[Place],
        limits: PlanLimits,
        seed: u64,
        what: &str,
    ) -> anyhow::Result<Outcome> {
        let plan = Plan { places: places.to_vec(), controls: vec![], limits, seed };
        let heard = session.spaced(&plan, Work::Bandwidth(self.setup.clone()), what)?;
        let fresh: Vec<_> = places.iter().filter(|place| !self.visited.contains(place)).copied().collect();
        self.visited.extend(fresh);
        self.begun = true;
        self.outcome.append(heard.clone());
        Ok(heard)
    }

    /// Cells that stand out are measured again by fresh processes; what both heard counts.
    fn settle(&mut self, session: &Session, limits: PlanLimits) -> anyhow::Result<()> {
        let wild = wild_cells(&self.setup, &self.layout, &session.topology, &self.outcome, &self.request.threads);
        if wild.is_empty() {
            return Ok(());
        }
        let places: Vec<Place> = wild.iter().map(|(place, _)| *place).collect();
        let second = self.visit(session, &places, limits, session.seed.wrapping_add(2), "cells that stand out")?;
        self.stood_out = again(wild, &second);
        Ok(())
    }

    fn cost(&self) -> Cost {
        let of_rows: u64 = (0..self.setup.rows.len()).map(|row| self.setup.row_bytes(row).0).sum();
        let bytes = of_rows.saturating_mul(self.setup.columns.len() as u64);
        let window = self.setup.window;
        let visit = STARTING + warm_up(window) + window * self.setup.windows;
        Cost { process: placing(bytes), visit }
    }

    /// How many cells the plans of a first turn visit: reading by threads, then the other kernels once each; or all in one.
    fn cells_by_plan(&self) -> Vec<usize> {
        if !self.request.threads.is_empty() {
            return vec![cells(&self.setup, &self.layout, |_| true).len()];
        }
        let places = self.layout.places().len();
        let kernels = self.request.kernels.iter().filter(|kernel| **kernel != Kernel::Read).count();
        vec![curve_cells(&self.setup, &self.layout).len(), places * kernels]
    }

    /// A plan of all cells has the time of the plans that it stands for: one of reading by threads, one of kernels for each number of them.
    fn first_limits(&self, extent: Extent) -> PlanLimits {
        let limits = limits(self.request.mode);
        let plans = 1 + self.request.threads.len() as u32;
        let deadline = limits.deadline.map(|deadline| deadline * plans);
        let limits = PlanLimits { deadline, ..limits };
        match extent {
            Extent::Least => least(limits, 6, 2),
            Extent::Whole => limits,
        }
    }

    /// How many threads it takes has to be found first; every kernel is then measured with so many.
    fn visit_to_the_knee(&mut self, session: &Session, limits: PlanLimits) -> anyhow::Result<()> {
        let curve = curve_cells(&self.setup, &self.layout);
        // What is left of a turn is for the kernels.
        session.in_a_share(CURVE_SHARE, || self.visit(session, &curve, limits, session.seed, "threads"))?;
        let kernels = kernel_cells(&self.setup, &self.outcome);
        if !kernels.is_empty() {
            self.visit(session, &kernels, limits, session.seed.wrapping_add(1), "kernels")?;
        }
        Ok(())
    }

    /// Where the threads are told nothing has to be found first: all cells share one random order, and whatever drifts meanwhile.
    fn visit_as_told(&mut self, session: &Session, limits: PlanLimits) -> anyhow::Result<()> {
        let all = cells(&self.setup, &self.layout, |_| true);
        self.visit(session, &all, limits, session.seed, "kernels")?;
        Ok(())
    }
}

impl Instrument for Bandwidth {
    fn name(&self) -> &'static str {
        "bandwidth"
    }

    fn expected(&self, extent: Extent) -> Duration {
        let limits = self.first_limits(extent);
        self.cells_by_plan().into_iter().filter(|cells| *cells > 0).map(|cells| self.cost().of(limits, cells)).sum()
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        let limits = self.first_limits(extent);
        if self.request.threads.is_empty() {
            self.visit_to_the_knee(session, limits)?;
        } else {
            self.visit_as_told(session, limits)?;
        }
        self.settle(session, limits)
    }

    fn aim(&self) -> f64 {
        limits(self.request.mode).standard_error
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error(&self.visited, session.seed)
    }

    fn further(&self) -> Option<Duration> {
        let limits = limits(self.request.mode);
        (self.turns < most_turns(limits)).then(|| self.cost().of(one_process(limits), self.visited.len()))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let (places, limits) = (self.visited.clone(), one_process(limits(self.request.mode)));
        self.visit(session, &places, limits, seed_of_turn(session.seed, self.turns), "further rounds")?;
        Ok(())
    }

    fn done(&self) -> Done {
        Done::of([&self.outcome])
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        document.bandwidth = self.begun.then(|| BandwidthRun {
            layout: &self.layout,
            outcome: &self.outcome,
            visited: self.visited.clone(),
            setup: &self.setup,
            peak: self.peak.clone(),
            stood_out: self.stood_out.clone(),
        });
    }
}

/// What cannot be had is refused before anything is touched.
fn check(request: &BandwidthRequest, setup: &BandwidthSetup) -> Result<(), WrongUsage> {
    let most = setup.rows.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(threads) = request.threads.iter().find(|threads| **threads > most) {
        let cpus = if most == 1 { "1 CPU".to_owned() } else { format!("{most} CPUs") };
        return Err(WrongUsage(format!("--threads {threads}: the largest group of these CPUs has {cpus}")));
    }
    let cells = || (0..setup.rows.len()).flat_map(|row| (0..setup.columns.len()).map(move |column| (row, column)));
    let rooms: Vec<Result<(), String>> =
        cells().map(|(row, column)| setup.room(row, column).map_err(|refused| refused.to_string())).collect();
    match (request.footprint, rooms.into_iter().reduce(Result::or)) {
        (Some(size), Some(Err(why))) => Err(WrongUsage(format!("--size {size}{}: {why}", more_than(setup)))),
        _ => Ok(()),
    }
}

/// Why a row's threads take more than they sweep together.
fn more_than(setup: &BandwidthSetup) -> String {
    let most = (0..setup.rows.len()).map(|row| (setup.row_bytes(row), setup.threads_of(row))).max();
    match most {
        Some((bytes, threads @ 2..)) => format!(
            " takes {bytes} in all for up to {threads} threads (the first has all of it, as it sweeps alone at first, the second a half, the nth an nth)"
        ),
        _ => String::new(),
    }
}

/// What the DIMMs of a node could deliver, where SMBIOS tells all of it. A guest's table is of its host's making.
fn peak_of(session: &Session) -> Option<Peak> {
    if session.environment.hypervisor.is_some() {
        return None;
    }
    let channels = session.witnesses.firmware.smbios.as_ref()?.found.decoded()?.channels()?;
    Peak::of_each(channels, &session.topology)
}

fn setup(request: &BandwidthRequest, topology: &Topology, layout: &Layout) -> BandwidthSetup {
    let rows: Vec<Vec<CpuId>> = layout.rows.iter().map(|row| in_order(topology, row)).collect();
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let threads = if request.threads.is_empty() { thread_steps(most) } else { request.threads.clone() };
    let mut kernels = vec![Kernel::Read];
    kernels.extend(request.kernels.iter().filter(|kernel| **kernel != Kernel::Read));
    let treatments =
        kernels.iter().flat_map(|&kernel| threads.iter().map(move |&threads| Treatment { kernel, threads }));
    BandwidthSetup {
        treatments: treatments.collect(),
        rows,
        columns: layout.columns.iter().map(MemoryJob::of).collect(),
        isa: request.isa,
        footprint: request.footprint.unwrap_or_else(|| BandwidthRun::footprint(last_level(topology))),
        window: request.window,
        windows: request.windows.unwrap_or_else(|| windows_in_a_visit(request.window)),
    }
}

fn windows_in_a_visit(window: Duration) -> u32 {
    (VISIT.as_micros() / window.as_micros().max(1)).clamp(1, 40) as u32
}

/// A row's CPUs as threads are added: one of each core, then their siblings.
pub(super) fn in_order(topology: &Topology, row: &LayoutRow) -> Vec<CpuId> {
    let mut cpus: Vec<CpuId> = row.cpus.iter().collect();
    let place = |cpu: &CpuId| topology.smt_siblings(*cpu).iter().position(|sibling| sibling == *cpu).unwrap_or(0);
    cpus.sort_by_key(|cpu| (place(cpu), *cpu));
    cpus
}

/// The largest last-level cache.
pub(super) fn last_level(topology: &Topology) -> Option<Bytes> {
    topology.caches.iter().filter_map(|cache| cache.size).max()
}

/// Reading, by every number of threads that a row has.
fn curve_cells(setup: &BandwidthSetup, layout: &Layout) -> Vec<Place> {
    cells(setup, layout, |treatment| treatment.kernel == Kernel::Read)
}

/// Every such treatment, in each cell of the layout whose row has the threads.
fn cells(setup: &BandwidthSetup, layout: &Layout, is_wanted: fn(&Treatment) -> bool) -> Vec<Place> {
    let of_row = |row: usize| {
        let fits = move |treatment: &Treatment| is_wanted(treatment) && treatment.threads <= setup.rows[row].len();
        setup.treatments.iter().enumerate().filter(move |(_, treatment)| fits(treatment)).map(|(index, _)| index)
    };
    layout.places().into_iter().flat_map(|place| of_row(place.row).map(move |at| place.with_treatment(at))).collect()
}

/// The other kernels, each with as many threads as reading takes.
fn kernel_cells(setup: &BandwidthSetup, curve: &Outcome) -> Vec<Place> {
    let mut cells = Vec::new();
    for row in 0..setup.rows.len() {
        for column in 0..setup.columns.len() {
            let place = Place::new(row, column);
            let points = points(setup, curve, place);
            let Some(threads) = knee(&points) else { continue };
            let others = setup.treatments.iter().enumerate();
            let wanted =
                others.filter(|(_, treatment)| treatment.kernel != Kernel::Read && treatment.threads == threads);
            cells.extend(wanted.map(|(at, _)| place.with_treatment(at)));
        }
    }
    cells
}

/// A visit takes forty times as long as a page's sample, so there are fewer of them.
fn limits(mode: Mode) -> PlanLimits {
    let (standard_error, most_rounds, patience_s) = match mode {
        Mode::Quick => (0.01, 15, 60),
        Mode::Default => (0.005, 30, 300),
        Mode::Thorough => (0.0025, 90, 1800),
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

fn options(request: &BandwidthRequest, setup: &BandwidthSetup) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: setup.footprint.0,
        accesses: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sketch::{layout, setup};
    use super::*;

    #[test]
    fn rows_without_the_threads_are_left_out_and_reading_is_a_part_of_all() {
        let treatments =
            [Kernel::Read, Kernel::NtWrite].map(|kernel| [1, 2].map(|threads| Treatment { kernel, threads }));
        let mut setup = BandwidthSetup { treatments: treatments.concat(), ..setup() };
        setup.rows[2].push(CpuId(9));
        let (columns, all) = (setup.columns.len(), cells(&setup, &layout(), |_| true));
        let of_row = |row: usize| all.iter().filter(|place| place.row == row).copied().collect::<Vec<_>>();
        let by = |row: usize, treatments: &'static [usize]| {
            let of_column = move |column| treatments.iter().map(move |&at| Place::new(row, column).with_treatment(at));
            (0..columns).flat_map(of_column).collect::<Vec<_>>()
        };
        assert_eq!(of_row(0), by(0, &[0, 2]));
        assert_eq!(of_row(2), by(2, &[0, 1, 2, 3]));
        let read: Vec<_> = all.into_iter().filter(|place| place.treatment < 2).collect();
        assert_eq!(curve_cells(&setup, &layout()), read);
    }

    #[test]
    fn short_windows_come_several_at_a_visit_and_long_ones_alone() {
        let windows = |ms| windows_in_a_visit(Duration::from_millis(ms));
        assert_eq!([1, 10, 15, 40, 300].map(windows), [40, 4, 2, 1, 1]);
    }
}
