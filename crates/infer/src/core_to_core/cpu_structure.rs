//! The result of an exploration: groups of CPUs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PairsReason;
use super::bound::share_below;
use super::claim::{GroupKind, TopologyClaim};
use super::compare::{ClaimContradiction, contradictions};
use super::groups::{CpuGroup, groups, logs_of, median_ns, refusal};
use super::naming::{Names, name, partition};
use super::pairs::CpuPairs;
use super::partition::Partition;
use super::tree::PartitionTree;

/// The smallest ratio of costs beyond to costs inside at which claimed groups are distinct,
/// whatever levels were found.
const DISTINCT_RATIO: f64 = 1.04;

/// Costs of the pairs of one relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CostClass {
    /// The nearest thing that both CPUs share: "core", "cache group", "package", "machine",
    /// "unnamed" or "other".
    pub shares: SharedLevel,
    /// The median one-way latency, in nanoseconds.
    pub median_ns: f64,
    /// Quartiles of these pairs' costs, in nanoseconds. Null for a single pair.
    #[serde(default)]
    pub quartiles_ns: Option<[f64; 2]>,
}

impl CostClass {
    /// From a median, and the logs of these pairs' costs.
    pub(crate) fn new(shares: SharedLevel, median_ns: f64, mut logs: Vec<f64>) -> Self {
        logs.sort_by(f64::total_cmp);
        let last = logs.len().saturating_sub(1);
        let quartiles_ns =
            (last > 0).then(|| [last / 4, (last * 3).div_ceil(4)].map(|place| logs[place].exp()));
        Self { shares, median_ns, quartiles_ns }
    }
}

/// What two CPUs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SharedLevel {
    /// A core.
    Core,
    /// A cache group.
    #[serde(rename = "cache group")]
    CacheGroup,
    /// A package.
    Package,
    /// The machine only.
    Machine,
    /// A level without a name.
    Unnamed,
    /// None of the named groups. Packages are undetermined, so that such pairs may share one.
    Other,
}

impl SharedLevel {
    /// The name in sentences.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => GroupKind::Core.name(),
            Self::CacheGroup => GroupKind::CacheGroup.name(),
            Self::Package => GroupKind::Package.name(),
            Self::Machine => "machine",
            Self::Unnamed => "unnamed",
            Self::Other => "other",
        }
    }
}

/// The groups of a machine's CPUs, with their support.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuStructure {
    /// CPUs of one core, where a core has several.
    pub smt_pairs: Vec<CpuGroup>,
    /// CPUs of one last-level cache. Empty where they are undetermined.
    pub cache_groups: Vec<CpuGroup>,
    /// CPUs of one package. Empty where they are undetermined.
    pub packages: Vec<CpuGroup>,
    /// Contradictions of the claim.
    pub contradictions_of_claim: Vec<ClaimContradiction>,
    /// Costs of pairs, nearest first.
    pub classes: Vec<CostClass>,
    /// Number of random pairs that were compared with their prediction.
    pub checks: usize,
    /// Upper 95 % bound of the share of pairs with another cost than predicted; `None` without
    /// checks.
    pub wrong_pairs_below: Option<f64>,
    /// Number of pairs with a cost.
    pub measured_pairs: usize,
    /// Number of pairs of the machine.
    pub all_pairs: usize,
    /// Reasons of missing costs, with their counts.
    pub not_measured: BTreeMap<String, usize>,
    /// Undetermined kinds of groups.
    pub undetermined: Vec<PairsReason>,
    /// Why there is no structure.
    pub refused: Option<PairsReason>,
}

/// Random pairs that test the structure: finished and pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) made: Vec<(usize, usize)>,
    pub(crate) in_a_row: usize,
    pub(crate) contradictions: usize,
    pub(crate) open: Vec<(usize, usize)>,
}

/// `checks_wanted` is `None` where all pairs were requested; `limit` is set where measurements were
/// cut off.
pub(crate) fn of(
    pairs: &CpuPairs,
    claim: &TopologyClaim,
    checks: &Checks,
    checks_wanted: Option<usize>,
    limit: Option<usize>,
) -> CpuStructure {
    let tree = PartitionTree::from_pairs(pairs);
    let names = name(&tree, pairs, claim);
    let named = |kind: GroupKind| groups_of(kind, &names, &tree, pairs, claim);
    let mut undetermined = Vec::new();
    let mut contradictions_of_claim = Vec::new();
    for kind in GroupKind::ALL {
        match judge(kind, &names, &tree, pairs, claim) {
            Ok(found) => contradictions_of_claim.extend(found),
            Err(why) => undetermined.push(why),
        }
    }
    let of_all_pairs = checks_wanted.is_none();
    undetermined.extend(
        limit.map(|measurements| PairsReason::TooFewMeasurements { measurements, of_all_pairs }),
    );
    CpuStructure {
        smt_pairs: named(GroupKind::Core)
            .into_iter()
            .filter(|group| group.cpus.len() > 1)
            .collect(),
        cache_groups: named(GroupKind::CacheGroup),
        packages: named(GroupKind::Package),
        contradictions_of_claim,
        classes: classes(&tree, pairs, &names),
        checks: checks.made.len(),
        wrong_pairs_below: wrong_pairs_below(&tree, pairs, checks, checks_wanted),
        measured_pairs: pairs.measured().count(),
        all_pairs: pairs.all(),
        not_measured: pairs.failures.clone(),
        undetermined,
        refused: refusal(&tree, pairs),
    }
}

