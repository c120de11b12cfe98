//! Machines with a known structure, from their matrices alone.

use fastrand::Rng;
use proptest::prelude::*;

use super::simulate::{Machine, noise};
use crate::core_to_core::*;
use crate::replay::chips::{DUAL, SINGLE};

/// Packages, cache groups of each, cores of each, threads of each; and costs of pairs.
type Shape = ([usize; 4], [f64; 4]);

/// Two packages of small caches, two of one large cache each, one of each kind, and without
/// siblings.
const SHAPES: [Shape; 7] = [
    ([2, 4, 4, 2], [9.0, 24.0, 115.0, 230.0]),
    ([2, 1, 12, 2], [8.0, 45.0, 45.0, 110.0]),
    ([4, 1, 10, 1], [8.0, 60.0, 60.0, 140.0]),
    ([1, 6, 3, 2], [7.0, 20.0, 95.0, 95.0]),
    ([1, 1, 10, 2], [7.0, 43.0, 43.0, 43.0]),
    ([1, 1, 24, 1], [7.0, 50.0, 50.0, 50.0]),
    ([2, 4, 8, 1], [9.0, 26.0, 105.0, 200.0]),
];

fn machine((shape, ns): &Shape) -> Machine {
    let [packages, groups, cores, threads] = *shape;
    Machine { ns: *ns, ..Machine::new(packages, groups, cores, threads) }
}

fn matrix(cpus: usize, mut ns: impl FnMut((usize, usize)) -> Option<f64>) -> Vec<PairCost> {
    let pairs = (0..cpus).flat_map(|b| (0..b).map(move |a| (a, b)));
    let cost = |cpus| {
        Some(PairCost { cpus, cost: HandoffCost { median_ns: ns(cpus)?, relative_se: 0.0 } })
    };
    pairs.filter_map(cost).collect()
}

fn measured(machine: &Machine, rng: &mut Rng) -> Vec<PairCost> {
    matrix(machine.places.len(), |pair| Some(machine.measure(pair, rng).median_ns))
}

fn lists(groups: &[CpuGroup]) -> Vec<Vec<usize>> {
    groups.iter().map(|group| group.cpus.clone()).collect()
}

fn truth(machine: &Machine, kind: GroupKind) -> Vec<Vec<usize>> {
    let blocks = machine.truth().partition(kind).blocks.members().to_vec();
    blocks.into_iter().filter(|members| kind != GroupKind::Core || members.len() > 1).collect()
}

/// Right, undetermined, or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    Undetermined,
    Wrong,
}

fn outcome(found: &[CpuGroup], truth: &[Vec<usize>], is_determined: bool) -> Outcome {
    let support = found.iter().map(|group| group.support).fold(1.0, f64::min);
    match lists(found) == truth {
        true => Outcome::Right,
        false if !is_determined || support < 0.8 => Outcome::Undetermined,
        false => Outcome::Wrong,
    }
}

fn outcomes(found: &WhoShares, machine: &Machine) -> [Outcome; 2] {
    let is_determined =
        |kind| found.undetermined.iter().all(|undetermined| undetermined.kind != kind);
    [
        outcome(
            &found.cache_groups,
            &truth(machine, GroupKind::CacheGroup),
            is_determined(GroupKind::CacheGroup),
        ),
        outcome(
            &found.packages,
            &truth(machine, GroupKind::Package),
            is_determined(GroupKind::Package),
        ),
    ]
}

#[test]
fn matrices_show_the_machines_shapes() {
    for shape in &SHAPES {
        let machine = machine(shape);
        let (mut right, mut cores) = (0, 0);
        for seed in 0..40 {
            let found = who_shares(
                &measured(&machine, &mut Rng::with_seed(seed)),
                machine.places.len(),
                None,
            );
            let outcomes = outcomes(&found, &machine);
            assert!(!outcomes.contains(&Outcome::Wrong), "{shape:?}, seed {seed}: {found:?}");
            right += usize::from(outcomes == [Outcome::Right; 2]);
            // An outlier in the only measurement of two siblings hides them.
            let siblings = truth(&machine, GroupKind::Core);
            assert!(
                lists(&found.smt_pairs).iter().all(|core| siblings.contains(core)),
                "{shape:?}, seed {seed}"
            );
            cores += usize::from(found.smt_pairs.len() == siblings.len());
        }
        assert!(
            right >= 39 && cores >= 36,
            "{shape:?}: {right} right, {cores} with all siblings, of 40"
        );
    }
}

