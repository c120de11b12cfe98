//! Sweeps of simulated machines, from samples to results.

mod simulate;

use nearfar_model::{CellIndex, Sample};
use proptest::prelude::*;

use super::*;
use crate::tests::cases::simulations;
use simulate::{Caches, KIB, MIB, Overrun};

fn server(last: Overrun) -> Caches {
    let levels = vec![
        (1.2, 48.0 * KIB, Overrun::Lru(0.02)),
        (4.0, 2.0 * MIB, Overrun::Lru(0.1)),
        (22.0, 32.0 * MIB, last),
    ];
    Caches { levels, memory_ns: 110.0, walk: None }
}

/// AMD's victim cache: lines evicted from the second level go to the third, so that they hold
/// different lines.
fn victim() -> Caches {
    let levels = vec![
        (1.1, 32.0 * KIB, Overrun::Lru(0.02)),
        (3.5, 512.0 * KIB, Overrun::Lru(0.15)),
        (12.0, 16.5 * MIB, Overrun::Random),
    ];
    Caches { levels, memory_ns: 95.0, walk: None }
}

fn claims(bytes: [f64; 3]) -> Vec<CacheClaim> {
    let claim =
        |(name, bytes): (&str, f64)| CacheClaim { name: name.to_owned(), bytes: bytes as u64 };
    ["L1", "L2", "L3"].into_iter().zip(bytes).map(claim).collect()
}

/// The number of seeds with the right number of levels, all capacities within 25 % and latencies
/// within 5 %.
fn right(caches: &Caches, seeds: u64) -> usize {
    let is_right = |&seed: &u64| {
        let found = cache_levels(&caches.sweep(seed), &[], seed);
        let near = |value: f64, truth: f64, share: f64| (value / truth - 1.0).abs() <= share;
        let level = |(found, &(ns, bytes, _)): (&CacheLevel, &(f64, f64, Overrun))| {
            near(found.latency_ns, ns, 0.05) && near(found.capacity_bytes, bytes, 0.25)
        };
        found.levels.len() == caches.levels.len()
            && found.levels.iter().zip(&caches.levels).all(level)
            && found.memory_ns.is_some_and(|memory| near(memory, caches.memory_ns, 0.05))
    };
    (0..seeds).filter(is_right).count()
}

fn machines() -> [Caches; 4] {
    [server(Overrun::Lru(0.1)), server(Overrun::Lru(0.3)), server(Overrun::Random), victim()]
}

#[test]
fn levels_capacities_and_latencies_are_right() {
    for caches in machines() {
        let right = right(&caches, 10);
        assert!(right >= 9, "{right} of 10: {caches:?}");
    }
}

#[test]
#[ignore = "long: a minute or more"]
fn over_hundreds_of_sweeps_95_percent_are_right() {
    for caches in machines() {
        let right = right(&caches, 200);
        assert!(right >= 190, "{right} of 200: {caches:?}");
    }
}

proptest! {
    #![proptest_config(crate::tests::cases::cases(40))]

    #[test]
    fn no_sweep_panics(sizes in proptest::collection::vec((0u64..=u64::MAX, 1e-3f64..1e9), 0..40)) {
        let point = |(place, &(bytes, ns)): (usize, &(u64, f64))| {
            let sample = |process| Sample::new(process, place as u32 % 3, CellIndex::default(), ns);
            SizeSweepPoint { bytes: bytes >> (place % 60), samples: (0..3).map(sample).collect() }
        };
        let points: Vec<SizeSweepPoint> = sizes.iter().enumerate().map(point).collect();
        let sweep = SizeSweep::new(&points).unwrap();
        let found = cache_levels(&sweep, &[], 1);
        compare(&sweep, &found, &claims([32.0 * KIB, 1.0 * MIB, 0.0]));
        for level in found.levels {
            let [low, high] = level.capacity_bytes_ci95;
            prop_assert!(low <= level.capacity_bytes && level.capacity_bytes <= high);
        }
    }
}

#[test]
fn intervals_include_the_capacity() {
    let caches = server(Overrun::Random);
    let held = |&seed: &u64| {
        let found = cache_levels(&caches.sweep(seed), &[], seed);
        let holds = |(found, truth): (&CacheLevel, &(f64, f64, Overrun))| {
            let [low, high] = found.capacity_bytes_ci95;
            // The grid of candidates is 3 % wide.
            low * 0.97 <= truth.1 && truth.1 <= high * 1.03
        };
        found.levels.iter().zip(&caches.levels).all(holds)
    };
    let sweeps = simulations(20, 100);
    let held = (0..sweeps).filter(held).count() as u64;
    assert!(held * 100 >= sweeps * 85, "{held} of {sweeps}");
}

