//! Instruments that share one time, or one alone with a budget of its own.

use std::time::{Duration, Instant};

use nearfar_probe::Stop;
use nearfar_probe::budget::{Extent, Portions, Share, share_out};
use nearfar_survey::{InstrumentRun, Instruments, LeftOut, Options, Provenance, Survey};

use super::Session;
use super::instrument::Instrument;
use super::latency::PAGE_SIZE;
use super::session::Turn;
use crate::exit::{self, Interrupted, WrongUsage};
use crate::progress::{Left, spell};

/// Measures with one instrument: to what it aims at, or as far as a budget goes.
pub(super) fn alone(
    session: &Session,
    instrument: impl Instrument,
    budget: Option<Duration>,
    options: Options,
) -> anyhow::Result<Survey> {
    let mut instruments: Vec<Box<dyn Instrument + '_>> = vec![Box::new(instrument)];
    refuse_too_small(&instruments, budget)?;
    let mut shares = share(session, &mut instruments, budget);
    let interrupted = is_interrupted(&shares);
    let is_kept = interrupted && shares[0].has_first_turn();
    if let Some(error) = shares[0].failed.take_if(|_| !is_kept) {
        return Err(error);
    }
    let budget_s = budget.map(|budget| budget.as_secs_f64());
    let stopped = if interrupted { Stop::Interrupted.name() } else { stopped(session, &*instruments[0], budget) };
    let provenance =
        Provenance { budget_s, stopped: stopped.to_owned(), ..session.provenance(instruments[0].done(), options) };
    let mut heard = Instruments::default();
    instruments[0].tell(&mut heard);
    heard.aims.insert(instruments[0].name(), instruments[0].aim());
    session.document(heard, nearfar_infer::THRESHOLD, provenance)
}