/// Scatter of 2 to 40 %, with tails in proportion: undetermined groups are reported as such.
#[test]
fn noise_gives_no_wrong_groups() {
    for shape in &SHAPES {
        let machine = machine(shape);
        for scatter in [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4] {
            let mut counts = [[0; 3]; 2];
            for seed in 0..10 {
                let rng = &mut Rng::with_seed(seed);
                let costs = matrix(machine.places.len(), |pair| {
                    Some(machine.true_ns(pair) * (noise(rng) * scatter / 0.02).exp())
                });
                let found = who_shares(&costs, machine.places.len(), None);
                for (count, outcome) in counts.iter_mut().zip(outcomes(&found, &machine)) {
                    count[outcome as usize] += 1;
                }
            }
            let [caches, packages] = counts;
            let most_wrong = i32::from(scatter > 0.2);
            assert!(
                caches[2] <= most_wrong && packages[2] == 0,
                "{shape:?} at {scatter}: caches {caches:?}, packages {packages:?}"
            );
            assert!(
                scatter > 0.1 || caches[0] + packages[0] >= 18,
                "{shape:?} at {scatter}: {counts:?}"
            );
        }
    }
}

#[test]
fn a_fifth_of_all_cells_may_be_missing() {
    for shape in &SHAPES {
        let machine = machine(shape);
        for seed in 0..10 {
            let rng = &mut Rng::with_seed(seed);
            let mut costs = measured(&machine, rng);
            costs.retain(|pair| machine.true_ns(pair.cpus) < 15.0 || rng.f64() > 0.2);
            let found = who_shares(&costs, machine.places.len(), None);
            assert_eq!(
                outcomes(&found, &machine),
                [Outcome::Right; 2],
                "{shape:?}, seed {seed}: {:?}",
                found.undetermined
            );
        }
    }
}

/// All cache lines have their home in the first package: pairs of the second cost as much as pairs
/// of both, or more.
#[test]
fn a_package_hidden_by_line_home_is_undetermined() {
    for (inside_ns, beyond_ns) in [(230.0, 230.0), (235.0, 230.0), (560.0, 370.0)] {
        for shape in &SHAPES[..2] {
            let machine = machine(shape);
            for seed in 0..20 {
                let rng = &mut Rng::with_seed(seed);
                let packages = truth(&machine, GroupKind::Package);
                let ns = |pair: (usize, usize)| {
                    let [a, b] = [pair.0, pair.1].map(|cpu| packages[1].contains(&cpu));
                    let is_hidden = machine.true_ns(pair) > 30.0;
                    match (a && b && is_hidden, a != b) {
                        (true, _) => inside_ns,
                        (_, true) => beyond_ns,
                        _ => machine.true_ns(pair),
                    }
                };
                let costs = matrix(machine.places.len(), |pair| Some(ns(pair) * noise(rng).exp()));
                let found = who_shares(&costs, machine.places.len(), None);
                assert!(found.packages.is_empty(), "{shape:?}, seed {seed}: {:?}", found.packages);
                let undetermined = found
                    .undetermined
                    .iter()
                    .find(|undetermined| undetermined.kind == GroupKind::Package)
                    .unwrap();
                let UndeterminedReason::FewApart { cpus, ratio } = &undetermined.why else {
                    panic!("{undetermined:?}")
                };
                assert!(
                    *cpus == packages[0] && *ratio > 1.6,
                    "{shape:?}, seed {seed}: {undetermined:?}"
                );
            }
        }
    }
}

#[test]
fn partial_clusters_are_no_cache_groups() {
    let costs = matrix(32, |(a, b)| {
        Some(match (a / 16 == b / 16, b < 16 && a / 4 == b / 4) {
            (_, true) => 25.0,
            (true, _) => 60.0,
            _ => 180.0,
        })
    });
    let found = who_shares(&costs, 32, None);
    assert_eq!(found.packages.iter().map(|group| group.cpus.len()).collect::<Vec<_>>(), [16, 16]);
    let [UndeterminedGroups { kind: GroupKind::CacheGroup, why }] = &found.undetermined[..] else {
        panic!("{:?}", found.undetermined)
    };
    assert!(matches!(why, UndeterminedReason::FewApart { cpus, .. } if cpus.len() == 16));
}

