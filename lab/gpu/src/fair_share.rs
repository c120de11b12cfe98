//! How copies share links: max-min fairness, as a pure function.

/// What a copy would take if it were alone, and the links that it crosses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Demand {
    /// Its own limit, in bytes per nanosecond (GB/s).
    pub(crate) limit: f64,
    /// Indexes of links, each at most once.
    pub(crate) links: Vec<usize>,
}

/// The rate of each copy. No copy can be faster without another one that is not faster being
/// slower: every copy has its limit, or crosses a full link where none is faster.
pub(crate) fn fair_rates(demands: &[Demand], capacities: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; demands.len()];
    let mut left = capacities.to_vec();
    let mut open: Vec<usize> = (0..demands.len()).collect();
    while !open.is_empty() {
        let users = users(demands, &open, capacities.len());
        let bound = |index: usize| {
            let shares = demands[index]
                .links
                .iter()
                .map(|link| (left[*link] / f64::from(users[*link])).max(0.0));
            shares.fold(demands[index].limit, f64::min)
        };
        // The most restricted copies cannot gain from what others leave.
        let bounds: Vec<f64> = open.iter().map(|&index| bound(index)).collect();
        let least = bounds.iter().copied().fold(f64::INFINITY, f64::min);
        let is_fixed = |bound: f64| bound <= least * (1.0 + 1e-12);
        for (&index, _) in open.iter().zip(&bounds).filter(|(_, bound)| is_fixed(**bound)) {
            rates[index] = least;
            for &link in &demands[index].links {
                left[link] -= least;
            }
        }
        let mut bounds = bounds.into_iter();
        open.retain(|_| bounds.next().is_some_and(|bound| !is_fixed(bound)));
    }
    rates
}

/// How many open copies cross each link.
fn users(demands: &[Demand], open: &[usize], links: usize) -> Vec<u32> {
    let mut users = vec![0; links];
    for &link in open.iter().flat_map(|&index| &demands[index].links) {
        users[link] += 1;
    }
    users
}

#[cfg(test)]
mod tests {
    use super::{Demand, fair_rates};

    fn demand(limit: f64, links: &[usize]) -> Demand {
        Demand { limit, links: links.to_vec() }
    }

    #[test]
    fn copies_without_links_have_their_limits() {
        assert_eq!(fair_rates(&[demand(25.0, &[]), demand(12.0, &[])], &[]), [25.0, 12.0]);
        assert!(fair_rates(&[], &[30.0]).is_empty());
    }

    #[test]
    fn full_link_is_shared_equally() {
        assert_eq!(fair_rates(&[demand(25.0, &[0]), demand(25.0, &[0])], &[30.0]), [15.0, 15.0]);
        assert_eq!(fair_rates(&[demand(25.0, &[0]), demand(25.0, &[0])], &[60.0]), [25.0, 25.0]);
    }

    #[test]
    fn what_a_slow_copy_leaves_goes_to_the_others() {
        let demands = [demand(5.0, &[0]), demand(25.0, &[0]), demand(25.0, &[0])];
        assert_eq!(fair_rates(&demands, &[30.0]), [5.0, 12.5, 12.5]);
    }

    #[test]
    fn narrowest_link_counts() {
        // The first two share link 0; the second one is held to 4 by link 1.
        let demands = [demand(50.0, &[0]), demand(50.0, &[0, 1])];
        assert_eq!(fair_rates(&demands, &[30.0, 4.0]), [26.0, 4.0]);
    }
}
