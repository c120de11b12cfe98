use fastrand::Rng;

use super::qn::qn;
use super::*;
use crate::normal::normal;

/// Machines that spread by 1 %, each with an error of a third of that.
fn fleet(machines: usize, cells: usize, seed: u64) -> Vec<Vec<Option<FleetFigure>>> {
    let rng = &mut Rng::with_seed(seed);
    let mut machine = || {
        (0..cells)
            .map(|_| Some(FleetFigure { log: 4.6 + 0.01 * normal(rng), error: 0.003 }))
            .collect()
    };
    (0..machines).map(|_| machine()).collect()
}

fn slow(machines: &mut [Vec<Option<FleetFigure>>], machine: usize, cell: usize, by: f64) {
    if let Some(figure) = &mut machines[machine][cell] {
        figure.log += by.ln_1p();
    }
}

fn outliers_of(machines: &[Vec<Option<FleetFigure>>], floor: f64) -> FleetVerdict {
    let cells = machines.iter().map(Vec::len).max().unwrap_or(0);
    fleet_outliers(machines, &vec![FleetCellKind::default(); cells], floor)
}

#[test]
fn the_slow_cell_is_found_and_no_other() {
    let mut machines = fleet(16, 8, 1);
    slow(&mut machines, 7, 3, 0.10);
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    let [outlier] = verdict.outliers[..] else { panic!("{:?}", verdict.outliers) };
    assert_eq!((outlier.machine, outlier.cell), (7, 3));
    assert!(outlier.low < 1.10 && 1.10 < outlier.high && outlier.low > 1.0, "{outlier:?}");
    assert!(outlier.p_value <= outlier.q_value && outlier.q_value <= FALSE_DISCOVERY_RATE);
    assert!((0.005..0.02).contains(&verdict.cells[0].spread_log), "{:?}", verdict.cells[0]);
    assert!((verdict.batches[0].center_logs[0].unwrap() - 4.6).abs() < 0.01);
}

#[test]
fn deviations_below_the_floor_are_no_outliers() {
    let mut machines = fleet(16, 8, 1);
    machines.iter_mut().flatten().flatten().for_each(|figure| {
        figure.log = 4.6 + (figure.log - 4.6) / 100.0;
        figure.error = 1e-5;
    });
    slow(&mut machines, 7, 3, 0.025);
    assert!(outliers_of(&machines, FLEET_FLOOR).outliers.is_empty());
    assert_eq!(outliers_of(&machines, 0.02).outliers.len(), 1);
}

/// Machines that differ by 2 % in all cells: one cell of one machine differs from its own others.
#[test]
fn a_cell_is_found_beside_the_machine_s_others() {
    let mut machines = fleet(16, 8, 4);
    let rng = &mut Rng::with_seed(5);
    for machine in &mut machines {
        let common = 0.02 * normal(rng);
        machine.iter_mut().flatten().for_each(|figure| {
            figure.log = 4.6 + (figure.log - 4.6) / 4.0 + common;
        });
    }
    let mut sick = machines.clone();
    slow(&mut sick, 3, 5, 0.05);
    let verdict = outliers_of(&sick, FLEET_FLOOR);
    let found = verdict.outliers.iter().map(|it| (it.machine, it.cell, it.other_cells.is_some()));
    assert_eq!(found.collect::<Vec<_>>(), [(3, 5, true)]);
    // A machine that is slow in all cells is found as well.
    let mut sick = machines.clone();
    (0..8).for_each(|cell| slow(&mut sick, 3, cell, 0.3));
    let verdict = outliers_of(&sick, FLEET_FLOOR);
    assert_eq!(verdict.outliers.len(), 8, "{:?}", verdict.outliers);
    assert!(verdict.outliers.iter().all(|it| it.machine == 3 && it.other_cells.is_none()));
}

#[test]
fn three_machines_are_too_few() {
    let mut machines = fleet(3, 4, 1);
    slow(&mut machines, 0, 0, 1.0);
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    assert!(verdict.outliers.is_empty());
    assert_eq!((verdict.cells[0].machines, verdict.cells[0].spread_log), (3, 0.0));
}