/// A hybrid: eight cores of two threads, eight of one; and a core of four threads.
#[test]
fn cores_may_have_one_thread_or_four() {
    let rng = &mut Rng::with_seed(1);
    let hybrid = matrix(24, |(a, b)| {
        Some(if a < 16 && a / 2 == b / 2 { 6.0 } else { 32.0 } * noise(rng).exp())
    });
    let found = who_shares(&hybrid, 24, None);
    assert_eq!(
        lists(&found.smt_pairs),
        (0..8).map(|core| vec![2 * core, 2 * core + 1]).collect::<Vec<_>>()
    );
    assert_eq!((found.cache_groups.len(), found.packages.len()), (1, 1));
    let four =
        matrix(32, |(a, b)| Some(if a / 4 == b / 4 { 16.0 } else { 45.0 } * noise(rng).exp()));
    let found = who_shares(&four, 32, None);
    assert_eq!(
        (found.smt_pairs.len(), found.cache_groups.len(), found.packages.len()),
        (8, 1, 1),
        "{found:?}"
    );
    // As many cores of one small cache, with distant other caches, are not siblings.
    let caches =
        matrix(32, |(a, b)| Some(if a / 8 == b / 8 { 16.0 } else { 75.0 } * noise(rng).exp()));
    let found = who_shares(&caches, 32, None);
    assert_eq!(
        (found.smt_pairs.len(), found.cache_groups.len(), found.packages.len()),
        (0, 4, 1),
        "{found:?}"
    );
}

#[test]
fn clusters_of_one_package_are_not_called_packages() {
    for chips in SINGLE {
        for seed in 0..10 {
            let costs = chips.matrix(0.02, &mut Rng::with_seed(seed));
            let found = who_shares(&costs, chips.cpus(), None);
            assert!(found.packages.len() < 2, "{}, seed {seed}: {:?}", chips.name, found.packages);
        }
    }
}

#[test]
fn the_claim_names_ambiguous_groups() {
    let m2 = SINGLE.iter().find(|chips| chips.name == "Apple M2 Max").unwrap();
    let (cpus, costs) = (m2.cpus(), m2.matrix(0.02, &mut Rng::with_seed(1)));
    let packages = |found: &WhoShares| lists(&found.packages);
    let halves = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
    let found = who_shares(&costs, cpus, None);
    let undetermined = found
        .undetermined
        .iter()
        .find(|undetermined| undetermined.kind == GroupKind::Package)
        .unwrap();
    let why = &undetermined.why;
    assert!(
        matches!(why, UndeterminedReason::PackagesOrClusters { groups, .. } if *groups == halves),
        "{why:?}"
    );
    let claim = |package: fn(u32) -> u32| TopologyClaim {
        cpus: (0..8)
            .map(|cpu| ClaimedCpu { package: Some(package(cpu)), ..ClaimedCpu::default() })
            .collect(),
    };
    assert_eq!(packages(&who_shares(&costs, cpus, Some(&claim(|cpu| cpu / 4)))), halves);
    assert_eq!(
        packages(&who_shares(&costs, cpus, Some(&claim(|_| 0)))),
        [(0..8).collect::<Vec<_>>()]
    );
    assert!(who_shares(&costs, cpus, Some(&claim(|cpu| cpu % 2))).packages.is_empty());
}

/// All except those of few cores, whose costs are also those of clusters in one package.
#[test]
fn packages_of_many_cores_are_found() {
    let mut undetermined = Vec::new();
    for chips in DUAL {
        for seed in 0..10 {
            let costs = chips.matrix(0.02, &mut Rng::with_seed(seed));
            let found = lists(&who_shares(&costs, chips.cpus(), None).packages);
            if found.is_empty() {
                undetermined.push(chips.name);
            } else {
                assert_eq!(found, chips.package_cpus(), "{}, seed {seed}", chips.name);
            }
        }
    }
    undetermined.dedup();
    assert_eq!(undetermined, ["Intel Xeon X5650", "Intel Xeon E5-2690"]);
}

