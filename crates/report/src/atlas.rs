//! Published figures, and a machine beside them.

mod rows;
mod sentences;

use nearfar_survey::Survey;
use nearfar_survey::atlas::{Atlas, AtlasComparison, MachineFigures, MatchedBy, compare};

use nearfar_view::text::paragraph;

pub use rows::{csv, sources, table};
pub(crate) use rows::{latency_method, mode};
pub(crate) use sentences::sentences;
pub use sentences::short;

/// A survey beside the atlas that comes with nearfar.
pub fn beside(survey: &Survey) -> AtlasComparison {
    compare(&MachineFigures::for_survey(survey), Atlas::built_in())
}

/// The section of a survey's screen; nothing where there is nothing to compare with and nothing is
/// unusual.
pub(crate) fn section(survey: &Survey) -> String {
    text(&beside(survey))
}

/// "Published figures", a sentence each.
pub fn text(comparison: &AtlasComparison) -> String {
    let lines = sentences(comparison);
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| paragraph::of(line, "  ", "    ")).collect();
    format!("Published figures\n{lines}")
}

/// Why there is no such section.
pub fn why_nothing(comparison: &AtlasComparison) -> String {
    match comparison.matched {
        MatchedBy::Nothing => format!(
            "no published row is of '{}' or its family: 'nearfar atlas' lists all",
            comparison.model
        ),
        _ => format!(
            "no published row of '{}' or its family is comparable in this mode",
            comparison.model
        ),
    }
}
