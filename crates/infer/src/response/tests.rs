//! Responses of programs whose truth is known.

use std::cell::Cell;

use super::*;
use crate::replay::program::{LATENCIES, ProgramNoise, SimulatedProgram};

/// Replays of each kind: the odds bench has 2,000.
const REPLAYS: u64 = 200;

fn program(effect: f64, bend: f64, noise: ProgramNoise) -> SimulatedProgram {
    SimulatedProgram { effect, bend, noise }
}

/// How many of these have what is asked.
fn count(program: SimulatedProgram, blocks: u32, is: impl Fn(&Response) -> bool) -> u64 {
    let found =
        (0..REPLAYS).filter(|seed| is(&response(&program.periods(blocks, *seed), LATENCIES)));
    found.count() as u64
}

fn holds(figure: Option<ResponseFigure>, truth: f64) -> bool {
    figure.is_some_and(|figure| figure.ci95[0] <= truth && truth <= figure.ci95[1])
}

#[test]
fn intervals_hold_the_truth_under_each_noise() {
    for noise in ProgramNoise::OF_TIME {
        for effect in [0.0, 0.8] {
            let one = program(effect, 0.0, noise);
            let bent = Cell::new(0);
            let held = count(one, 8, |found| {
                bent.set(bent.get() + u32::from(found.bends));
                holds(found.effect, effect)
            });
            // 95 %, and three standard errors of 200 replays.
            assert!((181..=199).contains(&held), "{noise:?} {effect}: {held}");
            assert!(bent.get() <= 8, "{noise:?} {effect}: {bent:?}");
        }
    }
}

#[test]
fn few_hot_pages_make_intervals_wide_and_not_wrong() {
    let one = program(0.8, 0.0, ProgramNoise::FewHotPages);
    assert!(count(one, 8, |found| holds(found.effect, 0.8)) >= 190);
}

#[test]
fn a_program_that_matters_is_never_without_matter() {
    for noise in ProgramNoise::OF_TIME {
        let wrong = count(program(RESPONSE_FLOOR, 0.0, noise), 12, |found| {
            found.verdict == ResponseVerdict::DoesNotMatter
        });
        assert!(wrong <= 1, "{noise:?}: {wrong}");
    }
    let found = count(program(0.8, 0.0, ProgramNoise::All), 8, |found| {
        found.verdict == ResponseVerdict::Matters
    });
    assert!(found >= 195, "{found}");
}

#[test]
fn steady_programs_without_matter_are_found() {
    let mut periods = program(0.001, 0.0, ProgramNoise::Gaussian).periods(8, 1);
    // A tenth of the scatter.
    periods.iter_mut().for_each(|period| period.log_time = 3.0 + (period.log_time - 3.0) / 10.0);
    let found = response(&periods, LATENCIES);
    assert_eq!(found.verdict, ResponseVerdict::DoesNotMatter, "{found:?}");
    assert!(found.at_most.unwrap() < RESPONSE_FLOOR);
    assert_eq!(found.blocks_wanted(), None);
}

#[test]
fn bends_are_found_with_their_size() {
    for bend in [0.2, -0.15] {
        let one = program(0.8, bend, ProgramNoise::Gaussian);
        let held = count(one, 8, |found| found.bends && holds(found.bend, bend));
        assert!(held >= 178, "{bend}: {held}");
        let held = count(one, 8, |found| holds(found.effect, 0.8));
        assert!(held >= 180, "{bend}: {held}");
    }
}

#[test]
fn noise_is_undetermined_and_names_how_many_blocks_it_takes() {
    let found = response(&program(0.0, 0.0, ProgramNoise::Gaussian).periods(4, 3), LATENCIES);
    assert_eq!(found.verdict, ResponseVerdict::TooNoisy, "{found:?}");
    assert!((10..100).contains(&found.blocks_wanted().unwrap()), "{:?}", found.blocks_wanted());
}

