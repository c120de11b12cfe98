//! Selects pages that lie far apart.

use fastrand::Rng;

/// Indexes of `count` pages, ascending by address: one from each of `count` equal intervals of
/// physical memory that has pages, the others at random. If addresses are unknown, evenly in the
/// order of touching. All pages if there are fewer.
pub(super) fn select_pages(
    addresses: Option<&[u64]>,
    pages: usize,
    count: usize,
    random: &mut Rng,
) -> Vec<usize> {
    let Some(addresses) = addresses else {
        return (0..count.min(pages)).map(|index| index * pages / count.min(pages)).collect();
    };
    let (Some(&low), Some(&high)) = (addresses.iter().min(), addresses.iter().max()) else {
        return Vec::new();
    };
    let mut order: Vec<usize> = (0..addresses.len()).collect();
    random.shuffle(&mut order);
    let stretch = |index: usize| {
        u128::from(addresses[index] - low) * count as u128 / (u128::from(high - low) + 1)
    };
    let mut taken = vec![false; count];
    let is_first = |index: &usize| !std::mem::replace(&mut taken[stretch(*index) as usize], true);
    let (mut kept, rest): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_first);
    kept.extend(rest);
    kept.truncate(count);
    kept.sort_unstable_by_key(|index| addresses[*index]);
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn selected_pages_are_distinct(
            addresses in proptest::collection::btree_set(0u64..1 << 40, 0..200),
            count in 1usize..100,
            seed: u64,
        ) {
            let addresses: Vec<u64> = addresses.into_iter().collect();
            let pages = addresses.len();
            let random = || Rng::with_seed(seed);
            let kept = select_pages(Some(&addresses), pages, count, &mut random());
            prop_assert_eq!(kept.len(), count.min(addresses.len()));
            prop_assert_eq!(kept.iter().collect::<BTreeSet<_>>().len(), kept.len());
            prop_assert!(kept.is_sorted_by_key(|index| addresses[*index]));
            let blind = select_pages(None, pages, count, &mut random());
            prop_assert_eq!(blind.len(), kept.len());
            prop_assert!(blind.is_sorted_by(|a, b| a < b));
            prop_assert!(blind.iter().all(|index| *index < addresses.len()));
        }
    }

    /// A thousand pages are close together and ten far away: all far ones are kept.
    #[test]
    fn pages_far_away_are_kept() {
        let near = (0..1000u64).map(|page| page << 21);
        let addresses: Vec<u64> =
            near.chain((0..10).map(|page| (1 << 38) + (page << 34))).collect();
        let kept = select_pages(Some(&addresses), addresses.len(), 64, &mut Rng::with_seed(1));
        assert_eq!(kept.iter().filter(|index| **index >= 1000).count(), 10);
    }
}
