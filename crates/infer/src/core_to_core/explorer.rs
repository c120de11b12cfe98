//! Selects the pairs of CPUs to measure, so that few of them determine the structure of all.
//!
//! Half a million pairs of a machine with 1,024 CPUs would take hours. The machine's claims make
//! most of them unnecessary, if they are checked. The stages:
//!
//! 1. *Evidence*: a leader of each claimed cache group with the leaders of the others; every CPU
//!    with its own group's leader and its claimed sibling; and all pairs of one neighbourhood,
//!    which shows unclaimed structure.
//! 2. *Doubt*: pairs with another cost than most of their kind are measured twice more; the lower
//!    median counts.
//! 3. *Repair*: CPUs in unclaimed blocks are compared with the neighbouring blocks, until their
//!    place is known.
//! 4. *Checks*: random pairs must have the predicted cost. When 300 in a row do, fewer than 1 % of
//!    all pairs are wrong (95 %). After a contradiction, measured three times, its CPUs return to
//!    repair, and counting restarts.
//!
//! On small machines all pairs are measured.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::claim::{ClaimedPartition, GroupKind, TopologyClaim};
use super::cpu_structure::{self, Checks, CpuStructure};
use super::evidence::{self, Want};
use super::groups::MAX_CPUS;
use super::pairs::{CpuPair, CpuPairs, HandoffCost, MEASUREMENTS};
use super::repair;
use super::rounds;
use super::tree::PartitionTree;

/// Up to this number of CPUs, each pair is measured at least as often as a doubtful one.
const FEW_CPUS: usize = 8;
const MEASUREMENTS_OF_FEW: usize = 5;
/// The largest share of doubtful pairs of one kind. Above it, the claim is doubtful, not the pairs.
const DOUBTFUL_SHARE: f64 = 0.25;
/// Number of checks in one batch.
const CHECKS_AT_ONCE: usize = 100;
/// Limits of repairs after contradictions, and of checks.
const MAX_FOLLOWED: usize = 20;
const MAX_CHECKS_PER_TARGET: usize = 4;

/// Limits of an explorer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplorerLimits {
    /// The share of all pairs that may be measured.
    pub share_of_pairs: f64,
    /// Number of pairs that may be measured even if they exceed that share. Machines with no more
    /// pairs are measured completely.
    pub free_pairs: usize,
    /// Required number of consecutive random checks without a contradiction.
    pub checks: usize,
    /// Measure every pair.
    pub all_pairs: bool,
}

impl Default for ExplorerLimits {
    fn default() -> Self {
        Self { share_of_pairs: 0.03, free_pairs: 2_500, checks: 300, all_pairs: false }
    }
}

/// The result of measuring a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum PairResult {
    /// A cost.
    Measured(HandoffCost),
    /// No cost, with the reason: a hypervisor runs both on one core, a CPU went offline.
    NotMeasurable(String),
}

/// Selects the next pairs to measure, and derives the structure. It measures nothing itself.
///
/// ```
/// use nearfar_infer::core_to_core::{
///     Explorer, ExplorerLimits, HandoffCost, PairResult, TopologyClaim,
/// };
///
/// let mut explorer = Explorer::new(TopologyClaim::unknown(4), ExplorerLimits::default(), 1);
/// loop {
///     let batch = explorer.next_pairs();
///     if batch.is_empty() {
///         break;
///     }
///     for (a, b) in batch {
///         let median_ns = if a / 2 == b / 2 { 25.0 } else { 110.0 };
///         let cost = HandoffCost { median_ns, relative_se: 0.01 };
///         explorer.record((a, b), PairResult::Measured(cost));
///     }
/// }
/// assert_eq!(explorer.finish().smt_pairs[1].cpus, [2, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct Explorer {
    claim: TopologyClaim,
    claimed: [ClaimedPartition; 3],
    limits: ExplorerLimits,
    rng: Rng,
    pairs: CpuPairs,
    outstanding: Vec<(usize, usize)>,
    unanswered: BTreeSet<(usize, usize)>,
    measurements: usize,
    wants: Vec<Want>,
    neighbourhood: Vec<usize>,
    checks: Checks,
    follow_ups: Vec<(usize, usize)>,
    is_started: bool,
    is_over_limit: bool,
}