#[test]
fn too_little_is_no_response() {
    let periods = program(0.8, 0.0, ProgramNoise::Gaussian).periods(8, 1);
    assert_eq!(response(&[], LATENCIES).verdict, ResponseVerdict::TooFewBlocks);
    assert_eq!(response(&periods[..10], LATENCIES).verdict, ResponseVerdict::TooFewBlocks);
    let alike: Vec<DosePeriod> =
        periods.iter().map(|period| DosePeriod { dose: 80.0, ..*period }).collect();
    let found = response(&alike, LATENCIES);
    assert_eq!((found.verdict, found.effect), (ResponseVerdict::SameDose, None));
    // A steady program has an exact response.
    let exact: Vec<DosePeriod> = periods
        .iter()
        .map(|period| DosePeriod { log_time: (period.dose / LATENCIES[0]).ln(), ..*period })
        .collect();
    let found = response(&exact, LATENCIES);
    let slope = found.slope.unwrap();
    assert!((slope.value * LATENCIES[0] - 1.0).abs() < 1e-6 && !found.bends, "{found:?}");
    assert!(slope.ci95[1] - slope.ci95[0] < 1e-5, "{found:?}");
}

#[test]
fn a_part_of_the_range_has_the_effect_of_all_of_it() {
    let mut periods = program(0.8, 0.0, ProgramNoise::Gaussian).periods(20, 1);
    // Half of its pages take part: the dose is half of what it would be.
    let whole = [LATENCIES[0], 2.0 * LATENCIES[1] - LATENCIES[0]];
    let found = response(&periods, whole);
    assert!(holds(found.effect, 1.6), "{found:?}");
    // A tenth of them does not show enough.
    periods.iter_mut().for_each(|one| one.dose = 78.6 + (one.dose - 78.6) / 11.0);
    assert_eq!(response(&periods, LATENCIES).verdict, ResponseVerdict::SameDose);
}

#[test]
fn points_lie_on_the_curve_whatever_drifts() {
    let periods = program(0.8, 0.0, ProgramNoise::Drift).periods(12, 1);
    let found = response(&periods, LATENCIES);
    let wanted = |dose: f64| (100.0 * (dose - LATENCIES[0]) / (LATENCIES[1] - LATENCIES[0])) as u32;
    let named: Vec<(u32, DosePeriod)> =
        periods.into_iter().map(|period| (wanted(period.dose), period)).collect();
    let points = dose_points(&named, &found);
    assert_eq!(points.len(), 5);
    for (at, point) in points.iter().enumerate() {
        let truth = 1.0 + 0.2 * at as f64;
        assert!((point.time.value / truth - 1.0).abs() < 0.02, "{truth}: {point:?}");
        assert!(holds(Some(point.time), truth) && point.periods == 12, "{truth}: {point:?}");
    }
}

#[test]
fn what_was_found_is_measured_and_not_assumed() {
    // A program whose hot pages are near as they were found, and one whose hot pages are far.
    for truth in [1.0, 1.8] {
        let mut held = 0;
        for seed in 0..REPLAYS {
            let periods = program(0.8, 0.0, ProgramNoise::Drift).periods(8, seed);
            let found = response(&periods, LATENCIES);
            // As many periods, each beside any of its block: the first are always early.
            let mut rng = fastrand::Rng::with_seed(seed);
            let any = |block: &[DosePeriod]| block[rng.usize(..block.len())];
            let drawn: Vec<DosePeriod> = periods.chunks(5).map(any).collect();
            let beside = drawn.iter().map(|one| {
                let share = (one.dose - LATENCIES[0]) / (LATENCIES[1] - LATENCIES[0]);
                let level = one.log_time - (1.0 + 0.8 * share).ln();
                let scatter = 0.02 * crate::normal(&mut rng);
                (one.block, level + f64::ln(truth) + scatter)
            });
            let time = relative_time(&beside.collect::<Vec<_>>(), &periods, &found);
            held += u64::from(holds(time, truth));
        }
        assert!(held >= 181, "{truth}: {held}");
    }
}

fn at(ns: f64) -> LatencyRange {
    LatencyRange { ns, range: [ns, ns] }
}

