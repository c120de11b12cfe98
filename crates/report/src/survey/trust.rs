//! How far to trust a survey: how it was measured, and what disturbed it.

use nearfar_model::Instrument;
use nearfar_survey::{PrecisionWarning, Survey, Warning, WarningCode, WarningKind};
use nearfar_view::text::count;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;

use super::headline::{measurement_facts, other_facts};
use super::warnings::{WarningText, overview};
use super::{Verbosity, effort, fills};

/// Warnings that a screen shows without `--verbose`.
const MAX_WARNINGS: usize = 3;

pub(super) fn text(survey: &Survey, verbosity: Verbosity) -> String {
    let warnings = by_importance(survey, |_| true);
    sections([measurement(survey, verbosity), list(survey, &warnings, verbosity)])
}

/// Of one part: the warnings of its instrument, and those of the whole machine.
pub(super) fn text_of_part(survey: &Survey, part: Instrument, verbosity: Verbosity) -> String {
    let warnings = by_importance(survey, |warning| concerns(warning, part));
    sections([measurement(survey, verbosity), list(survey, &warnings, verbosity)])
}

/// Of several instruments: a table has a line for each warning.
pub(super) fn text_of_several(survey: &Survey, verbosity: Verbosity) -> String {
    let warnings = by_importance(survey, |_| true);
    let warnings = match verbosity {
        Verbosity::Verbose => list(survey, &warnings, verbosity),
        Verbosity::Brief => {
            overview(&joined_precision(&warnings), survey.machine.hypervisor.is_some())
        }
    };
    let effort = match verbosity {
        Verbosity::Verbose => effort::text(survey),
        Verbosity::Brief => String::new(),
    };
    sections([measurement(survey, verbosity), effort, warnings])
}

fn measurement(survey: &Survey, verbosity: Verbosity) -> String {
    let facts = [other_facts(survey), measurement_facts(survey, verbosity)].concat();
    let facts = paragraph::facts(&facts, "  ", "  ");
    format!("Measurement\n{facts}{}", fills::text(survey, verbosity))
}

fn concerns(warning: &Warning, part: Instrument) -> bool {
    // A part that is here was not left out.
    warning.code() != WarningCode::InstrumentLeftOut
        && warning.instrument.as_deref().is_none_or(|of| of == part.name())
}

/// Some warnings, the most important first.
fn by_importance(survey: &Survey, is_wanted: impl Fn(&Warning) -> bool) -> Vec<&Warning> {
    // Cells that were not measured have their reason under the matrix.
    let mut warnings: Vec<&Warning> = survey
        .warnings
        .iter()
        .filter(|warning| warning.code() != WarningCode::CellUnmeasured && is_wanted(warning))
        .collect();
    warnings.sort_by_key(|warning| warning.code());
    warnings
}

fn list(survey: &Survey, warnings: &[&Warning], verbosity: Verbosity) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let most = match verbosity {
        Verbosity::Brief => MAX_WARNINGS,
        Verbosity::Verbose => warnings.len(),
    };
    let joined: Vec<Warning> = match verbosity {
        Verbosity::Brief => joined_precision(warnings),
        Verbosity::Verbose => warnings.iter().copied().cloned().collect(),
    };
    let shown: String = joined
        .iter()
        .take(most)
        .map(|warning| one(WarningText::new(warning, survey, verbosity)))
        .collect();
    let rest = match joined.len().saturating_sub(most) {
        0 => String::new(),
        more => format!("  {}: --verbose\n", count(more, "more warning")),
    };
    format!("Warnings\n{shown}{rest}")
}

/// One warning for an instrument whose latencies and rates are both imprecise.
fn joined_precision(warnings: &[&Warning]) -> Vec<Warning> {
    let mut joined: Vec<Warning> = Vec::new();
    for &warning in warnings {
        let same = joined.iter_mut().find(|known| {
            known.instrument == warning.instrument && known.code() == WarningCode::NotPrecise
        });
        match (same.map(|known| &mut known.kind), &warning.kind) {
            (
                Some(WarningKind::Precision(PrecisionWarning::NotPrecise {
                    imprecise: known,
                    cells: all,
                    ..
                })),
                WarningKind::Precision(PrecisionWarning::NotPrecise { imprecise, cells, .. }),
            ) => {
                *known += imprecise;
                *all += cells;
            }
            _ => joined.push(warning.clone()),
        }
    }
    joined
}

fn one(warning: WarningText) -> String {
    let remedy = warning.remedy.map(|remedy| paragraph::of(&remedy, "     remedy: ", "       "));
    paragraph::of(&warning.text, "  !  ", "     ") + &remedy.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn survey(warnings: Value) -> Survey {
        let golden = include_str!("../../tests/golden/several.json");
        let survey: Survey = serde_json::from_str(golden).unwrap();
        Survey { warnings: serde_json::from_value(warnings).unwrap(), ..survey }
    }

    #[test]
    fn a_part_has_its_own_warnings_and_the_machines() {
        let bursts = json!({
            "code": "bursts", "above": 1, "samples": 9, "times": 3.0, "instrument": "latency",
        });
        let imprecise = json!({
            "code": "not-precise", "imprecise": 1, "cells": 2, "aim": 0.005, "worst": 0.01,
            "rounds": 3, "instrument": "bandwidth",
        });
        let skipped = json!({"code": "instrument-left-out", "budget_s": 1.0, "instruments": []});
        let load = json!({"code": "load", "average": 2.0, "cpus": 4});
        let survey = survey(json!([load, bursts, imprecise, skipped]));
        let codes = |part| {
            let warnings = by_importance(&survey, |warning| concerns(warning, part));
            warnings.iter().map(|warning| warning.code().name()).collect::<Vec<_>>()
        };
        assert_eq!(codes(Instrument::Bandwidth), ["load", "not-precise"]);
        assert_eq!(codes(Instrument::Latency), ["load", "bursts"]);
    }

    #[test]
    fn three_warnings_are_shown_the_most_important_first() {
        let survey = survey(json!([
            {"code": "hypervisor", "name": "KVM", "nodes": 1},
            {"code": "thp-off", "thp_enabled": "never"},
            {"code": "load", "average": 2.0, "cpus": 4},
            {"code": "cpu-quota", "cpus": 1.5},
            {"code": "controls-differ", "differing": 1, "pairs": 2, "largest": 0.1},
        ]));
        let shown = |verbosity| list(&survey, &by_importance(&survey, |_| true), verbosity);
        let brief = shown(Verbosity::Brief);
        assert!(brief.starts_with("Warnings\n  !  1 of 2 "), "{brief}");
        assert!(brief.ends_with("  2 more warnings: --verbose\n"), "{brief}");
        assert_eq!(shown(Verbosity::Verbose).matches("\n  !  ").count(), 5);
    }
}
