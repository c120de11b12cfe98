//! The next visits and their order.

use fastrand::Rng;
use nearfar_model::CellIndex;

use super::{Plan, PlanOutcome};
use crate::{Batch, Visit};

/// The batch of the next process: whole rounds over everything that is still available.
pub(super) fn next_batch(plan: &Plan, outcome: &PlanOutcome) -> Batch {
    let process = outcome.processes;
    let mut rng = Rng::with_seed(seed_of(plan.seed, process));
    let seed = rng.u64(..);
    let places = plan.places.iter().chain(&plan.controls).copied();
    let mut places: Vec<CellIndex> = places.filter(|&place| outcome.is_available(place)).collect();
    let mut visits = Vec::new();
    for round in outcome.rounds..outcome.rounds + plan.limits.next_rounds(outcome.rounds) {
        rng.shuffle(&mut places);
        visits.extend(places.iter().map(|&place| Visit {
            process,
            round,
            place,
            draw: rng.u32(..),
        }));
    }
    Batch { process, seed, visits }
}

/// A seed for each process: consecutive numbers, mixed over all 64 bits (the increment and the
/// finaliser of SplitMix64).
fn seed_of(seed: u64, process: u32) -> u64 {
    let mut mixed =
        seed.wrapping_add(u64::from(process).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::PlanLimits;

    fn plan(seed: u64) -> Plan {
        let places =
            (0..3).flat_map(|row| (0..4).map(move |column| CellIndex::new(row, column))).collect();
        Plan {
            places,
            controls: vec![CellIndex::new(0, 4), CellIndex::new(2, 5)],
            limits: PlanLimits::usual(),
            seed,
        }
    }

    #[test]
    fn every_round_visits_every_cell_and_control_once() {
        let plan = plan(1);
        let batch = next_batch(&plan, &PlanOutcome::default());
        assert_eq!(batch.visits.len(), 3 * 14);
        for round in 0..3 {
            let visits = batch.visits.iter().filter(|visit| visit.round == round);
            let places: BTreeSet<_> = visits.map(|visit| visit.place).collect();
            assert_eq!(places, plan.places.iter().chain(&plan.controls).copied().collect());
        }
    }

    #[test]
    fn every_round_has_a_new_order() {
        let visits = next_batch(&plan(1), &PlanOutcome::default()).visits;
        let order = |round: usize| {
            visits[14 * round..14 * (round + 1)].iter().map(|visit| visit.place).collect::<Vec<_>>()
        };
        assert!(visits.is_sorted_by_key(|visit| visit.round));
        assert_ne!(order(0), order(1));
    }

    #[test]
    fn orders_depend_on_seed_and_process() {
        let first = PlanOutcome::default();
        let second = PlanOutcome { processes: 1, ..PlanOutcome::default() };
        assert_eq!(next_batch(&plan(5), &first), next_batch(&plan(5), &first));
        assert_ne!(next_batch(&plan(5), &first).visits, next_batch(&plan(6), &first).visits);
        assert_ne!(next_batch(&plan(5), &first).seed, next_batch(&plan(5), &second).seed);
    }

    #[test]
    fn the_first_rounds_use_five_processes() {
        let (mut done, mut sizes) = (0, vec![]);
        while done < 25 {
            sizes.push(PlanLimits::quick().next_rounds(done));
            done += sizes[sizes.len() - 1];
        }
        assert_eq!(sizes, [3, 3, 3, 3, 3, 5, 5]);
        let short = PlanLimits { max_rounds: 4, ..PlanLimits::quick() };
        assert_eq!(short.next_rounds(3), 1);
    }
}
