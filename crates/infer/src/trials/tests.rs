//! Simulated runs of programs.

use fastrand::Rng;

use super::*;
use crate::normal;

/// Runs with these medians, a spread, and a drift common to all runs of a block.
fn runs(medians: &[f64], spread: f64, blocks: u32, seed: u64) -> Trials {
    let mut rng = Rng::with_seed(seed);
    let mut normal =
        || (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos();
    let mut trials = Trials::new(medians.len());
    for block in 0..blocks {
        let drift = 0.05 * normal();
        for (at, median) in medians.iter().enumerate() {
            trials.add(at, block, median * (drift + spread * normal()).exp());
        }
    }
    trials
}

/// How the times of a sweep vary where nothing differs.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Normal,
    Skewed,
    Bimodal,
    /// One run in ten is much slower.
    Outliers,
}

/// A sweep of equal configurations: each run of one shape, on a machine that may drift.
fn equal(shape: Shape, configurations: usize, blocks: u32, drift: f64, seed: u64) -> Trials {
    let rng = &mut Rng::with_seed(seed);
    let mut trials = Trials::new(configurations);
    let mut run = 0.0;
    for block in 0..blocks {
        for at in 0..configurations {
            run += 1.0;
            let deviation = match shape {
                Shape::Normal => 0.03 * normal(rng),
                Shape::Skewed => -0.05 * (1.0 - rng.f64()).ln(),
                Shape::Bimodal => 0.01 * normal(rng) + if rng.f64() < 0.4 { 0.3 } else { 0.0 },
                Shape::Outliers => 0.01 * normal(rng) + if rng.f64() < 0.1 { 0.7 } else { 0.0 },
            };
            trials.add(at, block, (deviation + drift * run).exp());
        }
    }
    trials
}

/// Runs of a block are in random order, so drift within it is exchangeable: it is simulated between
/// blocks and, by a shuffled order, within them.
fn in_random_order(trials: &Trials, seed: u64) -> Trials {
    let rng = &mut Rng::with_seed(!seed);
    let mut shuffled = Trials::new(trials.configurations());
    for block in 0..trials.of(0).len() as u32 {
        let mut order: Vec<usize> = (0..trials.configurations()).collect();
        rng.shuffle(&mut order);
        for (at, from) in order.into_iter().enumerate() {
            shuffled.add(at, block, trials.values[from][&block]);
        }
    }
    shuffled
}

#[test]
fn equal_sweeps_have_no_difference() {
    let shapes = [Shape::Normal, Shape::Skewed, Shape::Bimodal, Shape::Outliers];
    let sweeps = crate::tests::cases::simulations(20, 1000);
    for shape in shapes {
        for (configurations, blocks) in [(3, 6), (3, 20), (5, 8), (8, 6), (8, 20)] {
            for drift in [0.0, 0.01] {
                let wrong = (0..sweeps)
                    .filter(|&seed| {
                        let trials = equal(shape, configurations, blocks, drift, seed);
                        let trials = in_random_order(&trials, seed);
                        trials
                            .median_differences()
                            .iter()
                            .any(|difference| difference.compared.real)
                    })
                    .count() as f64;
                let (all, se) = (sweeps as f64, (0.05 * 0.95 / sweeps as f64).sqrt());
                let case = format!("{shape:?} {configurations} x {blocks}, drift {drift}");
                assert!(wrong / all <= 0.05 + 2.0 * se, "{case}: {wrong} of {all}");
            }
        }
    }
}

/// The others are equal beside one that differs much.
#[test]
fn one_slow_configuration_makes_no_others() {
    let sweeps = crate::tests::cases::simulations(20, 1000);
    for shape in [Shape::Normal, Shape::Skewed, Shape::Bimodal, Shape::Outliers] {
        for blocks in [6, 12] {
            let wrong = (0..sweeps)
                .filter(|&seed| {
                    let mut trials = equal(shape, 6, blocks, 0.0, seed);
                    for (block, value) in trials.values[5].clone() {
                        trials.add(5, block, 3.0 * value);
                    }
                    let found = trials.median_differences().iter().filter(|one| one.to != 5);
                    found.clone().any(|one| one.compared.real)
                })
                .count() as f64;
            let (all, se) = (sweeps as f64, (0.05 * 0.95 / sweeps as f64).sqrt());
            assert!(wrong / all <= 0.05 + 2.0 * se, "{shape:?} x {blocks}: {wrong} of {all}");
        }
    }
}

#[test]
fn real_differences_are_found_despite_drift() {
    let trials = runs(&[10.0, 11.0, 13.0], 0.01, 10, 3);
    let differences = trials.median_differences();
    assert!(differences.iter().all(|difference| difference.compared.real), "{differences:?}");
    let wider = differences
        .iter()
        .find(|difference| (difference.of, difference.to) == (0, 2))
        .unwrap()
        .compared;
    assert!(
        (wider.ratio + 1.0 - 10.0 / 13.0).abs() < 0.03 && wider.ci95[0] <= wider.ratio,
        "{wider:?}"
    );
    assert!((wider.inverse().ratio - 0.3).abs() < 0.04, "{:?}", wider.inverse());
}

