//! Hidden nodes: which CPUs, which memory and how much of it, how many rounds.

mod design;
mod look;
mod one_memory;
mod room;

use std::rc::Rc;
use std::time::Duration;

use nearfar_machine::{Source, memory_limits};
use nearfar_model::{Bytes, Instrument};
use nearfar_probe::hidden::HUGE_PAGE;
use nearfar_probe::{Layout, PlanLimits, ProbeSpec};
use nearfar_survey::{FirstLook, Hidden, Instruments, Mode};

use crate::run::seed_of_turn;
use crate::{Done, Effort, Experiment, MeasureError, Run, Scope, Session, Settings, Turn};
use design::Pace;
use look::{Ground, Look};
pub(crate) use one_memory::shows_one_memory;
use room::{Room, SHARE};

/// What is measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct HiddenSettings {
    /// How much of the free memory may be held, as a fraction. By default a quarter, and more
    /// where that settles nothing.
    pub share: Option<f64>,
}

impl Settings for HiddenSettings {
    fn experiment(
        self,
        session: &Session,
        scope: &Scope,
    ) -> Result<Box<dyn Experiment>, MeasureError> {
        let mut layout = Layout::new(&session.topology, &scope.wanted, &ProbeSpec::page())?;
        let one = one_memory::within(&session.topology, &layout, scope.wanted.rows);
        // Nodes that the user names are looked into together.
        if let Some(wanted) = one.filter(|_| scope.wanted.nodes.is_none()) {
            layout = Layout::new(&session.topology, &wanted, &ProbeSpec::page())?;
        }
        let room = Room::of(&session.topology, &layout, memory_limits(&session.source));
        let options = scope.options(HUGE_PAGE, ProbeSpec::page().accesses);
        // The error of what kinds of pages cost: coarser than latency's, as each process has pages
        // of its own.
        let limits =
            PlanLimits { standard_error: 2.0 * scope.mode.standard_error(), ..scope.mode.limits() };
        Ok(Box::new(HiddenNodes {
            mode: scope.mode,
            run: Run::new(Instrument::Hidden, options, session.seed, limits),
            ground: Ground {
                layout,
                room,
                online: session.topology.online(),
                share: self.share.unwrap_or(SHARE),
            },
            source: session.source.clone(),
            may_hold_more: self.share.is_none(),
            look: None,
            first_look: None,
            aside: Done::default(),
            judged: Judged::default(),
        }))
    }
}

/// Further turns are one process each; this many of them bring what they can.
const MOST_TURNS: u32 = 12;
/// Fewer processes show nothing.
const LEAST_PROCESSES: u32 = 2;

/// Hidden nodes of one machine.
struct HiddenNodes {
    mode: Mode,
    /// What was asked for; what was measured, looks have.
    run: Run,
    ground: Ground,
    source: Rc<Source>,
    /// Whether the user left open how much may be held.
    may_hold_more: bool,
    look: Option<Look>,
    /// What a look at less memory came to, where a second one replaced it.
    first_look: Option<FirstLook>,
    /// How far the look went that is not in the document.
    aside: Done,
    /// What its figures came to after its last turn.
    judged: Judged,
}

/// How certain a finding is, and what may make it so.
#[derive(Debug, Default)]
struct Judged {
    worst: Option<f64>,
    asks_for_processes: bool,
    /// Memory to look into once more, and what the document keeps of this look then.
    asks_for_memory: Option<(Ground, FirstLook)>,
}

impl HiddenNodes {
    /// How the first turn looks.
    fn mode_of(&self, effort: Effort) -> Mode {
        match effort {
            Effort::Minimal => Mode::Quick,
            Effort::Full => self.mode,
        }
    }

    fn judge(&mut self) -> Result<(), MeasureError> {
        let Some(look) = &self.look else { return Ok(()) };
        let hidden = Hidden::of(&look.recorded(None), self.run.seed)?;
        let errors: Option<Vec<f64>> = hidden.matrix.cells.iter().map(|cell| cell.se).collect();
        let first = hidden.asks_for_more_memory().filter(|_| self.may_hold_more);
        let wider = first.map(|first| -> Result<_, MeasureError> {
            let ground = self.ground.with_more_memory(&self.source, Bytes(first.held_bytes))?;
            Ok(ground.map(|ground| (ground, first)))
        });
        self.judged = Judged {
            worst: errors.and_then(|errors| errors.into_iter().reduce(f64::max)),
            asks_for_processes: hidden.asks_for_more_processes(),
            asks_for_memory: wider.transpose()?.flatten(),
        };
        Ok(())
    }

    /// Looks once more, at more memory, where that may settle what a first look did not. The
    /// document then has this look in place of the first.
    fn look_again(
        &mut self,
        turn: &mut Turn<'_>,
        mode: Mode,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let Some((ground, first)) = self.judged.asks_for_memory.take() else { return Ok(()) };
        self.may_hold_more = false;
        let second = ground.look(turn, mode, seed)?;
        if !second.has_figures_of(LEAST_PROCESSES) {
            self.aside = Done::of(&second.outcome);
            return Ok(());
        }
        self.aside = self.done();
        (self.look, self.first_look, self.ground) = (Some(second), Some(first), ground);
        self.judge()
    }
}

impl Experiment for HiddenNodes {
    fn run(&self) -> &Run {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        let mode = self.mode_of(effort);
        self.ground.takes(mode, Pace::usual(mode).processes())
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let mode = self.mode_of(effort);
        self.look = Some(self.ground.look(turn, mode, self.run.seed)?);
        self.judge()?;
        match effort {
            Effort::Full => self.look_again(turn, mode, seed_of_turn(self.run.seed, 0)),
            // A budget decides whether there is time for that.
            Effort::Minimal => Ok(()),
        }
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        if let Some((ground, _)) = &self.judged.asks_for_memory {
            return Some(ground.takes(Mode::Quick, Pace::usual(Mode::Quick).processes()));
        }
        let look = self
            .look
            .as_ref()
            .filter(|look| look.has_figures_of(1) && self.run.refinements < MOST_TURNS)?;
        Some(look.process(self.mode))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (_, seed) = self.run.refine();
        if self.judged.asks_for_memory.is_some() {
            return self.look_again(turn, Mode::Quick, seed);
        }
        self.look.as_mut().map_or(Ok(()), |look| look.visit(turn, 1, seed))?;
        self.judge()
    }

    fn worst_error(&self) -> Option<f64> {
        self.judged.worst
    }

    fn is_searching(&self) -> bool {
        self.judged.asks_for_processes || self.judged.asks_for_memory.is_some()
    }

    fn done(&self) -> Done {
        let last = self.look.as_ref().map_or_else(Done::default, |look| Done::of(&look.outcome));
        Done {
            rounds: last.rounds + self.aside.rounds,
            processes: last.processes + self.aside.processes,
            ..last
        }
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        if let Some(look) = &self.look {
            let run = look.recorded(self.first_look.as_ref());
            document.add(Instrument::Hidden, look.outcome.as_ref(), move |survey| {
                survey.hidden = Some(Hidden::new(&run));
            });
        }
    }
}
