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
//!
//! Under a budget of time, each machine has a quick test, a thorough one or none ([`planned`]). A
//! quick test ends the expected days of those faults that it shows, a thorough one of all. Most
//! days a minute come first: the greedy solution of a knapsack with steps (Dantzig, *Operations
//! Research* 5, 1957; Sinha and Zoltners, *Operations Research* 27, 1979), which is about the best
//! one where a test is a small part of the budget.

use std::collections::BTreeMap;

/// Faults of the prior of a batch, and of a machine: fewer let its own history count more.
const PRIOR_OF_BATCH: f64 = 0.5;
const PRIOR_OF_MACHINE: f64 = 0.3;
/// Before any is found: a fault in ten years of a machine.
const UNSEEN_DAYS: f64 = 3650.0;
/// Faults that a quick test shows: those of latency. The others are seen in bandwidth, caches or
/// links alone.
const SHOWN_BY_QUICK: f64 = 0.8;

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
    /// Days since its last thorough one.
    pub thorough_age: f64,
}

/// How a machine is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thoroughness {
    /// Latency.
    Quick,
    /// Also bandwidth, load, caches and links.
    Thorough,
}

/// Minutes of a machine that a test takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestMinutes {
    /// A quick test.
    pub quick: f64,
    /// A thorough one.
    pub thorough: f64,
}

/// Of each machine, the expected days of a fault that is not found yet.
pub fn undetected_days(machines: &[TestedMachine]) -> Vec<f64> {
    let days = |(rate, machine): (f64, &TestedMachine)| rate * squared(machine.age) / 2.0;
    rates(machines).into_iter().zip(machines).map(days).collect()
}

/// Tests that take at most this many minutes together, those first that end the most expected days
/// of a fault a minute: each machine at most once, by its index.
pub fn planned(
    machines: &[TestedMachine],
    takes: TestMinutes,
    minutes: f64,
) -> Vec<(usize, Thoroughness)> {
    let further = (takes.thorough - takes.quick).max(f64::MIN_POSITIVE);
    let mut steps: Vec<(f64, usize, TestStep)> = Vec::new();
    for (at, (rate, machine)) in rates(machines).into_iter().zip(machines).enumerate() {
        let quick = rate * SHOWN_BY_QUICK * squared(machine.age) / 2.0;
        let rest = rate * (1.0 - SHOWN_BY_QUICK) * squared(machine.thorough_age) / 2.0;
        if rest / further > quick / takes.quick {
            steps.push(((quick + rest) / takes.thorough, at, TestStep::Thorough));
        } else {
            steps.push((quick / takes.quick, at, TestStep::Quick));
            steps.push((rest / further, at, TestStep::Further));
        }
    }
    steps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut plan: Vec<(usize, Thoroughness)> = Vec::new();
    let mut place: BTreeMap<usize, usize> = BTreeMap::new();
    let mut left = minutes;
    for (_, at, step) in steps {
        let known = place.get(&at).copied();
        let (cost, how) = match step {
            TestStep::Further => (further, Thoroughness::Thorough),
            TestStep::Thorough if takes.thorough <= left => {
                (takes.thorough, Thoroughness::Thorough)
            }
            // A thorough test that does not fit may be a quick one.
            TestStep::Quick | TestStep::Thorough => (takes.quick, Thoroughness::Quick),
        };
        if cost > left || (step == TestStep::Further) != known.is_some() {
            continue;
        }
        match known {
            Some(known) => plan[known].1 = how,
            None => {
                place.insert(at, plan.len());
                plan.push((at, how));
            }
        }
        left -= cost;
    }
    plan
}

/// What a machine's tests may have more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestStep {
    Quick,
    /// From a quick test to a thorough one.
    Further,
    Thorough,
}

fn squared(age: f64) -> f64 {
    age.max(0.0).powi(2)
}

