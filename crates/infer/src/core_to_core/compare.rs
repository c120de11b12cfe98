//! Differences between claimed and measured groups.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::claim::{ClaimedPartition, GroupKind};
use super::partition::Partition;

/// CPUs in another place than claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimContradiction {
    /// What they are claimed to share.
    pub kind: GroupKind,
    /// The CPUs.
    pub cpus: Vec<usize>,
    /// The claimed group, including themselves.
    pub claimed: Vec<usize>,
    /// The measured group, including themselves.
    pub found: Vec<usize>,
}

/// Matches claimed groups with measured ones, the largest overlaps first, and lists the CPUs
/// outside the match.
pub(crate) fn contradictions(
    kind: GroupKind,
    claimed: &ClaimedPartition,
    found: &Partition,
) -> Vec<ClaimContradiction> {
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
        contradictions.push(ClaimContradiction { kind, cpus: cpus.clone(), claimed, found });
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
    fn a_true_claim_has_no_contradictions() {
        assert!(compared("aabbcc", "xxyyzz").is_empty());
    }

    #[test]
    fn one_misplaced_cpu_is_listed_alone() {
        let expected = "CPU 3: claimed to share a cache group with 0-2, found to share it with 4-5";
        assert_eq!(compared("aaaabb", "xxxyyy"), [expected]);
    }

    #[test]
    fn merged_and_split_groups_are_listed() {
        assert_eq!(
            compared("aaaaa", "xxxyy"),
            ["CPUs 3-4: claimed to share a cache group with 0-2, found to share it with no \
              other CPU"]
        );
        assert_eq!(
            compared("aaabb", "xxxxx"),
            ["CPUs 3-4: claimed to share a cache group with no other CPU, found to share it with \
              0-2"]
        );
    }

    #[test]
    fn exchanged_siblings_are_listed() {
        assert_eq!(compared("aabb", "xyxy").len(), 2);
    }
}