#[test]
fn a_machine_that_knows_less_needs_more() {
    let mut machines = fleet(16, 8, 1);
    slow(&mut machines, 7, 3, 0.10);
    machines[7][3].as_mut().unwrap().error = 0.05;
    assert!(outliers_of(&machines, FLEET_FLOOR).outliers.is_empty());
}

#[test]
fn two_outliers_hide_none() {
    let mut machines = fleet(16, 4, 2);
    (0..2).for_each(|machine| slow(&mut machines, machine, 1, 0.5));
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    let found: Vec<usize> = verdict.outliers.iter().map(|outlier| outlier.machine).collect();
    assert_eq!(found, [0, 1]);
    assert_eq!(verdict.batches.len(), 1);
}

/// Eight of sixteen are slower in two cells: a batch. One of them is slower in another cell.
#[test]
fn batches_are_no_outliers_and_hide_none() {
    let mut machines = fleet(16, 8, 3);
    for machine in 8..16 {
        [1, 3].into_iter().for_each(|cell| slow(&mut machines, machine, cell, 0.08));
    }
    slow(&mut machines, 10, 6, 0.12);
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    let members: Vec<&[usize]> =
        verdict.batches.iter().map(|batch| batch.machines.as_slice()).collect();
    assert_eq!(members, [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]);
    let found = verdict.outliers.iter().map(|it| (it.machine, it.cell));
    assert_eq!(found.collect::<Vec<_>>(), [(10, 6)]);
    let differences: Vec<(usize, usize)> =
        verdict.differences.iter().map(|it| (it.batch, it.cell)).collect();
    assert_eq!(differences, [(1, 1), (1, 3)]);
    assert!(verdict.differences.iter().all(|it| it.low < 1.09 && 1.07 < it.high));
}

/// Of 100 machines with four memories; in each batch but the first, another memory is slower.
fn five_batches(seed: u64) -> Vec<Vec<Option<FleetFigure>>> {
    let mut machines = fleet(100, 16, seed);
    for machine in 40..100 {
        let memory = [60, 75, 90].iter().filter(|end| machine >= **end).count();
        (0..4).for_each(|row| slow(&mut machines, machine, 4 * row + memory, 0.08));
    }
    machines
}

#[test]
fn five_batches_are_no_outliers_and_hide_none() {
    for seed in 1..=5 {
        let mut machines = five_batches(seed);
        assert_eq!(outliers_of(&machines, FLEET_FLOOR).batches.len(), 5);
        slow(&mut machines, 5, 11, 0.2);
        let verdict = outliers_of(&machines, FLEET_FLOOR);
        let sizes: Vec<usize> = verdict.batches.iter().map(|it| it.machines.len()).collect();
        assert_eq!(sizes, [40, 20, 15, 15, 10], "seed {seed}");
        assert!(verdict.outliers.iter().any(|it| (it.machine, it.cell) == (5, 11)));
        let four = outliers_of(&five_batches(seed)[..90], FLEET_FLOOR);
        assert_eq!(four.batches.len(), 4, "seed {seed}");
    }
}

/// Of 110 machines with two memories: each batch has one that is slower by 8 or 16 %. Beside its
/// others, each cell has five levels in a row.
fn batches_in_a_row(seed: u64) -> Vec<Vec<Option<FleetFigure>>> {
    let mut machines = fleet(110, 4, seed);
    for machine in 40..110 {
        let batch = [65, 85, 100].iter().filter(|end| machine >= **end).count();
        let by = [0.08, 0.08, 0.16, 0.16][batch];
        (0..2).for_each(|row| slow(&mut machines, machine, 2 * row + batch % 2, by));
    }
    machines
}

