//! What the parts of a document that instruments made have in common.

use nearfar_infer::InferError;
use nearfar_model::Instrument;
use nearfar_probe::{Layout, PlanOutcome};

use crate::{FillCounting, InstrumentTable, Outlier, Survey};

/// A part of a document beside latency.
pub(crate) trait InstrumentPart {
    /// Derives its figures from its samples. Without samples nothing changes.
    fn judge(&mut self, cpus: usize, seed: u64) -> Result<(), InferError>;

    /// Leaves the raw samples out.
    fn strip_samples(&mut self);

    /// Its tables of figures.
    fn tables(&self) -> Vec<InstrumentTable<'_>>;

    /// Why nothing was measured, where no cell can hold the reason.
    fn why_unmeasured(&self) -> Option<&str> {
        None
    }

    /// Whether it warns of cells that are imprecise or could not be measured.
    fn warns_of_cells(&self) -> bool {
        true
    }
}

/// A run of latency, or of one chase through memory in huge pages and in base pages.
#[derive(Clone, Copy)]
pub struct LatencyRun<'a> {
    /// What was measured. Of page sizes: row 0, and a column for each size.
    pub layout: &'a Layout,
    /// What was measured.
    pub outcome: &'a PlanOutcome,
}

/// What a survey's instruments measured.
#[derive(Default)]
pub struct Instruments<'a> {
    /// What an access costs, where that was measured.
    pub latency: Option<LatencyRun<'a>>,
    /// Whether fills were counted beside latency.
    pub fills: Option<FillCounting<'a>>,
    /// What base pages cost, where that was asked for beside latency; or why it could not be
    /// measured.
    pub page_size: Option<Result<LatencyRun<'a>, String>>,
    /// Outliers of bandwidth, which were measured again.
    pub outliers: Vec<Outlier>,
    pub(crate) parts: Vec<MeasuredPart<'a>>,
    /// The parts themselves, and nothing else.
    pub(crate) document: Survey,
    pub(crate) targets: Vec<(Instrument, f64)>,
}

/// What an instrument beside latency measured.
pub(crate) struct MeasuredPart<'a> {
    pub(crate) instrument: Instrument,
    /// The outcomes of its plans.
    pub(crate) outcomes: Vec<&'a PlanOutcome>,
}

impl<'a> Instruments<'a> {
    /// Adds the outcomes of the plans of an instrument beside latency. Its part belongs into the
    /// document that this returns, before its figures.
    pub fn add(
        &mut self,
        instrument: Instrument,
        outcomes: impl IntoIterator<Item = &'a PlanOutcome>,
    ) -> &mut Survey {
        self.parts.push(MeasuredPart { instrument, outcomes: outcomes.into_iter().collect() });
        self.parts.sort_by_key(|part| part.instrument);
        &mut self.document
    }

    /// Notes the standard error that an instrument aims at, as a fraction.
    pub fn set_target(&mut self, instrument: Instrument, error: f64) {
        self.targets.push((instrument, error));
    }

    /// The outcomes of instruments beside latency, plan by plan.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (Instrument, &'a PlanOutcome)> {
        self.parts
            .iter()
            .flat_map(|part| part.outcomes.iter().map(move |outcome| (part.instrument, *outcome)))
    }

    /// What base pages cost, where that was measured.
    pub(crate) fn page_size_run(&self) -> Option<LatencyRun<'a>> {
        self.page_size.as_ref()?.as_ref().ok().copied()
    }

    pub(crate) fn target(&self, instrument: Instrument) -> Option<f64> {
        self.targets.iter().find(|(of, _)| *of == instrument).map(|(_, error)| *error)
    }
}