/// Says what would fit, where not even the first instrument does.
pub(super) fn refuse_too_small(
    instruments: &[Box<dyn Instrument + '_>],
    budget: Option<Duration>,
) -> Result<(), WrongUsage> {
    let (Some(budget), Some(first)) = (budget, instruments.first()) else { return Ok(()) };
    let least = first.expected(Extent::Least);
    if least <= budget {
        return Ok(());
    }
    let all = match instruments.len() {
        1 => String::new(),
        _ => {
            format!(
                "; all instruments, as coarsely as is useful, about {}",
                spell(expected(instruments, Extent::Least))
            )
        }
    };
    Err(WrongUsage(format!(
        "a budget of {} is too small: {} alone needs about {}{all}",
        spell(budget),
        first.name(),
        spell(least)
    )))
}

/// What all of them take together.
pub(super) fn expected(instruments: &[Box<dyn Instrument + '_>], extent: Extent) -> Duration {
    instruments.iter().map(|instrument| instrument.expected(extent)).sum()
}

/// Time shared out among instruments, the most important first: what each of them got.
pub(super) fn share(
    session: &Session,
    instruments: &mut [Box<dyn Instrument + '_>],
    budget: Option<Duration>,
) -> Vec<Share<anyhow::Error>> {
    let is_one_of_several = instruments.len() > 1;
    let all_end = match budget {
        Some(budget) => Some(Left::Until(Instant::now() + budget.saturating_sub(session.elapsed()))),
        None => is_one_of_several.then(|| Left::About(Instant::now() + expected(instruments, Extent::Whole))),
    };
    let piece = |instrument| Piece { instrument, session, all_end, is_one_of_several };
    let mut pieces: Vec<Piece<'_, '_>> = instruments.iter_mut().map(piece).collect();
    let shares = share_out(&mut pieces, budget, &|| session.elapsed());
    session.turn(Turn::default());
    shares
}

/// Whether Ctrl-C ended it. Instruments whose first turn was over by then have their figures.
pub(super) fn is_interrupted(shares: &[Share<anyhow::Error>]) -> bool {
    shares.iter().any(|share| share.failed.as_ref().is_some_and(anyhow::Error::is::<Interrupted>))
}

/// Why an instrument is left out that Ctrl-C came before.
pub(super) const INTERRUPTED: &str = "interrupted";

/// What the document says of it: who measured for how long and how well, and who was left out. That page sizes were not compared, latency tells.
pub(super) fn told(
    session: &Session,
    instruments: &[Box<dyn Instrument + '_>],
    shares: &[Share<anyhow::Error>],
    budget: Option<Duration>,
) -> (Vec<InstrumentRun>, Vec<LeftOut>) {
    let mut told = (Vec::new(), Vec::new());
    let interrupted = is_interrupted(shares);
    for (instrument, share) in instruments.iter().zip(shares) {
        if interrupted && share.left_out.is_none() && !share.has_first_turn() {
            told.1.push(LeftOut::because(instrument.name(), INTERRUPTED.to_owned()));
            continue;
        }
        let done = instrument.done();
        if done.processes > 0 {
            told.0.push(InstrumentRun {
                instrument: instrument.name().to_owned(),
                rounds: done.rounds,
                processes: done.processes,
                duration_s: (share.spent.as_secs_f64() * 10.0).round() / 10.0,
                stopped: stopped(session, &**instrument, budget).to_owned(),
                standard_error: instrument.worst(session),
                aim: instrument.aim(),
            });
        }
        let needs_s = share.left_out.map(|needs| needs.as_secs_f64().ceil());
        let failed = share.failed.as_ref().filter(|error| !error.is::<Interrupted>());
        let why = failed.map(exit::line).filter(|_| instrument.name() != PAGE_SIZE);
        if needs_s.is_some() || why.is_some() {
            told.1.push(LeftOut { instrument: instrument.name().to_owned(), needs_s, why });
        }
    }
    told
}

/// Why an instrument stopped. With a budget its turns are plans of a few rounds, and what ends them is not what ended it.
pub(super) fn stopped(session: &Session, instrument: &dyn Instrument, budget: Option<Duration>) -> &'static str {
    let stopped = instrument.done().stopped;
    let is_precise = || instrument.worst(session).is_some_and(|worst| worst <= instrument.aim());
    match (budget, stopped) {
        (Some(_), Stop::RoundLimit | Stop::Precise | Stop::TimeLimit) if is_precise() => Stop::Precise.name(),
        (Some(_), Stop::RoundLimit | Stop::Precise) if instrument.further().is_some() => Stop::TimeLimit.name(),
        _ => stopped.name(),
    }
}

/// An instrument of a session.
struct Piece<'p, 'i> {
    instrument: &'p mut Box<dyn Instrument + 'i>,
    session: &'p Session,
    all_end: Option<Left>,
    is_one_of_several: bool,
}

impl Piece<'_, '_> {
    fn turn(&self, allowed: Option<Duration>) {
        self.session.turn(Turn {
            name: self.is_one_of_several.then(|| self.instrument.name()),
            ends: allowed.map(|allowed| Instant::now() + allowed),
            all_end: self.all_end,
        });
    }
}

impl Portions for Piece<'_, '_> {
    type Error = anyhow::Error;

    fn expected(&self, extent: Extent) -> Duration {
        self.instrument.expected(extent)
    }

    fn begin(&mut self, extent: Extent, allowed: Option<Duration>) -> anyhow::Result<()> {
        self.turn(allowed);
        self.instrument.begin(self.session, extent)
    }

    fn uncertainty(&self) -> Option<f64> {
        let worst = self.instrument.worst(self.session)? / self.instrument.aim();
        // What has not been found is as uncertain as figures at twice their aim.
        Some(if self.instrument.still_looks() { worst.max(2.0) } else { worst })
    }

    fn further(&self) -> Option<Duration> {
        self.instrument.further()
    }

    fn go_on(&mut self, allowed: Duration) -> anyhow::Result<()> {
        self.turn(Some(allowed));
        self.instrument.go_on(self.session)
    }

    fn ends_all(error: &anyhow::Error) -> bool {
        error.is::<Interrupted>()
    }
}
