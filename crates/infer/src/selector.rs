//! Which machines of a fleet to test next.
//!
//! A machine that became slow stays so until it is tested. Its expected days of that, so far, are
//! half its rate of faults times the square of the days since its last test: testing the largest
//! first leaves the fewest (each machine is then tested as often as the root of its rate; Derman,
//! *Operations Research* 9, 1961, for one machine).
//!
//! Rates are estimated from faults that were found, by a gamma prior in two steps: a batch's rate
//! is shrunk towards the fleet's, and a machine's towards that of its batch. So siblings of faulty
//! machines are tested sooner, and so are machines that were faulty before.

use std::collections::BTreeMap;

/// Faults of the prior of a batch, and of a machine: fewer let its own history count more.
const PRIOR_OF_BATCH: f64 = 0.5;
const PRIOR_OF_MACHINE: f64 = 0.3;
/// Before any is found: a fault in ten years of a machine.
const UNSEEN_DAYS: f64 = 3650.0;

/// What is known of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TestedMachine {
    /// Machines that are alike: of one shape, and of one batch of it.
    pub batch: usize,
    /// Days that its surveys span.
    pub days: f64,
    /// Faults that were found in them.
    pub faults: f64,
    /// Days since its last survey.
    pub age: f64,
}

/// Of each machine, the expected days of a fault that is not found yet.
pub fn undetected_days(machines: &[TestedMachine]) -> Vec<f64> {
    let mut batches: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
    let mut fleet = [0.0, 0.0];
    for machine in machines {
        let batch = batches.entry(machine.batch).or_default();
        for sums in [batch, &mut fleet] {
            sums[0] += machine.faults;
            sums[1] += machine.days;
        }
    }
    let of_fleet = (fleet[0] + 0.5) / (fleet[1] + 0.5 * UNSEEN_DAYS);
    let rate = |machine: &TestedMachine| {
        let [faults, days] = batches[&machine.batch];
        let of_batch = shrunk(faults, days, PRIOR_OF_BATCH, of_fleet);
        shrunk(machine.faults, machine.days, PRIOR_OF_MACHINE, of_batch)
    };
    machines.iter().map(|machine| rate(machine) * machine.age.max(0.0).powi(2) / 2.0).collect()
}

/// The rate of a gamma prior with this many faults, and what was observed.
fn shrunk(faults: f64, days: f64, prior: f64, rate: f64) -> f64 {
    (faults + prior) / (days.max(0.0) + prior / rate)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const MACHINES: usize = 400;
    const BATCHES: usize = 20;

    #[test]
    fn old_surveys_faults_and_siblings_count() {
        let tested = TestedMachine { batch: 0, days: 300.0, faults: 0.0, age: 10.0 };
        let machines = [
            tested,
            TestedMachine { age: 20.0, ..tested },
            TestedMachine { faults: 1.0, batch: 1, ..tested },
            TestedMachine { batch: 1, ..tested },
            TestedMachine { age: -5.0, ..tested },
        ];
        let days = undetected_days(&machines);
        assert!(days[1] > 3.9 * days[0], "{days:?}");
        assert!(days[2] > days[3] && days[3] > days[0], "{days:?}");
        assert_eq!(days[4], 0.0);
        assert!(undetected_days(&[]).is_empty());
    }

    /// Mean days until a fault is found, in the second of two years. Two batches of twenty have ten
    /// times the rate of the others, and machines of a batch differ.
    fn delay(tests_a_day: usize, is_by_risk: bool, seed: u64) -> f64 {
        let rng = &mut Rng::with_seed(seed);
        let rate = |rng: &mut Rng, machine: usize| {
            let of_batch = if machine % BATCHES < 2 { 10.0 } else { 0.5 };
            // Few machines have most faults.
            of_batch * 0.4 / 365.0 * rng.f64().powi(4) * 5.0
        };
        let rates: Vec<f64> = (0..MACHINES).map(|machine| rate(rng, machine)).collect();
        let mut since = vec![None; MACHINES];
        let mut tested: Vec<TestedMachine> = (0..MACHINES)
            .map(|at| TestedMachine { batch: at % BATCHES, ..TestedMachine::default() })
            .collect();
        let (mut days, mut found) = (0.0, 0.0);
        for day in 1..=730 {
            for machine in 0..MACHINES {
                if since[machine].is_none() && rng.f64() < rates[machine] {
                    since[machine] = Some(f64::from(day) - 0.5);
                }
                tested[machine].age = f64::from(day) - tested[machine].days;
            }
            let mut order: Vec<usize> = (0..MACHINES).collect();
            let risk = undetected_days(&tested);
            let first = day as usize * tests_a_day;
            match is_by_risk {
                true => order.sort_by(|a, b| risk[*b].total_cmp(&risk[*a])),
                false => order.rotate_left(first % MACHINES),
            }
            for &machine in &order[..tests_a_day] {
                tested[machine].days = f64::from(day);
                let Some(began) = since[machine].take() else { continue };
                tested[machine].faults += 1.0;
                if day > 365 {
                    days += f64::from(day) - began;
                    found += 1.0;
                }
            }
        }
        days / found
    }

    #[test]
    fn half_of_the_tests_find_faults_as_soon_as_all_in_turn() {
        let mean = |tests: usize, is_by_risk: bool| {
            (0..10).map(|seed| delay(tests, is_by_risk, seed)).sum::<f64>() / 10.0
        };
        let (in_turn, by_risk) = (mean(16, false), mean(8, true));
        assert!(by_risk <= 1.1 * in_turn, "{by_risk} {in_turn}");
    }
}
