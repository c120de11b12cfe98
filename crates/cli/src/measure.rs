//! One measurement of latency from request to survey: lay out, run the plan, assemble.

mod bandwidth;
mod caches;
mod core_to_core;
mod hidden;
mod interleave;
mod loaded;
mod session;
mod standing_out;

use std::time::Duration;

use nearfar_probe::{Layout, Outcome, Plan, PlanLimits, ProbeKind, ProbeSpec, Wanted, Work};
use nearfar_survey::{Instruments, LatencyRun, Mode, Options, PageSizeRun, Survey};

use crate::exit::Interrupted;
pub(crate) use bandwidth::{BandwidthRequest, measure_bandwidth};
pub(crate) use caches::{CachesRequest, measure_caches};
pub(crate) use core_to_core::{PairRequest, measure_core_to_core};
use hidden::Look;
pub(crate) use hidden::{HiddenRequest, measure_hidden};
pub(crate) use interleave::{InterleaveRequest, measure_interleave};
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
    /// Whether nodes are looked for that the system does not show, where it shows no different ones.
    pub(crate) hidden: bool,
}

/// A measurement that can begin: the request fits this machine.
pub(crate) struct Measurement {
    request: Request,
    session: Session,
    layout: Layout,
}

impl Measurement {
    /// Reads the machine and lays out what was asked for. From here on Ctrl-C ends the command in order.
    pub(crate) fn prepare(request: Request) -> anyhow::Result<Self> {
        let session = Session::begin(request.seed)?;
        let layout = match request.probe.kind {
            ProbeKind::CoreWalk => Layout::core_walk(&session.topology, &request.wanted, &request.probe)?,
            _ => Layout::new(&session.topology, &request.wanted, &request.probe)?,
        };
        Ok(Self { request, session, layout })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        self.session.name()
    }

    /// Measures.
    pub(crate) fn survey(self) -> anyhow::Result<Survey> {
        let plan = self.plan(&self.layout, limits(self.request.mode, self.request.probe.kind));
        let outcome = self.session.spaced(&plan, Work::Latency(self.layout.setup()), "latency")?;
        let page_size = self.page_size()?;
        let hidden = self.hidden(&outcome)?;
        self.session.document(
            Instruments {
                latency: Some(LatencyRun {
                    layout: &self.layout,
                    outcome: &outcome,
                    page_size: page_size.as_ref().map(|run| match run {
                        Ok((layout, outcome)) => Ok(PageSizeRun { layout, outcome }),
                        Err(why) => Err(why.clone()),
                    }),
                }),
                hidden: hidden.as_ref().map(Look::run),
                ..Instruments::default()
            },
            self.request.threshold,
            self.session.provenance(&outcome, self.options()),
        )
    }

    fn plan(&self, layout: &Layout, limits: PlanLimits) -> Plan {
        Plan {
            rows: layout.rows.len(),
            columns: layout.columns.len(),
            cells: layout.cells(),
            controls: layout.controls.iter().map(|pair| (pair.row, pair.again)).collect(),
            limits,
            seed: self.session.seed,
        }
    }

    /// What base pages cost: a chase through both kinds of pages, from one CPU group. It takes half a GiB; where that kills its workers,
    /// the survey goes on without it.
    fn page_size(&self) -> anyhow::Result<Option<Result<(Layout, Outcome), String>>> {
        if !self.request.page_size || self.request.probe.kind != ProbeKind::Page {
            return Ok(None);
        }
        let Some(layout) = self.layout.page_sizes() else { return Ok(None) };
        let plan = self.plan(&layout, PlanLimits { most_rounds: 15, ..PlanLimits::quick() });
        match self.session.at_once(&plan, Work::Latency(layout.setup()), "page size") {
            Ok(outcome) => Ok(Some(Ok((layout, outcome)))),
            Err(error) if error.is::<Interrupted>() => Err(error),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    /// Looks for hidden nodes, where that is asked for.
    fn hidden(&self, outcome: &Outcome) -> anyhow::Result<Option<Look>> {
        let page = self.request.probe.kind == ProbeKind::Page;
        if !self.request.hidden || !page || !hidden::is_worth_it(&self.session.topology, self.request.mode) {
            return Ok(None);
        }
        let pace = hidden::Pace::of(outcome, &self.request.probe, self.request.mode);
        hidden::look(&self.session, &self.layout, &pace, hidden::SHARE).map(Some)
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

/// The longest that anybody waits: only machines with thousands of cells, and emulated ones, come near.
const fn patience(mode: Mode) -> Duration {
    match mode {
        Mode::Quick => Duration::from_secs(2 * 60),
        Mode::Default => Duration::from_secs(10 * 60),
        Mode::Thorough => Duration::from_secs(60 * 60),
    }
}

fn limits(mode: Mode, probe: ProbeKind) -> PlanLimits {
    let limits = PlanLimits { deadline: Some(patience(mode)), ..mode.limits() };
    match probe {
        // One sample of these takes a large part of a second.
        ProbeKind::StoreSweep | ProbeKind::CoreWalk => PlanLimits { most_rounds: 15, ..limits },
        _ => limits,
    }
}
