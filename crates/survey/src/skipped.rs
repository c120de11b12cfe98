//! Requested instruments that did not measure.

use crate::{NeedsTime, Provenance, Skipped, SkippedWarning, Warning, WarningKind};

/// The reason of an instrument that Ctrl-C prevented.
const INTERRUPTED: &str = "interrupted";

/// One warning for all without time in the budget, one for all that Ctrl-C prevented, and one for
/// each failure.
pub(crate) fn warnings(provenance: &Provenance) -> Vec<Warning> {
    let failed = provenance.left_out.iter().filter_map(failed);
    out_of_time(provenance).into_iter().chain(interrupted(provenance)).chain(failed).collect()
}

fn for_all(warning: SkippedWarning) -> Warning {
    Warning::for_all(WarningKind::Skipped(warning))
}

fn interrupted(provenance: &Provenance) -> Option<Warning> {
    let late = provenance.left_out.iter().filter(|one| one.why.as_deref() == Some(INTERRUPTED));
    let instruments: Vec<String> = late.map(|late| late.instrument.clone()).collect();
    (!instruments.is_empty()).then(|| for_all(SkippedWarning::Interrupted { instruments }))
}

fn out_of_time(provenance: &Provenance) -> Option<Warning> {
    let late = |one: &Skipped| {
        Some(NeedsTime { instrument: one.instrument.clone(), needs_s: one.needs_s? })
    };
    let instruments: Vec<NeedsTime> = provenance.left_out.iter().filter_map(late).collect();
    let budget_s = provenance.budget_s.filter(|_| !instruments.is_empty())?;
    Some(for_all(SkippedWarning::InstrumentLeftOut { budget_s, instruments }))
}

fn failed(one: &Skipped) -> Option<Warning> {
    let why = one.why.clone().filter(|why| why != INTERRUPTED)?;
    let failed = WarningKind::Skipped(SkippedWarning::InstrumentFailed { why });
    Some(Warning::new(&one.instrument, failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(instrument: &str, needs_s: Option<f64>, why: Option<&str>) -> Skipped {
        Skipped { instrument: instrument.to_owned(), needs_s, why: why.map(str::to_owned) }
    }

    #[test]
    fn skipped_instruments_name_the_time_they_need() {
        let mut provenance = crate::sketch::survey().provenance;
        assert!(warnings(&provenance).is_empty());
        provenance.budget_s = Some(40.0);
        provenance.left_out =
            vec![left_out("caches", Some(25.0), None), left_out("interleave", Some(11.0), None)];
        let late =
            |instrument: &str, needs_s| NeedsTime { instrument: instrument.to_owned(), needs_s };
        let instruments = vec![late("caches", 25.0), late("interleave", 11.0)];
        let expected = SkippedWarning::InstrumentLeftOut { budget_s: 40.0, instruments };
        assert_eq!(warnings(&provenance), [for_all(expected)]);
    }

    #[test]
    fn interrupted_instruments_share_a_warning() {
        let mut provenance = crate::sketch::survey().provenance;
        let interrupted = |name| left_out(name, None, Some(INTERRUPTED));
        provenance.left_out = vec![interrupted("caches"), interrupted("interleave")];
        let instruments = vec!["caches".to_owned(), "interleave".to_owned()];
        let expected = SkippedWarning::Interrupted { instruments };
        assert_eq!(warnings(&provenance), [for_all(expected)]);
    }

    #[test]
    fn failed_instruments_name_the_reason() {
        let mut provenance = crate::sketch::survey().provenance;
        provenance.left_out = vec![left_out("loaded", None, Some("it needs two CPUs"))];
        let why = "it needs two CPUs".to_owned();
        let expected =
            Warning::new("loaded", WarningKind::Skipped(SkippedWarning::InstrumentFailed { why }));
        assert_eq!(warnings(&provenance), [expected]);
    }
}
