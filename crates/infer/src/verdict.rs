//! The verdict: yes, no, or undetermined, with the reasons and what would settle it.

use serde::{Deserialize, Serialize};

use crate::contrast_noise::ContrastNoise;
use crate::detection::{Detection, detect_beyond};
use crate::effect::{Effect, effect_within};
use crate::numa::Numa;
use crate::remedy::{self, Remedy};
use crate::sample_matrix::SampleMatrix;
use crate::verdict_reason::{self, NumaReason};

/// The default threshold: the effect below which memory counts as uniform.
pub const THRESHOLD: f64 = 0.05;

/// The verdict, with its basis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NumaVerdict {
    /// "yes", "no" (uniform within the threshold) or "undetermined".
    pub numa: Numa,
    /// Whether any difference between columns within rows was detected (alpha 0.01).
    pub detected: bool,
    /// Probability of such a difference if all columns were equal. Null when nothing could be
    /// compared.
    pub p: Option<f64>,
    /// Farthest over nearest memory for the row with the largest ratio, minus 1: 0.72 means 1.72
    /// times. Null when nothing could be compared.
    pub effect: Option<f64>,
    /// 95 % interval of the effect, simultaneous over all pairs of columns within rows.
    pub ci95: Option<[f64; 2]>,
    /// The effect that counts as NUMA, as a fraction.
    pub threshold: f64,
    /// The reasons.
    pub reasons: Vec<NumaReason>,
    /// What would settle an undetermined verdict.
    pub would_settle: Option<Remedy>,
}

/// The verdict for samples. `threshold` is a fraction (see [`THRESHOLD`]).
pub fn verdict(matrix: &SampleMatrix, threshold: f64, seed: u64) -> NumaVerdict {
    let noise = ContrastNoise::new(matrix, seed);
    let judge = |noise: &ContrastNoise| {
        Some((detect_beyond(matrix, noise, seed)?, effect_within(matrix, noise)?, noise.drift()))
    };
    match noise.as_ref().and_then(judge) {
        Some((detection, effect, drift)) => {
            let mut verdict = decide(matrix, threshold, seed, detection, effect);
            verdict.doubt_for(drift);
            verdict
        }
        None => {
            let (reason, would_settle) = verdict_reason::incomparable(matrix);
            NumaVerdict::without_figures(threshold, reason, would_settle)
        }
    }
}

fn decide(
    matrix: &SampleMatrix,
    threshold: f64,
    seed: u64,
    detection: Detection,
    effect: Effect,
) -> NumaVerdict {
    let [low, high] = effect.ci95;
    let numa = if detection.detected && low > threshold {
        Numa::Yes
    } else if high < threshold {
        Numa::No
    } else {
        Numa::Undetermined
    };
    let undetermined = numa == Numa::Undetermined;
    let would_settle =
        undetermined.then(|| remedy::rounds(matrix, threshold, seed, detection.detected, effect));
    let p = detection.p;
    let detected =
        if detection.detected { NumaReason::Detected { p } } else { NumaReason::NotDetected { p } };
    let mut reasons =
        vec![detected, verdict_reason::effect(numa, threshold, detection.detected, effect)];
    reasons.extend(verdict_reason::doubts(matrix));
    NumaVerdict {
        numa,
        detected: detection.detected,
        p: Some(p),
        effect: Some(effect.effect),
        ci95: Some(effect.ci95),
        threshold,
        reasons,
        would_settle,
    }
}

impl NumaVerdict {
    /// Adds drift of a memory as a reason. No number of rounds settles its effect.
    fn doubt_for(&mut self, drift: Option<f64>) {
        let Some(drift) = drift else { return };
        self.reasons.push(NumaReason::MemoryDrifts { by: drift.exp_m1() });
        if self.numa == Numa::Undetermined {
            self.would_settle = Some(Remedy::QuieterMachine);
        }
    }

