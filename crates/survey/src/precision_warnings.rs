//! What figures themselves show: cells that could not be measured, and cells that are less certain than was aimed at.

use std::collections::BTreeMap;

use crate::{Cell, Interleave, Mode, Survey, Warning};

/// A plan judges samples before they are rounded for the document, which may move a standard error a little.
const TOLERANCE: f64 = 1.1;

/// Those of latency.
pub(crate) fn of_latency(survey: &Survey) -> Vec<Warning> {
    let judged = Judged { survey, instrument: "latency", aim: Some(survey.provenance.options.mode.standard_error()) };
    let cells = &survey.latency.cells;
    judged.warnings(cells, cells.iter())
}

/// Those of the other instruments, which aim at so much.
pub(crate) fn of_parts(survey: &Survey, aims: &BTreeMap<&'static str, f64>) -> Vec<Warning> {
    let judged = |instrument| Judged { survey, instrument, aim: aims.get(instrument).copied() };
    let mut warnings = Vec::new();
    if let Some(bandwidth) = &survey.bandwidth {
        let cells = &bandwidth.part.matrix.cells;
        warnings.extend(judged("bandwidth").warnings(cells, cells.iter()));
    }
    if let Some(pairs) = &survey.core_to_core {
        // An exploration takes few samples of a pair on purpose, and again what it doubts.
        let explored = pairs.part.treatments.first();
        let aimed = pairs.part.matrix.cells.iter().filter(|cell| Some(&cell.treatment) != explored);
        warnings.extend(judged("core-to-core").warnings(&pairs.part.matrix.cells, aimed));
    }
    if let Some(caches) = &survey.caches {
        let cells = &caches.part.matrix.cells;
        warnings.extend(judged("caches").warnings(cells, cells.iter()));
    }
    if let Some(loaded) = &survey.loaded {
        let cells = &loaded.part.matrix.cells;
        warnings.extend(judged("loaded").warnings(cells, cells.iter()));
    }
    warnings.extend(survey.interleave.iter().flat_map(|spread| of_interleave(&judged("interleave"), spread)));
    warnings
}

/// Of a search only what was measured side by side at its end has to be precise: the best weights of each row and kernel.
fn of_interleave(judged: &Judged<'_>, spread: &Interleave) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(streams) = &spread.bandwidth {
        let is_best = |cell: &&Cell<crate::SpreadStream>| {
            let mut best =
                spread.best.iter().filter(|best| (best.row, &best.kernel) == (cell.row, &cell.treatment.kernel));
            best.any(|best| best.weights == cell.treatment.weights)
        };
        warnings.extend(judged.warnings(&streams.matrix.cells, streams.matrix.cells.iter().filter(is_best)));
    }
    if let Some(loads) = &spread.latency {
        warnings.extend(judged.warnings(&loads.matrix.cells, loads.matrix.cells.iter()));
    }
    warnings
}

/// An instrument whose cells are judged.
struct Judged<'s> {
    survey: &'s Survey,
    instrument: &'static str,
    /// The standard error that it aims at, as a fraction; none where nobody says.
    aim: Option<f64>,
}

impl Judged<'_> {
    /// What could not be measured of all cells, and what is imprecise among those that aim at anything.
    fn warnings<'c, T: 'c>(&self, cells: &[Cell<T>], aimed: impl Iterator<Item = &'c Cell<T>>) -> Vec<Warning> {
        let warnings = self.unmeasured(cells).into_iter().chain(self.imprecise(aimed));
        warnings.map(|warning| warning.of(self.instrument)).collect()
    }

    fn unmeasured<T>(&self, cells: &[Cell<T>]) -> Vec<Warning> {
        let mut cells_by_reason: BTreeMap<&str, usize> = BTreeMap::new();
        for why in cells.iter().filter_map(|cell| cell.why.as_deref()) {
            *cells_by_reason.entry(why).or_default() += 1;
        }
        let (all, instrument) = (cells.len(), self.instrument);
        let tell = |(why, count): (&str, usize)| {
            let text = format!("{count} of {all} cells of {instrument} could not be measured: {why}.");
            Warning::new("cell-unmeasured", text, None)
        };
        cells_by_reason.into_iter().map(tell).collect()
    }

    fn imprecise<'c, T: 'c>(&self, cells: impl Iterator<Item = &'c Cell<T>>) -> Option<Warning> {
        let aim = self.aim?;
        let errors: Vec<Option<f64>> = cells.filter(|cell| cell.median.is_some()).map(|cell| cell.se).collect();
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
        let own = provenance.instruments.iter().find(|run| run.instrument == self.instrument);
        own.map_or(provenance.rounds, |run| run.rounds)
    }

    fn remedy(&self) -> String {
        let provenance = &self.survey.provenance;
        let is_alone = provenance.instruments.is_empty();
        let command = if self.instrument == "latency" { "survey" } else { self.instrument };
        let more = format!("nearfar {command} --thorough, on a quieter machine if there is one");
        match provenance.options.mode {
            _ if provenance.budget_s.is_some() => "a larger --budget, on a quieter machine if there is one".to_owned(),
            // A thorough survey has other instruments measure as they do by default.
            _ if !is_alone && self.instrument != "latency" => more,
            Mode::Quick => "leave --quick out".to_owned(),
            Mode::Default => more,
            Mode::Thorough => "a quieter machine: stop other programs, or take a dedicated host".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InstrumentRun, Streaming, sketch};

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
        let judged = Judged { survey, instrument: "bandwidth", aim: Some(0.005) };
        let warnings = judged.warnings(cells, cells.iter()).into_iter();
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
        let of = |aims: &[(&'static str, f64)]| {
            let warnings = of_parts(&survey, &aims.iter().copied().collect());
            let named = warnings.into_iter().filter(|warning| warning.code == "not-precise");
            named.filter_map(|warning| warning.instrument).collect::<Vec<String>>()
        };
        assert_eq!(of(&[("bandwidth", 0.005), ("loaded", 0.01), ("core-to-core", 0.005)]), ["bandwidth"]);
        assert_eq!(of(&[("bandwidth", 0.5), ("caches", 0.005), ("core-to-core", 0.001)]), ["core-to-core", "caches"]);
        assert_eq!(of(&[]), Vec::<String>::new(), "nobody says what was aimed at");
    }
}
