//! Machines of whose memory all or a part is seen.

use super::*;
use crate::replay::hidden_part::HiddenPart;
use crate::replay::hiding::Hiding;
use crate::tests::cases::simulations;

/// Two packages of two nodes each; `deal` are the shares of pages.
fn four_nodes(rows: Vec<usize>, deal: Vec<usize>) -> Hiding {
    let cost = |a: usize, b: usize| match (a == b, a / 2 == b / 2) {
        (true, _) => 90.0,
        (_, true) => 118.0,
        _ => 210.0,
    };
    let ns = (0..4).map(|a| (0..4).map(|b| cost(a, b)).collect()).collect();
    Hiding { ns, deal, slower: vec![1.0; rows.len()], rows, ..Hiding::uniform(4) }
}

fn near(statement: &PageStatement) -> Vec<Vec<usize>> {
    let mut near: Vec<Vec<usize>> =
        statement.clusters.iter().map(|cluster| cluster.near.clone()).collect();
    near.sort();
    near
}

#[test]
fn cpus_far_from_all_pages_are_near_none() {
    // Pages of one package, then of one node of each.
    for (deal, own) in [(vec![1, 1, 0, 0], [0, 1]), (vec![1, 0, 1, 0], [0, 2])] {
        let machine = four_nodes(vec![0, 1, 2, 3], deal);
        let statement = pages(&machine.sheets(7), 4, 7);
        assert_eq!(near(&statement), own.map(|row| vec![row]), "{statement:?}");
        let others: Vec<usize> = (0..4).filter(|row| !own.contains(row)).collect();
        assert!(others.iter().all(|&row| statement.near[row] == Nearness::None), "{statement:?}");
        assert!(!statement.is_exact(None, true) && statement.asks_for_more_memory(None, true));
    }
}

/// CPUs without memory of their own are as near to one node as to another, and far from a third.
#[test]
fn the_effect_is_the_largest_of_any_cpus() {
    let ns = vec![vec![90.0, 118.0, 210.0], vec![118.0, 90.0, 210.0], vec![100.0, 100.0, 300.0]];
    let (rows, deal) = (vec![0, 1, 2], vec![1; 3]);
    let machine = Hiding { ns, deal, slower: vec![1.0; 3], rows, ..Hiding::uniform(3) };
    let effect = pages(&machine.sheets(5), 3, 5).verdict.effect.unwrap();
    assert!((effect - (300.0 / 100.0 - 1.0)).abs() < 0.06, "{effect}");
}

/// A small node that is hardly nearer to its CPUs than its neighbour counts as one with it.
#[test]
fn cpus_with_few_pages_of_their_own_are_not_near_none() {
    let ns = vec![vec![120.0, 127.0, 245.0], vec![127.0, 120.0, 245.0], vec![245.0, 245.0, 120.0]];
    let (rows, deal) = (vec![0, 1, 2], vec![30, 1, 20]);
    let machine = Hiding { ns, deal, slower: vec![1.0; 3], rows, ..Hiding::uniform(3) };
    for seed in 0..simulations(6, 40) {
        let statement = pages(&machine.sheets(seed), 3, seed);
        assert_ne!(statement.near[1], Nearness::None, "{seed}: {statement:?}");
    }
}

#[test]
fn the_effect_is_that_of_the_memory_seen() {
    let machine = four_nodes(vec![0, 1, 2, 3], vec![1, 1, 0, 0]);
    let statement = pages(&machine.sheets(3), 4, 3);
    let effect = statement.verdict.effect.unwrap();
    assert!((effect - (118.0 / 90.0 - 1.0)).abs() < 0.02, "{effect}");
    let whole = four_nodes(vec![0, 1, 2, 3], vec![1; 4]);
    let effect = pages(&whole.sheets(3), 4, 3).verdict.effect.unwrap();
    assert!((effect - (210.0 / 90.0 - 1.0)).abs() < 0.04, "{effect}");
}

#[test]
fn few_pages_of_a_small_node_are_a_kind() {
    let few = four_nodes(vec![0, 1, 2, 3], vec![10, 11, 10, 1]);
    for seed in 0..simulations(3, 20) {
        let statement = pages(&few.sheets(seed), 4, seed);
        assert_eq!(near(&statement), [[0], [1], [2], [3]], "{statement:?}");
        assert!(statement.is_exact(None, true));
    }
}