/// At 0206d5e9 the change was the mean of ratios, beside medians that showed the opposite.
#[test]
fn the_change_is_the_ratio_of_the_medians() {
    for seed in 0..200 {
        let trials = equal(Shape::Bimodal, 4, 7 + seed as u32 % 2, 0.0, seed);
        let median = |at: usize| trials.summary(at).unwrap().median;
        for difference in trials.median_differences() {
            let ratio = median(difference.of) / median(difference.to) - 1.0;
            assert!((difference.compared.ratio - ratio).abs() < 1e-9, "{difference:?} {ratio}");
            let [low, high] = difference.compared.ci95;
            assert!(
                low <= difference.compared.ratio && difference.compared.ratio <= high,
                "{difference:?}"
            );
            assert!(!difference.compared.real || low > 0.0 || high < 0.0, "{difference:?}");
        }
    }
}

#[test]
fn intervals_include_the_true_ratio() {
    let sweeps = 300;
    for (shape, blocks) in
        [(Shape::Normal, 6), (Shape::Normal, 12), (Shape::Skewed, 8), (Shape::Outliers, 12)]
    {
        let inside = (0..sweeps)
            .filter(|&seed| {
                let trials = equal(shape, 2, blocks, 0.0, seed);
                let [low, high] = trials.median_differences()[0].compared.ci95;
                low <= 0.0 && 0.0 <= high
            })
            .count();
        assert!(inside * 100 >= sweeps as usize * 93, "{shape:?} {blocks}: {inside}");
    }
}

#[test]
fn too_few_blocks_have_no_difference() {
    assert!(runs(&[10.0, 20.0], 0.01, 5, 1).median_differences().is_empty());
    assert!(runs(&[10.0, 20.0], 0.01, 6, 1).median_differences()[0].compared.real);
    assert!(runs(&[10.0, 20.0], 0.01, 2, 1).differences().is_empty());
}

#[test]
fn constant_runs_differ_certainly_or_not() {
    let mut trials = Trials::new(3);
    for block in 0..6 {
        for (at, value) in [10.0, 10.0, 11.0].into_iter().enumerate() {
            trials.add(at, block, value);
        }
    }
    let real: Vec<bool> =
        trials.median_differences().iter().map(|difference| difference.compared.real).collect();
    assert_eq!(real, [false, true, true]);
}

#[test]
fn the_front_is_pareto_optimal() {
    let mut trials = runs(&[10.0, 11.0, 12.0, 13.0], 0.0, 12, 1);
    let mut rng = Rng::with_seed(4);
    // Faster ones are more variable, except the last, which is slow and variable.
    for (at, spread) in [(0, 0.05), (1, 0.01), (2, 0.001), (3, 0.06)] {
        for (block, value) in trials.clone().of(at) {
            trials.add(at, block, value * (spread * (rng.f64() - 0.5)).exp());
        }
    }
    // Without drift of the blocks, all spread is the configuration's own.
    let mut still = Trials::new(4);
    for block in 0..12 {
        let reference = trials.of(2).nth(block).unwrap().1 / 12.0;
        (0..4).for_each(|at| {
            still.add(at, block as u32, trials.of(at).nth(block).unwrap().1 / reference);
        });
    }
    let ranking = still.ranking(&[0; 4]);
    assert_eq!((ranking.fastest, ranking.least_variable), (Some(0), Some(2)));
    assert_eq!(ranking.front, [0, 1, 2]);
    assert!(ranking.as_fast.is_empty());
}

#[test]
fn equally_fast_configurations_are_listed() {
    let ranking = runs(&[10.0, 10.0, 14.0], 0.02, 10, 5).ranking(&[0; 3]);
    let (fastest, other) = if ranking.fastest == Some(0) { (0, 1) } else { (1, 0) };
    assert_eq!((ranking.fastest, ranking.as_fast), (Some(fastest), vec![other]));
}

#[test]
fn always_failing_configurations_are_unranked() {
    let mut trials = runs(&[10.0, 11.0], 0.01, 6, 1);
    trials.values.push(Default::default());
    let ranking = trials.ranking(&[0, 0, 5]);
    assert_eq!((ranking.fastest, ranking.front.contains(&2)), (Some(0), false));
}

#[test]
fn mostly_failing_configurations_are_not_fastest() {
    let mut trials = runs(&[10.0, 5.0, 12.0], 0.01, 10, 1);
    trials.values[1].retain(|block, _| *block == 3);
    let ranking = trials.ranking(&[0, 9, 0]);
    assert_eq!((ranking.fastest, ranking.front.contains(&1)), (Some(0), false));
    let all_fail = trials.ranking(&[2, 9, 1]);
    assert_eq!(all_fail.fastest, Some(2), "where all fail at times, the one that fails least");
}

#[test]
fn three_runs_have_no_variability_rank() {
    assert_eq!(runs(&[10.0, 11.0], 0.01, 3, 1).ranking(&[0; 2]).least_variable, None);
    assert!(runs(&[10.0, 11.0], 0.01, 4, 1).ranking(&[0; 2]).least_variable.is_some());
}

