//! Kinds of pages that no node tells of: what each costs each group of CPUs.

use nearfar_draw::{Heading, HeatMap};
use nearfar_survey::Survey;

use super::reasons::{line_reason, page_reason};
use crate::pictures::figures::{heat_cell, row_name};
use crate::pictures::shown::{Drawn, Shown};

/// A map where kinds were found; otherwise a remark.
pub(super) fn draw(survey: &Survey) -> Shown {
    let Some(hidden) = &survey.hidden else { return Shown::default() };
    let matrix = &hidden.matrix;
    if hidden.pages.kinds.len() < 2 {
        let of_pages = hidden.pages.found.reasons.iter().map(page_reason);
        let remarks = of_pages.chain(hidden.lines.found.reasons.iter().map(line_reason)).collect();
        return Shown { pictures: Vec::new(), remarks };
    }
    let cell = |row: usize, column: usize| {
        let cell = matrix.cell(row, column)?;
        heat_cell(cell, &matrix.unit, 1.0)
    };
    let share = |column: usize| {
        hidden.pages.kinds.get(column).map_or(String::new(), |kind| format!(", {:.0} %", 100.0 * kind.share))
    };
    let map = HeatMap {
        heading: Heading::new(
            "Kinds of pages that the system does not show, ns",
            "Median cost of an access by the CPUs of each row to pages that cost alike and belong to no node that the system shows; each kind with its share of all measured pages.",
        ),
        unit: matrix.unit.clone(),
        row_axis: "CPUs".to_owned(),
        column_axis: "kind of pages".to_owned(),
        rows: matrix.rows.iter().map(row_name).collect(),
        columns: matrix
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| format!("{}{}", column.label, share(at)))
            .collect(),
        cells: (0..matrix.rows.len())
            .map(|row| (0..matrix.columns.len()).map(|column| cell(row, column)).collect())
            .collect(),
        scale: None,
        more_is_better: false,
    };
    Shown { pictures: vec![Drawn::Map(map)], remarks: Vec::new() }
}
