//! Which cells of a survey changed against another one, for marks in pictures.

use std::collections::BTreeMap;

use nearfar_survey::compare::{CellChange, SurveyComparison};
use nearfar_view::draw::{HeatCell, HeatNote};

/// Cells that both surveys have, by their names.
#[derive(Debug)]
pub struct Changes<'c>(BTreeMap<ChangeKey<'c>, &'c CellChange>);

/// Part, row, column, and what it was visited with.
type ChangeKey<'c> = (&'c str, &'c str, &'c str, Vec<(&'c str, &'c str)>);

impl<'c> Changes<'c> {
    /// Those of a comparison.
    pub fn from_comparison(comparison: &'c SurveyComparison) -> Self {
        let cells = comparison
            .parts
            .iter()
            .flat_map(|part| part.cells.iter().map(move |cell| (part, cell)));
        let key = |(part, cell): (&'c nearfar_survey::compare::PartChanges, &'c CellChange)| {
            let with = cell
                .treatment
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            ((part.part.as_str(), cell.row.as_str(), cell.column.as_str(), with), cell)
        };
        Self(cells.map(key).collect())
    }

    /// Whether nothing is in both.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How a cell changed; none where a survey lacks it. `with` is in the order of its names.
    pub(crate) fn find(
        &self,
        part: &str,
        row: &str,
        column: &str,
        with: &[(&str, &str)],
    ) -> Option<&'c CellChange> {
        self.0.get(&(part, row, column, with.to_vec())).copied()
    }
}

/// What framed cells have in common where surveys are compared.
pub(crate) const MARK_NOTE: &str = "a real change to the first survey, by the share beneath";

/// Frames a cell that really changed, with the change beneath its figure.
pub(crate) fn mark(cell: &mut HeatCell, change: Option<&CellChange>) {
    let Some(one) = change else { return };
    let Some(change) = one.change else { return };
    let [low, high] = change.moved.ci95;
    let real = if one.is_real() { "a real change" } else { "not beyond chance" };
    let (by, low, high) = (100.0 * change.moved.ratio, 100.0 * low, 100.0 * high);
    cell.tooltip += &format!(
        "; {by:+.1} % to the first survey (95 % interval {low:+.1} to {high:+.1} %): {real}"
    );
    cell.marked = one.is_real();
    if one.is_real() {
        cell.beneath = vec![HeatNote { text: format!("{by:+.1} %"), is_in_exact: false }];
    }
}
