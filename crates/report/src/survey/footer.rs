//! What the figures mean, and what disturbed them.

use nearfar_model::Instrument;
use nearfar_survey::{Survey, Warning};

use super::meaning;
use super::warnings::told;
use crate::paragraph;

/// "What this means", numbered.
pub(super) fn meaning(survey: &Survey) -> String {
    let sentences = meaning::sentences(survey);
    if sentences.is_empty() {
        return String::new();
    }
    let lines = sentences
        .iter()
        .zip(1..)
        .map(|(sentence, number)| paragraph::of(sentence, &format!("  {number}  "), "     "));
    format!("What this means\n{}", lines.collect::<String>())
}

/// The same of one part: all that is said follows from latency.
pub(super) fn meaning_of(survey: &Survey, part: Instrument) -> String {
    if part == Instrument::Latency { meaning(survey) } else { String::new() }
}

/// "Warnings", each with its remedy.
pub(super) fn warnings(survey: &Survey) -> String {
    list(survey, survey.warnings.iter())
}

/// Those that bear on one part: its instrument's own, and those of the whole machine.
pub(super) fn warnings_of(survey: &Survey, part: Instrument) -> String {
    list(survey, survey.warnings.iter().filter(|warning| bears_on(warning, part)))
}

fn bears_on(warning: &Warning, part: Instrument) -> bool {
    // What a budget had no time for is never a part that is here.
    warning.code() != "instrument-left-out"
        && warning.instrument.as_deref().is_none_or(|of| of == part.name())
}

fn list<'w>(survey: &Survey, warnings: impl Iterator<Item = &'w Warning>) -> String {
    // Cells that could not be measured have their reason under the matrix.
    let mut warnings = warnings.filter(|warning| warning.code() != "cell-unmeasured").peekable();
    if warnings.peek().is_none() {
        return String::new();
    }
    let lines = warnings.map(|warning| {
        let told = told(warning, survey);
        let remedy = told.remedy.map(|remedy| paragraph::of(&remedy, "     remedy: ", "       "));
        paragraph::of(&told.text, "  !  ", "     ") + &remedy.unwrap_or_default()
    });
    format!("Warnings\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use nearfar_survey::WarningKind;

    use super::*;

    fn several() -> Survey {
        serde_json::from_str(include_str!("../../tests/golden/several.json")).unwrap()
    }

    fn warning(code: &str, instrument: Option<&str>) -> Warning {
        let kind =
            WarningKind::Sentence { code: code.to_owned(), text: format!("{code}."), remedy: None };
        Warning { kind, instrument: instrument.map(str::to_owned) }
    }

    #[test]
    fn one_part_has_its_own_warnings_and_those_of_the_machine() {
        let of = |part| {
            let all = [
                warning("load", None),
                warning("bursts", Some("latency")),
                warning("stands-out", Some("bandwidth")),
                warning("instrument-left-out", None),
            ];
            list(&several(), all.iter().filter(|warning| bears_on(warning, part)))
        };
        assert_eq!(of(Instrument::Bandwidth), "Warnings\n  !  load.\n  !  stands-out.\n");
        assert_eq!(of(Instrument::Latency), "Warnings\n  !  load.\n  !  bursts.\n");
    }

    #[test]
    fn what_latency_means_stands_under_latency_only() {
        let survey = several();
        assert!(
            meaning_of(&survey, Instrument::Latency)
                .starts_with("What this means\n  1  Placing programs by memory")
        );
        assert_eq!(meaning_of(&survey, Instrument::Caches), "");
    }
}