#[test]
fn batches_in_a_row_are_found() {
    for (end, sizes) in [(85, &[40, 25, 20][..]), (110, &[40, 25, 20, 15, 10])] {
        let whole = |seed: u64| {
            let verdict = outliers_of(&batches_in_a_row(seed)[..end], FLEET_FLOOR);
            let found: Vec<usize> = verdict.batches.iter().map(|it| it.machines.len()).collect();
            found == sizes && verdict.outliers.is_empty()
        };
        let count = (1..=10).filter(|seed| whole(*seed)).count();
        assert!(count >= 8, "{sizes:?}: {count} of 10");
    }
}

/// Machines whose memories differ evenly by up to 12 %, as much in all cells.
#[test]
fn an_even_spread_is_no_batches() {
    for seed in 1..=10 {
        let mut machines = fleet(110, 4, seed);
        let rng = &mut Rng::with_seed(seed + 100);
        for machine in 0..110 {
            for memory in 0..2 {
                let by = 0.12 * rng.f64();
                (0..2).for_each(|row| slow(&mut machines, machine, 2 * row + memory, by));
            }
        }
        assert_eq!(outliers_of(&machines, FLEET_FLOOR).batches.len(), 1, "seed {seed}");
    }
}

/// A cell of every machine was not measured.
#[test]
fn batches_are_found_where_cells_are_missing() {
    let mut machines = five_batches(7);
    let rng = &mut Rng::with_seed(8);
    machines.iter_mut().for_each(|machine| machine[rng.usize(..16)] = None);
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    let sizes: Vec<usize> = verdict.batches.iter().map(|it| it.machines.len()).collect();
    assert_eq!(sizes, [40, 20, 15, 15, 10]);
    assert!(verdict.outliers.is_empty(), "{:?}", verdict.outliers);
}

/// Healthy machines with skewed noise: the slowest of many lie far out.
#[test]
fn heavy_tails_of_large_fleets_are_seen() {
    let skewed = |rng: &mut Rng| {
        let sum: f64 = (0..2).map(|_| -(1.0 - rng.f64()).ln()).sum();
        (sum - 2.0) / std::f64::consts::SQRT_2
    };
    let false_alarms = (0..50).filter(|seed| {
        let mut machines = fleet(200, 4, *seed);
        let rng = &mut Rng::with_seed(1000 + *seed);
        for machine in &mut machines {
            let clock = 0.01 * skewed(rng);
            for figure in machine.iter_mut().flatten() {
                figure.log = 4.6 + clock + 0.007 * skewed(rng);
            }
        }
        !outliers_of(&machines, FLEET_FLOOR).outliers.is_empty()
    });
    // 66 % without regard to tails.
    assert!(false_alarms.count() <= 12);
}

/// Of 16 machines with two nodes: clocks by 1 %, cells by 0.7 %, in units of this noise.
fn small_fleet(noise: fn(&mut Rng) -> f64, seed: u64) -> Vec<Vec<Option<FleetFigure>>> {
    let rng = &mut Rng::with_seed(seed);
    let mut machine = || {
        let clock = 0.01 * noise(rng);
        (0..4)
            .map(|_| {
                let log = 4.6 + clock + 0.007 * noise(rng);
                Some(FleetFigure { log, error: 0.003 })
            })
            .collect()
    };
    (0..16).map(|_| machine()).collect()
}

/// Student's t of three degrees of freedom, with a standard deviation of 1.
fn heavy(rng: &mut Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / squares.sqrt()
}

/// With tails taken as normal ones, 30 of these 60 healthy fleets have an outlier; 18 have one.
/// They have no means of columns.
#[test]
fn heavy_tails_of_small_fleets_are_not_clear() {
    let (mut false_alarms, mut with_normal_tails) = (0, 0);
    for seed in 0..60 {
        let mut machines = small_fleet(heavy, seed);
        let healthy = outliers_of(&machines, FLEET_FLOOR);
        false_alarms += usize::from(!healthy.outliers.is_empty());
        let is_any = !healthy.outliers.is_empty() || !healthy.unclear.is_empty();
        with_normal_tails += usize::from(is_any);
        let is_named = |machine| healthy.outliers.iter().any(|one| one.machine == machine);
        assert!(healthy.unclear.iter().all(|one| !is_named(one.machine)));
        [1, 3].into_iter().for_each(|cell| slow(&mut machines, 5, cell, 0.3));
        let broken = outliers_of(&machines, FLEET_FLOOR).outliers;
        assert!(broken.iter().any(|one| one.machine == 5), "seed {seed}");
    }
    let counts = (false_alarms, with_normal_tails);
    assert!(false_alarms <= 20 && with_normal_tails >= 28, "{counts:?}");
}

