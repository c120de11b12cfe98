//! Hidden nodes as an instrument: which CPUs, which memory and how much of it, how many rounds.

mod design;
mod one_memory;

use std::time::Duration;

use nearfar_probe::budget::Extent;
use nearfar_probe::hidden::{HUGE_PAGE, HiddenSetup};
use nearfar_probe::{Layout, Outcome, Plan, PlanLimits, ProbeSpec, Wanted, Work};
use nearfar_survey::{Hidden, HiddenRun, Instruments, Mode, Options, Survey};

use super::Session;
use super::instrument::{Done, Instrument, seed_of_turn};
use super::sharing::alone;
pub(super) use design::SHARE;
use design::{Pace, setup, some_rows};
pub(super) use one_memory::is_worth_it;

/// What is to be measured.
pub(crate) struct HiddenRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    /// How much of the free memory may be held.
    pub(crate) share: f64,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// Further turns are one process each; so many of them bring what they can.
const MOST_TURNS: u32 = 12;

/// Measures.
pub(crate) fn measure_hidden(request: &HiddenRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let (budget, options) = (request.budget, options(request));
    let instrument = HiddenNodes::prepare(&session, request)?;
    alone(&session, instrument, budget, options)
}

/// The instrument.
pub(super) struct HiddenNodes {
    mode: Mode,
    share: f64,
    /// All rows that there are.
    layout: Layout,
    look: Option<Look>,
    turns: u32,
    /// What its figures came to after its last turn.
    judged: Judged,
}

/// What was looked at, and what was heard.
struct Look {
    layout: Layout,
    setup: HiddenSetup,
    pace: Pace,
    rounds: u32,
    outcome: Result<Outcome, String>,
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    worst: Option<f64>,
    asks_for_more: bool,
}

impl HiddenNodes {
    /// Lays out what was asked for; what cannot be had is refused.
    pub(super) fn prepare(session: &Session, request: &HiddenRequest) -> anyhow::Result<Self> {
        let mut layout = Layout::new(&session.topology, &request.wanted, &ProbeSpec::page())?;
        let one = one_memory::within(&session.topology, &layout, request.wanted.rows);
        // Nodes that somebody names are looked into together.
        if let Some(wanted) = one.filter(|_| request.wanted.nodes.is_none()) {
            layout = Layout::new(&session.topology, &wanted, &ProbeSpec::page())?;
        }
        let (mode, share) = (request.mode, request.share);
        Ok(Self { mode, share, layout, look: None, turns: 0, judged: Judged::default() })
    }

    /// How the first turn looks.
    fn mode_of(&self, extent: Extent) -> Mode {
        match extent {
            Extent::Least => Mode::Quick,
            Extent::Whole => self.mode,
        }
    }

    /// What a plan of so many processes takes on an ordinary machine.
    fn takes(&self, mode: Mode, processes: u32) -> Duration {
        let pace = Pace::usual(mode);
        let (rows, rounds) = pace.rows_and_rounds(self.layout.rows.len());
        let (setup, room) = setup(&some_rows(&self.layout, rows), mode, self.share);
        room.map_or(Duration::ZERO, |()| pace.process(&setup, rounds) * processes)
    }

    fn judge(&mut self, session: &Session) -> anyhow::Result<()> {
        let Some(look) = &self.look else { return Ok(()) };
        let hidden = Hidden::of(&look.run(self.share), session.seed)?;
        let errors: Option<Vec<f64>> = hidden.matrix.cells.iter().map(|cell| cell.se).collect();
        self.judged = Judged {
            worst: errors.and_then(|errors| errors.into_iter().reduce(f64::max)),
            asks_for_more: hidden.asks_for_more_processes(),
        };
        Ok(())
    }
}

impl Instrument for HiddenNodes {
    fn name(&self) -> &'static str {
        "hidden"
    }

    fn expected(&self, extent: Extent) -> Duration {
        let mode = self.mode_of(extent);
        self.takes(mode, Pace::usual(mode).processes())
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        let mode = self.mode_of(extent);
        let pace = Pace::of(session.page_sample(), mode);
        let (rows, rounds) = pace.rows_and_rounds(self.layout.rows.len());
        let layout = some_rows(&self.layout, rows);
        let (setup, room) = setup(&layout, mode, self.share);
        let mut look = Look { layout, setup, pace, rounds, outcome: room.map(|()| Outcome::default()) };
        look.visit(session, look.pace.processes(), session.seed)?;
        self.look = Some(look);
        self.judge(session)
    }

    /// The error of what kinds of pages cost: coarser than latency's, as each process has pages of its own.
    fn aim(&self) -> f64 {
        2.0 * self.mode.standard_error()
    }

    fn worst(&self, _: &Session) -> Option<f64> {
        self.judged.worst
    }

    fn still_looks(&self) -> bool {
        self.judged.asks_for_more
    }

    fn further(&self) -> Option<Duration> {
        let look = self.look.as_ref()?;
        let measured = look.outcome.as_ref().is_ok_and(|outcome| !outcome.readings.is_empty());
        (measured && self.turns < MOST_TURNS).then(|| Pace::usual(self.mode).process(&look.setup, look.rounds))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let seed = seed_of_turn(session.seed, self.turns);
        self.look.as_mut().map_or(Ok(()), |look| look.visit(session, 1, seed))?;
        self.judge(session)
    }

    fn done(&self) -> Done {
        Done::of(self.look.iter().filter_map(|look| look.outcome.as_ref().ok()))
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        document.hidden = self.look.as_ref().map(|look| look.run(self.share));
    }
}

impl Look {
    /// So many fresh processes, of so many rounds each, beside what was heard before.
    fn visit(&mut self, session: &Session, processes: u32, seed: u64) -> anyhow::Result<()> {
        let Ok(before) = &mut self.outcome else { return Ok(()) };
        let plan = plan(&self.setup, self.rounds, processes, self.pace.patience(), seed);
        let heard = session.at_once(&plan, Work::Hidden(self.setup.clone()), "hidden nodes")?;
        *before = match before.processes {
            0 => heard,
            _ => std::mem::take(before).followed_by(heard),
        };
        Ok(())
    }

    /// As the document takes it.
    fn run(&self, share: f64) -> HiddenRun<'_> {
        let outcome = self.outcome.as_ref().map_err(String::clone);
        HiddenRun { layout: &self.layout, setup: &self.setup, share, outcome }
    }
}

fn plan(setup: &HiddenSetup, rounds: u32, processes: u32, patience: Duration, seed: u64) -> Plan {
    let rows = || 0..setup.rows.len();
    let beyond = || [setup.lines_column()].into_iter().chain(setup.reference_columns());
    Plan {
        rows: setup.rows.len(),
        columns: setup.pages,
        cells: rows().flat_map(|row| (0..setup.pages).map(move |page| (row, page))).collect(),
        controls: rows().flat_map(|row| beyond().map(move |column| (row, column))).collect(),
        limits: PlanLimits {
            first_rounds: rounds * processes,
            first_rounds_per_process: rounds,
            step_rounds: rounds,
            most_rounds: rounds * processes,
            // All rounds in any case: no cell's own precision decides.
            standard_error: 0.0,
            deadline: Some(patience),
        },
        seed,
    }
}

fn options(request: &HiddenRequest) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: HUGE_PAGE.0,
        accesses: ProbeSpec::page().accesses,
    }
}
