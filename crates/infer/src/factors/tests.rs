use nearfar_model::{CellIndex, MatrixShape, Sample};

use super::*;
use crate::normal;

/// A cost for each combination of program, buffer and interrupts, each near or far.
fn machine(costs: [f64; 3], sd: f64, seed: u64) -> (SampleMatrix, Vec<DesignCell>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut samples, mut design) = (Vec::new(), Vec::new());
    for row in 0..2 {
        for column in 0..4 {
            let levels = vec![row as u32, column as u32 / 2, column as u32 % 2];
            design.push(DesignCell { row, column, levels });
        }
    }
    for round in 0..30 {
        let common = 0.02 * normal(&mut random);
        for cell in &design {
            let cost: f64 =
                cell.levels.iter().zip(costs).map(|(&level, cost)| f64::from(level) * cost).sum();
            let log = 80_000.0_f64.ln() + cost + common + sd * normal(&mut random);
            let place = CellIndex::new(cell.row, cell.column);
            samples.push(Sample::new(round / 5, round, place, log.exp()));
        }
    }
    (SampleMatrix::new(MatrixShape::new(2, 4), &samples).unwrap(), design)
}

#[test]
fn factors_come_apart() {
    let (matrix, design) = machine([0.20, 0.10, 0.0], 0.01, 1);
    let effects = factor_effects(&matrix, &design, &[0, 0, 0], 0.02, 1);
    let found: Vec<_> =
        effects.iter().map(|effect| (effect.factor, effect.level, effect.verdict)).collect();
    assert_eq!(
        found,
        [(0, 1, FactorVerdict::Slower), (1, 1, FactorVerdict::Slower), (2, 1, FactorVerdict::Same)]
    );
    assert!((effects[0].ratio.ln() - 0.20).abs() < 0.01, "{effects:?}");
    assert!((effects[1].ratio.ln() - 0.10).abs() < 0.01, "{effects:?}");
    assert!(effects.iter().all(|effect| effect.combinations == 4));
    assert!(effects[0].probability > 0.999 && effects[2].probability < 0.05, "{effects:?}");
}

#[test]
fn the_reference_is_chosen_beforehand() {
    let (matrix, design) = machine([0.20, 0.0, 0.0], 0.01, 2);
    let effects = factor_effects(&matrix, &design, &[1, 0, 0], 0.02, 1);
    assert_eq!((effects[0].level, effects[0].verdict), (0, FactorVerdict::Faster));
    assert!(effects[0].probability > 0.999);
}

#[test]
fn noise_alone_decides_nothing() {
    let mut wrong = 0;
    for seed in 0..40 {
        let (matrix, design) = machine([0.0; 3], 0.05, seed);
        let effects = factor_effects(&matrix, &design, &[0, 0, 0], 0.02, seed);
        wrong += effects
            .iter()
            .filter(|effect| {
                matches!(effect.verdict, FactorVerdict::Slower | FactorVerdict::Faster)
            })
            .count();
    }
    assert!(wrong <= 1, "{wrong} of 120");
}

#[test]
fn levels_without_a_common_combination_have_no_effect() {
    let (matrix, mut design) = machine([0.2, 0.1, 0.0], 0.01, 3);
    // The interrupt always runs where the program does: the two cannot be separated.
    design.retain(|cell| cell.levels[0] == cell.levels[2]);
    let effects = factor_effects(&matrix, &design, &[0, 0, 0], 0.02, 1);
    let factors: Vec<usize> = effects.iter().map(|effect| effect.factor).collect();
    assert_eq!(factors, [1]);
}

#[test]
fn few_processes_decide_nothing() {
    let (_, design) = machine([0.0; 3], 0.0, 1);
    let of = |processes: usize| {
        let samples: Vec<Sample> = design
            .iter()
            .flat_map(|cell| {
                let cost = 80_000.0 * (1.0 + 0.2 * f64::from(cell.levels[0]));
                let value = move |round: u32| cost * (1.0 + 0.001 * f64::from(round % 3));
                (0..3 * processes as u32).map(move |round| {
                    let place = CellIndex::new(cell.row, cell.column);
                    Sample::new(round / 3, round, place, value(round))
                })
            })
            .collect();
        let matrix = SampleMatrix::new(MatrixShape::new(2, 4), &samples).unwrap();
        factor_effects(&matrix, &design, &[0, 0, 0], 0.02, 1)[0]
    };
    let few = of(MIN_PROCESSES - 1);
    assert_eq!(few.verdict, FactorVerdict::Undetermined);
    assert!((few.ratio - 1.2).abs() < 0.01, "{few:?}");
    assert_eq!(of(MIN_PROCESSES).verdict, FactorVerdict::Slower);
}

/// What each process draws differs for one level alone: on average it is no slower.
#[test]
fn uneven_cpus_of_one_level_are_no_effect() {
    let mut wrong = 0;
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut samples, mut design) = (Vec::new(), Vec::new());
        for row in 0..2 {
            for column in 0..2 {
                let levels = vec![row as u32, column as u32];
                design.push(DesignCell { row, column, levels });
            }
        }
        for process in 0..6 {
            let drawn = if random.bool() { 1.1 } else { 1.0 / 1.1 };
            for round in 3 * process..3 * process + 3 {
                for cell in &design {
                    let level = if cell.row == 1 { drawn } else { 1.0 };
                    let noise = 1.0 + 0.005 * normal(&mut random);
                    let place = CellIndex::new(cell.row, cell.column);
                    samples.push(Sample::new(process, round, place, 80.0 * level * noise));
                }
            }
        }
        let matrix = SampleMatrix::new(MatrixShape::new(2, 2), &samples).unwrap();
        let effects = factor_effects(&matrix, &design, &[0, 0], 0.02, seed);
        let is_wrong = |effect: &FactorEffect| {
            matches!(effect.verdict, FactorVerdict::Slower | FactorVerdict::Faster)
        };
        wrong += usize::from(effects.iter().any(is_wrong));
    }
    assert!(wrong <= 8, "{wrong} of 100");
}

#[test]
fn intervals_of_effects_have_nominal_coverage() {
    let held = (0..60).filter(|&seed| {
        let (matrix, design) = machine([0.1, 0.0, 0.0], 0.03, seed);
        let [low, high] =
            factor_effects(&matrix, &design, &[0, 0, 0], 0.02, seed)[0].ci95.map(f64::ln);
        low <= 0.1 && 0.1 <= high
    });
    assert!(held.count() >= 54);
}
