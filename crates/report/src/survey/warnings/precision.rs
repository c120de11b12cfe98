//! Warnings of cells without a figure, and of cells that are less certain than was aimed at.

use nearfar_model::Instrument;
use nearfar_survey::{Mode, PrecisionWarning, Provenance};

use super::Told;

pub(super) fn told(warning: &PrecisionWarning, instrument: &str, provenance: &Provenance) -> Told {
    match warning {
        PrecisionWarning::CellUnmeasured { unmeasured, cells, why } => Told::without_remedy(
            format!("{unmeasured} of {cells} cells of {instrument} could not be measured: {why}."),
        ),
        PrecisionWarning::NotPrecise { imprecise, cells, aim, worst, rounds } => Told::new(
            format!(
                "{imprecise} of {cells} cells of {instrument} have a standard error above {:.2} % \
                 after {rounds} rounds (worst {:.1} %).",
                aim * 100.0,
                worst * 100.0
            ),
            remedy(instrument, provenance),
        ),
    }
}

fn remedy(instrument: &str, provenance: &Provenance) -> String {
    let is_alone = provenance.instruments.is_empty();
    let is_latency = instrument == Instrument::Latency.name();
    let command = if is_latency { "survey" } else { instrument };
    let more = format!("nearfar {command} --thorough, on a quieter machine if there is one");
    match provenance.options.mode {
        _ if provenance.budget_s.is_some() => {
            "a larger --budget, on a quieter machine if there is one".to_owned()
        }
        // A thorough survey has other instruments measure as they do by default.
        _ if !is_alone && !is_latency => more,
        Mode::Quick => "leave --quick out".to_owned(),
        Mode::Default => more,
        Mode::Thorough => {
            "a quieter machine: stop other programs, or take a dedicated host".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    fn provenance(mode: Mode, budget_s: Option<f64>) -> Provenance {
        let mut provenance = survey().provenance;
        provenance.options.mode = mode;
        Provenance { budget_s, ..provenance }
    }

    fn not_precise(imprecise: usize, worst: f64, rounds: u32) -> PrecisionWarning {
        PrecisionWarning::NotPrecise { imprecise, cells: 3, aim: 0.005, worst, rounds }
    }

    #[test]
    fn cells_of_any_instrument_that_are_empty_or_imprecise_are_told_with_its_name() {
        let mut alone = provenance(Mode::Default, None);
        alone.instruments.clear();
        let told = |warning: &PrecisionWarning| told(warning, "bandwidth", &alone);
        let why = "node 3 has no memory".to_owned();
        let empty = told(&PrecisionWarning::CellUnmeasured { unmeasured: 2, cells: 5, why });
        let text = "2 of 5 cells of bandwidth could not be measured: node 3 has no memory.";
        assert_eq!((empty.text.as_str(), empty.remedy), (text, None));
        let imprecise = told(&not_precise(1, 0.02, 30));
        assert_eq!(
            imprecise.text,
            "1 of 3 cells of bandwidth have a standard error above 0.50 % after 30 rounds (worst \
             2.0 %)."
        );
        let remedy = "nearfar bandwidth --thorough, on a quieter machine if there is one";
        assert_eq!(imprecise.remedy.as_deref(), Some(remedy));
    }

    #[test]
    fn the_remedy_of_one_of_several_is_its_own() {
        let of = |instrument, budget_s| {
            let provenance = provenance(Mode::Thorough, budget_s);
            assert!(!provenance.instruments.is_empty());
            remedy(instrument, &provenance)
        };
        assert!(of("bandwidth", None).starts_with("nearfar bandwidth --thorough"));
        assert!(of("latency", None).starts_with("a quieter machine"));
        assert!(of("bandwidth", Some(60.0)).starts_with("a larger --budget"));
    }
}
