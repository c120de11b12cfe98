//! Warnings of cells without a figure, and of imprecise cells.

use nearfar_infer::Numa;
use nearfar_model::Instrument;
use nearfar_survey::{Mode, PrecisionWarning, Provenance, Survey};
use nearfar_view::text::verb_of;

use super::WarningText;
use crate::survey::Verbosity;

pub(super) fn text(
    warning: &PrecisionWarning,
    instrument: &str,
    survey: &Survey,
    verbosity: Verbosity,
) -> WarningText {
    let provenance = &survey.provenance;
    let remedy = || {
        // "What to do" has what would settle the verdict.
        let is_latency = instrument == Instrument::Latency.name();
        let has_remedy = is_latency && survey.verdict.numa == Numa::Undetermined;
        (!has_remedy).then(|| remedy(instrument, provenance))
    };
    match warning {
        PrecisionWarning::CellUnmeasured { unmeasured, cells, why } => WarningText::without_remedy(
            format!("{unmeasured} of {cells} {instrument} cells could not be measured: {why}."),
        ),
        PrecisionWarning::NotPrecise { imprecise, cells, .. } if verbosity == Verbosity::Brief => {
            let text = format!(
                "{imprecise} of {cells} {instrument} cells{} {} wider intervals than wanted.",
                left_out(instrument),
                verb_of(*imprecise, "have")
            );
            WarningText { text, remedy: remedy() }
        }
        PrecisionWarning::NotPrecise { imprecise, cells, aim, worst, rounds } => {
            let text = format!(
                "{imprecise} of {cells} {instrument} cells{} {} a standard error above {:.2} % \
                 after {rounds} rounds (worst {:.1} %).",
                left_out(instrument),
                verb_of(*imprecise, "have"),
                aim * 100.0,
                worst * 100.0
            );
            WarningText { text, remedy: remedy() }
        }
    }
}

/// Cells without an aim. An exploration measures few handoffs of each pair on purpose.
fn left_out(instrument: &str) -> &'static str {
    if instrument == Instrument::CoreToCore.name() { ", without handoffs," } else { "" }
}

/// The share of a budget from which on it is used up.
const USED: f64 = 0.8;

fn remedy(instrument: &str, provenance: &Provenance) -> String {
    let is_alone = provenance.instruments.is_empty();
    let is_latency = instrument == Instrument::Latency.name();
    let command = if is_latency { "survey" } else { instrument };
    let more = format!("'nearfar {command} --thorough', if possible on an idle machine");
    match provenance.options.mode {
        // It ended by itself: more time alone would not help.
        _ if provenance.budget_s.is_some_and(|budget| provenance.duration_s < USED * budget) => {
            "repeat on an idle machine".to_owned()
        }
        _ if provenance.budget_s.is_some() => {
            format!("'nearfar {command}' with a larger --budget, if possible on an idle machine")
        }
        // In a thorough survey the other instruments keep their default effort.
        _ if !is_alone && !is_latency => more,
        // 'nearfar latency' is quick, and has no option that could be omitted.
        Mode::Quick => format!("'nearfar {command}': it takes more samples"),
        Mode::Default => more,
        Mode::Thorough => "stop other programs, or use a dedicated host".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    fn provenance(mode: Mode, budget_s: Option<f64>) -> Provenance {
        let mut provenance = survey().provenance;
        provenance.options.mode = mode;
        Provenance { budget_s, duration_s: budget_s.unwrap_or_default(), ..provenance }
    }

    fn not_precise(imprecise: usize, worst: f64, rounds: u32) -> PrecisionWarning {
        PrecisionWarning::NotPrecise { imprecise, cells: 3, aim: 0.005, worst, rounds }
    }

    #[test]
    fn missing_and_imprecise_cells_name_their_instrument() {
        let mut alone = survey();
        alone.provenance = provenance(Mode::Default, None);
        alone.provenance.instruments.clear();
        let text =
            |warning: &PrecisionWarning| text(warning, "bandwidth", &alone, Verbosity::Verbose);
        let why = "node 3 has no memory".to_owned();
        let empty = text(&PrecisionWarning::CellUnmeasured { unmeasured: 2, cells: 5, why });
        let expected = "2 of 5 bandwidth cells could not be measured: node 3 has no memory.";
        assert_eq!((empty.text.as_str(), empty.remedy), (expected, None));
        let imprecise = text(&not_precise(1, 0.02, 30));
        assert_eq!(
            imprecise.text,
            "1 of 3 bandwidth cells has a standard error above 0.50 % after 30 rounds (worst 2.0 \
             %)."
        );
        let exchanged =
            super::text(&not_precise(1, 0.02, 30), "core-to-core", &alone, Verbosity::Brief).text;
        assert!(exchanged.starts_with("1 of 3 core-to-core cells, without handoffs, has wider "));
        let remedy = "'nearfar bandwidth --thorough', if possible on an idle machine";
        assert_eq!(imprecise.remedy.as_deref(), Some(remedy));
    }

    #[test]
    fn the_remedy_names_the_instruments_own_command() {
        let of = |instrument, budget_s| {
            let provenance = provenance(Mode::Thorough, budget_s);
            assert!(!provenance.instruments.is_empty());
            remedy(instrument, &provenance)
        };
        assert!(of("bandwidth", None).starts_with("'nearfar bandwidth --thorough'"));
        assert!(of("latency", None).starts_with("stop other programs"));
        let budget = "'nearfar bandwidth' with a larger --budget";
        assert!(of("bandwidth", Some(60.0)).starts_with(budget));
    }

    /// 'nearfar latency' is quick, and has no --quick.
    #[test]
    fn a_quick_measurement_is_repeated_by_a_command_that_exists() {
        let mut quick = provenance(Mode::Quick, None);
        quick.instruments.clear();
        assert_eq!(remedy("latency", &quick), "'nearfar survey': it takes more samples");
        assert_eq!(remedy("bandwidth", &quick), "'nearfar bandwidth': it takes more samples");
    }
}
