//! What figures themselves show: cells that could not be measured, and cells that are less certain
//! than was aimed at.

use std::collections::BTreeMap;

use nearfar_model::Instrument;

use crate::{Figure, Instruments, PrecisionWarning, Survey, Warning, WarningKind};

pub(crate) fn for_latency(survey: &Survey) -> Vec<Warning> {
    let aim = Some(survey.provenance.options.mode.standard_error());
    for_instrument(survey, Instrument::Latency, aim)
}

/// Those of the other instruments.
pub(crate) fn for_parts(survey: &Survey, instruments: &Instruments<'_>) -> Vec<Warning> {
    let parts = survey.parts().filter(|(_, part)| part.warns_of_cells());
    let warnings = parts.flat_map(|(instrument, _)| {
        for_instrument(survey, instrument, instruments.target(instrument))
    });
    warnings.collect()
}

fn for_instrument(survey: &Survey, instrument: Instrument, aim: Option<f64>) -> Vec<Warning> {
    let judged = JudgedPart { survey, instrument, aim };
    let tables = survey.tables().filter(|table| table.instrument == instrument);
    tables.flat_map(|table| judged.warnings(&table.into_iter().collect::<Vec<_>>())).collect()
}

/// An instrument whose cells are judged.
struct JudgedPart<'s> {
    survey: &'s Survey,
    instrument: Instrument,
    /// The standard error that it aims at, as a fraction, where that is known.
    aim: Option<f64>,
}

impl JudgedPart<'_> {
    /// What could not be measured of all cells, and what is imprecise among those that are
    /// targeted.
    fn warnings(&self, cells: &[Figure<'_>]) -> Vec<Warning> {
        let warnings = unmeasured(cells).into_iter().chain(self.imprecise(cells));
        let kinds = warnings.map(WarningKind::Precision);
        kinds.map(|kind| Warning::new(self.instrument.name(), kind)).collect()
    }

    fn imprecise(&self, cells: &[Figure<'_>]) -> Option<PrecisionWarning> {
        let aim = self.aim?;
        let targeted = cells.iter().filter(|cell| cell.is_targeted && cell.median.is_some());
        let errors: Vec<Option<f64>> = targeted.map(|cell| cell.se).collect();
        let imprecise = PrecisionWarning::count(&errors, aim);
        let worst = errors.iter().flatten().copied().fold(0.0, f64::max);
        let (cells, rounds) = (errors.len(), self.rounds());
        PrecisionWarning::is_reported(&errors, aim).then_some(PrecisionWarning::NotPrecise {
            imprecise,
            cells,
            aim,
            worst,
            rounds,
        })
    }

    /// How many rounds it had: its own where several measured.
    fn rounds(&self) -> u32 {
        let provenance = &self.survey.provenance;
        let own =
            provenance.instruments.iter().find(|run| run.instrument == self.instrument.name());
        own.map_or(provenance.rounds, |run| run.rounds)
    }
}

fn unmeasured(cells: &[Figure<'_>]) -> Vec<PrecisionWarning> {
    let mut cells_by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for why in cells.iter().filter_map(|cell| cell.why) {
        *cells_by_reason.entry(why).or_default() += 1;
    }
    let all = cells.len();
    let reasons = cells_by_reason.into_iter().map(|(why, unmeasured)| {
        PrecisionWarning::CellUnmeasured { unmeasured, cells: all, why: why.to_owned() }
    });
    reasons.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InstrumentRun, Matrix, MatrixCell, sketch};

    fn cells(errors: &[f64], why: &[&str]) -> Matrix {
        let cell = |se: Option<f64>, why: Option<&str>| MatrixCell {
            median: se,
            se,
            why: why.map(str::to_owned),
            ..MatrixCell::default()
        };
        let measured = errors.iter().map(|se| cell(Some(*se), None));
        let cells = measured.chain(why.iter().map(|why| cell(None, Some(why)))).collect();
        Matrix { cells, ..Matrix::default() }
    }

    fn warnings(survey: &Survey, cells: &Matrix) -> Vec<PrecisionWarning> {
        let judged = JudgedPart { survey, instrument: Instrument::Bandwidth, aim: Some(0.005) };
        let figures = cells.table(Instrument::Bandwidth, None, |_| 0, |_| true);
        let figures: Vec<Figure<'_>> = figures.into_iter().collect();
        let kind = |warning: Warning| match warning.kind {
            WarningKind::Precision(kind) => kind,
            kind => panic!("{kind:?}"),
        };
        judged.warnings(&figures).into_iter().map(kind).collect()
    }

    #[test]
    fn empty_and_imprecise_cells_are_reported() {
        let mut survey = sketch::survey();
        survey.provenance.instruments.clear();
        survey.provenance.rounds = 30;
        let why = "node 3 has no memory";
        let empty =
            PrecisionWarning::CellUnmeasured { unmeasured: 2, cells: 5, why: why.to_owned() };
        let (aim, worst) = (0.005, 0.02);
        let imprecise =
            PrecisionWarning::NotPrecise { imprecise: 2, cells: 3, aim, worst, rounds: 30 };
        let cells_of_both = cells(&[0.004, 0.0054, 0.02], &[why, why]);
        assert_eq!(warnings(&survey, &cells_of_both), [empty, imprecise]);
        let within_rounding = cells(&[0.004, 0.0054], &[]);
        assert_eq!(warnings(&survey, &within_rounding), []);
    }

    #[test]
    fn each_instrument_has_its_own_rounds() {
        let mut survey = sketch::survey();
        survey.provenance.instruments = vec![InstrumentRun {
            instrument: "bandwidth".to_owned(),
            processes: 3,
            rounds: 6,
            duration_s: 1.0,
            stopped: "round-limit".to_owned(),
            standard_error: None,
            aim: 0.005,
        }];
        let of = warnings(&survey, &cells(&[0.3], &[]));
        assert!(matches!(of[..], [PrecisionWarning::NotPrecise { rounds: 6, .. }]), "{of:?}");
    }

    #[test]
    fn each_part_has_its_own_target() {
        let survey: Survey =
            serde_json::from_str(include_str!("../../report/tests/golden/several.json"))
                .expect("a survey");
        let of = |targets: &[(Instrument, f64)]| {
            let mut instruments = Instruments::default();
            targets
                .iter()
                .for_each(|&(instrument, error)| instruments.set_target(instrument, error));
            let warnings = for_parts(&survey, &instruments);
            let named = warnings
                .into_iter()
                .filter(|warning| warning.code() == crate::WarningCode::NotPrecise);
            named.filter_map(|warning| warning.instrument).collect::<Vec<String>>()
        };
        let (bandwidth, pairs) = (Instrument::Bandwidth, Instrument::CoreToCore);
        assert_eq!(
            of(&[(bandwidth, 0.005), (Instrument::Loaded, 0.01), (pairs, 0.005)]),
            ["bandwidth"]
        );
        let three = [(bandwidth, 0.5), (Instrument::Caches, 0.005), (pairs, 0.001)];
        assert_eq!(of(&three), ["core-to-core", "caches"]);
        assert_eq!(of(&[]), Vec::<String>::new(), "the target is unknown");
    }
}