#[test]
fn true_claims_agree() {
    let sweep = victim().sweep(1);
    let verdicts = compare(
        &sweep,
        &cache_levels(&sweep, &[], 1),
        &claims([32.0 * KIB, 512.0 * KIB, 16.0 * MIB]),
    );
    assert!(
        verdicts.iter().all(|verdict| verdict.verdict == CacheClaimVerdict::Agrees),
        "{verdicts:?}"
    );
}

/// A claim that is slightly wrong agrees with the measurement, but not exactly.
#[test]
fn claims_outside_the_interval_are_reported() {
    let sweep = victim().sweep(1);
    let claims = claims([32.0 * KIB, 600.0 * KIB, 16.0 * MIB]);
    let verdicts = compare(&sweep, &cache_levels(&sweep, &[], 1), &claims);
    assert_eq!(verdicts[1].verdict, CacheClaimVerdict::Agrees);
    assert!(
        matches!(verdicts[1].why, Some(CacheClaimReason::NotTheSame { tolerance: 0.25, .. })),
        "{verdicts:?}"
    );
}

/// A guest with a claim of 32 MiB, and a quarter of that for itself.
#[test]
fn false_claims_of_guests_are_reported() {
    let mut caches = server(Overrun::Random);
    caches.levels[2].1 = 8.0 * MIB;
    for seed in 0..simulations(4, 20) {
        let sweep = caches.sweep(seed);
        let verdicts = compare(
            &sweep,
            &cache_levels(&sweep, &[], seed),
            &claims([48.0 * KIB, 2.0 * MIB, 32.0 * MIB]),
        );
        let CacheVerdict { verdict, measured_bytes: Some(measured), why } = &verdicts[2] else {
            panic!("{verdicts:?}")
        };
        assert_eq!(*verdict, CacheClaimVerdict::Contradicted);
        assert!((measured / (8.0 * MIB) - 1.0).abs() < 0.25, "{measured}");
        assert!(matches!(why, Some(CacheClaimReason::OtherSize { .. })), "{why:?}");
    }
}

#[test]
fn a_last_level_shared_with_neighbours_has_no_plateau() {
    let mut caches = server(Overrun::Random);
    caches.levels.truncate(2);
    caches.levels[1].2 = Overrun::Shared { until: 40.0 * MIB };
    for seed in 0..simulations(4, 20) {
        let sweep = caches.sweep(seed);
        let found = cache_levels(&sweep, &[], seed);
        assert_eq!(found.levels.len(), 2, "{found:?}");
        assert!(found.levels[1].climbs_over_bytes.is_some(), "{found:?}");
        assert!((found.levels[1].capacity_bytes / (2.0 * MIB) - 1.0).abs() < 0.25, "{found:?}");
        let verdicts = compare(&sweep, &found, &claims([48.0 * KIB, 2.0 * MIB, 32.0 * MIB]));
        assert_eq!(
            (verdicts[2].verdict, verdicts[2].measured_bytes),
            (CacheClaimVerdict::Contradicted, None)
        );
        assert!(
            matches!(verdicts[2].why, Some(CacheClaimReason::OnTheWayToMemory { .. })),
            "{verdicts:?}"
        );
    }
}

/// The start of a long climb is not the end of its cache.
#[test]
fn claims_within_a_climb_are_undetermined() {
    let mut caches = server(Overrun::Random);
    caches.levels.truncate(2);
    caches.levels[1].2 = Overrun::Shared { until: 40.0 * MIB };
    for seed in 0..simulations(4, 20) {
        let sweep = caches.sweep(seed);
        let found = cache_levels(&sweep, &[], seed);
        let verdicts = compare(&sweep, &found, &claims([48.0 * KIB, 8.0 * MIB, 32.0 * MIB])[..2]);
        assert!(
            verdicts[1].verdict == CacheClaimVerdict::Undetermined
                && verdicts[1].measured_bytes.is_some(),
            "{verdicts:?}"
        );
        assert!(matches!(verdicts[1].why, Some(CacheClaimReason::InAClimb { .. })), "{verdicts:?}");
    }
}