impl Explorer {
    /// Starts from a claim with one entry for each CPU. The same claim, seed and results give the
    /// same pairs.
    pub fn new(mut claim: TopologyClaim, limits: ExplorerLimits, seed: u64) -> Self {
        claim.cpus.truncate(MAX_CPUS);
        let pairs = CpuPairs::new(claim.cpus.len());
        let claimed = GroupKind::ALL.map(|kind| claim.partition(kind));
        Self {
            claim,
            claimed,
            limits,
            rng: Rng::with_seed(seed),
            pairs,
            outstanding: Vec::new(),
            unanswered: BTreeSet::new(),
            measurements: 0,
            wants: Vec::new(),
            neighbourhood: Vec::new(),
            checks: Checks::default(),
            follow_ups: Vec::new(),
            is_started: false,
            is_over_limit: false,
        }
    }

    /// The pairs to measure now, in any order; disjoint ones are adjacent. Empty at the end.
    ///
    /// Pairs without a result are repeated. A pair may be requested several times.
    pub fn next_pairs(&mut self) -> Vec<(usize, usize)> {
        if self.unanswered.is_empty() {
            let mut planned = self.plan();
            planned.truncate(self.room());
            self.outstanding = planned;
            self.unanswered = self.outstanding.iter().copied().collect();
        }
        self.outstanding.iter().copied().filter(|pair| self.unanswered.contains(pair)).collect()
    }

    /// Records the result of one pair, requested or not.
    pub fn record(&mut self, (a, b): (usize, usize), answer: PairResult) {
        let cpus = (a.min(b), a.max(b));
        self.unanswered.remove(&cpus);
        self.measurements += 1;
        match answer {
            PairResult::Measured(cost) => self.pairs.add(cpus, cost),
            PairResult::NotMeasurable(reason) => self.pairs.fail(cpus, &reason),
        }
    }

    /// The number of measurements, and its limit.
    pub fn progress(&self) -> (usize, usize) {
        (self.measurements, self.most_measurements())
    }

    /// The structure so far.
    pub fn finish(&self) -> CpuStructure {
        let limit = self.is_over_limit.then(|| self.most_measurements());
        let checks_wanted = (!self.is_small()).then_some(self.limits.checks);
        cpu_structure::of(&self.pairs, &self.claim, &self.checks, checks_wanted, limit)
    }

    /// Whether all pairs are measured.
    fn is_small(&self) -> bool {
        self.limits.all_pairs || self.pairs.all() <= self.limits.free_pairs
    }

    fn most_measurements(&self) -> usize {
        if self.is_small() {
            return self.pairs.all() * MEASUREMENTS_OF_FEW;
        }
        let share = (self.limits.share_of_pairs.clamp(0.0, 1.0) * self.pairs.all() as f64) as usize;
        share.max(self.limits.free_pairs)
    }

    fn room(&self) -> usize {
        self.most_measurements().saturating_sub(self.measurements)
    }

    fn plan(&mut self) -> Vec<(usize, usize)> {
        let planned = if self.is_small() { self.plan_all() } else { self.plan_some() };
        self.is_over_limit |= planned.len() > self.room();
        planned
    }

    fn plan_all(&mut self) -> Vec<(usize, usize)> {
        if !self.is_started {
            self.is_started = true;
            return rounds::tournament(self.pairs.cpus());
        }
        if self.pairs.cpus() <= FEW_CPUS {
            let few = self
                .pairs
                .measured()
                .filter(|pair| pair.measurements() < MEASUREMENTS_OF_FEW)
                .map(|pair| pair.cpus);
            return rounds::disjoint_first(few.collect(), self.pairs.cpus());
        }
        let tree = PartitionTree::from_pairs(&self.pairs);
        let all: Vec<(usize, usize)> = self.pairs.measured().map(|pair| pair.cpus).collect();
        let mut doubtful = self.unlike_their_kind(&tree, &all);
        doubtful.extend(self.misfits(&tree));
        self.ordered(doubtful)
    }