/// The partition of a kind. Claimed siblings without a measurable pair stay together: nothing
/// contradicts them.
fn blocks_of(
    kind: GroupKind,
    names: &Names,
    tree: &PartitionTree,
    pairs: &CpuPairs,
    claim: &TopologyClaim,
) -> Partition {
    let found = partition(tree, names.level(kind));
    if kind != GroupKind::Core || names.level(kind) == 0 {
        return found;
    }
    let claimed = claim.partition(kind).blocks;
    let untestable: Vec<bool> = claimed
        .members()
        .iter()
        .map(|members| {
            let failed = |(place, &b): (usize, &usize)| {
                members[..place]
                    .iter()
                    .all(|&a| pairs.is_tried((a, b)) && pairs.get((a, b)).is_none())
            };
            members.len() > 1
                && members.iter().all(|cpu| found.mates(*cpu).len() == 1)
                && members.iter().enumerate().all(failed)
        })
        .collect();
    let key = |cpu: usize| {
        let core = claimed.block(cpu);
        if untestable[core] { (0, core) } else { (1, found.block(cpu)) }
    };
    Partition::by_key((0..found.cpus()).map(key))
}

/// The groups of a kind; none where its level is neither found nor, as the whole machine, confirmed
/// by the claim.
fn groups_of(
    kind: GroupKind,
    names: &Names,
    tree: &PartitionTree,
    pairs: &CpuPairs,
    claim: &TopologyClaim,
) -> Vec<CpuGroup> {
    let number = names.level(kind);
    let is_whole = number > tree.levels.len();
    if tree.levels.is_empty() || (is_whole && !names.fits[kind as usize]) {
        return Vec::new();
    }
    let blocks = blocks_of(kind, names, tree, pairs, claim);
    // The first level's threshold separates single CPUs; costs beyond the last level hold the whole
    // machine together.
    groups(tree, number.saturating_sub(1), &blocks, pairs)
}

fn classes(tree: &PartitionTree, pairs: &CpuPairs, names: &Names) -> Vec<CostClass> {
    let shares = |relation: usize| {
        let mut named = names.levels.iter().zip([
            SharedLevel::Core,
            SharedLevel::CacheGroup,
            SharedLevel::Package,
        ]);
        let beyond =
            if relation == tree.levels.len() { SharedLevel::Machine } else { SharedLevel::Unnamed };
        named.find(|(level, _)| **level == relation + 1).map_or(beyond, |(_, shares)| shares)
    };
    let class = |relation| {
        let median_ns = median_ns(tree, pairs, relation)?;
        Some(CostClass::new(shares(relation), median_ns, logs_of(tree, pairs, relation)))
    };
    (0..=tree.levels.len()).filter_map(class).collect()
}

/// Contradictions of the claim of a kind; an error where costs do not determine it.
fn judge(
    kind: GroupKind,
    names: &Names,
    tree: &PartitionTree,
    pairs: &CpuPairs,
    claim: &TopologyClaim,
) -> Result<Vec<ClaimContradiction>, PairsReason> {
    let claimed = claim.partition(kind);
    let found = blocks_of(kind, names, tree, pairs, claim);
    let contradictions = contradictions(kind, &claimed, &found);
    let log_median = |together: bool| {
        let of_side =
            pairs.measured().filter(|pair| claimed.blocks.together(pair.cpus) == together);
        let mut logs: Vec<f64> = of_side.map(|pair| pair.log_ns).collect();
        logs.sort_by(f64::total_cmp);
        logs.get(logs.len() / 2).copied()
    };
    let costs = log_median(true).zip(log_median(false));
    let is_distinct = costs
        .is_some_and(|(inside, beyond)| (beyond - inside).exp() >= DISTINCT_RATIO)
        || names.level(kind) <= tree.levels.len();
    if contradictions.is_empty() || is_distinct && !tree.levels.is_empty() {
        return Ok(contradictions);
    }
    Err(PairsReason::SameInsideAndBeyond { shares: kind, groups: claimed.blocks.len() })
}

fn wrong_pairs_below(
    tree: &PartitionTree,
    pairs: &CpuPairs,
    checks: &Checks,
    wanted: Option<usize>,
) -> Option<f64> {
    let is_wrong = |&cpus: &(usize, usize)| {
        pairs.get(cpus).is_some_and(|pair| tree.class(pair) != tree.relation(cpus))
    };
    let Some(wanted) = wanted else {
        let all: Vec<(usize, usize)> = pairs.measured().map(|pair| pair.cpus).collect();
        let wrong = all.iter().filter(|cpus| is_wrong(cpus)).count();
        return (!all.is_empty()).then(|| wrong as f64 / all.len() as f64);
    };
    if checks.made.is_empty() {
        return None;
    }
    // Checks before the last contradiction are part of the structure; later ones test it.
    if checks.in_a_row >= wanted {
        return Some(share_below(0, checks.in_a_row));
    }
    Some(share_below(checks.made.iter().filter(|cpus| is_wrong(cpus)).count(), checks.made.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_include_half_of_the_pairs() {
        let of = |costs: &[f64]| {
            CostClass::new(SharedLevel::Package, 1.0, costs.iter().map(|ns| ns.ln()).collect())
                .quartiles_ns
        };
        let [low, high] = of(&[50.0, 40.0, 44.0, 90.0, 42.0]).unwrap();
        assert!((low - 42.0).abs() < 1e-9 && (high - 50.0).abs() < 1e-9, "{low} {high}");
        assert_eq!(of(&[40.0]), None, "one pair has no spread");
        assert_eq!(of(&[]), None);
    }
}
