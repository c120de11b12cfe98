//! Hidden nodes as a part of the document.

use nearfar_infer::InferError;
use nearfar_infer::hidden::PageReason;
use nearfar_probe::Outcome;

use super::super::comparable::Comparable;
use super::super::instrument_part::{CellFigure, InstrumentOutcome, InstrumentPart};
use super::{Hidden, HiddenRun};
use crate::Survey;

impl InstrumentOutcome for HiddenRun<'_> {
    fn put_into(&self, survey: &mut Survey) {
        survey.hidden = Some(Hidden::new(self));
    }

    fn outcomes(&self) -> Vec<&Outcome> {
        self.outcome.iter().copied().collect()
    }
}

impl InstrumentPart for Hidden {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        self.derive(seed)
    }

    fn strip_samples(&mut self) {
        self.samples = None;
    }

    fn tables(&self) -> Vec<Vec<CellFigure<'_>>> {
        vec![self.matrix.cells.iter().map(CellFigure::of).collect()]
    }

    /// Pages have a cell where they were measured, and none where they were not.
    fn why_unmeasured(&self) -> Option<&str> {
        let lines = self.lines.found.reliability.iter().flatten().count();
        let is_unmeasured = self.matrix.cells.is_empty() && lines == 0;
        let why = match self.pages.found.reasons.first() {
            Some(PageReason::Unavailable { why } | PageReason::Sentence(why)) => why,
            _ => "no page could be measured",
        };
        is_unmeasured.then_some(why)
    }

    /// Kinds of pages are found anew each time: there is nothing to match.
    fn comparable(&self, _: usize) -> Vec<Comparable> {
        vec![]
    }

    /// Its finding says what they leave open.
    fn warns_of_cells(&self) -> bool {
        false
    }
}
