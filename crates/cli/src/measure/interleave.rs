//! Interleaving from request to survey: every node alone, pairs and all of them, then a search for the best weights, then what is best
//! beside what is usual; and what a load costs there.

mod hunt;
mod rows;
mod search;
#[cfg(test)]
mod tests;

use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId, Place};
use nearfar_probe::budget::Extent;
use nearfar_probe::interleave::{InterleaveSetup, SpreadNode, Treatment};
use nearfar_probe::{Isa, Kernel, Layout, Outcome, PageSize, Plan, ProbeSpec, RowKind, Wanted, Work};
use nearfar_survey::{BandwidthRun, Instruments, InterleaveRun, Mode, Options, SpreadRun, Survey};

use super::Session;
use super::bandwidth::last_level;
use super::done::Done;
use super::instrument::{Cost, Instrument, most_turns, one_process, placing};
use super::sharing::alone;
use crate::exit::WrongUsage;
use hunt::Hunt;
use rows::{Rows, spread_node, why_not};
use search::{chase, is_one_or_all, search, usual};

/// What is to be measured.
pub(crate) struct InterleaveRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) kernels: Vec<Kernel>,
    /// Whether loads are measured, too.
    pub(crate) latency: bool,
    /// What the threads of a window sweep together, and what a chase goes through.
    pub(crate) size: Option<Bytes>,
    pub(crate) window: Duration,
    /// Loads of a chase's sample.
    pub(crate) loads: u64,
    pub(crate) largest_weight: u32,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// By default memory takes at most this share of what a node has free, and never less than this.
const SHARE: u64 = 8;
const LEAST: Bytes = Bytes::mib(16);
/// Of a turn that is limited, the search takes so much at most; the rest is for loads.
const STREAMS_SHARE: f64 = 0.7;
/// Among a survey's plans, those of further turns.
const FURTHER: u64 = 10_000;

/// Measures.
pub(crate) fn measure_interleave(request: InterleaveRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let budget = request.budget;
    let instrument = Interleave::prepare(&session, request)?;
    let options = options(&instrument.request, instrument.setup.footprint);
    alone(&session, instrument, budget, options)
}

/// The instrument.
pub(super) struct Interleave {
    request: InterleaveRequest,
    rows: Rows,
    kernel_weights: Option<Vec<u32>>,
    why: Option<String>,
    /// Before weights are known.
    setup: InterleaveSetup,
    streams: Option<Spread>,
    loads: Option<Spread>,
    begun: bool,
    turns: u32,
}

/// What was heard of streams, or of loads.
pub(super) struct Spread {
    setup: InterleaveSetup,
    outcome: Outcome,
    visited: Vec<Place>,
    /// Cells of which more should be known.
    open: Vec<Place>,
}

impl Spread {
    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error(&self.open, session.seed)
    }

    fn run<'s>(&'s self, rows: &'s Rows) -> SpreadRun<'s> {
        SpreadRun { layout: &rows.layout, outcome: &self.outcome, visited: self.visited.clone(), setup: &self.setup }
    }
}

impl Interleave {
    /// Lays out what was asked for.
    pub(super) fn prepare(session: &Session, request: InterleaveRequest) -> anyhow::Result<Self> {
        let kind = if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows };
        let wanted = Wanted { rows: kind, ..request.wanted.clone() };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        let nodes: Vec<SpreadNode> = layout.columns.iter().filter_map(spread_node).collect();
        let (kernel_weights, why) = (kernel_weights(session, &nodes), why_not(&nodes));
        let rows = Rows::of(&layout, request.wanted.rows == RowKind::Auto);
        let setup = setup(&request, &session.topology, &rows.layout, nodes)?;
        Ok(Self { request, rows, kernel_weights, why, setup, streams: None, loads: None, begun: false, turns: 0 })
    }

    /// Whether streams are less certain than loads, or all there is.
    fn streams_are_open(&self, session: &Session) -> bool {
        let worst =
            |spread: &Option<Spread>| spread.as_ref().map(|spread| spread.worst(session).unwrap_or(f64::INFINITY));
        match (worst(&self.streams), worst(&self.loads)) {
            (Some(streams), Some(loads)) => streams >= loads,
            (streams, _) => streams.is_some(),
        }
    }

    /// Weights are placed anew by every process, on base pages.
    fn cost(&self) -> Cost {
        let placing = placing(self.setup.footprint.0);
        Cost { process: Duration::from_millis(200), visit: self.setup.window * 5 / 2 + placing }
    }
}