/// Two Power9: the range of costs within a chip ends where those between chips begin.
#[test]
fn packages_with_adjacent_costs_are_found() {
    for seed in 0..20 {
        let rng = &mut Rng::with_seed(seed);
        let costs = matrix(64, |(a, b)| {
            let wide = (60.0 + 190.0 * rng.f64()) * (0.03 * noise(rng)).exp();
            Some(if a / 32 == b / 32 { wide } else { 243.0 + 120.0 * rng.f64() })
        });
        let found = who_shares(&costs, 64, None);
        assert_eq!(found.packages.len(), 2, "seed {seed}: {:?}", found.undetermined);
        assert!(found.packages.iter().all(|group| group.support > 0.9), "{:?}", found.packages);
    }
}

/// 5 ns is the resolution of some clocks: siblings at 5 or 10 ns, others at 15, 20 or 25.
#[test]
fn siblings_are_found_by_a_clock_of_five_nanoseconds() {
    let mut siblings = 0;
    for seed in 0..20 {
        let rng = &mut Rng::with_seed(seed);
        let costs = matrix(16, |(a, b)| {
            let steps = if a / 2 == b / 2 { 1 + rng.usize(..2) } else { 3 + rng.usize(..2) };
            Some(5.2 * steps as f64)
        });
        let found = who_shares(&costs, 16, None);
        siblings += usize::from(found.smt_pairs.len() == 8);
        assert!(found.cache_groups.iter().all(|group| group.cpus.len() > 2), "{found:?}");
    }
    assert!(siblings >= 15, "{siblings} of 20");
}

/// Loongson 3A6000: two CPUs of a core cost 32 ns, others 38.6.
#[test]
fn small_groups_are_cores_or_caches() {
    let costs = matrix(8, |(a, b)| Some(if a / 2 == b / 2 { 31.9 } else { 38.6 }));
    let found = who_shares(&costs, 8, None);
    assert!(found.cache_groups.is_empty() && found.smt_pairs.is_empty(), "{found:?}");
    assert!(found.undetermined.iter().map(|undetermined| &undetermined.why).any(
        |why| matches!(why, UndeterminedReason::CoresOrCaches { groups } if groups.len() == 4)
    ));
}

#[test]
fn scattered_costs_form_no_group() {
    let rng = &mut Rng::with_seed(1);
    let found = who_shares(&matrix(24, |_| Some(40.0 + 60.0 * rng.f64())), 24, None);
    assert!(found.packages.is_empty() && found.cache_groups.is_empty());
    let range = |undetermined: &UndeterminedGroups| match undetermined.why {
        UndeterminedReason::Scattered { from_ns, to_ns } => (from_ns, to_ns),
        _ => panic!("{undetermined:?}"),
    };
    let ranges: Vec<(f64, f64)> = found.undetermined.iter().map(range).collect();
    assert!(
        ranges.len() == 2 && ranges.iter().all(|&(from, to)| from < 50.0 && to > 90.0),
        "{ranges:?}"
    );
}

#[test]
fn wrong_numbers_of_cpus_are_reported() {
    let undetermined =
        |costs: &[PairCost], cpus| who_shares(costs, cpus, None).undetermined[0].why.clone();
    assert_eq!(undetermined(&[], 0), UndeterminedReason::Cpus(0));
    assert_eq!(undetermined(&matrix(2, |_| Some(8.0)), 2), UndeterminedReason::Cpus(2));
    assert_eq!(undetermined(&[], MAX_CPUS + 1), UndeterminedReason::Cpus(MAX_CPUS + 1));
    // CPUs 3 and 5 are offline.
    let machine = machine(&SHAPES[1]);
    let is_off = |cpu| cpu == 3 || cpu == 5;
    let costs = matrix(48, |(a, b)| (!is_off(a) && !is_off(b)).then(|| machine.true_ns((a, b))));
    let found = who_shares(&costs, 48, None);
    assert_eq!((found.unmeasured, found.smt_pairs.len()), (vec![3, 5], 22));
    assert_eq!(found.packages[0].cpus.len() + found.packages[1].cpus.len(), 46);
    assert!(found.packages[1].cpus.contains(&47));
}

