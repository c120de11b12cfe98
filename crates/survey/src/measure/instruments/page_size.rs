//! The cost of base pages compared with huge ones: a chase through both, from one CPU group. It
//! takes half a GiB, and has one turn.

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::{Layout, PageSize, ProbeKind, ProbeSpec, Work};

use crate::measure::instruments::latency::{LatencyExperiment, cost, places, plan};
use crate::measure::{Effort, Experiment, ExperimentRun, MeasureError, StartSpacing, Turn};
use crate::{Instruments, LatencyRun};

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
}

impl Experiment for PageSizeExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, _: Effort) -> Duration {
        cost(&self.layout, ProbeSpec::chase(PageSize::Huge))
            .of(self.run.limits, places(&self.layout))
    }

    fn begin(&mut self, turn: &mut Turn<'_>, _: Effort) -> Result<(), MeasureError> {
        let plan = plan(&self.layout, self.run.limits, self.run.seed);
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
