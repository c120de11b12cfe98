//! What the parts of a document that instruments made have in common.

use nearfar_infer::InferError;
use nearfar_model::Instrument;
use nearfar_probe::{Layout, Outcome};
use serde::Serialize;

use super::comparable::Comparable;
use crate::{Cell, PageSizeRun, Part, Survey, Treatment, Warning};

/// What one instrument measured, as it goes into a document.
pub trait InstrumentOutcome {
    /// Puts the part into the document, before its figures.
    fn put_into(&self, survey: &mut Survey);

    /// What its plans measured.
    fn outcomes(&self) -> Vec<&Outcome>;

    /// What else is to be warned of.
    fn warnings(&self) -> Vec<Warning> {
        vec![]
    }
}

/// A part of a document beside latency.
pub(crate) trait InstrumentPart {
    /// Derives its figures from its samples. Without samples nothing changes.
    fn judge(&mut self, cpus: usize, seed: u64) -> Result<(), InferError>;

    /// Leaves the raw samples out.
    fn strip_samples(&mut self);

    /// Its cells, table by table.
    fn tables(&self) -> Vec<Vec<CellFigure<'_>>>;

    /// Its cells as `nearfar compare` matches them; `processes` measured it.
    fn comparable(&self, processes: usize) -> Vec<Comparable>;

    /// Why nothing was measured, where that leaves no cell to say it.
    fn why_unmeasured(&self) -> Option<&str> {
        None
    }

    /// Whether it warns of cells that are imprecise or could not be measured.
    fn warns_of_cells(&self) -> bool {
        true
    }
}

/// How well one cell is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellFigure<'c> {
    pub(crate) median: Option<f64>,
    /// Its standard error, as a fraction.
    pub(crate) se: Option<f64>,
    /// Why there is no figure.
    pub(crate) why: Option<&'c str>,
    /// Whether it should become as precise as the instrument's target.
    pub(crate) is_targeted: bool,
}

impl<'c> CellFigure<'c> {
    pub(crate) fn of<T>(cell: &'c Cell<T>) -> Self {
        Self { median: cell.median, se: cell.se, why: cell.why.as_deref(), is_targeted: true }
    }
}

impl<T: Treatment + Serialize> Part<T> {
    /// Its cells, those targeted of which this is true.
    pub(crate) fn table(&self, is_targeted: impl Fn(&Cell<T>) -> bool) -> Vec<CellFigure<'_>> {
        let figure = |cell| CellFigure { is_targeted: is_targeted(cell), ..CellFigure::of(cell) };
        self.matrix.cells.iter().map(figure).collect()
    }

    /// As comparisons take it.
    pub(crate) fn compared(&self, processes: usize) -> Comparable {
        Comparable::of_part(T::INSTRUMENT, self, processes)
    }
}

/// A run of latency.
pub struct LatencyRun<'a> {
    /// What was measured.
    pub layout: &'a Layout,
    /// What was heard.
    pub outcome: &'a Outcome,
    /// What base pages cost, where that was asked for; or why it could not be measured.
    pub page_size: Option<Result<PageSizeRun<'a>, String>>,
}

/// What a survey's instruments measured.
#[derive(Default)]
pub struct Instruments<'a> {
    /// What an access costs, where that was measured.
    pub latency: Option<LatencyRun<'a>>,
    pub(crate) parts: Vec<(Instrument, Box<dyn InstrumentOutcome + 'a>)>,
    pub(crate) targets: Vec<(Instrument, f64)>,
}

impl<'a> Instruments<'a> {
    /// Adds what an instrument beside latency measured.
    pub fn add(&mut self, instrument: Instrument, measured: impl InstrumentOutcome + 'a) {
        self.parts.push((instrument, Box::new(measured)));
        self.parts.sort_by_key(|(instrument, _)| *instrument);
    }

    /// Notes the standard error that an instrument aims at, as a fraction.
    pub fn set_target(&mut self, instrument: Instrument, error: f64) {
        self.targets.push((instrument, error));
    }

    pub(crate) fn target(&self, instrument: Instrument) -> Option<f64> {
        self.targets.iter().find(|(of, _)| *of == instrument).map(|(_, error)| *error)
    }
}
