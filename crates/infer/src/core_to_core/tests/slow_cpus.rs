//! Machines with slow CPUs, from their matrices alone.

use fastrand::Rng;
use proptest::prelude::*;

use super::simulate::Machine;
use crate::core_to_core::*;

/// How the factors of two slow CPUs combine.
#[derive(Clone, Copy, Debug)]
enum Combined {
    Product,
    Slower,
    Mean,
}

impl Combined {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Product => a * b,
            Self::Slower => a.max(b),
            // The pair's cost beside a normal CPU is the slow one's factor.
            Self::Mean => {
                if a > 1.0 && b > 1.0 {
                    f64::midpoint(a, b)
                } else {
                    a * b
                }
            }
        }
    }
}

/// The machine's matrix, with these CPUs slow, under noise of this standard deviation.
fn costs(
    machine: &Machine,
    slow: &[(usize, f64)],
    combined: Combined,
    noise: f64,
    seed: u64,
) -> Vec<PairCost> {
    let rng = &mut Rng::with_seed(seed);
    let factor = |cpu: usize| slow.iter().find(|one| one.0 == cpu).map_or(1.0, |one| one.1);
    let cpus = machine.places.len();
    let pairs = (0..cpus).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs
        .map(|(a, b)| {
            let noise = (noise * crate::normal(rng)).exp();
            let ns = machine.true_ns((a, b)) * combined.of(factor(a), factor(b)) * noise;
            PairCost {
                cpus: (a, b),
                cost: HandoffCost { median_ns: ns, relative_se: noise / 50.0 },
            }
        })
        .collect()
}

fn flat(cpus: usize) -> Machine {
    Machine { ns: [50.0; 4], ..Machine::new(1, 1, cpus, 1) }
}

fn drawn(cpus: usize, count: usize, seed: u64) -> Vec<(usize, f64)> {
    let rng = &mut Rng::with_seed(seed);
    let mut all: Vec<usize> = (0..cpus).collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    all.into_iter().map(|cpu| (cpu, 1.1 + 1.4 * rng.f64())).collect()
}

fn lists(groups: &[CpuGroup]) -> Vec<Vec<usize>> {
    groups.iter().map(|group| group.cpus.clone()).collect()
}

/// At 0206d5e9: "2 cache groups, support 100 %".
#[test]
fn one_slow_cpu_is_no_group() {
    for times in [1.3, 1.8, 2.5] {
        let found =
            who_shares(&costs(&flat(16), &[(5, times)], Combined::Product, 0.01, 1), 16, None);
        let [slow] = found.slow[..] else { panic!("{times}: {:?}", found.slow) };
        assert!(slow.cpu == 5 && (slow.times / times - 1.0).abs() < 0.05, "{times}: {slow:?}");
        assert_eq!(lists(&found.cache_groups), [(0..16).collect::<Vec<usize>>()]);
        assert_eq!(found.packages.len(), 1);
    }
}

#[test]
fn groups_of_two_or_more_are_not_slow() {
    for (small, large) in [(2, 14), (3, 13), (4, 12), (4, 4), (2, 2), (2, 6)] {
        let cpus = small + large;
        let mut machine = flat(cpus);
        machine.ns = [10.0, 40.0, 40.0, 90.0];
        for (cpu, place) in machine.places.iter_mut().enumerate() {
            let package = Some(u32::from(cpu >= small));
            (place.cache_group, place.package) = (package, package);
        }
        for seed in 0..10 {
            let costs = costs(&machine, &[], Combined::Product, 0.02, seed);
            let found = who_shares(&costs, cpus, None);
            assert!(found.slow.is_empty(), "{small} and {large}: {:?}", found.slow);
        }
    }
}

#[test]
fn machines_without_slow_cpus_have_none() {
    for seed in 0..40 {
        for cpus in [4, 6, 8, 16, 40] {
            let costs = costs(&flat(cpus), &[], Combined::Product, 0.02, seed);
            let found = who_shares(&costs, cpus, None);
            assert!(found.slow.is_empty(), "{cpus} CPUs, seed {seed}: {:?}", found.slow);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn flat_machines_with_slow_cpus_have_no_groups(
        cpus in 4usize..=64, count in 1usize..=3, seed in 0u64..1 << 40, combined in 0usize..3,
    ) {
        let combined = [Combined::Product, Combined::Slower, Combined::Mean][combined];
        let slow = drawn(cpus, count.min(cpus - 2), seed);
        let found = who_shares(&costs(&flat(cpus), &slow, combined, 0.01, seed), cpus, None);
        let several = |groups: &[CpuGroup]| {
            groups.iter().filter(|group| group.cpus.len() < cpus).count()
        };
        prop_assert_eq!(several(&found.cache_groups), 0, "{:?}: {:?}", slow, found);
        prop_assert_eq!(several(&found.packages), 0, "{:?}: {:?}", slow, found);
        prop_assert_eq!(several(&found.smt_pairs), 0, "{:?}: {:?}", slow, found);
        // A factor that is clear of the noise is named.
        for (cpu, times) in slow.iter().filter(|one| one.1 > 1.2 && cpus >= 8) {
            let named = found.slow.iter().find(|one| one.cpu == *cpu);
            prop_assert!(named.is_some(), "{:?}: {:?}", slow, found.slow);
            let ratio = named.unwrap().times / times;
            prop_assert!((0.9..1.1).contains(&ratio), "{:?}: {:?}", slow, found.slow);
        }
        for one in &found.slow {
            let is_slow = slow.iter().any(|(cpu, _)| *cpu == one.cpu);
            prop_assert!(is_slow, "{:?}: {:?}", slow, found.slow);
        }
    }

    #[test]
    fn groups_are_found_beside_slow_cpus(
        shape in 0usize..3, count in 1usize..=3, seed in 0u64..1 << 40, combined in 0usize..3,
    ) {
        let shapes = [
            ([2, 4, 4, 1], [9.0, 26.0, 105.0, 200.0]),
            ([2, 1, 12, 1], [8.0, 45.0, 45.0, 110.0]),
            ([4, 1, 10, 1], [8.0, 60.0, 60.0, 140.0]),
        ];
        let ([packages, groups, cores, threads], ns) = shapes[shape];
        let machine = Machine { ns, ..Machine::new(packages, groups, cores, threads) };
        let cpus = machine.places.len();
        let combined = [Combined::Product, Combined::Slower, Combined::Mean][combined];
        let slow = drawn(cpus, count, seed);
        let clean = who_shares(&costs(&machine, &[], combined, 0.01, seed), cpus, None);
        let found = who_shares(&costs(&machine, &slow, combined, 0.01, seed), cpus, None);
        prop_assert_eq!(lists(&found.packages), lists(&clean.packages), "{:?}", slow);
        prop_assert_eq!(lists(&found.cache_groups), lists(&clean.cache_groups), "{:?}", slow);
    }
}
