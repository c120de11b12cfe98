//! Hidden nodes as an instrument: which CPUs, which memory and how much of it, how many rounds.

mod design;
mod look;
mod one_memory;
mod room;

use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_probe::budget::Extent;
use nearfar_probe::hidden::HUGE_PAGE;
use nearfar_probe::{Layout, ProbeSpec, Wanted};
use nearfar_survey::{FirstLook, Hidden, Instruments, Mode, Options, Survey};

use super::Session;
use super::done::Done;
use super::instrument::{Instrument, seed_of_turn};
use super::sharing::alone;
use design::Pace;
use look::{Ground, Look};
pub(super) use one_memory::is_worth_it;
use room::{Room, SHARE};

/// What is to be measured.
pub(crate) struct HiddenRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    /// How much of the free memory may be held, where somebody says it. Else a quarter, and more where that settles nothing.
    pub(crate) share: Option<f64>,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// Further turns are one process each; so many of them bring what they can.
const MOST_TURNS: u32 = 12;

/// Fewer processes tell nothing.
const LEAST_PROCESSES: u32 = 2;

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
    ground: Ground,
    /// Whether nobody said how much may be held.
    may_hold_more: bool,
    look: Option<Look>,
    /// What a look at less memory came to, where a second one took its place.
    first_look: Option<FirstLook>,
    /// How far the look went that is not in the document.
    aside: Done,
    turns: u32,
    /// What its figures came to after its last turn.
    judged: Judged,
}

/// How certain a finding is, and what may make it so.
#[derive(Debug, Default)]
struct Judged {
    worst: Option<f64>,
    asks_for_processes: bool,
    /// Memory to look into once more, and what this look will be remembered by.
    asks_for_memory: Option<(Ground, FirstLook)>,
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
        let room = Room::of(&session.topology, &layout, session.memory_limits());
        Ok(Self {
            mode: request.mode,
            ground: Ground { layout, room, share: request.share.unwrap_or(SHARE) },
            may_hold_more: request.share.is_none(),
            look: None,
            first_look: None,
            aside: Done::default(),
            turns: 0,
            judged: Judged::default(),
        })
    }

    /// How the first turn looks.
    fn mode_of(&self, extent: Extent) -> Mode {
        match extent {
            Extent::Least => Mode::Quick,
            Extent::Whole => self.mode,
        }
    }

    fn judge(&mut self, session: &Session) -> anyhow::Result<()> {
        let Some(look) = &self.look else { return Ok(()) };
        let hidden = Hidden::of(&look.run(None), session.seed)?;
        let errors: Option<Vec<f64>> = hidden.matrix.cells.iter().map(|cell| cell.se).collect();
        let first = hidden.asks_for_more_memory().filter(|_| self.may_hold_more);
        let wider = first.map(|first| {
            let ground = self.ground.with_more_memory(session, Bytes(first.held_bytes))?;
            anyhow::Ok(ground.map(|ground| (ground, first)))
        });
        self.judged = Judged {
            worst: errors.and_then(|errors| errors.into_iter().reduce(f64::max)),
            asks_for_processes: hidden.asks_for_more_processes(),
            asks_for_memory: wider.transpose()?.flatten(),
        };
        Ok(())
    }

    /// Looks once more, at more memory, where that may settle what a first look did not. What it shows takes the first look's place.
    fn look_again(&mut self, session: &Session, mode: Mode, seed: u64) -> anyhow::Result<()> {
        let Some((ground, first)) = self.judged.asks_for_memory.take() else { return Ok(()) };
        self.may_hold_more = false;
        let second = ground.look(session, mode, seed)?;
        if !second.has_figures_of(LEAST_PROCESSES) {
            self.aside = Done::of(&second.outcome);
            return Ok(());
        }
        self.aside = self.done();
        (self.look, self.first_look, self.ground) = (Some(second), Some(first), ground);
        self.judge(session)
    }
}

impl Instrument for HiddenNodes {
    fn name(&self) -> &'static str {
        "hidden"
    }

    fn expected(&self, extent: Extent) -> Duration {
        let mode = self.mode_of(extent);
        self.ground.takes(mode, Pace::usual(mode).processes())
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        let mode = self.mode_of(extent);
        self.look = Some(self.ground.look(session, mode, session.seed)?);
        self.judge(session)?;
        match extent {
            Extent::Whole => self.look_again(session, mode, seed_of_turn(session.seed, 0)),
            // Whether there is time for that, a budget decides.
            Extent::Least => Ok(()),
        }
    }

    /// The error of what kinds of pages cost: coarser than latency's, as each process has pages of its own.
    fn aim(&self) -> f64 {
        2.0 * self.mode.standard_error()
    }

    fn worst(&self, _: &Session) -> Option<f64> {
        self.judged.worst
    }

    fn still_looks(&self) -> bool {
        self.judged.asks_for_processes || self.judged.asks_for_memory.is_some()
    }

    fn further(&self) -> Option<Duration> {
        if let Some((ground, _)) = &self.judged.asks_for_memory {
            return Some(ground.takes(Mode::Quick, Pace::usual(Mode::Quick).processes()));
        }
        let look = self.look.as_ref().filter(|look| look.has_figures_of(1) && self.turns < MOST_TURNS)?;
        Some(look.process(self.mode))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let seed = seed_of_turn(session.seed, self.turns);
        if self.judged.asks_for_memory.is_some() {
            return self.look_again(session, Mode::Quick, seed);
        }
        self.look.as_mut().map_or(Ok(()), |look| look.visit(session, 1, seed))?;
        self.judge(session)
    }

    fn done(&self) -> Done {
        let last = self.look.as_ref().map_or_else(Done::default, |look| Done::of(&look.outcome));
        Done { rounds: last.rounds + self.aside.rounds, processes: last.processes + self.aside.processes, ..last }
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        document.hidden = self.look.as_ref().map(|look| look.run(self.first_look.as_ref()));
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