#[test]
fn normal_tails_of_small_fleets_hide_no_slow_memory() {
    let mut unclear = 0;
    for seed in 0..40 {
        let mut machines = small_fleet(normal, seed);
        unclear += usize::from(!outliers_of(&machines, FLEET_FLOOR).unclear.is_empty());
        [1, 3].into_iter().for_each(|cell| slow(&mut machines, 5, cell, 0.1));
        let verdict = outliers_of(&machines, FLEET_FLOOR);
        assert!(verdict.outliers.iter().any(|one| one.machine == 5), "seed {seed}");
    }
    assert!(unclear <= 3, "{unclear}");
}

/// A machine with half of its cells slower is named once, from the side that is unusual.
#[test]
fn the_other_half_of_a_machine_is_not_faster() {
    for seed in 1..=20 {
        let mut machines = fleet(16, 4, seed);
        [1, 3].into_iter().for_each(|cell| slow(&mut machines, 7, cell, 0.2));
        let verdict = outliers_of(&machines, FLEET_FLOOR);
        let of_machine = verdict.outliers.iter().filter(|it| it.machine == 7);
        let slower: Vec<usize> = of_machine.filter(|it| it.ratio > 1.0).map(|it| it.cell).collect();
        assert_eq!(slower, [1, 3], "{:?}", verdict.outliers);
        assert!(verdict.outliers.iter().all(|it| it.machine != 7 || it.ratio > 1.0));
    }
}

/// The cell that is as usual is not faster: no level is left that it could lie beside.
#[test]
fn the_only_usual_cell_of_a_slow_machine_is_usual() {
    for (seed, size) in (1..=20).map(|seed| (seed, if seed % 2 == 0 { 16 } else { 40 })) {
        let mut machines = fleet(size, 5, seed);
        (0..4).for_each(|cell| slow(&mut machines, 5, cell, 0.2));
        let verdict = outliers_of(&machines, FLEET_FLOOR);
        let of_machine = verdict.outliers.iter().filter(|it| it.machine == 5);
        let cells: Vec<usize> = of_machine.map(|it| it.cell).collect();
        assert_eq!(cells, [0, 1, 2, 3], "seed {seed}: {:?}", verdict.outliers);
        assert!(verdict.outliers.iter().all(|it| it.ratio.max(1.0 / it.ratio) > 1.03));
    }
}

#[test]
fn a_batch_differs_in_the_cells_that_changed() {
    for seed in 1..=40 {
        let mut machines = fleet(80, 5, seed);
        for machine in 61..80 {
            (0..4).for_each(|cell| slow(&mut machines, machine, cell, 0.5));
        }
        let verdict = outliers_of(&machines, FLEET_FLOOR);
        let cells: Vec<usize> = verdict.differences.iter().map(|it| it.cell).collect();
        assert_eq!(cells, [0, 1, 2, 3], "seed {seed}: {:?}", verdict.differences);
        let is_half = |it: &BatchDifference| it.low < 1.5 && 1.5 < it.high;
        let held = verdict.differences.iter().filter(|it| is_half(it)).count();
        assert!(held >= 2, "seed {seed}: {:?}", verdict.differences);
    }
}