#[test]
fn a_short_sweep_is_reported() {
    let mut caches = server(Overrun::Random);
    caches.levels[2].1 = 400.0 * MIB;
    let sweep = caches.sweep(1);
    let found = cache_levels(&sweep, &[], 1);
    assert!(found.memory_ns.is_none() && found.refused == Some(NoLevels::StillClimbs), "{found:?}");
    let verdicts = compare(&sweep, &found, &claims([48.0 * KIB, 2.0 * MIB, 2048.0 * MIB]));
    let Some(CacheClaimReason::SweepEnds { largest_bytes }) = verdicts[2].why else {
        panic!("{verdicts:?}")
    };
    assert_eq!(
        (verdicts[2].verdict, largest_bytes),
        (CacheClaimVerdict::Undetermined, 512.0 * MIB)
    );
}

/// Measured on a guest with a claimed L3 of 260 MiB, with sizes up to 32 MiB: its last plateau is
/// that cache's.
#[test]
fn sweeps_within_the_last_cache_have_no_memory() {
    let mut caches = server(Overrun::Lru(0.1));
    caches.levels[2].1 = 260.0 * MIB;
    let claims = claims([48.0 * KIB, 2.0 * MIB, 260.0 * MIB]);
    for seed in 0..simulations(4, 20) {
        let sweep = caches.sweep_to(32.0 * MIB, seed);
        let found = cache_levels(&sweep, &claims, seed);
        assert_eq!((found.levels.len(), found.memory_ns), (2, None), "{found:?}");
        let Some(NoLevels::MemoryNotReached { largest_bytes, cache, .. }) = &found.refused else {
            panic!("{found:?}")
        };
        assert_eq!((*largest_bytes, cache), (32.0 * MIB, &claims[2]));
        assert_eq!(compare(&sweep, &found, &claims)[2].verdict, CacheClaimVerdict::Undetermined);
        let beyond = cache_levels(&caches.sweep_to(1024.0 * MIB, seed), &claims, seed);
        assert!(
            beyond.refused.is_none() && (beyond.memory_ns.unwrap() / 110.0 - 1.0).abs() < 0.05,
            "{beyond:?}"
        );
    }
}

#[test]
fn no_sizes_and_few_are_refused() {
    let found = cache_levels(&SizeSweep::new(&[]).unwrap(), &[], 1);
    assert_eq!(found.refused, Some(NoLevels::FewSizes { sizes: 0 }));
    let flat = Caches { levels: vec![(1.0, KIB, Overrun::Lru(0.02))], memory_ns: 50.0, walk: None };
    let found = cache_levels(&flat.sweep(1), &[], 1);
    assert_eq!((found.levels.len(), found.refused), (0, None));
}

/// Two rounds of one process are no measurement, however smooth.
#[test]
fn sizes_with_few_samples_are_skipped() {
    let caches = server(Overrun::Random);
    let point = |place: usize| {
        let bytes = 4.0 * KIB * (place as f64 / 4.0).exp2();
        let sample = |round| Sample::new(0, round, CellIndex::default(), caches.ns(bytes));
        SizeSweepPoint { bytes: bytes as u64, samples: vec![sample(0), sample(1)] }
    };
    let found =
        cache_levels(&SizeSweep::new(&(0..68).map(point).collect::<Vec<_>>()).unwrap(), &[], 1);
    assert!(found.levels.is_empty() && found.memory_ns.is_none(), "{found:?}");
    assert_eq!(found.refused, Some(NoLevels::FewSizes { sizes: 0 }));
    let none = SizeSweep::new(&[]).unwrap();
    let verdicts =
        compare(&none, &cache_levels(&none, &[], 1), &claims([48.0 * KIB, 2.0 * MIB, 32.0 * MIB]));
    let unknown =
        CacheVerdict::without_a_level(CacheClaimVerdict::Undetermined, CacheClaimReason::NoSizes);
    assert!(verdicts.iter().all(|verdict| *verdict == unknown), "{verdicts:?}");
}

#[test]
fn tlb_reach_is_where_base_pages_cost_more() {
    let huge = server(Overrun::Lru(0.1));
    let base = Caches { walk: Some((6.0 * MIB, 9.0)), ..huge.clone() };
    for seed in 0..simulations(8, 40) {
        let reach = tlb_reach(&base.sweep(seed), &huge.sweep(seed + 100), 4096, seed).unwrap();
        let [low, high] = reach.bytes.map(|bytes| bytes as f64);
        assert!(
            low <= 7.0 * MIB && high >= 6.0 * MIB && high / low < 3.0,
            "seed {seed}: {reach:?}"
        );
        assert!(
            (reach.extra_ns - 8.9).abs() < 4.0 && reach.entries[1] >= 1536,
            "seed {seed}: {reach:?}"
        );
        assert_eq!(tlb_reach(&huge.sweep(seed + 200), &huge.sweep(seed), 4096, seed), None);
    }
}
