//! The warning that the PMU contradicts the placement of memory.

use crate::{CellWarning, FillsContradict, Survey, Warning, WarningKind};

/// The warning that fills contradict the placement of memory.
pub(crate) fn warning(survey: &Survey) -> Option<Warning> {
    let evidence = survey.fills.as_ref()?;
    let contradictions = evidence.check().contradictions;
    let first = &evidence.cells[*contradictions.first()?];
    let label = |label: Option<&str>| label.unwrap_or_default().to_owned();
    let found = FillsContradict {
        cells: contradictions.len(),
        judged: evidence.cells.iter().filter(|cell| cell.remote_share.is_some()).count(),
        row: label(survey.latency.row_label(first.row)),
        column: label(survey.latency.column_label(first.column)),
        expected: first.expected?,
        remote_share: first.remote_share?,
        events: evidence.events.clone().unwrap_or_default(),
    };
    Some(Warning::new("latency", WarningKind::Cell(CellWarning::FillsContradict(found))))
}
