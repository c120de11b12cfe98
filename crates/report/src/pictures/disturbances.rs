//! What was dropped, and when.

use nearfar_survey::Survey;

use super::Shown;

/// A timeline for each instrument that dropped samples.
pub(super) fn draw(_survey: &Survey) -> Shown {
    Shown::default()
}
