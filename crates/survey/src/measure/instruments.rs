//! The instruments, one file each: settings and experiment.

mod bandwidth;
mod caches;
mod core_to_core;
mod footprint;
mod gpu;
mod hidden;
mod interleave;
mod io;
mod latency;
mod loaded;

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::{Layout, LayoutRequest, PageSize, ProbeKind, ProbeSpec, RowKind, Work};
use nearfar_view::terminal::error_line;

use crate::measure::cost::VisitCost;
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings,
    StartSpacing, Turn,
};
use crate::{Instruments, LatencyRun, Mode, Skipped};
use latency::{cost, places, plan};

pub use bandwidth::BandwidthSettings;
pub use caches::CachesSettings;
pub use core_to_core::{CoreToCoreSettings, claim};
pub use gpu::{GPU_BUDGET, GpuSettings, NoSuchGpu};
pub use hidden::HiddenSettings;
pub(crate) use hidden::shows_one_memory;
pub use interleave::InterleaveSettings;
pub use io::{IO_BUDGET, IoRequestedTarget, IoSettings, MadeFile, MadeFileError};
pub(crate) use latency::LatencyExperiment;
pub use latency::LatencySettings;
pub use loaded::LoadedSettings;

/// Instruments that a survey can measure beside latency, the most important first.
pub const OTHERS: [Instrument; 6] = [
    Instrument::Hidden,
    Instrument::Bandwidth,
    Instrument::CoreToCore,
    Instrument::Loaded,
    Instrument::Caches,
    Instrument::Interleave,
];

/// Adds the chosen ones of [`OTHERS`], with their default settings. Returns those that have nothing
/// to measure here, with reasons.
pub(crate) fn add_others(
    session: &Session,
    scope: &Scope,
    chosen: &[Instrument],
    all: &mut Vec<Box<dyn Experiment>>,
) -> Vec<Skipped> {
    // The requested mode applies to latency.
    let scope = Scope { mode: Mode::Default, ..scope.clone() };
    // Caches are measured on one CPU, whatever the rows of the others are.
    let of_one_cpu = Scope {
        wanted: LayoutRequest { rows: RowKind::Auto, ..scope.wanted.clone() },
        ..scope.clone()
    };
    let lay_out = |instrument: Instrument| {
        let laid_out = match instrument {
            Instrument::Hidden => HiddenSettings::default().experiment(session, &scope),
            Instrument::Bandwidth => BandwidthSettings::default().experiment(session, &scope),
            Instrument::CoreToCore => CoreToCoreSettings::default().experiment(session, &scope),
            Instrument::Loaded => LoadedSettings::default().experiment(session, &scope),
            Instrument::Caches => CachesSettings::default().experiment(session, &of_one_cpu),
            Instrument::Interleave => InterleaveSettings::default().experiment(session, &scope),
            // Latency and page sizes are there; disks and GPUs are chosen one by one.
            _ => return None,
        };
        add(instrument, laid_out, all)
    };
    OTHERS.into_iter().filter(|other| chosen.contains(other)).filter_map(lay_out).collect()
}

/// Adds an instrument; returns why not, if it has nothing to measure here.
pub(crate) fn add(
    instrument: Instrument,
    laid_out: NewExperiment,
    all: &mut Vec<Box<dyn Experiment>>,
) -> Option<Skipped> {
    let error = laid_out.map(|experiment| all.push(experiment)).err()?;
    Some(Skipped::because(instrument.name(), error_line(&error)))
}

/// The comparison on one machine.
pub(crate) struct PageSizeExperiment {
    layout: Layout,
    run: ExperimentRun,
}

impl PageSizeExperiment {
    /// With the page probe only: the others have the page size as an option.
    pub(crate) fn beside(latency: &LatencyExperiment) -> Option<Self> {
        let layout =
            latency.layout.page_sizes().filter(|_| latency.probe.kind == ProbeKind::Page)?;
        let ExperimentRun { options, seed, .. } = latency.run();
        Some(Self { layout, run: ExperimentRun::new(Instrument::PageSize, options.clone(), *seed) })
    }

    fn cost(&self) -> VisitCost {
        cost(&self.layout, ProbeSpec::chase(PageSize::Huge))
    }
}

impl Experiment for PageSizeExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, _: Effort) -> Duration {
        self.cost().of(self.run.limits, places(&self.layout))
    }

    fn begin(&mut self, turn: &mut Turn<'_>, _: Effort) -> Result<(), MeasureError> {
        let plan = plan(&self.layout, self.run.limits, self.run.seed);
        turn.cost = Some(self.cost());
        self.run.visit(
            turn,
            &plan,
            Work::Latency(self.layout.setup()),
            StartSpacing::AtOnce,
            "page size",
        )
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        None
    }

    fn refine(&mut self, _: &mut Turn<'_>) -> Result<(), MeasureError> {
        Ok(())
    }

    /// Added to latency, which was recorded before.
    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let (layout, outcome) = (&self.layout, &self.run.outcome);
        if document.latency.is_some() && outcome.processes > 0 {
            document.page_size = Some(Ok(LatencyRun { layout, outcome }));
        }
    }
}
