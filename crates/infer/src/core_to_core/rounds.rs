//! The order of measurements: disjoint pairs first, so that they can run concurrently.

/// Every pair once, in rounds without a repeated CPU (the circle method of round-robin
/// tournaments).
pub(crate) fn tournament(cpus: usize) -> Vec<(usize, usize)> {
    let seats = cpus + cpus % 2;
    let mut pairs = Vec::with_capacity(cpus * cpus.saturating_sub(1) / 2);
    for round in 0..seats.saturating_sub(1) {
        let turning =
            |seat: usize| if seat == 0 { 0 } else { (seat - 1 + round) % (seats - 1) + 1 };
        for seat in 0..seats / 2 {
            let (a, b) = (turning(seat), turning(seats - 1 - seat));
            if a.max(b) < cpus {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs
}

/// The same pairs, in rounds without a repeated CPU, as many as possible in the first.
pub(crate) fn disjoint_first(pairs: Vec<(usize, usize)>, cpus: usize) -> Vec<(usize, usize)> {
    // The busy CPUs and the pairs of each round. Each pair joins the first round in which both CPUs
    // are free.
    let mut busy: Vec<Vec<bool>> = Vec::new();
    let mut rounds: Vec<Vec<(usize, usize)>> = Vec::new();
    for (a, b) in pairs {
        let free = busy.iter().position(|busy| !busy[a] && !busy[b]).unwrap_or(rounds.len());
        if free == rounds.len() {
            busy.push(vec![false; cpus]);
            rounds.push(Vec::new());
        }
        (busy[free][a], busy[free][b]) = (true, true);
        rounds[free].push((a, b));
    }
    rounds.concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_tournament_holds_every_pair_once_in_disjoint_rounds(cpus in 0usize..40) {
            let pairs = tournament(cpus);
            let different: BTreeSet<_> = pairs.iter().copied().collect();
            prop_assert_eq!(different.len(), pairs.len());
            prop_assert_eq!(pairs.len(), cpus * cpus.saturating_sub(1) / 2);
            for round in pairs.chunks((cpus / 2).max(1)) {
                let busy: BTreeSet<_> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                prop_assert_eq!(busy.len(), 2 * round.len());
            }
        }

        #[test]
        fn reordering_loses_no_pair(
            pairs in proptest::collection::vec((0usize..9, 9usize..20), 0..60),
        ) {
            let mut ordered = disjoint_first(pairs.clone(), 20);
            let mut expected = pairs;
            ordered.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(ordered, expected);
        }
    }

    #[test]
    fn stars_of_different_leaders_are_interleaved() {
        let pairs = vec![(0, 1), (0, 2), (3, 4), (3, 5)];
        assert_eq!(disjoint_first(pairs, 6), [(0, 1), (3, 4), (0, 2), (3, 5)]);
    }
}
