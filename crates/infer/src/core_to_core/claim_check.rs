//! The machine's claims compared with the groups of a matrix.

use super::claim::{ClaimedPartition, GroupKind, TopologyClaim};
use super::compare::{ClaimContradiction, contradictions};
use super::groups::CpuGroup;
use super::pairs::{CpuPairs, PairCost};
use super::partition::Partition;
use super::who_shares::WhoShares;

impl WhoShares {
    /// Contradictions: a CPU in a wrong group, or a group that does not exist. `costs` are those of
    /// these groups.
    ///
    /// Undetermined kinds are not checked, nor are CPUs without costs, nor siblings whose own pair
    /// has none. A claimed package that costs show as a cache group is accepted: costs cannot
    /// distinguish the two.
    pub fn contradictions(
        &self,
        costs: &[PairCost],
        claim: &TopologyClaim,
    ) -> Vec<ClaimContradiction> {
        let judged = GroupKind::ALL
            .into_iter()
            .filter(|kind| self.undetermined.iter().all(|undetermined| undetermined.kind != *kind));
        judged.flat_map(|kind| self.against(kind, costs, claim)).collect()
    }

    fn against(
        &self,
        kind: GroupKind,
        costs: &[PairCost],
        claim: &TopologyClaim,
    ) -> Vec<ClaimContradiction> {
        let cpus = claim.cpus.len();
        let mut claimed = claim.partition(kind);
        self.unmeasured
            .iter()
            .filter(|cpu| **cpu < cpus)
            .for_each(|&cpu| claimed.known[cpu] = false);
        let groups = match kind {
            GroupKind::Core => {
                forget_unmeasured_cores(&mut claimed, costs);
                &self.smt_pairs
            }
            GroupKind::CacheGroup => &self.cache_groups,
            GroupKind::Package => &self.packages,
        };
        let found = contradictions(kind, &claimed, &partition(groups, cpus));
        let caches = partition(&self.cache_groups, cpus);
        if kind == GroupKind::Package && contradictions(kind, &claimed, &caches).is_empty() {
            Vec::new()
        } else {
            found
        }
    }
}

/// CPUs without a group are blocks of one.
fn partition(groups: &[CpuGroup], cpus: usize) -> Partition {
    let mut block: Vec<Result<usize, usize>> = (0..cpus).map(Err).collect();
    for (number, group) in groups.iter().enumerate() {
        for &cpu in group.cpus.iter().filter(|cpu| **cpu < cpus) {
            block[cpu] = Ok(number);
        }
    }
    Partition::by_key(block.into_iter())
}

/// Removes claimed cores without a measured pair: costs are no evidence about them.
fn forget_unmeasured_cores(claimed: &mut ClaimedPartition, costs: &[PairCost]) {
    let mut pairs = CpuPairs::new(claimed.blocks.cpus());
    costs.iter().for_each(|pair| pairs.add(pair.cpus, pair.cost));
    for members in claimed.blocks.members().iter().filter(|members| members.len() > 1) {
        let mut among = members
            .iter()
            .enumerate()
            .flat_map(|(place, &b)| members[..place].iter().map(move |&a| (a, b)));
        if among.all(|pair| pairs.get(pair).is_none()) {
            members.iter().for_each(|&cpu| claimed.known[cpu] = false);
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::core_to_core::tests::simulate::Machine;
    use crate::core_to_core::who_shares;

    const NS: [f64; 4] = [9.0, 24.0, 115.0, 230.0];

    fn measured(machine: &Machine) -> Vec<PairCost> {
        let rng = &mut Rng::with_seed(1);
        let cpus = machine.places.len();
        let pairs = (0..cpus).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.map(|cpus| PairCost { cpus, cost: machine.measure(cpus, rng) }).collect()
    }

    fn contradictions(machine: &Machine, spoil: impl Fn(&mut TopologyClaim)) -> Vec<String> {
        let costs = measured(machine);
        let mut claim = machine.truth();
        spoil(&mut claim);
        let found = who_shares(&costs, claim.cpus.len(), None);
        found.contradictions(&costs, &claim).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn true_claims_have_no_contradictions() {
        for machine in [
            Machine { ns: NS, ..Machine::new(2, 4, 4, 2) },
            Machine { ns: [8.0, 45.0, 45.0, 110.0], ..Machine::new(2, 1, 8, 2) },
        ] {
            assert_eq!(contradictions(&machine, |_| ()), [""; 0]);
        }
        // Two caches of a package, or two packages: the same costs.
        let machine = Machine { ns: [8.0, 24.0, 24.0, 80.0], ..Machine::new(2, 1, 8, 2) };
        assert_eq!(contradictions(&machine, |_| ()), [""; 0]);
    }

    #[test]
    fn a_cpu_in_a_wrong_group_is_reported() {
        let machine = Machine { ns: NS, ..Machine::new(2, 4, 4, 2) };
        let wrong = contradictions(&machine, |claim| claim.cpus[5].cache_group = Some(0));
        assert_eq!(
            wrong,
            ["CPU 5: claimed to share a cache group with 0-3,32-35, found to share it with \
              4,6-7,36-39"]
        );
    }

    #[test]
    fn a_wrong_cache_group_is_reported() {
        let machine = Machine { ns: NS, ..Machine::new(2, 4, 4, 2) };
        // The claim assigns the second group's cores to the first.
        let wrong = contradictions(&machine, |claim| {
            for place in claim.cpus.iter_mut().filter(|place| place.cache_group == Some(1)) {
                place.cache_group = Some(0);
            }
        });
        assert_eq!(
            wrong,
            ["CPUs 4-7,36-39: claimed to share a cache group with 0-3,32-35, found to share it \
              with no other CPU"]
        );
        // A group of one core each of four others.
        let wrong = contradictions(&machine, |claim| {
            (0..4).for_each(|group| claim.cpus[4 * group].cache_group = Some(99));
        });
        assert_eq!(wrong.len(), 4, "{wrong:?}");
    }

    #[test]
    fn undetermined_groups_contradict_no_claim() {
        let machine = Machine { ns: NS, ..Machine::new(2, 4, 4, 2) };
        let mut costs = measured(&machine);
        let check = |costs: &[PairCost], claim: &TopologyClaim| {
            who_shares(costs, 64, None).contradictions(costs, claim)
        };
        // Siblings 0 and 32 are not measured; CPU 7 is offline.
        costs.retain(|pair| pair.cpus != (0, 32) && pair.cpus.0 != 7 && pair.cpus.1 != 7);
        assert_eq!(check(&costs, &machine.truth()), []);
        // Cache lines have their home in the first package.
        for pair in
            costs.iter_mut().filter(|pair| pair.cpus.0 % 32 >= 16 && pair.cost.median_ns > 50.0)
        {
            pair.cost.median_ns = 230.0;
        }
        let mut claim = machine.truth();
        claim.cpus[1].package = Some(1);
        assert_eq!(check(&costs, &claim), []);
        assert_eq!(check(&[], &claim), []);
    }
}