#[test]
fn classes_follow_what_pairs_share() {
    let machine = machine(&SHAPES[0]);
    let found = who_shares(&measured(&machine, &mut Rng::with_seed(1)), 64, None);
    let costs: Vec<(SharedLevel, f64)> =
        found.classes.iter().map(|class| (class.shares, class.median_ns.round())).collect();
    let shares =
        [SharedLevel::Core, SharedLevel::CacheGroup, SharedLevel::Package, SharedLevel::Machine];
    assert!(
        costs
            .iter()
            .zip(shares)
            .zip(machine.ns)
            .all(|((cost, shares), ns)| cost.0 == shares && (cost.1 / ns - 1.0).abs() < 0.1),
        "{costs:?}"
    );
}

/// Time grows with the number of pairs; the limit detects faster growth.
#[test]
fn a_matrix_of_1024_cpus_takes_less_than_a_minute() {
    let machine = Machine::new(2, 16, 16, 2);
    let costs = measured(&machine, &mut Rng::with_seed(1));
    let start = std::time::Instant::now();
    let found = who_shares(&costs, 1024, None);
    assert_eq!(outcomes(&found, &machine), [Outcome::Right; 2]);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(crate::tests::cases::cases(24))]

    #[test]
    fn the_order_of_cpus_does_not_matter(
        seed: u64,
        shape in 0..SHAPES.len(),
        scatter in 0.5f64..4.0,
        gaps in 0.0f64..0.2,
    ) {
        let machine = machine(&SHAPES[shape]);
        let cpus = machine.places.len();
        let rng = &mut Rng::with_seed(seed);
        let mut cost = |pair| Some(machine.true_ns(pair) * (scatter * noise(rng)).exp());
        let costs: Vec<PairCost> = matrix(cpus, &mut cost)
            .into_iter()
            .filter(|_| rng.f64() >= gaps)
            .collect();
        let mut order: Vec<usize> = (0..cpus).collect();
        rng.shuffle(&mut order);
        let renumbered = |pair: &PairCost| PairCost {
            cpus: (order[pair.cpus.0], order[pair.cpus.1]),
            ..*pair
        };
        let mut moved: Vec<PairCost> = costs.iter().map(renumbered).collect();
        rng.shuffle(&mut moved);
        let (found, after) = (who_shares(&costs, cpus, None), who_shares(&moved, cpus, None));
        let renamed = |groups: &[CpuGroup]| {
            let mut all: Vec<(Vec<usize>, u64)> = groups.iter().map(|group| {
                let mut cpus: Vec<usize> = group.cpus.iter().map(|&cpu| order[cpu]).collect();
                cpus.sort_unstable();
                (cpus, group.support.to_bits())
            }).collect();
            all.sort();
            all
        };
        let same = |groups: &[CpuGroup]| {
            let mut all: Vec<(Vec<usize>, u64)> = groups
                .iter()
                .map(|group| (group.cpus.clone(), group.support.to_bits()))
                .collect();
            all.sort();
            all
        };
        prop_assert_eq!(renamed(&found.packages), same(&after.packages));
        prop_assert_eq!(renamed(&found.cache_groups), same(&after.cache_groups));
        prop_assert_eq!(renamed(&found.smt_pairs), same(&after.smt_pairs));
    }

    #[test]
    fn no_costs_panic(
        costs in proptest::collection::vec(
            (0usize..12, 0usize..12, proptest::num::f64::ANY),
            0..90,
        ),
        near in proptest::collection::vec((0usize..12, 0usize..12, 1.0f64..200.0), 0..90),
    ) {
        let pair = |&(a, b, median_ns): &(usize, usize, f64)| PairCost {
            cpus: (a, b),
            cost: HandoffCost { median_ns, relative_se: 0.0 },
        };
        let found = who_shares(&costs.iter().chain(&near).map(pair).collect::<Vec<_>>(), 10, None);
        let groups = found.packages.iter().chain(&found.cache_groups).chain(&found.smt_pairs);
        for group in groups {
            prop_assert!((0.0..=1.0).contains(&group.support));
            prop_assert!(group.cpus.iter().all(|cpu| *cpu < 10));
        }
    }
}
