//! What base pages cost beside huge ones: a chase through both, from one CPU group. It takes half a
//! GiB, and has one turn.

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::{Layout, PageSize, PlanLimits, ProbeKind, ProbeSpec, Work};
use nearfar_survey::{Instruments, LatencyRun, Options};

use crate::instruments::latency::{Latency, cost, places, plan};
use crate::run::Run;
use crate::{Done, Effort, Experiment, MeasureError, Spacing, Turn};

/// The comparison on one machine.
pub(crate) struct PageSizes {
    layout: Layout,
    options: Options,
    seed: u64,
    run: Run,
}

impl PageSizes {
    /// Beside the page probe only: others have the size of their pages as an option.
    pub(crate) fn beside(latency: &Latency, seed: u64) -> Option<Self> {
        let layout = latency.layout.page_sizes().filter(|_| latency.probe.kind == ProbeKind::Page)?;
        Some(Self { layout, options: latency.options(), seed, run: Run::default() })
    }
}

fn limits() -> PlanLimits {
    PlanLimits { most_rounds: 15, ..PlanLimits::quick() }
}

impl Experiment for PageSizes {
    fn instrument(&self) -> Instrument {
        Instrument::PageSize
    }

    fn options(&self) -> Options {
        self.options.clone()
    }

    fn expected(&self, _: Effort) -> Duration {
        cost(&self.layout, ProbeSpec::chase(PageSize::Huge)).of(limits(), places(&self.layout))
    }

    fn begin(&mut self, turn: &mut Turn<'_>, _: Effort) -> Result<(), MeasureError> {
        let plan = plan(&self.layout, limits(), self.seed);
        let outcome = turn.run(&plan, Work::Latency(self.layout.setup()), Spacing::AtOnce, "page size")?;
        self.run.add(&plan.places, outcome);
        Ok(())
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        None
    }

    fn refine(&mut self, _: &mut Turn<'_>) -> Result<(), MeasureError> {
        Ok(())
    }

    fn target_error(&self) -> f64 {
        limits().standard_error
    }

    fn worst_error(&self) -> Option<f64> {
        self.run.worst_error(self.seed)
    }

    fn done(&self) -> Done {
        self.run.done()
    }

    /// Beside latency, which was recorded before.
    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let (layout, outcome) = (&self.layout, &self.run.outcome);
        if document.latency.is_some() && outcome.processes > 0 {
            document.page_size = Some(Ok(LatencyRun { layout, outcome }));
        }
    }
}