/// Latencies spread by 0.2 %, bandwidths by 5 %: with one kind, both would share a prior.
#[test]
fn kinds_have_their_own_spread() {
    let mut machines = fleet(5, 32, 6);
    for machine in &mut machines {
        for (cell, figure) in machine.iter_mut().enumerate() {
            let factor = if cell % 2 == 0 { 0.2 } else { 5.0 };
            let figure = figure.as_mut().unwrap();
            figure.log = 4.6 + factor * (figure.log - 4.6);
            figure.error = 0.001;
        }
    }
    slow(&mut machines, 2, 4, 0.05);
    let kind = |cell: usize| FleetCellKind { table: cell % 2, mean_of: Vec::new() };
    let kinds: Vec<FleetCellKind> = (0..32).map(kind).collect();
    let verdict = fleet_outliers(&machines, &kinds, FLEET_FLOOR);
    assert!(verdict.outliers.iter().any(|it| (it.machine, it.cell) == (2, 4)));
    assert!(outliers_of(&machines, FLEET_FLOOR).outliers.is_empty());
}

#[test]
fn an_interval_gives_the_error() {
    let figure = FleetFigure::new(100.0, Some([98.0, 102.04]), Some(0.5)).unwrap();
    assert!((figure.error - 0.0103).abs() < 1e-4 && figure.log == 100.0_f64.ln(), "{figure:?}");
    assert_eq!(FleetFigure::new(100.0, None, Some(0.5)).unwrap().error, 0.5);
    for (cost, ci95, se) in
        [(0.0, None, Some(0.1)), (1.0, None, None), (1.0, Some([0.0, 1.0]), None)]
    {
        assert_eq!(FleetFigure::new(cost, ci95, se), None);
    }
}

#[test]
fn a_mean_has_a_smaller_error() {
    let figure = |log| FleetFigure { log, error: 0.02 };
    let mean = FleetFigure::mean(&[figure(1.0), figure(2.0), figure(2.0), figure(3.0)]).unwrap();
    assert_eq!(mean, FleetFigure { log: 2.0, error: 0.01 });
    assert_eq!(FleetFigure::mean(&[]), None);
}

#[test]
fn gaps_and_invalid_figures_are_left_out() {
    let mut machines = fleet(6, 2, 3);
    machines[0].pop();
    machines[1][1] = None;
    machines[2][1] = Some(FleetFigure { log: f64::NEG_INFINITY, error: 0.01 });
    let verdict = outliers_of(&machines, FLEET_FLOOR);
    assert_eq!(verdict.cells.iter().map(|cell| cell.machines).collect::<Vec<_>>(), [6, 3]);
    assert_eq!(fleet_outliers(&[], &[], FLEET_FLOOR), FleetVerdict::default());
}

#[test]
fn equal_figures_have_no_outlier() {
    let machines = vec![vec![Some(FleetFigure { log: 1.0, error: 0.0 }); 3]; 5];
    assert!(outliers_of(&machines, FLEET_FLOOR).outliers.is_empty());
}

#[test]
fn a_reference_needs_no_other_machines() {
    let mut machines = fleet(2, 4, 1);
    let reference = machines.pop().unwrap();
    let compare = |machines: &[Vec<Option<FleetFigure>>]| {
        fleet_against_reference(&reference, machines, None, FLEET_FLOOR)
    };
    assert!(compare(&machines).is_empty());
    slow(&mut machines, 0, 2, -0.15);
    let found = compare(&machines);
    assert_eq!(
        found.iter().map(|outlier| (outlier.machine, outlier.cell)).collect::<Vec<_>>(),
        [(0, 2)]
    );
    assert!(found[0].high < 1.0);
}

/// Tables of the authors: Qn of 1 to 9 and of a sample with one outlier.
#[test]
fn qn_is_robust() {
    let nine: Vec<f64> = (1..=9).map(f64::from).collect();
    // The tenth of 36 distances: eight are 1, and seven are 2.
    assert!((qn(&nine) - 2.2219 * 0.872 * 2.0).abs() < 1e-12);
    let mut wild = nine.clone();
    wild[8] = 1e9;
    assert!(qn(&wild) <= 1.5 * qn(&nine));
    assert_eq!([qn(&[]), qn(&[1.0]), qn(&[1.0, 1.0])], [0.0; 3]);
}