    /// Restricts a "no" to the nodes shown: nodes may be hidden, and were not searched.
    pub fn without_search(&mut self) {
        if self.numa == Numa::No {
            self.reasons.push(NumaReason::HiddenNotSearched);
        }
    }

    /// Whether it is a "no" among the nodes shown only.
    pub fn is_among_shown(&self) -> bool {
        self.reasons.contains(&NumaReason::HiddenNotSearched)
    }

    /// The verdict where latency was not measured.
    pub fn not_measured(threshold: f64) -> Self {
        Self::without_figures(threshold, NumaReason::NotMeasured, Remedy::Survey)
    }

    fn without_figures(threshold: f64, reason: NumaReason, would_settle: Remedy) -> Self {
        Self {
            threshold,
            reasons: vec![reason],
            would_settle: Some(would_settle),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, MatrixShape, Sample};

    use super::*;
    use crate::estimate::worst_standard_error;
    use crate::tests::cases::simulations;
    use crate::tests::simulate::Machine;

    /// The verdicts on a machine once every cell's standard error is at most 0.5 %, over several
    /// seeds.
    fn judged(machine: Machine, seeds: u64) -> Vec<NumaVerdict> {
        let at_precision = |seed| {
            let longer =
                (12..).step_by(2).map(|processes| Machine { processes, ..machine }.matrix(seed));
            let is_precise = |matrix: &SampleMatrix| {
                worst_standard_error(matrix, seed).is_some_and(|error| error <= 0.005)
            };
            longer.into_iter().find(is_precise).unwrap()
        };
        (0..seeds).map(|seed| verdict(&at_precision(seed), THRESHOLD, seed)).collect()
    }

    fn count(verdicts: &[NumaVerdict], numa: Numa) -> usize {
        verdicts.iter().filter(|verdict| verdict.numa == numa).count()
    }

    #[test]
    fn a_uniform_machine_of_64_cells_is_no() {
        let surveys = simulations(2, 10);
        let verdicts = judged(Machine::uniform(8, 8), surveys);
        assert!(count(&verdicts, Numa::No) as u64 * 10 >= surveys * 9, "{verdicts:#?}");
        assert!(
            matches!(verdicts[0].reasons[1], NumaReason::Uniform { .. }),
            "{:?}",
            verdicts[0].reasons
        );
        assert_eq!(verdicts[0].would_settle, None);
    }

    #[test]
    fn eight_percent_on_two_nodes_is_yes() {
        let surveys = simulations(6, 20);
        let verdicts = judged(Machine { effect: 0.08, ..Machine::uniform(2, 2) }, surveys);
        assert!(count(&verdicts, Numa::Yes) as u64 * 5 >= surveys * 4, "{verdicts:#?}");
    }

    #[test]
    fn three_percent_is_detected_but_never_yes() {
        let surveys = simulations(6, 20);
        let verdicts = judged(Machine { effect: 0.03, ..Machine::uniform(2, 2) }, surveys);
        assert_eq!(count(&verdicts, Numa::Yes), 0);
        let detected = verdicts.iter().filter(|verdict| verdict.detected).count() as u64;
        assert!(detected * 4 >= surveys * 3, "{verdicts:#?}");
    }

    /// Uniform machines of several sizes and kinds of noise, with the plan of quick surveys.
    #[test]
    #[ignore = "long: a minute or more"]
    fn uniform_machines_are_never_numa() {
        const SURVEYS: u64 = 400;
        let calm = |rows, columns| Machine { processes: 5, ..Machine::uniform(rows, columns) };
        let machines = [
            calm(1, 2),
            calm(2, 4),
            calm(4, 4),
            Machine { process_sd: 0.0173, ..calm(2, 4) },
            Machine { process_drift_sd: 0.02, ..calm(2, 4) },
            Machine { round_sd: 0.05, ..calm(2, 4) },
        ];
        for machine in machines {
            let verdicts: Vec<NumaVerdict> =
                (0..SURVEYS).map(|seed| verdict(&machine.matrix(seed), THRESHOLD, seed)).collect();
            let alarms = verdicts.iter().filter(|verdict| verdict.detected).count();
            assert!(alarms <= 9, "{alarms} of {SURVEYS} detected something in {machine:?}");
            assert_eq!(count(&verdicts, Numa::Yes), 0, "{machine:?}");
        }
    }

    #[test]
    fn few_noisy_rounds_are_undetermined_with_a_remedy() {
        let machine = Machine { processes: 5, ..Machine::uniform(8, 8) };
        let verdict = verdict(&machine.matrix(1), THRESHOLD, 1);
        assert_eq!(verdict.numa, Numa::Undetermined);
        assert!(
            matches!(verdict.reasons[1], NumaReason::DetectableFrom { .. }),
            "{:?}",
            verdict.reasons
        );
        let remedy = verdict.would_settle.unwrap();
        assert!(matches!(remedy, Remedy::MoreRounds { standard_error: Some(_), .. }), "{remedy:?}");
    }

    #[test]
    fn one_column_is_undetermined() {
        let verdict = verdict(&Machine::uniform(8, 1).matrix(1), THRESHOLD, 1);
        assert_eq!((verdict.numa, verdict.p, verdict.ci95), (Numa::Undetermined, None, None));
        assert_eq!(
            (verdict.reasons, verdict.would_settle),
            (vec![NumaReason::OneColumn], Some(Remedy::SecondMemory))
        );
    }

    #[test]
    fn without_samples_it_is_undetermined() {
        let verdict =
            verdict(&SampleMatrix::new(MatrixShape::new(2, 2), &[]).unwrap(), THRESHOLD, 1);
        assert_eq!((verdict.numa, verdict.detected), (Numa::Undetermined, false));
        assert_eq!(verdict.reasons, [NumaReason::NothingToCompare]);
    }

    /// Resampling one round gives the same samples each time: an interval of zero width, and a
    /// false "yes".
    #[test]
    fn samples_of_one_round_are_undetermined() {
        let sample = |column, ns| Sample::new(0, 0, CellIndex::new(0, column), ns);
        let near = [80.0, 81.0, 82.0].map(|ns| sample(0, ns));
        let far = [90.0, 91.0, 92.0].map(|ns| sample(1, ns));
        let verdict = verdict(
            &SampleMatrix::new(MatrixShape::new(1, 2), &[near, far].concat()).unwrap(),
            THRESHOLD,
            1,
        );
        assert_eq!(
            (verdict.numa, verdict.ci95, verdict.detected),
            (Numa::Undetermined, None, false)
        );
        assert_eq!(verdict.would_settle, Some(Remedy::MoreSamples));
    }

    #[test]
    fn missing_cells_are_skipped_and_reported() {
        let machine = Machine { effect: 0.72, ..Machine::uniform(2, 3) };
        let samples = machine
            .samples(1)
            .into_iter()
            .filter(|sample| sample.place != CellIndex::new(0, 2))
            .collect::<Vec<_>>();
        let verdict =
            verdict(&SampleMatrix::new(MatrixShape::new(2, 3), &samples).unwrap(), THRESHOLD, 1);
        assert_eq!(verdict.numa, Numa::Yes);
        assert!((verdict.effect.unwrap() - 0.72).abs() < 0.05);
        assert_eq!(verdict.reasons[2], NumaReason::CellsLeftOut { left_out: 1, cells: 6 });
    }

    #[test]
    fn one_process_is_a_doubt() {
        let machine = Machine { effect: 0.72, processes: 1, ..Machine::uniform(2, 2) };
        let verdict = verdict(&machine.matrix(1), THRESHOLD, 1);
        assert!(verdict.reasons.contains(&NumaReason::OneProcess), "{:?}", verdict.reasons);
    }

    #[test]
    fn equal_samples_and_seed_give_equal_verdicts() {
        let matrix = Machine::uniform(2, 2).matrix(1);
        assert_eq!(verdict(&matrix, THRESHOLD, 9), verdict(&matrix, THRESHOLD, 9));
    }
}
