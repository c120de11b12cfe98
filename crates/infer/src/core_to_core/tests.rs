//! Whole explorations of simulated machines. `./dev test --long`, which builds for release, uses
//! five times as many.

pub(super) mod simulate;
mod slow_cpus;
mod who_shares;

use std::collections::BTreeSet;
use std::fmt;

use fastrand::Rng;

use super::*;
use simulate::Machine;

/// All of these seeds in the long tier, a tenth otherwise.
fn seeds(all: u64) -> std::ops::Range<u64> {
    0..crate::tests::cases::simulations(all.div_ceil(10), all)
}

/// Explores a machine with a claim and a share of unmeasurable pairs.
fn explored(
    machine: &Machine,
    claim: &TopologyClaim,
    seed: u64,
    failing: f64,
) -> (CpuStructure, usize) {
    let rng = &mut Rng::with_seed(!seed);
    let mut explorer = Explorer::new(claim.clone(), ExplorerLimits::default(), seed);
    let (mut tried, mut failed) = (BTreeSet::new(), BTreeSet::new());
    let mut measurements = 0;
    loop {
        let batch = explorer.next_pairs();
        if batch.is_empty() {
            return (explorer.finish(), measurements);
        }
        for pair in batch {
            measurements += 1;
            if tried.insert(pair) && rng.f64() < failing {
                failed.insert(pair);
            }
            let lost = || PairResult::NotMeasurable("one core".to_owned());
            let answer = if failed.contains(&pair) {
                lost()
            } else {
                PairResult::Measured(machine.measure(pair, rng))
            };
            explorer.record(pair, answer);
        }
    }
}

impl fmt::Display for ClaimContradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = |group: &[usize]| {
            let others: Vec<usize> =
                group.iter().copied().filter(|cpu| !self.cpus.contains(cpu)).collect();
            if others.is_empty() { "no other CPU".to_owned() } else { list(&others) }
        };
        let kind = self.kind.name();
        let verb = if self.cpus.len() == 1 { "CPU" } else { "CPUs" };
        write!(
            f,
            "{verb} {}: claimed to share a {kind} with {}",
            list(&self.cpus),
            others(&self.claimed)
        )?;
        write!(f, ", found to share it with {}", others(&self.found))
    }
}

