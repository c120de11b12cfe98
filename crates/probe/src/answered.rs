//! What holds of a worker's answers on a busy machine too: tests in the default tier ask for this,
//! and for no figure.

use crate::answer::{Answer, Visit};

/// Each visit has a sample or a reason for its absence, and each sample is a positive time.
pub(crate) fn assert_answered(visits: &[Visit], answers: &[Answer]) {
    for answer in answers {
        if let Answer::Reading(reading) = answer {
            assert!(reading.ns.0.is_finite() && reading.ns.0 > 0.0, "{reading:?}");
            assert!(visits.contains(&reading.visit), "{reading:?} of {visits:?}");
        }
    }
    for visit in visits {
        assert!(answers.iter().any(|answer| concerns(answer, *visit)), "{visit:?}: {answers:?}");
    }
}

fn concerns(answer: &Answer, visit: Visit) -> bool {
    match answer {
        Answer::Reading(reading) => reading.visit == visit,
        Answer::Dropped { visit: dropped, .. } => *dropped == visit,
        Answer::ColumnUnavailable { column, .. } => *column == visit.column,
        Answer::RowUnavailable { row, .. } => *row == visit.row,
        Answer::CellUnavailable { row, column, .. } => (*row, *column) == (visit.row, visit.column),
        _ => false,
    }
}
