//! What figures themselves show: cells that could not be measured, and cells that are less certain than was aimed at.

use std::collections::BTreeMap;

use nearfar_model::Instrument;

use crate::document::instrument_part::CellFigure;
use crate::{Instruments, Mode, Survey, Warning};

/// A plan judges samples before they are rounded for the document, which may move a standard error a little.
const TOLERANCE: f64 = 1.1;

/// Those of latency.
pub(crate) fn of_latency(survey: &Survey) -> Vec<Warning> {
    let aim = Some(survey.provenance.options.mode.standard_error());
    let cells: Vec<CellFigure<'_>> = survey.latency.cells.iter().map(CellFigure::of).collect();
    Judged { survey, instrument: Instrument::Latency, aim }.warnings(&cells)
}

/// Those of the other instruments.
pub(crate) fn of_parts(survey: &Survey, instruments: &Instruments<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (instrument, part) in survey.parts().filter(|(_, part)| part.warns_of_cells()) {
        let judged = Judged { survey, instrument, aim: instruments.target(instrument) };
        warnings.extend(part.tables().iter().flat_map(|cells| judged.warnings(cells)));
    }
    warnings
}

/// An instrument whose cells are judged.
struct Judged<'s> {
    survey: &'s Survey,
    instrument: Instrument,
    /// The standard error that it aims at, as a fraction, where that is known.
    aim: Option<f64>,
}