/// Faults a day of each machine.
fn rates(machines: &[TestedMachine]) -> Vec<f64> {
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
    machines.iter().map(rate).collect()
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
        let tested = TestedMachine { days: 300.0, age: 10.0, ..TestedMachine::default() };
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

    #[test]
    fn a_budget_has_quick_tests_and_thorough_ones() {
        let takes = TestMinutes { quick: 0.25, thorough: 10.0 };
        let tested =
            TestedMachine { days: 300.0, age: 10.0, thorough_age: 10.0, ..Default::default() };
        let machines = [TestedMachine { thorough_age: 400.0, ..tested }, tested];
        assert_eq!(planned(&machines, takes, 0.2), []);
        assert_eq!(planned(&machines, takes, 0.6).len(), 2);
        let plan = planned(&machines, takes, 11.0);
        assert_eq!(plan, [(0, Thoroughness::Thorough), (1, Thoroughness::Quick)]);
        let all = planned(&machines, takes, 20.0);
        assert!(all.iter().all(|(_, how)| *how == Thoroughness::Thorough), "{all:?}");
        // Where both take as long, none is quick.
        let same = TestMinutes { quick: 10.0, thorough: 10.0 };
        assert_eq!(planned(&machines, same, 10.0), [(0, Thoroughness::Thorough)]);
        assert_eq!(planned(&[], takes, 10.0), []);
    }

    /// How a simulated fleet is tested.
    #[derive(Clone, Copy)]
    enum Tests {
        InTurn(usize),
        ByRisk(usize),
        /// All thoroughly in turn, in these minutes a day.
        ThoroughInTurn(f64),
        Planned(f64),
        /// In these minutes a day, in turn: half of them quick tests, half thorough ones.
        MixedInTurn(f64),
    }

    const TAKES: TestMinutes = TestMinutes { quick: 0.25, thorough: 10.0 };

    /// Faults a year of each machine. Uneven: two batches of twenty have twenty times the rate of
    /// the others, and few machines of a batch have most of its faults.
    fn rates_a_year(is_even: bool, rng: &mut Rng) -> Vec<f64> {
        let rate = |machine: usize| match is_even {
            true => 0.4,
            false => (if machine % BATCHES < 2 { 4.0 } else { 0.2 }) * rng.f64().powi(4) * 5.0,
        };
        (0..MACHINES).map(rate).collect()
    }

    /// Mean days until a fault is found, in the second of two years. A fifth of the faults is not
    /// seen by a quick test; tests that are counted see all.
    fn delay(tests: Tests, is_even: bool, seed: u64) -> f64 {
        let rng = &mut Rng::with_seed(seed);
        let rates = rates_a_year(is_even, rng);
        let mut since: Vec<Option<(f64, bool)>> = vec![None; MACHINES];
        let mut tested: Vec<TestedMachine> = (0..MACHINES)
            .map(|at| TestedMachine { batch: at % BATCHES, ..TestedMachine::default() })
            .collect();
        let mut thorough = vec![0.0; MACHINES];
        let (mut days, mut found) = (0.0, 0.0);
        for day in (1..=730).map(f64::from) {
            for machine in 0..MACHINES {
                if since[machine].is_none() && rng.f64() < rates[machine] / 365.0 {
                    since[machine] = Some((day - 0.5, rng.f64() < SHOWN_BY_QUICK));
                }
                tested[machine].age = day - tested[machine].days;
                tested[machine].thorough_age = day - thorough[machine];
            }
            for (machine, how) in tests_of(tests, &tested, day) {
                tested[machine].days = day;
                if how == Thoroughness::Thorough {
                    thorough[machine] = day;
                }
                let is_shown =
                    |(_, is_shown): &(f64, bool)| *is_shown || how == Thoroughness::Thorough;
                let Some((began, _)) = since[machine].take_if(|it| is_shown(it)) else { continue };
                tested[machine].faults += 1.0;
                if day > 365.0 {
                    days += day - began;
                    found += 1.0;
                }
            }
        }
        days / found
    }

    fn tests_of(tests: Tests, tested: &[TestedMachine], day: f64) -> Vec<(usize, Thoroughness)> {
        let in_turn = |count: usize| -> Vec<usize> {
            let first = day as usize * count;
            (first..first + count).map(|at| at % MACHINES).collect()
        };
        let machines = match tests {
            Tests::Planned(minutes) => return planned(tested, TAKES, minutes),
            Tests::MixedInTurn(minutes) => {
                let count = |each: f64| (minutes / 2.0 / each) as usize;
                let quick = in_turn(count(TAKES.quick)).into_iter();
                let quick = quick.map(|machine| (machine, Thoroughness::Quick));
                let thorough = in_turn(count(TAKES.thorough)).into_iter();
                let thorough = thorough.map(|machine| (machine, Thoroughness::Thorough));
                return quick.chain(thorough).collect();
            }
            Tests::InTurn(count) => in_turn(count),
            Tests::ThoroughInTurn(minutes) => in_turn((minutes / TAKES.thorough) as usize),
            Tests::ByRisk(count) => {
                let risk = undetected_days(tested);
                let mut order: Vec<usize> = (0..MACHINES).collect();
                order.sort_by(|a, b| risk[*b].total_cmp(&risk[*a]));
                order.truncate(count);
                order
            }
        };
        machines.into_iter().map(|machine| (machine, Thoroughness::Thorough)).collect()
    }

    fn mean(tests: Tests, is_even: bool) -> f64 {
        (0..10).map(|seed| delay(tests, is_even, seed)).sum::<f64>() / 10.0
    }

    #[test]
    fn half_of_the_tests_find_faults_as_soon_where_risks_are_uneven() {
        let (in_turn, by_risk) = (mean(Tests::InTurn(16), false), mean(Tests::ByRisk(8), false));
        assert!(by_risk <= 1.1 * in_turn, "{by_risk} {in_turn}");
    }

    #[test]
    fn half_of_the_minutes_find_faults_sooner_than_all_in_turn() {
        for is_even in [true, false] {
            let in_turn = mean(Tests::ThoroughInTurn(160.0), is_even);
            let planned = [80.0, 160.0].map(|minutes| mean(Tests::Planned(minutes), is_even));
            let mixed = [80.0, 160.0].map(|minutes| mean(Tests::MixedInTurn(minutes), is_even));
            println!(
                "even: {is_even}: {in_turn:.1} days, mixed {mixed:.1?}, planned {planned:.1?}"
            );
            assert!(planned[0] < in_turn && planned[1] < planned[0], "{planned:?} {in_turn}");
        }
    }
}
