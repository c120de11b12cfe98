//! Two memories for one node's CPUs: equal distances, or an order?

use serde::{Deserialize, Serialize};

use super::{ALPHA, DistanceClaim, EQUAL_WITHIN};
use crate::node_costs::NodeCosts;
use crate::student::{NORMAL_95, as_rare_as, one_sided_p, two_sided_p};

/// Results for claims of one kind.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct PairCounts {
    /// Shown to be true.
    pub confirmed: usize,
    /// Shown to be false.
    pub refuted: usize,
    /// Undetermined.
    pub open: usize,
}

impl PairCounts {
    pub(super) fn from_pairs<'a>(pairs: impl Iterator<Item = &'a ClaimedPair>) -> Self {
        let mut tally = Self::default();
        for pair in pairs {
            match pair.outcome {
                ClaimOutcome::Confirmed => tally.confirmed += 1,
                ClaimOutcome::Refuted => tally.refuted += 1,
                ClaimOutcome::Open => tally.open += 1,
            }
        }
        tally
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimOutcome {
    Confirmed,
    Refuted,
    Open,
}

/// Two memories of one row. `near` is the one that is claimed to be nearer.
#[derive(Clone, Debug)]
pub(super) struct ClaimedPair {
    pub(super) cpus: u32,
    pub(super) near: u32,
    pub(super) far: u32,
    pub(super) claimed_equal: bool,
    /// The logarithm of the ratio of costs, far to near; negative where the order is inverted.
    pub(super) log_ratio: f64,
    pub(super) ci95: [f64; 2],
    pub(super) outcome: ClaimOutcome,
    /// Whether both are shown to be equal, whatever the claim.
    pub(super) alike: bool,
    /// Whether they are claimed to be equal, and are within the table's resolution.
    as_claimed: bool,
    /// The p-value of the contradiction.
    p: f64,
    /// The p-value of the difference.
    difference_p: f64,
}

/// All pairs with a claim and known costs.
pub(super) fn judge(claim: &DistanceClaim, costs: &NodeCosts) -> Vec<ClaimedPair> {
    let mut pairs: Vec<ClaimedPair> = candidates(claim, costs);
    let nodes = costs.cpu_nodes().len().max(costs.memory_nodes().len());
    let contradicted =
        super::refuted(&pairs.iter().map(|pair| pair.p).collect::<Vec<f64>>(), nodes);
    let ordered = pairs.iter().filter(|pair| !pair.claimed_equal);
    // One for each pair with a claimed order.
    let mut differ =
        super::refuted(&ordered.map(|pair| pair.difference_p).collect::<Vec<f64>>(), nodes)
            .into_iter();
    for (pair, contradicted) in pairs.iter_mut().zip(contradicted) {
        let holds = if pair.claimed_equal {
            pair.as_claimed
        } else {
            differ.next() == Some(true) && pair.log_ratio > 0.0
        };
        pair.outcome = match (contradicted, holds) {
            (true, _) => ClaimOutcome::Refuted,
            (false, true) => ClaimOutcome::Confirmed,
            (false, false) => ClaimOutcome::Open,
        };
    }
    pairs
}

fn candidates(claim: &DistanceClaim, costs: &NodeCosts) -> Vec<ClaimedPair> {
    let memories = costs.memory_nodes();
    let mut pairs = Vec::new();
    for &cpus in costs.cpu_nodes() {
        for (at, &a) in memories.iter().enumerate() {
            let later = &memories[at + 1..];
            pairs.extend(later.iter().filter_map(|&b| judge_pair(claim, costs, cpus, a, b)));
        }
    }
    pairs
}

fn judge_pair(
    claim: &DistanceClaim,
    costs: &NodeCosts,
    cpus: u32,
    a: u32,
    b: u32,
) -> Option<ClaimedPair> {
    let (of_a, of_b) = (claim.figure(cpus, a)?, claim.figure(cpus, b)?);
    let (near, far) = if (of_a > of_b) == claim.more_is_nearer() { (a, b) } else { (b, a) };
    let claimed_equal = of_a == of_b;
    let (near, far) = if claimed_equal { (a, b) } else { (near, far) };
    let (near_cell, far_cell) = (costs.cell(cpus, near)?, costs.cell(cpus, far)?);
    let (difference, se, freedom) = costs.contrast(near_cell, far_cell)?;
    let log_ratio = if claim.more_is_nearer() { -difference } else { difference };
    let half = as_rare_as(NORMAL_95, freedom) * se;
    let t = |log: f64| if se > 0.0 { log / se } else { log.signum() * f64::INFINITY };
    // Equal figures stand for memories that differ by what the table cannot express.
    let margin = EQUAL_WITHIN.max(claim.resolution(of_a)).ln();
    let difference_p = if log_ratio == 0.0 {
        1.0
    } else {
        two_sided_p(t(log_ratio), freedom).max(sign_p(costs, near_cell, far_cell))
    };
    let p = match claimed_equal {
        // The probability of such a ratio at the margin.
        true => {
            2.0 * if log_ratio.abs() > margin {
                one_sided_p(t(log_ratio.abs() - margin), freedom)
            } else {
                0.5
            }
        }
        false if log_ratio < 0.0 => difference_p,
        false => 1.0,
    };
    let is_within = |margin: f64| {
        log_ratio.abs() < margin && one_sided_p(t(margin - log_ratio.abs()), freedom) <= ALPHA
    };
    let (alike, as_claimed) = (is_within(EQUAL_WITHIN.ln()), claimed_equal && is_within(margin));
    let ci95 = [log_ratio - half, log_ratio + half];
    Some(ClaimedPair {
        cpus,
        near,
        far,
        claimed_equal,
        log_ratio,
        ci95,
        outcome: ClaimOutcome::Open,
        alike,
        as_claimed,
        p,
        difference_p,
    })
}

/// The sign test: the probability that random signs agree as much as the rounds do on which is
/// slower. Published figures have no rounds.
fn sign_p(costs: &NodeCosts, near: usize, far: usize) -> f64 {
    if costs.seen().is_empty() {
        return 0.0;
    }
    let signs = costs
        .seen()
        .iter()
        .map(|logs| logs[far] - logs[near])
        .filter(|sign| sign.is_finite() && *sign != 0.0);
    let (mut up, mut all) = (0, 0);
    for sign in signs {
        up += usize::from(sign > 0.0);
        all += 1;
    }
    (2.0 * at_most(up.min(all - up), all)).min(1.0)
}

/// The probability of at most this many heads.
fn at_most(heads: usize, coins: usize) -> f64 {
    let mut log_choices = 0.0;
    let mut sum = 0.0;
    for count in 0..=heads {
        sum += f64::exp(log_choices - coins as f64 * std::f64::consts::LN_2);
        log_choices += ((coins - count) as f64 / (count + 1) as f64).ln();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_tails_are_correct() {
        assert!((at_most(0, 4) - 1.0 / 16.0).abs() < 1e-12);
        assert!((at_most(2, 4) - 11.0 / 16.0).abs() < 1e-12);
        assert!((at_most(0, 0) - 1.0).abs() < 1e-12);
        assert!(at_most(0, 2000).is_finite());
    }
}