impl Instrument for Interleave {
    fn name(&self) -> &'static str {
        "interleave"
    }

    /// The search has no end that can be told beforehand: some eight steps, and what is best beside what is usual.
    fn expected(&self, extent: Extent) -> Duration {
        if self.why.is_some() {
            return Duration::ZERO;
        }
        let (mode, cost) = (self.mode(extent), self.cost());
        let kinds = self.rows.streaming.len() * self.request.kernels.len();
        let usual = usual(self.setup.nodes.len());
        let chases = usual.iter().filter(|one| is_one_or_all(one)).count() * self.rows.loading.len();
        let streams = cost.of(hunt::coarse(mode), usual.len() * kinds)
            + cost.of(hunt::coarse(mode), kinds) * 8
            + cost.of(hunt::fine(mode), 4 * kinds);
        let loads = cost.of(mode.limits(), chases);
        streams + if self.request.latency { loads } else { Duration::ZERO }
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        if self.why.is_some() {
            self.begun = true;
            return Ok(());
        }
        let mode = self.mode(extent);
        let share = if self.request.latency { STREAMS_SHARE } else { 1.0 };
        let is_over = || session.left().is_some_and(|left| left.is_zero());
        let carry_out = by(session);
        let mut hunt = Hunt::new(&carry_out, &is_over, session.seed, self.setup.clone(), mode);
        let (request, rows, weights) = (&self.request, &self.rows, self.kernel_weights.as_deref());
        let found = session.in_a_share(share, || search(&mut hunt, request, mode, rows, weights))?;
        let (setup, outcome, visited) = hunt.finish();
        let place = |(row, treatment): &(usize, Treatment)| {
            let at = setup.treatments.iter().position(|known| known == treatment)?;
            Some(Place::new(*row, 0).with_treatment(at))
        };
        let open = found.contenders.iter().filter_map(place).collect();
        self.begun = true;
        // Kept before loads are measured: when these fail, what was searched for is there.
        let streams = self.streams.insert(Spread { setup, outcome, visited, open });
        if self.request.latency {
            let (setup, outcome, cells) = chase(session, request, mode, rows, &streams.setup, &found.best)?;
            self.loads = Some(Spread { setup, outcome, visited: cells.clone(), open: cells });
        }
        Ok(())
    }

    fn aim(&self) -> f64 {
        self.request.mode.standard_error()
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        if self.why.is_some() {
            return Some(0.0);
        }
        let errors: Option<Vec<f64>> =
            self.streams.iter().chain(&self.loads).map(|spread| spread.worst(session)).collect();
        errors?.into_iter().reduce(f64::max)
    }

    fn further(&self) -> Option<Duration> {
        let limits = hunt::fine(self.request.mode);
        let cells = self.streams.as_ref()?.open.len();
        (self.turns < 2 * most_turns(limits)).then(|| self.cost().of(one_process(limits), cells))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let limits = one_process(hunt::fine(self.request.mode));
        let number = u64::from(self.turns) + FURTHER;
        let spread = if self.streams_are_open(session) { &mut self.streams } else { &mut self.loads };
        if let Some(spread) = spread {
            let seed = session.seed.wrapping_add(number);
            let plan = hunt::plan(spread.open.clone(), limits, seed);
            let heard = by(session)(&plan, &spread.setup, "further rounds")?;
            spread.outcome.append(heard);
        }
        Ok(())
    }

    fn done(&self) -> Done {
        // Loads came last, and streams are what was searched for.
        Done::of(self.loads.iter().chain(&self.streams).map(|spread| &spread.outcome))
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        document.interleave = self.begun.then(|| InterleaveRun {
            nodes: self.setup.nodes.iter().map(|node| node.node).collect(),
            kernel_weights: self.kernel_weights.clone(),
            bandwidth: self.streams.as_ref().map(|streams| streams.run(&self.rows)),
            latency: self.loads.as_ref().map(|loads| loads.run(&self.rows)),
            why: self.why.clone(),
        });
    }
}

impl Interleave {
    /// The coarsest search is a quick one.
    fn mode(&self, extent: Extent) -> Mode {
        if extent == Extent::Least { Mode::Quick } else { self.request.mode }
    }
}

/// Has a session carry out plans, of these names.
fn by(session: &Session) -> impl Fn(&Plan, &InterleaveSetup, &str) -> anyhow::Result<Outcome> + '_ {
    |plan, setup, what| session.at_once(plan, Work::Interleave(setup.clone()), what)
}

/// The kernel's weights of these nodes, where it has one of each.
fn kernel_weights(session: &Session, nodes: &[SpreadNode]) -> Option<Vec<u32>> {
    let all = session.interleave_weights()?;
    nodes.iter().map(|node| all.weights.get(&node.node).map(|&weight| u32::from(weight))).collect()
}

fn setup(
    request: &InterleaveRequest,
    topology: &Topology,
    layout: &Layout,
    nodes: Vec<SpreadNode>,
) -> Result<InterleaveSetup, WrongUsage> {
    let caches = topology.last_level_groups().len().max(1) as u64;
    let one = BandwidthRun::footprint(last_level(topology));
    let footprint = match why_not(&nodes) {
        Some(_) => request.size.unwrap_or(Bytes(0)),
        None => affordable(request.size, Bytes(one.0.saturating_mul(caches)), &nodes)?,
    };
    Ok(InterleaveSetup {
        rows: layout.rows.iter().map(|row| row.cpus.iter().collect::<Vec<CpuId>>()).collect(),
        nodes,
        treatments: vec![],
        isa: Isa::best(),
        footprint,
        window: request.window,
        loads: request.loads,
    })
}

/// What was asked for, if every node has room for it, since each is measured alone, too; else the usual, as far as there is room.
fn affordable(wanted: Option<Bytes>, usual: Bytes, nodes: &[SpreadNode]) -> Result<Bytes, WrongUsage> {
    let tightest = nodes.iter().filter_map(|node| Some((node.free?, node.node))).min();
    match (wanted, tightest) {
        (Some(wanted), Some((free, node))) if wanted > free => {
            Err(WrongUsage(format!("--size {wanted} is more than can be had on node {node}, {free}: ask for less")))
        }
        (Some(wanted), _) => Ok(wanted),
        (None, tightest) => Ok(tightest.map_or(usual, |(free, _)| usual.min(Bytes(free.0 / SHARE)).max(LEAST))),
    }
}

fn options(request: &InterleaveRequest, footprint: Bytes) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: footprint.0,
        accesses: if request.latency { request.loads } else { 0 },
    }
}