/// A slow group is farther from all pages, in the same proportion.
#[test]
fn slow_cpus_are_near_their_memory() {
    let slower = vec![1.0, 1.2, 1.0, 1.2];
    let machine = Hiding { slower, ..Hiding::two_nodes(1.49) };
    let statement = pages(&machine.sheets(2), 4, 2);
    assert_eq!(near(&statement), [[0, 1], [2, 3]], "{:?}", statement.near);
    assert!(statement.is_exact(None, true));
    // Without a fast group beside it, it is slow, or its own memory was not seen.
    let alone = Hiding { rows: vec![0, 1], slower: vec![1.0, 1.3], ..Hiding::two_nodes(1.49) };
    let statement = pages(&alone.sheets(2), 2, 2);
    assert!(matches!(statement.near[1], Nearness::Doubtful(_)), "{:?}", statement.near);
    let all = Coverage { beyond: None, anywhere: None };
    assert!(!statement.is_exact(None, true) && statement.is_exact(Some(&all), true));
}

/// Memory behind a node: farther from all CPUs by the same factor.
#[test]
fn memory_behind_a_node_is_a_kind_of_its_own() {
    let ns = vec![vec![100.0, 150.0, 200.0], vec![150.0, 100.0, 300.0]];
    let machine = Hiding { rows: vec![0, 1], ns, deal: vec![1; 3], ..Hiding::uniform(2) };
    let statement = pages(&machine.sheets(4), 2, 4);
    assert_eq!(near(&statement), [vec![], vec![0], vec![1]], "{statement:?}");
}

#[test]
fn memory_or_cpus_left_out_leave_the_number_open() {
    let whole = four_nodes(vec![0, 1, 2, 3], vec![1; 4]);
    let statement = pages(&whole.sheets(5), 4, 5);
    let unseen = UnseenMemory { address_bytes: [0, 1 << 30], bytes: 1 << 30, share: 0.2 };
    let coverage = |beyond, anywhere| Some(Coverage { beyond, anywhere });
    for (coverage, all_cpus, exact) in [
        (None, true, true),
        (coverage(None, None), true, true),
        (coverage(None, Some(unseen)), true, true),
        (coverage(Some(unseen), Some(unseen)), true, false),
        (None, false, false),
        (coverage(None, None), false, true),
    ] {
        assert_eq!(
            statement.is_exact(coverage.as_ref(), all_cpus),
            exact,
            "{coverage:?} {all_cpus}"
        );
    }
    let some = four_nodes(vec![0, 1, 2], vec![1; 4]);
    let statement = pages(&some.sheets(5), 3, 5);
    assert_eq!(near(&statement), [vec![], vec![0], vec![1], vec![2]]);
    let all = Coverage { beyond: None, anywhere: None };
    assert!(statement.is_exact(Some(&all), true), "memory without CPUs");
    assert!(!statement.is_exact(Some(&all), false), "several nodes, whose CPUs were left out");
}

/// Two to six nodes, all or some of them seen, from all CPUs or some.
#[test]
fn drawn_machines_are_counted() {
    let machines = simulations(16, 400);
    let mut wrong = Vec::new();
    for seed in 0..machines {
        let machine = HiddenPart::drawn(seed);
        let rows = machine.rows().len();
        let statement = pages(&machine.sheets(seed), rows, seed);
        let kinds = statement.clusters.len();
        let resolution = statement.resolution.unwrap_or(0.13).ln_1p();
        let (coarse, fine) =
            (machine.kinds(resolution, resolution).len(), machine.kinds(MIN_GAP, MIN_GAP).len());
        let is_right = match statement.verdict.finding {
            PageFinding::Found => (coarse..=fine).contains(&kinds) || statement.strays > 0,
            PageFinding::None => coarse == 1,
            PageFinding::Undetermined => machine.kinds(resolution, f64::INFINITY).len() == 1,
        };
        if !is_right {
            wrong.push(format!("{seed}: {kinds} of {coarse} to {fine} kinds: {statement:?}"));
        }
        for (row, near) in statement.near.iter().enumerate() {
            let own = machine.groups[machine.rows()[row]];
            let is_seen = own < machine.seen;
            let is_wrong = match near {
                Nearness::Near(_) => !is_seen,
                Nearness::None => is_seen && statement.strays == 0,
                _ => false,
            };
            if is_wrong {
                wrong.push(format!("{seed}: row {row}: {near:?}, {machine:?}"));
            }
        }
    }
    assert!(wrong.len() as u64 * 200 <= machines, "{wrong:#?}");
}
