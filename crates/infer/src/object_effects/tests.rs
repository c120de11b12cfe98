//! Programs whose objects' costs are known.

use nearfar_model::Bytes;

use super::*;
use crate::replay::objects::SimulatedObjects;
use crate::replay::program::ProgramNoise;

/// Replays of each kind: the odds bench has 2,000.
const REPLAYS: u64 = 100;

#[test]
fn designs_are_orthogonal_and_folded() {
    for objects in 1..=MAX_OBJECTS {
        let design = ObjectDesign::new(objects).unwrap();
        assert!(design.rows() as usize >= objects && design.rows() % 4 == 0);
        for a in 0..objects {
            for b in 0..=a {
                let signs = (0..design.rows()).map(|row| design.signs(row));
                let sum: f64 = signs.map(|signs| signs[a] * signs[b]).sum();
                let wanted = if a == b { f64::from(design.rows()) } else { 0.0 };
                assert_eq!(sum, wanted, "{objects}: {a} {b}");
            }
        }
        let far = |run: DesignRun| (0..objects).filter(|at| design.is_far(run, *at)).count();
        let first = DesignRun { row: 0, is_mirror: false };
        assert_eq!([far(first), far(DesignRun { is_mirror: true, ..first })], [objects, 0]);
    }
    let rows = |objects| ObjectDesign::new(objects).unwrap().rows();
    assert_eq!([9, 12, 13, 17, 20, 21, 24].map(rows), [12, 12, 16, 20, 20, 24, 24]);
    assert!(ObjectDesign::new(0).is_none() && ObjectDesign::new(25).is_none());
}

#[test]
fn blocks_have_each_run_once_beside_its_mirror() {
    let design = ObjectDesign::new(12).unwrap();
    let block = design.block(3, 7);
    assert_eq!((block.len(), &block), (24, &design.block(3, 7)));
    assert_ne!(block, design.block(4, 7));
    let mut rows: Vec<u32> = block.chunks(2).map(|pair| pair[0].row).collect();
    assert!(block.chunks(2).all(|p| p[0].row == p[1].row && p[0].is_mirror != p[1].is_mirror));
    rows.sort_unstable();
    assert_eq!(rows, (0..12).collect::<Vec<u32>>());
    // Mirrors come first about as often as not.
    let runs: Vec<DesignRun> = (0..100).flat_map(|block| design.block(block, 1)).collect();
    let first = runs.chunks(2).filter(|pair| pair[0].is_mirror).count();
    assert!((500..=700).contains(&first), "{first} of 1200");
}

fn found(objects: &SimulatedObjects, blocks: u32, seed: u64) -> ObjectEffects {
    let shares = vec![FarShares::WHOLE; objects.effects.len()];
    object_effects(&objects.design(), &objects.runs(blocks, seed), &shares)
}

/// Two that cost something among 24, or among five.
fn some(of: usize, noise: ProgramNoise) -> SimulatedObjects {
    let mut effects = vec![0.0; of];
    (effects[1], effects[3]) = (0.3, 0.05);
    SimulatedObjects { effects, noise }
}

#[test]
fn intervals_hold_the_truth_under_each_noise() {
    for noise in ProgramNoise::OF_TIME {
        for (of, blocks) in [(5, 4), (24, 3)] {
            let objects = some(of, noise);
            let mut held = 0;
            for seed in 0..REPLAYS {
                for (one, truth) in
                    found(&objects, blocks, seed).objects.iter().zip(&objects.effects)
                {
                    let [low, high] = one.effect.unwrap().ci95;
                    held += u64::from(low <= *truth && *truth <= high);
                }
            }
            let share = held as f64 / (REPLAYS * of as u64) as f64;
            // Five objects: three standard errors of 500 intervals.
            assert!((0.92..=0.99).contains(&share), "{noise:?} {of}: {share}");
        }
    }
}

#[test]
fn none_is_named_where_there_is_none() {
    for noise in ProgramNoise::OF_TIME {
        let objects = SimulatedObjects { effects: vec![0.0; 24], noise };
        let any = |seed: &u64| found(&objects, 3, *seed).objects.iter().any(|one| one.is_named);
        let named = (0..REPLAYS).filter(any).count();
        assert!(named <= 5, "{noise:?}: {named}");
    }
}

#[test]
fn five_per_cent_are_found_among_24_objects() {
    for noise in ProgramNoise::OF_TIME {
        let objects = some(24, noise);
        let both = |seed: &u64| {
            let found = found(&objects, 4, *seed).objects;
            [1, 3].iter().all(|at: &usize| found[*at].verdict == ObjectVerdict::Costs)
        };
        let count = (0..REPLAYS).filter(both).count();
        assert!(count >= 90, "{noise:?}: {count}");
    }
}