impl Judged<'_> {
    /// What could not be measured of all cells, and what is imprecise among those that are targeted.
    fn warnings(&self, cells: &[CellFigure<'_>]) -> Vec<Warning> {
        let warnings = self.unmeasured(cells).into_iter().chain(self.imprecise(cells));
        warnings.map(|warning| warning.of(self.instrument.name())).collect()
    }

    fn unmeasured(&self, cells: &[CellFigure<'_>]) -> Vec<Warning> {
        let mut cells_by_reason: BTreeMap<&str, usize> = BTreeMap::new();
        for why in cells.iter().filter_map(|cell| cell.why) {
            *cells_by_reason.entry(why).or_default() += 1;
        }
        let (all, instrument) = (cells.len(), self.instrument);
        let tell = |(why, count): (&str, usize)| {
            let text = format!("{count} of {all} cells of {instrument} could not be measured: {why}.");
            Warning::new("cell-unmeasured", text, None)
        };
        cells_by_reason.into_iter().map(tell).collect()
    }

    fn imprecise(&self, cells: &[CellFigure<'_>]) -> Option<Warning> {
        let aim = self.aim?;
        let targeted = cells.iter().filter(|cell| cell.is_targeted && cell.median.is_some());
        let errors: Vec<Option<f64>> = targeted.map(|cell| cell.se).collect();
        let imprecise = errors.iter().filter(|se| se.is_none_or(|se| se > aim * TOLERANCE)).count();
        let worst = errors.iter().flatten().copied().fold(0.0, f64::max);
        let text = format!(
            "{imprecise} of {} cells of {} have a standard error above {:.2} % after {} rounds (worst {:.1} %).",
            errors.len(),
            self.instrument,
            aim * 100.0,
            self.rounds(),
            worst * 100.0
        );
        (imprecise > 0).then(|| Warning::new("not-precise", text, Some(&self.remedy())))
    }

    /// How many rounds it had: its own where several measured.
    fn rounds(&self) -> u32 {
        let provenance = &self.survey.provenance;
        let own = provenance.instruments.iter().find(|run| run.instrument == self.instrument.name());
        own.map_or(provenance.rounds, |run| run.rounds)
    }

    fn remedy(&self) -> String {
        let provenance = &self.survey.provenance;
        let is_alone = provenance.instruments.is_empty();
        let command = if self.instrument == Instrument::Latency { "survey" } else { self.instrument.name() };
        let more = format!("nearfar {command} --thorough, on a quieter machine if there is one");
        match provenance.options.mode {
            _ if provenance.budget_s.is_some() => "a larger --budget, on a quieter machine if there is one".to_owned(),
            // A thorough survey has other instruments measure as they do by default.
            _ if !is_alone && self.instrument != Instrument::Latency => more,
            Mode::Quick => "leave --quick out".to_owned(),
            Mode::Default => more,
            Mode::Thorough => "a quieter machine: stop other programs, or take a dedicated host".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, InstrumentRun, Streaming, sketch};

    fn cells(errors: &[f64], why: &[&str]) -> Vec<Cell<Streaming>> {
        let sketch = sketch::survey().latency.cells[0].clone();
        let cell = |se: Option<f64>, why: Option<&str>| Cell {
            q25: se,
            median: se,
            se,
            samples: 9,
            why: why.map(str::to_owned),
            ..Cell::bare((0, 0), sketch.cpus.clone(), Streaming { kernel: "read".to_owned(), threads: 1 })
        };
        errors.iter().map(|se| cell(Some(*se), None)).chain(why.iter().map(|why| cell(None, Some(why)))).collect()
    }

    fn told(survey: &Survey, cells: &[Cell<Streaming>]) -> Vec<(String, String, Option<String>)> {
        let judged = Judged { survey, instrument: Instrument::Bandwidth, aim: Some(0.005) };
        let figures: Vec<CellFigure<'_>> = cells.iter().map(CellFigure::of).collect();
        let warnings = judged.warnings(&figures).into_iter();
        warnings.map(|warning| (warning.code, warning.text, warning.remedy)).collect()
    }

    #[test]
    fn cells_of_any_instrument_that_are_empty_or_imprecise_are_told_with_its_name() {
        let mut survey = sketch::survey();
        survey.provenance.instruments.clear();
        (survey.provenance.rounds, survey.provenance.budget_s) = (30, None);
        survey.provenance.options.mode = Mode::Default;
        let of = told(&survey, &cells(&[0.004, 0.0054, 0.02], &["node 3 has no memory", "node 3 has no memory"]));
        let [(empty, why, None), (imprecise, text, Some(remedy))] = &of[..] else { panic!("{of:?}") };
        assert_eq!((empty.as_str(), imprecise.as_str()), ("cell-unmeasured", "not-precise"));
        assert_eq!(why, "2 of 5 cells of bandwidth could not be measured: node 3 has no memory.");
        assert_eq!(text, "1 of 3 cells of bandwidth have a standard error above 0.50 % after 30 rounds (worst 2.0 %).");
        assert_eq!(remedy, "nearfar bandwidth --thorough, on a quieter machine if there is one");
        assert_eq!(told(&survey, &cells(&[0.004, 0.005], &[])), []);
    }

    #[test]
    fn rounds_and_remedy_of_one_of_several_are_its_own() {
        let mut survey = sketch::survey();
        survey.provenance.options.mode = Mode::Thorough;
        survey.provenance.budget_s = None;
        survey.provenance.instruments = vec![InstrumentRun {
            instrument: "bandwidth".to_owned(),
            processes: 3,
            rounds: 6,
            duration_s: 1.0,
            stopped: "round-limit".to_owned(),
            standard_error: None,
            aim: 0.005,
        }];
        let of = told(&survey, &cells(&[0.3], &[]));
        assert!(of[0].1.contains("after 6 rounds (worst 30.0 %)"), "{of:?}");
        assert!(of[0].2.as_ref().unwrap().starts_with("nearfar bandwidth --thorough"), "{of:?}");
        survey.provenance.budget_s = Some(60.0);
        assert!(told(&survey, &cells(&[0.3], &[]))[0].2.as_ref().unwrap().starts_with("a larger --budget"));
    }

    #[test]
    fn parts_are_judged_by_their_own_aims() {
        let survey: Survey =
            serde_json::from_str(include_str!("../../report/tests/golden/several.json")).expect("a survey");
        let of = |targets: &[(Instrument, f64)]| {
            let mut instruments = Instruments::default();
            targets.iter().for_each(|&(instrument, error)| instruments.set_target(instrument, error));
            let warnings = of_parts(&survey, &instruments);
            let named = warnings.into_iter().filter(|warning| warning.code == "not-precise");
            named.filter_map(|warning| warning.instrument).collect::<Vec<String>>()
        };
        let (bandwidth, pairs) = (Instrument::Bandwidth, Instrument::CoreToCore);
        assert_eq!(of(&[(bandwidth, 0.005), (Instrument::Loaded, 0.01), (pairs, 0.005)]), ["bandwidth"]);
        let three = [(bandwidth, 0.5), (Instrument::Caches, 0.005), (pairs, 0.001)];
        assert_eq!(of(&three), ["core-to-core", "caches"]);
        assert_eq!(of(&[]), Vec::<String>::new(), "nobody says what was aimed at");
    }
}