    fn plan_some(&mut self) -> Vec<(usize, usize)> {
        if !self.is_started {
            self.is_started = true;
            let [cores, groups, packages] = &self.claimed;
            let most = self.most_measurements() / 3;
            self.wants = evidence::wants(cores, groups, packages, most, &mut self.rng);
            self.neighbourhood = evidence::neighbourhood(cores, groups, &mut self.rng);
            let wanted = evidence::ask(&mut self.wants, &self.pairs, &mut self.rng);
            return self.ordered([wanted, evidence::all_of(&self.neighbourhood)].concat());
        }
        let again = evidence::ask(&mut self.wants, &self.pairs, &mut self.rng);
        if !again.is_empty() {
            return self.ordered(again);
        }
        let tree = PartitionTree::from_pairs(&self.pairs);
        let mut asked: Vec<(usize, usize)> = self.wants.iter().filter_map(Want::last).collect();
        asked.extend(evidence::all_of(&self.neighbourhood));
        let mut doubtful = self.unlike_their_kind(&tree, &asked);
        doubtful.extend(self.misfits(&tree));
        if !doubtful.is_empty() {
            return self.ordered(doubtful);
        }
        self.judge_checks(&tree);
        let mut questions = std::mem::take(&mut self.follow_ups);
        questions.extend(repair::questions(&tree, &self.pairs, &self.claimed, &mut self.rng));
        let has_room = |&pair: &(usize, usize)| {
            self.pairs.get(pair).is_none_or(|pair| pair.measurements() < MEASUREMENTS)
        };
        let failed =
            |&pair: &(usize, usize)| self.pairs.is_tried(pair) && self.pairs.get(pair).is_none();
        questions.retain(|pair| has_room(pair) && !failed(pair));
        if !questions.is_empty() {
            return self.ordered(questions);
        }
        self.draw_checks()
    }

    fn ordered(&self, pairs: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        let mut seen = BTreeSet::new();
        let normal = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b)));
        let once = normal.filter(|&(a, b)| a != b && seen.insert((a, b))).collect();
        rounds::disjoint_first(once, self.pairs.cpus())
    }

    /// The claimed relation of two CPUs: from 0 on a core to 3 in different packages.
    fn claimed_relation(&self, cpus: (usize, usize)) -> usize {
        self.claimed.iter().position(|claimed| claimed.blocks.together(cpus)).unwrap_or(3)
    }

    /// Pairs with a rare class among those with the same claimed relation.
    fn unlike_their_kind(
        &self,
        tree: &PartitionTree,
        asked: &[(usize, usize)],
    ) -> Vec<(usize, usize)> {
        let mut kinds: BTreeMap<usize, BTreeMap<usize, Vec<&CpuPair>>> = BTreeMap::new();
        for pair in asked.iter().filter_map(|&cpus| self.pairs.get(cpus)) {
            let classes = kinds.entry(self.claimed_relation(pair.cpus)).or_default();
            classes.entry(tree.class(pair)).or_default().push(pair);
        }
        let rare = kinds.values().flat_map(|classes| {
            let all: usize = classes.values().map(Vec::len).sum();
            classes.values().filter(move |pairs| pairs.len() as f64 <= DOUBTFUL_SHARE * all as f64)
        });
        rare.flatten()
            .filter(|pair| pair.measurements() < MEASUREMENTS)
            .map(|pair| pair.cpus)
            .collect()
    }

    /// Pairs with another cost than the structure predicts, measured fewer than three times.
    fn misfits(&self, tree: &PartitionTree) -> Vec<(usize, usize)> {
        let doubtful = |pair: &&CpuPair| {
            pair.measurements() < MEASUREMENTS && tree.class(pair) != tree.relation(pair.cpus)
        };
        self.pairs.measured().filter(doubtful).map(|pair| pair.cpus).collect()
    }

    fn judge_checks(&mut self, tree: &PartitionTree) {
        for cpus in std::mem::take(&mut self.checks.open) {
            let Some(pair) = self.pairs.get(cpus) else { continue };
            self.checks.made.push(cpus);
            let (class, relation) = (tree.class(pair), tree.relation(cpus));
            if class == relation {
                self.checks.in_a_row += 1;
                continue;
            }
            self.checks.in_a_row = 0;
            self.checks.contradictions += 1;
            if self.checks.contradictions <= MAX_FOLLOWED {
                let more = repair::follow_up(tree, cpus, class.min(relation), &mut self.rng);
                self.follow_ups.extend(more);
            }
        }
    }

    fn draw_checks(&mut self) -> Vec<(usize, usize)> {
        let target = self.limits.checks;
        let left = target.saturating_sub(self.checks.in_a_row);
        let most = (target * MAX_CHECKS_PER_TARGET).saturating_sub(self.checks.made.len());
        let wanted = left.min(CHECKS_AT_ONCE).min(most);
        let cpus = self.pairs.cpus();
        let mut drawn = BTreeSet::new();
        for _ in 0..wanted * 20 {
            if drawn.len() == wanted {
                break;
            }
            let (a, b) = (self.rng.usize(..cpus), self.rng.usize(..cpus));
            if !self.pairs.is_tried((a, b)) {
                drawn.insert((a.min(b), a.max(b)));
            }
        }
        self.checks.open = drawn.into_iter().collect();
        rounds::disjoint_first(self.checks.open.clone(), cpus)
    }
}
