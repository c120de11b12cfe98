//! Machines without SRAT with a known truth, as in `./dev bench odds`: no verdict contradicts it.

use nearfar_diagnose::{DiagnosisVerdict, diagnose};

use crate::machines::{Dice, KINDS, ReadableData, Truth, witnesses};

#[test]
fn no_verdict_contradicts_the_truth() {
    for kind in &KINDS {
        let mut dice = Dice(7);
        let mut decided = 0;
        for number in 0..120 {
            let seen = if number % 2 == 0 { ReadableData::Machine } else { ReadableData::Tables };
            let diagnosis = diagnose(&witnesses(kind, seen, &mut dice));
            let is_wrong = kind.truth.is_contradicted_by(diagnosis.verdict);
            assert!(!is_wrong, "{}, {number}: {diagnosis:#?}", kind.name);
            decided += usize::from(
                seen == ReadableData::Machine && diagnosis.verdict != DiagnosisVerdict::Unknown,
            );
        }
        // Most machines have enough data for a verdict.
        let is_cluster = kind.name.starts_with("board");
        assert!(decided > 30 || is_cluster, "{}: {decided} of 60", kind.name);
        assert!(kind.truth != Truth::Guest || decided == 60, "{}: {decided} of 60", kind.name);
    }
}