#[test]
fn forecasts_come_true_on_other_machines() {
    // The truth: all time is latency.
    let effect = LATENCIES[1] / LATENCIES[0] - 1.0;
    for noise in [ProgramNoise::Gaussian, ProgramNoise::All] {
        let held = count(program(effect, 0.0, noise), 8, |found| {
            let figure = forecast(found, at(LATENCIES[0]), at(300.0), false);
            // One in 100 is called bent.
            figure.map_or(true, |figure| holds(Some(figure), 300.0 / LATENCIES[0] - 1.0))
        });
        assert!(held >= 181, "{noise:?}: {held}");
    }
    let found = response(&program(effect, 0.0, ProgramNoise::Gaussian).periods(8, 1), LATENCIES);
    let exact = forecast(&found, at(90.0), at(180.0), false).unwrap();
    let uncertain = LatencyRange { ns: 180.0, range: [170.0, 190.0] };
    let wide = forecast(&found, at(90.0), uncertain, false).unwrap();
    assert_eq!(wide.value, exact.value);
    assert!(wide.ci95[0] < exact.ci95[0] && exact.ci95[1] < wide.ci95[1]);
}

#[test]
fn forecasts_are_refused_where_the_curve_is_not_known() {
    let bent = response(&program(0.8, 0.3, ProgramNoise::Gaussian).periods(8, 1), LATENCIES);
    let (near, far) = (at(LATENCIES[0]), at(LATENCIES[1]));
    assert_eq!(forecast(&bent, near, far, false), Err(ForecastRefusal::Bends));
    assert_eq!(forecast(&bent, near, at(300.0), true), Err(ForecastRefusal::Bends));
    let half = at(f64::midpoint(LATENCIES[0], LATENCIES[1]));
    let here = forecast(&bent, near, half, true).unwrap();
    assert!((here.value - 0.7).abs() < 0.05, "{here:?}");
    assert_eq!(
        forecast(&response(&[], LATENCIES), near, far, true),
        Err(ForecastRefusal::NoResponse)
    );
    // More than latency can cost; but on this machine it was measured.
    let steep = response(&program(3.0, 0.0, ProgramNoise::Gaussian).periods(8, 1), LATENCIES);
    assert_eq!(forecast(&steep, near, at(300.0), false), Err(ForecastRefusal::Bandwidth));
    assert!(forecast(&steep, near, far, true).is_ok());
    assert_eq!(forecast(&steep, near, at(10.0), true), Err(ForecastRefusal::OutOfRange));
    let all_of_it = LATENCIES[1] / LATENCIES[0] - 1.0;
    for noise in ProgramNoise::OF_TIME {
        let wrong = count(program(all_of_it, 0.0, noise), 8, Response::exceeds_latency);
        assert!(wrong <= 2, "{noise:?}: {wrong}");
    }
}

/// A program that all-far memory costs 0.8, and whose used pages were found far to a share; a
/// part of its pages changes places.
fn in_part(part: f64, found_far: f64, seed: u64) -> (Response, ResponseFigure) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut log = |far: f64| (1.0 + 0.8 * far).ln() + 0.01 * crate::normal(&mut rng);
    let (mut periods, mut beside) = (Vec::new(), Vec::new());
    for block in 0..12 {
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let dose = LATENCIES[0] + share * (LATENCIES[1] - LATENCIES[0]);
            let log_time = log((1.0 - part) * found_far + part * share);
            periods.push(DosePeriod { block, dose, log_time });
        }
        beside.push((block, log(found_far)));
    }
    let found = response(&periods, LATENCIES);
    let as_found = relative_time(&beside, &periods, &found).unwrap();
    (found, as_found)
}

#[test]
fn a_part_of_the_pages_has_the_response_of_all() {
    for (part, found_far) in
        [(0.9, 0.0), (0.9, 1.0), (0.4, 0.0), (0.4, 0.5), (0.4, 1.0), (0.2, 0.1)]
    {
        let (mut held, mut held_found) = (0, 0);
        for seed in 0..REPLAYS {
            let (found, as_found) = in_part(part, found_far, seed);
            let part = PartOfPages { share: part, as_found };
            let whole = part.response(&found);
            assert_eq!(whole.verdict, ResponseVerdict::Matters, "{whole:?}");
            held += u64::from(holds(whole.effect, 0.8));
            held_found += u64::from(holds(Some(part.time_as_found()), 1.0 + 0.8 * found_far));
        }
        let held = [held, held_found];
        assert!(held.iter().all(|held| *held >= 181), "{part} {found_far}: {held:?}");
    }
}