#[test]
fn effects_add_up_to_all_far() {
    let objects = some(5, ProgramNoise::Gaussian);
    let (mut sums, mut far, mut adds) = (0, 0, 0);
    for seed in 0..REPLAYS {
        let found = found(&objects, 6, seed);
        let holds = |figure: ResponseFigure| figure.ci95[0] <= 0.35 && 0.35 <= figure.ci95[1];
        sums += u64::from(holds(found.sum.unwrap()));
        far += u64::from(holds(found.all_far.unwrap()));
        adds += u64::from(found.adds_up.unwrap());
    }
    assert!(sums >= 88 && far >= 88 && adds >= 95, "{sums} {far} {adds}");
    assert_eq!(found(&some(24, ProgramNoise::Gaussian), 3, 1).adds_up, None);
    // A link that saturates: more of it where all is far.
    let mut runs = objects.runs(6, 1);
    for one in runs.iter_mut().filter(|one| one.run.row == 0 && !one.run.is_mirror) {
        one.log_time += 0.2;
    }
    let bent = object_effects(&objects.design(), &runs, &[FarShares::WHOLE; 5]);
    assert_eq!(bent.adds_up, Some(false), "{bent:?}");
}

#[test]
fn steady_programs_have_bounds() {
    let mut runs = some(5, ProgramNoise::Gaussian).runs(6, 1);
    let design = ObjectDesign::new(5).unwrap();
    let exact = |one: &ObjectRun| {
        let far = |at: usize| f64::from(u8::from(design.is_far(one.run, at)));
        3.0 + (1.0 + 0.3 * far(1) + 0.05 * far(3)).ln()
    };
    runs.iter_mut().for_each(|one| one.log_time = exact(one) + (one.log_time - exact(one)) / 10.0);
    let found = object_effects(&design, &runs, &[FarShares::WHOLE; 5]);
    let verdicts: Vec<ObjectVerdict> = found.objects.iter().map(|one| one.verdict).collect();
    use ObjectVerdict::{Costs, DoesNotMatter};
    assert_eq!(verdicts, [DoesNotMatter, Costs, DoesNotMatter, Costs, DoesNotMatter]);
    assert!(found.objects[0].at_most.unwrap() < 0.01, "{found:?}");
    assert_eq!(found.blocks_wanted(), None);
    // Half of object 1 does not move: what moves shows half of its effect.
    let half = FarShares { near: 0.25, far: 0.75 };
    let whole = FarShares::WHOLE;
    let parts = object_effects(&design, &runs, &[whole, half, whole, whole, whole]);
    let effect = parts.objects[1].effect.unwrap().value;
    // 0.3 is a half of it: 0.6 in all, of 0.85 with the quarter near, too.
    assert!((effect - 0.6 / 0.85).abs() < 0.02, "{effect}");
}

#[test]
fn too_little_is_undetermined() {
    let objects = some(5, ProgramNoise::Gaussian);
    let design = objects.design();
    let runs = objects.runs(4, 1);
    for runs in [&runs[..0], &runs[..1], &runs[..32]] {
        let found = object_effects(&design, runs, &[FarShares::WHOLE; 5]);
        assert!(found.objects.iter().all(|one| one.effect.is_none()), "{found:?}");
    }
    let mut stuck = [FarShares::WHOLE; 5];
    stuck[2].far = 0.01;
    assert_eq!(object_effects(&design, &runs, &stuck).sum, None);
    // Lost runs take their mirrors with them.
    let kept: Vec<ObjectRun> = runs.iter().skip(1).copied().collect();
    let found = object_effects(&design, &kept, &[FarShares::WHOLE; 5]);
    assert_eq!((found.pairs, found.blocks), (31, 4));
    assert!(found.objects[1].is_named && found.blocks_wanted().unwrap() > 4, "{found:?}");
}

#[test]
fn the_most_expensive_large_object_is_cut() {
    let effects = found(&some(5, ProgramNoise::Gaussian), 6, 1).objects;
    let (range, large, small) = (Bytes::mib(64), Bytes::gib(1), Bytes::mib(100));
    assert_eq!(cut_next(&effects, &[large; 5], range), Some(1));
    assert_eq!(cut_next(&effects, &[large, small, large, large, large], range), Some(3));
    assert_eq!(cut_next(&effects, &[large, small, large, small, large], range), None);
    assert_eq!([128, 200, 4096].map(|mib| ranges_of(Bytes::mib(mib), range)), [2, 3, 8]);
}