/// Ascending numbers in the kernel's list form.
fn list(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let texts =
        runs.iter().map(
            |&(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        );
    texts.collect::<Vec<_>>().join(",")
}

fn lists(groups: &[CpuGroup]) -> Vec<Vec<usize>> {
    groups.iter().map(|group| group.cpus.clone()).collect()
}

/// The result must be the truth, and contradictions must be the changes of the claim.
fn assert_exact(
    machine: &Machine,
    claim: &TopologyClaim,
    seed: u64,
    failing: f64,
) -> (CpuStructure, usize) {
    let (found, measurements) = explored(machine, claim, seed, failing);
    let truth = machine.truth();
    let expected = |kind| truth.partition(kind).blocks.members().to_vec();
    let smt: Vec<Vec<usize>> =
        expected(GroupKind::Core).into_iter().filter(|core| core.len() > 1).collect();
    let same = |found: &[CpuGroup], expected: &[Vec<usize>]| {
        let found = lists(found);
        let odd: Vec<_> = found.iter().filter(|cpus| !expected.contains(cpus)).collect();
        let missing: Vec<_> = expected.iter().filter(|cpus| !found.contains(cpus)).collect();
        assert!(odd.is_empty() && missing.is_empty(), "seed {seed}: {odd:?} are not {missing:?}");
    };
    same(&found.smt_pairs, &smt);
    same(&found.cache_groups, &expected(GroupKind::CacheGroup));
    same(&found.packages, &expected(GroupKind::Package));
    (found, measurements)
}

fn large() -> Machine {
    Machine::new(2, 16, 16, 2)
}

const ALL: usize = 1024 * 1023 / 2;

#[test]
fn three_percent_of_pairs_suffice_for_1024_cpus() {
    let machine = large();
    for seed in seeds(20) {
        let (found, measurements) = assert_exact(&machine, &machine.truth(), seed, 0.0);
        assert!(measurements * 100 <= ALL * 3, "seed {seed}: {measurements}");
        assert_eq!(found.contradictions_of_claim, [], "seed {seed}");
        assert!(found.wrong_pairs_below.unwrap() < 0.01 && found.checks >= 300);
        let costs = found.classes.iter().map(|class| class.median_ns).zip(machine.ns);
        assert!(
            costs.clone().count() == 4
                && costs.into_iter().all(|(found, ns)| (found / ns - 1.0).abs() < 0.01)
        );
    }
}

/// Explores with a wrong claim, over some seeds: the result is exact, with at most three percent of
/// pairs, and these contradictions.
fn assert_repaired(
    machine: &Machine,
    all: u64,
    spoil: impl Fn(&mut TopologyClaim, &mut Rng) -> Vec<(GroupKind, Vec<usize>)>,
) {
    for seed in seeds(all) {
        let mut claim = machine.truth();
        let mut expected = spoil(&mut claim, &mut Rng::with_seed(seed + 1000));
        let (found, measurements) = assert_exact(machine, &claim, seed, 0.0);
        assert!(measurements * 100 <= ALL * 3, "seed {seed}: {measurements}");
        let mut found_contradictions: Vec<(GroupKind, Vec<usize>)> = found
            .contradictions_of_claim
            .iter()
            .map(|found_contradictions| {
                (found_contradictions.kind, found_contradictions.cpus.clone())
            })
            .collect();
        expected.sort();
        found_contradictions.sort();
        assert_eq!(
            found_contradictions, expected,
            "seed {seed}: {:?}",
            found.contradictions_of_claim
        );
        assert!(found.wrong_pairs_below.unwrap() < 0.01);
    }
}

/// The CPU's group, exchanged for another one of its package.
fn another_group(claim: &TopologyClaim, cpu: usize, rng: &mut Rng) -> u32 {
    let group = claim.cpus[cpu].cache_group.unwrap();
    (group / 16) * 16 + (group % 16 + rng.u32(1..16)) % 16
}

#[test]
fn wrong_cache_group_of_a_cpu_is_reported() {
    assert_repaired(&large(), 20, |claim, rng| {
        let cpu = rng.usize(..1024);
        claim.cpus[cpu].cache_group = Some(another_group(claim, cpu, rng));
        vec![(GroupKind::CacheGroup, vec![cpu])]
    });
    assert_repaired(&Machine::new(2, 16, 32, 1), 5, |claim, rng| {
        let cpu = rng.usize(..1024);
        claim.cpus[cpu].cache_group = Some(another_group(claim, cpu, rng));
        vec![(GroupKind::CacheGroup, vec![cpu])]
    });
}

#[test]
fn wrong_package_of_a_cpu_is_reported() {
    assert_repaired(&large(), 20, |claim, rng| {
        let cpu = rng.usize(..1024);
        let place = &mut claim.cpus[cpu];
        (place.package, place.cache_group) =
            (place.package.map(|package| 1 - package), place.cache_group.map(|group| 31 - group));
        vec![(GroupKind::CacheGroup, vec![cpu]), (GroupKind::Package, vec![cpu])]
    });
    assert_repaired(&large(), 5, |claim, rng| {
        let cpu = rng.usize(..1024);
        claim.cpus[cpu].package = claim.cpus[cpu].package.map(|package| 1 - package);
        vec![(GroupKind::Package, vec![cpu])]
    });
}

#[test]
fn exchanged_siblings_are_reported() {
    assert_repaired(&large(), 20, |claim, rng| {
        let cpu = rng.usize(..512);
        let other = if cpu % 16 == 0 { cpu + 1 } else { cpu - 1 };
        (claim.cpus[cpu].core, claim.cpus[other].core) =
            (claim.cpus[other].core, claim.cpus[cpu].core);
        // Of two exchanged CPUs and their siblings, those outside the first match are listed.
        let named = if cpu < other { [cpu + 512, other + 512] } else { [other + 512, cpu + 512] };
        vec![(GroupKind::Core, vec![named[0]]), (GroupKind::Core, vec![named[1]])]
    });
}

#[test]
fn merged_groups_are_reported() {
    assert_repaired(&large(), 10, |claim, rng| {
        let (a, b) = (rng.u32(..16), rng.u32(16..32));
        let (a, b) = if rng.bool() { (a, (a + 1) % 16) } else { (a, b) };
        let [kept, merged] = [a.min(b), a.max(b)];
        let moved: Vec<usize> =
            (0..1024).filter(|&cpu| claim.cpus[cpu].cache_group == Some(merged)).collect();
        for &cpu in &moved {
            claim.cpus[cpu].cache_group = Some(kept);
        }
        vec![(GroupKind::CacheGroup, moved)]
    });
}

#[test]
fn split_groups_are_reported() {
    assert_repaired(&large(), 10, |claim, rng| {
        let group = rng.u32(..32);
        let members: Vec<usize> =
            (0..1024).filter(|&cpu| claim.cpus[cpu].cache_group == Some(group)).collect();
        let half = members[16..].to_vec();
        for &cpu in &half {
            claim.cpus[cpu].cache_group = Some(99);
        }
        vec![(GroupKind::CacheGroup, half)]
    });
}

#[test]
fn shifted_groups_are_reported() {
    assert_repaired(&large(), 10, |claim, rng| {
        // The claim starts each group of the first package some cores too late.
        let shift = rng.usize(1..5);
        let mut moved = Vec::new();
        for cpu in (0..1024).filter(|cpu| cpu % 512 < 256) {
            let core = cpu % 512;
            let claimed = u32::try_from((core + 256 - shift) % 256 / 16).unwrap();
            if claim.cpus[cpu].cache_group != Some(claimed) {
                moved.push(cpu);
                claim.cpus[cpu].cache_group = Some(claimed);
            }
        }
        (0..16)
            .map(|group| {
                (
                    GroupKind::CacheGroup,
                    moved.iter().copied().filter(|cpu| cpu % 512 / 16 == group).collect(),
                )
            })
            .collect()
    });
}

#[test]
fn wrong_groups_are_reported() {
    // A claimed group of one core each of others.
    assert_repaired(&large(), 10, |claim, rng| {
        let offset = rng.usize(..16);
        let moved: Vec<usize> = (0..15).map(|group| group * 16 + offset).collect();
        for &cpu in &moved {
            claim.cpus[cpu].cache_group = Some(77);
        }
        moved.iter().map(|&cpu| (GroupKind::CacheGroup, vec![cpu])).collect()
    });
}

#[test]
fn other_shapes_are_exact() {
    for machine in [
        Machine::new(2, 16, 16, 1),
        Machine::new(1, 16, 16, 2),
        Machine::new(4, 1, 32, 2),
        Machine::new(1, 8, 16, 1),
    ] {
        for seed in seeds(10) {
            let (found, _) = assert_exact(&machine, &machine.truth(), seed, 0.0);
            assert_eq!(found.contradictions_of_claim, [], "seed {seed}");
        }
    }
}

#[test]
fn small_machines_are_measured_whole_and_exact() {
    for machine in [
        Machine::new(2, 2, 4, 2),
        Machine::new(1, 2, 4, 1),
        Machine::new(2, 1, 2, 2),
        Machine::new(1, 1, 2, 2),
    ] {
        for seed in 0..40 {
            let (found, _) = assert_exact(&machine, &machine.truth(), seed, 0.0);
            assert_eq!(found.contradictions_of_claim, [], "seed {seed}");
            assert_eq!(found.measured_pairs, found.all_pairs);
        }
    }
}

#[test]
fn unmeasurable_pairs_are_replaced() {
    let machine = large();
    for seed in seeds(10) {
        let (found, measurements) = assert_exact(&machine, &machine.truth(), seed, 0.03);
        assert!(measurements * 100 <= ALL * 3, "seed {seed}: {measurements}");
        assert_eq!(found.not_measured.keys().collect::<Vec<_>>(), ["one core"]);
    }
}

#[test]
fn one_or_two_cpus_have_no_structure() {
    for (cpus, why) in
        [(0, PairsReason::OneCpu), (1, PairsReason::OneCpu), (2, PairsReason::OnePair)]
    {
        let machine = Machine::new(1, 1, cpus, 1);
        let (found, _) = explored(&machine, &machine.truth(), 1, 0.0);
        assert_eq!(found.refused, Some(why));
    }
}

#[test]
fn equal_costs_have_no_structure() {
    for shape in [[2, 2, 4, 2], [2, 4, 16, 2]] {
        let [packages, groups, cores, threads] = shape;
        let machine = Machine { ns: [60.0; 4], ..Machine::new(packages, groups, cores, threads) };
        for seed in 0..20 {
            let (found, _) = explored(&machine, &machine.truth(), seed, 0.0);
            assert!(
                matches!(found.refused, Some(PairsReason::NoGroups { .. })),
                "seed {seed}: {found:?}"
            );
            assert_eq!(
                (found.packages.len(), found.cache_groups.len(), found.smt_pairs.len()),
                (0, 0, 0)
            );
            assert_eq!(
                (found.contradictions_of_claim.len(), found.undetermined.len()),
                (0, 3),
                "{:?}",
                found.undetermined
            );
        }
    }
}

#[test]
fn useless_claims_are_ignored() {
    type Spoil = fn(usize, &mut ClaimedCpu);
    let single = |cpu: usize| u32::try_from(cpu).ok();
    let spoils: [Spoil; 6] = [
        |_, place| *place = ClaimedCpu::default(),
        |cpu, place| place.core = u32::try_from(cpu).ok(),
        |_, place| place.cache_group = place.package,
        |_, place| place.package = None,
        |cpu, place| place.cache_group = u32::try_from((cpu + 5) % 512 / 8).ok(),
        |cpu, place| {
            if cpu % 100 == 7 {
                *place = ClaimedCpu::default();
            }
        },
    ];
    let machine = large();
    // Each explores 1,024 CPUs.
    let cases = crate::tests::cases::simulations(2, 6) as usize;
    for (case, spoil) in spoils.into_iter().enumerate().take(cases) {
        for seed in seeds(3) {
            let mut claim = machine.truth();
            claim.cpus.iter_mut().enumerate().for_each(|(cpu, place)| spoil(cpu, place));
            let (_, measurements) = assert_exact(&machine, &claim, seed, 0.0);
            assert!(measurements * 100 <= ALL * 3, "case {case}, seed {seed}: {measurements}");
        }
    }
    // As on some hypervisors: every CPU is a package.
    let place =
        |cpu| ClaimedCpu { core: single(cpu), cache_group: single(cpu), package: single(cpu) };
    assert_exact(&machine, &TopologyClaim { cpus: (0..1024).map(place).collect() }, 1, 0.0);
}

#[test]
fn insufficient_pairs_are_reported() {
    let machine = large();
    let limits =
        ExplorerLimits { share_of_pairs: 0.001, free_pairs: 0, ..ExplorerLimits::default() };
    let mut explorer = Explorer::new(machine.truth(), limits, 1);
    let rng = &mut Rng::with_seed(1);
    loop {
        let batch = explorer.next_pairs();
        if batch.is_empty() {
            break;
        }
        batch.into_iter().for_each(|pair| {
            explorer.record(pair, PairResult::Measured(machine.measure(pair, rng)));
        });
    }
    let found = explorer.finish();
    assert_eq!(explorer.progress(), (523, 523));
    let too_few = PairsReason::TooFewMeasurements { measurements: 523, of_all_pairs: false };
    assert!(found.undetermined.contains(&too_few), "{:?}", found.undetermined);
    assert_eq!(found.wrong_pairs_below, None);
}

#[test]
fn all_pairs_need_no_larger_limit() {
    // With this scatter, it is measured again until the limit.
    let mut explorer = Explorer::new(TopologyClaim::unknown(2), ExplorerLimits::default(), 1);
    let mut cost = 50.0;
    loop {
        let batch = explorer.next_pairs();
        if batch.is_empty() {
            break;
        }
        cost *= 2.0;
        let answer = || PairResult::Measured(HandoffCost { median_ns: cost, relative_se: 0.5 });
        batch.into_iter().for_each(|pair| explorer.record(pair, answer()));
    }
    let found = explorer.finish();
    let of_some = |why: &PairsReason| {
        matches!(why, PairsReason::TooFewMeasurements { of_all_pairs: false, .. })
    };
    assert!(!found.undetermined.iter().any(of_some), "{:?}", found.undetermined);
}

#[test]
fn unanswered_pairs_are_requested_again() {
    let mut explorer = Explorer::new(TopologyClaim::unknown(6), ExplorerLimits::default(), 1);
    let batch = explorer.next_pairs();
    assert_eq!(batch.len(), 15);
    explorer.record(batch[3], PairResult::NotMeasurable("offline".to_owned()));
    let again = explorer.next_pairs();
    assert_eq!((again.len(), again.contains(&batch[3])), (14, false));
}
