//! Where a claim and what was found part ways.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::claim::{ClaimedPartition, GroupKind};
use super::partition::Partition;

/// CPUs that are elsewhere than claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What they are claimed to share.
    pub kind: GroupKind,
    /// The CPUs.
    pub cpus: Vec<usize>,
    /// With whom they are claimed to share it, themselves included.
    pub claimed: Vec<usize>,
    /// With whom they do, themselves included.
    pub found: Vec<usize>,
}

/// Matches claimed groups with found ones, the largest overlaps first, and names the CPUs that
/// stand outside the match.
pub(crate) fn contradictions(
    kind: GroupKind,
    claimed: &ClaimedPartition,
    found: &Partition,
) -> Vec<Contradiction> {
    let mut overlaps: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for cpu in (0..found.cpus()).filter(|&cpu| claimed.known[cpu]) {
        overlaps.entry((claimed.blocks.block(cpu), found.block(cpu))).or_default().push(cpu);
    }
    let mut by_size: Vec<_> = overlaps.iter().collect();
    by_size.sort_by_key(|((claim, block), cpus)| (std::cmp::Reverse(cpus.len()), *claim, *block));
    let (mut claims_taken, mut blocks_taken) =
        (vec![false; claimed.blocks.len()], vec![false; found.len()]);
    let mut contradictions = Vec::new();
    for (&(claim, block), cpus) in by_size {
        if !claims_taken[claim] && !blocks_taken[block] {
            (claims_taken[claim], blocks_taken[block]) = (true, true);
            continue;
        }
        let [claimed, found] =
            [&claimed.blocks, found].map(|blocks| blocks.mates(cpus[0]).to_vec());
        contradictions.push(Contradiction { kind, cpus: cpus.clone(), claimed, found });
    }
    contradictions.sort_by(|a, b| a.cpus.cmp(&b.cpus));
    contradictions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(claimed: &str, found: &str) -> Vec<String> {
        let claimed = ClaimedPartition {
            blocks: Partition::by_key(claimed.bytes()),
            known: vec![true; claimed.len()],
        };
        let found =
            contradictions(GroupKind::CacheGroup, &claimed, &Partition::by_key(found.bytes()));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_claim_that_holds_contradicts_nothing() {
        assert!(compared("aabbcc", "xxyyzz").is_empty());
    }

    #[test]
    fn one_cpu_in_the_wrong_group_is_named_alone() {
        let said = "CPU 3: claimed to share a cache group with 0-2, found to share it with 4-5";
        assert_eq!(compared("aaaabb", "xxxyyy"), [said]);
    }

    #[test]
    fn groups_claimed_as_one_and_one_claimed_as_two_are_named() {
        assert_eq!(
            compared("aaaaa", "xxxyy"),
            ["CPUs 3-4: claimed to share a cache group with 0-2, found to share it with nobody \
              else"]
        );
        assert_eq!(
            compared("aaabb", "xxxxx"),
            ["CPUs 3-4: claimed to share a cache group with nobody else, found to share it with \
              0-2"]
        );
    }

    #[test]
    fn exchanged_siblings_are_named() {
        assert_eq!(compared("aabb", "xyxy").len(), 2);
    }
}
