//! One measurement from request to survey: lay out, share out the time, assemble.

mod bandwidth;
mod caches;
mod core_to_core;
mod done;
mod everything;
mod hidden;
mod instrument;
mod interleave;
mod latency;
mod loaded;
mod session;
mod sharing;
#[cfg(test)]
mod sketch;
mod standing_out;

use std::time::Duration;

use crate::exit::{Interrupted, line};
use nearfar_probe::budget::Extent;
use nearfar_probe::{Layout, ProbeKind, ProbeSpec, Stop, Wanted};
use nearfar_survey::{Instruments, LeftOut, Mode, Options, Provenance, Survey};

pub(crate) use bandwidth::{BandwidthRequest, measure_bandwidth};
pub(crate) use caches::{CachesRequest, measure_caches};
pub(crate) use core_to_core::{PairRequest, claim, measure_core_to_core};
use hidden::{HiddenNodes, is_worth_it};
pub(crate) use hidden::{HiddenRequest, measure_hidden};
use instrument::Instrument;
pub(crate) use interleave::{InterleaveRequest, measure_interleave};
use latency::{Latency, PageSizes};
pub(crate) use loaded::{LoadedRequest, measure_loaded};
pub(crate) use session::Session;

/// What is to be measured.
pub(crate) struct Request {
    pub(crate) mode: Mode,
    pub(crate) probe: ProbeSpec,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) threshold: f64,
    pub(crate) seed: Option<u64>,
    /// Whether base pages are compared with huge pages, too.
    pub(crate) page_size: bool,
    /// Whether the other instruments measure, too.
    pub(crate) everything: bool,
    pub(crate) budget: Option<Duration>,
    /// Whether nodes are looked for that the system does not show: in thorough surveys, else where it shows no different ones.
    pub(crate) hidden: bool,
}

impl Request {
    /// Thorough surveys do always, others by the page probe where the system shows no different memories.
    fn looks_for_hidden_nodes(&self, session: &Session) -> bool {
        let is_plain = self.probe.kind == ProbeKind::Page && is_worth_it(&session.topology);
        self.hidden && (self.everything || is_plain)
    }

    /// As `nearfar hidden` looks by itself, or with `--quick`.
    fn hidden_nodes(&self) -> HiddenRequest {
        HiddenRequest {
            mode: if self.everything { everything::MODE } else { self.mode },
            wanted: self.wanted.clone(),
            rows_name: self.rows_name.clone(),
            share: None,
            budget: self.budget,
            seed: None,
        }
    }
}

/// A measurement that can begin: the request fits this machine.
pub(crate) struct Measurement {
    request: Request,
    session: Session,
    /// Latency first, the others by importance.
    instruments: Vec<Box<dyn Instrument>>,
    /// Instruments that have nothing to measure here, and why.
    absent: Vec<LeftOut>,
}

impl Measurement {
    /// Reads the machine and lays out what was asked for. From here on Ctrl-C ends the command in order.
    pub(crate) fn prepare(request: Request) -> anyhow::Result<Self> {
        let session = Session::begin(request.seed)?;
        let layout = match request.probe.kind {
            ProbeKind::CoreWalk => Layout::core_walk(&session.topology, &request.wanted, &request.probe)?,
            _ => Layout::new(&session.topology, &request.wanted, &request.probe)?,
        };
        let latency = Latency::new(request.mode, request.probe, layout);
        let pages = PageSizes::beside(&latency).filter(|_| request.page_size);
        let mut instruments: Vec<Box<dyn Instrument>> = vec![Box::new(latency)];
        let mut absent = Vec::new();
        if request.looks_for_hidden_nodes(&session) {
            match HiddenNodes::prepare(&session, &request.hidden_nodes()) {
                Ok(hidden) => instruments.push(Box::new(hidden)),
                Err(error) => absent.push(LeftOut::because("hidden", line(&error))),
            }
        }
        if request.everything {
            absent.extend(everything::beside(&session, &request, &mut instruments));
        }
        instruments.extend(pages.map(|pages| Box::new(pages) as Box<dyn Instrument>));
        sharing::refuse_too_small(&instruments, request.budget)?;
        Ok(Self { request, session, instruments, absent })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        self.session.name()
    }

    /// What it takes without a budget on an ordinary machine, roughly.
    pub(crate) fn expected(&self) -> Duration {
        sharing::expected(&self.instruments, Extent::Whole)
    }

    /// Measures.
    pub(crate) fn survey(mut self) -> anyhow::Result<Survey> {
        let budget = self.request.budget;
        let mut shares = sharing::share(&self.session, &mut self.instruments, budget);
        let interrupted = sharing::is_interrupted(&shares);
        if interrupted && !shares[0].has_first_turn() {
            return Err(Interrupted.into());
        }
        let (ran, mut left_out) = sharing::told(&self.session, &self.instruments, &shares, budget);
        left_out.append(&mut self.absent);
        // By itself, or where nothing could be measured at all, latency's failure is the answer.
        if let Some(error) = shares[0].failed.take_if(|_| !interrupted && (ran.is_empty() || !self.request.everything))
        {
            return Err(error);
        }
        let mut heard = Instruments::default();
        let all = self.instruments.iter().zip(&shares);
        // What an interrupted first turn has seen is no figure of that instrument.
        for (instrument, share) in all.filter(|(_, share)| !interrupted || share.has_first_turn()) {
            instrument.tell(&mut heard);
            heard.aims.insert(instrument.name(), instrument.aim());
            if let (latency::PAGE_SIZE, Some(error), Some(run)) = (instrument.name(), &share.failed, &mut heard.latency)
            {
                run.page_size = Some(Err(error.to_string()));
            }
        }
        let done = self.instruments[0].done();
        let is_one = !self.request.everything;
        let stopped = match interrupted {
            true => Stop::Interrupted.name(),
            false => sharing::stopped(&self.session, &*self.instruments[0], budget),
        };
        let provenance = Provenance {
            budget_s: budget.map(|budget| budget.as_secs_f64()),
            instruments: if is_one { vec![] } else { ran },
            left_out,
            stopped: stopped.to_owned(),
            ..self.session.provenance(done, self.options())
        };
        self.session.document(heard, self.request.threshold, provenance)
    }

    fn options(&self) -> Options {
        Options {
            mode: self.request.mode,
            rows: self.request.rows_name.clone(),
            cpus: self.request.wanted.cpus.clone(),
            nodes: self.request.wanted.nodes.clone(),
            size_bytes: self.request.probe.size.0,
            accesses: self.request.probe.accesses,
        }
    }
}