#[test]
fn two_modes_are_found_and_one_is_not_split() {
    let mut rng = Rng::with_seed(8);
    let mut two: Vec<f64> = (0..12)
        .map(|run| if run % 3 == 0 { 14.0 } else { 10.0 } * (1.0 + 0.01 * rng.f64()))
        .collect();
    let found = find_modes(&two, 1).unwrap();
    assert_eq!(found.runs, [8, 4]);
    assert!(
        (found.centers[0] - 10.05).abs() < 0.1 && (found.centers[1] - 14.07).abs() < 0.1,
        "{found:?}"
    );
    assert!(found.boundary > 10.1 && found.boundary < 14.0);
    two.truncate(6);
    assert_eq!(find_modes(&two, 1), None, "too few runs");
    let mut one_mode = |tail: bool| {
        let draw = |rng: &mut Rng| {
            if tail { -(1.0 - rng.f64()).ln() } else { rng.f64() + rng.f64() + rng.f64() }
        };
        (0..20).map(|_| 10.0 * (0.05 * draw(&mut rng)).exp()).collect::<Vec<f64>>()
    };
    let samples = crate::tests::cases::simulations(50, 200);
    let wrong = (0..samples)
        .filter(|seed| find_modes(&one_mode(seed % 2 == 0), *seed).is_some())
        .count() as u64;
    assert!(wrong * 25 <= samples, "{wrong} of {samples}");
}

#[test]
fn only_predictors_of_the_mode_are_listed() {
    let is_high: Vec<bool> = (0..12).map(|run| run % 3 == 0).collect();
    let remote = is_high.iter().map(|high| Some(if *high { 0.9 } else { 0.05 })).collect();
    let mut rng = Rng::with_seed(2);
    let faults = (0..12).map(|_| Some(1000.0 + rng.f64())).collect();
    let unknown = vec![None; 12];
    let found = predictors::predictors(
        &is_high,
        &[("faults", faults), ("unknown", unknown), ("remote", remote)],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].figure, found[0].means[1], found[0].more_often), ("remote", 0.9, 1.0));
}

#[test]
fn two_runs_of_a_mode_have_no_predictor() {
    let modes =
        |low: usize, high: usize| (0..low + high).map(|run| run >= low).collect::<Vec<bool>>();
    let named = |is_high: &[bool]| {
        let goes_along = is_high.iter().map(|high| Some(f64::from(u8::from(*high)))).collect();
        let mut figures = vec![(0, vec![Some(1.0); is_high.len()]); 5];
        figures.push((1, goes_along));
        predictors::predictors(is_high, &figures)
    };
    assert_eq!(named(&modes(6, 2)), []);
    assert!(
        !predictors::can_be_significant([6, 2], 6) && !predictors::can_be_significant([2, 6], 6)
    );
    let enough = named(&modes(6, 4));
    assert!(enough.len() == 1 && predictors::can_be_significant([6, 4], 6), "{enough:?}");
    assert!((enough[0].p - 1.0 / 210.0).abs() < 1e-9, "{enough:?}");
}

#[test]
fn scaling_stops_where_no_larger_number_is_faster() {
    let times = [80.0, 42.0, 23.0, 23.0, 24.0];
    let jobs = [1, 2, 4, 8, 16];
    let by_jobs: Vec<(u32, usize)> = jobs.into_iter().zip(0..).collect();
    let scaling = scaling::scaling(&runs(&times, 0.005, 10, 1), &by_jobs);
    assert_eq!(scaling.stops_paying_at, Some(4));
    let still_paying = scaling::scaling(&runs(&times[..3], 0.005, 10, 1), &by_jobs[..3]);
    assert_eq!(still_paying.stops_paying_at, None);
}

#[test]
fn too_few_runs_leave_scaling_undetermined() {
    let by_jobs = [(1, 0), (2, 1), (4, 2)];
    let two_blocks = scaling::scaling(&runs(&[80.0, 42.0, 23.0], 0.005, 2, 1), &by_jobs);
    assert_eq!((two_blocks.stops_paying_at, two_blocks.too_few_runs), (None, true));
    let ten_blocks = scaling::scaling(&runs(&[80.0, 80.0, 80.0], 0.005, 10, 1), &by_jobs);
    assert_eq!((ten_blocks.stops_paying_at, ten_blocks.too_few_runs), (Some(1), false));
}

#[test]
fn sparse_job_counts_do_not_hide_others() {
    let mut trials = runs(&[80.0, 42.0, 23.0], 0.005, 10, 1);
    trials.values[1].retain(|block, _| *block < 2);
    let paying = scaling::scaling(&trials, &[(1, 0), (2, 1), (4, 2)]);
    assert_eq!(
        (paying.stops_paying_at, paying.too_few_runs),
        (None, true),
        "four against two is not known"
    );
    let known = scaling::scaling(&trials, &[(1, 0), (4, 2), (8, 1)]);
    assert!(known.too_few_runs, "eight against four is not known");
}
