//! The verdict in one sentence, its reasons, and what would settle it.

pub(crate) mod reasons;

use nearfar_infer::{Numa, Verdict};
use nearfar_survey::Survey;
use nearfar_terminal::printable;

use crate::count::count;

/// The paragraph. A verdict that is sure says its figures in its sentence; an undetermined one owes its reasons.
pub(super) fn text(survey: &Survey) -> String {
    let bold = anstyle::Style::new().bold();
    let verdict = &survey.verdict;
    let mut text = format!("{bold}NUMA: {}.{bold:#} {}\n", verdict.numa, sentence(survey));
    if verdict.numa == Numa::Undetermined {
        text.extend(verdict.reasons.iter().map(|reason| printable::line(&reasons::reason(reason)).into_owned() + "\n"));
    }
    if let Some(would_settle) = &verdict.would_settle {
        text.push_str(&format!("What would settle it: {}\n", printable::line(&reasons::remedy(would_settle))));
    }
    text
}

/// The verdict's figures in a sentence.
pub(crate) fn sentence(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let figures = figures(verdict);
    match (verdict.numa, verdict.effect) {
        (Numa::Yes, Some(effect)) => {
            format!("The farthest memory costs {:.2} times the nearest {figures}.", 1.0 + effect)
        }
        (Numa::No, _) => format!("Memory is uniform within {} {figures}.", percent(verdict.threshold)),
        _ => format!("{} {figures}", design(survey)).trim_end().to_owned() + ".",
    }
}

fn figures(verdict: &Verdict) -> String {
    let mut figures = Vec::new();
    if let (Some(effect), Some([low, high])) = (verdict.effect, verdict.ci95) {
        figures.push(format!(
            "largest effect {:+.1} %, 95 % interval {:+.1} to {:+.1} %",
            effect * 100.0,
            low * 100.0,
            high * 100.0
        ));
    }
    figures.extend(verdict.p.map(|p| if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }));
    if figures.is_empty() { String::new() } else { format!("({})", figures.join(", ")) }
}

/// What there was to compare: "2 rows, 4 columns".
fn design(survey: &Survey) -> String {
    let (rows, columns) = (survey.latency.rows.len(), survey.latency.columns.len());
    format!("{} of CPUs, {} of memory", count(rows, "row"), count(columns, "column"))
}

fn percent(share: f64) -> String {
    let percent = format!("{:.1}", share * 100.0);
    format!("{} %", percent.trim_end_matches(".0"))
}
