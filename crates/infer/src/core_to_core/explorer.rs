//! Which pairs of CPUs to measure, so that few of them tell what all would.
//!
//! Half a million pairs of a machine of 1,024 CPUs would take hours; what the machine claims saves
//! most of them, if it is checked. In stages:
//!
//! 1. *Evidence*: a leader of each claimed cache group against the leaders of the others; every CPU
//!    against its own group's leader and its claimed sibling; and one neighbourhood of some CPUs in
//!    full, which shows what nobody claimed.
//! 2. *Doubt*: pairs that cost otherwise than most of their kind are measured again, twice; the
//!    lower median counts.
//! 3. *Repair*: CPUs in blocks that no claim knows are asked against the other blocks around them,
//!    until their place is known.
//! 4. *Checks*: pairs drawn at random must cost what the structure predicts. When 300 in a row do,
//!    fewer than 1 % of all pairs are wrong (95 %). One that does not, measured three times, sends
//!    its CPUs back to repair, and counting starts anew.
//!
//! Small machines are measured whole.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::claim::{ClaimedPartition, GroupKind, TopologyClaim};
use super::cpu_structure::{self, Checks, CpuStructure};
use super::evidence::{self, Want};
use super::groups::MAX_CPUS;
use super::pairs::{HandoffCost, MEASUREMENTS, Pair, Pairs};
use super::repair;
use super::rounds;
use super::tree::Tree;

/// Up to so many CPUs have so few pairs that each is measured as often as a doubtful one, or more.
const FEW_CPUS: usize = 8;
const MEASUREMENTS_OF_FEW: usize = 5;
/// Of pairs of one kind, at most this share may cost otherwise before it is the claim that is
/// doubted, not the pairs.
const DOUBTFUL_SHARE: f64 = 0.25;
/// Checks that are asked for at once.
const CHECKS_AT_ONCE: usize = 100;
/// A contradiction that repair does not mend is not followed for ever, nor are checks.
const MOST_FOLLOWED: usize = 20;
const MOST_CHECKS_PER_TARGET: usize = 4;

/// How far an explorer may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplorerLimits {
    /// The share of all pairs that may be measured.
    pub share_of_pairs: f64,
    /// So many pairs may be measured even if they are more than that share; machines with no more
    /// are measured whole.
    pub free_pairs: usize,
    /// Random checks in a row that must contradict nothing.
    pub checks: usize,
    /// Measure every pair.
    pub all_pairs: bool,
}

impl Default for ExplorerLimits {
    fn default() -> Self {
        Self { share_of_pairs: 0.03, free_pairs: 2_500, checks: 300, all_pairs: false }
    }
}

/// What measuring a pair gave.
#[derive(Clone, Debug, PartialEq)]
pub enum PairResult {
    /// A cost.
    HandoffCost(HandoffCost),
    /// No cost, and why: one core that a hypervisor lends to both, a CPU that went offline.
    NotMeasurable(String),
}

/// Decides which pairs to measure next, and at the end what they say. It measures nothing itself.
///
/// ```
/// use nearfar_infer::core_to_core::{Answer, Claim, Cost, Explorer, Limits};
///
/// let mut explorer = Explorer::new(Claim::unknown(4), Limits::default(), 1);
/// loop {
///     let batch = explorer.next_pairs();
///     if batch.is_empty() {
///         break;
///     }
///     for (a, b) in batch {
///         let median_ns = if a / 2 == b / 2 { 25.0 } else { 110.0 };
///         explorer.tell((a, b), Answer::Cost(Cost { median_ns, relative_se: 0.01 }));
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
    pairs: Pairs,
    outstanding: Vec<(usize, usize)>,
    unanswered: BTreeSet<(usize, usize)>,
    matrix: usize,
    wants: Vec<Want>,
    neighbourhood: Vec<usize>,
    checks: Checks,
    follow_ups: Vec<(usize, usize)>,
    is_started: bool,
    is_over_limit: bool,
}

impl Explorer {
    /// Starts from what is claimed of the CPUs, one entry for each. The same claim, seed and
    /// answers give the same questions.
    pub fn new(mut claim: TopologyClaim, limits: ExplorerLimits, seed: u64) -> Self {
        claim.cpus.truncate(MAX_CPUS);
        let pairs = Pairs::new(claim.cpus.len());
        let claimed = GroupKind::ALL.map(|kind| claim.partition(kind));
        Self {
            claim,
            claimed,
            limits,
            rng: Rng::with_seed(seed),
            pairs,
            outstanding: Vec::new(),
            unanswered: BTreeSet::new(),
            matrix: 0,
            wants: Vec::new(),
            neighbourhood: Vec::new(),
            checks: Checks::default(),
            follow_ups: Vec::new(),
            is_started: false,
            is_over_limit: false,
        }
    }

    /// The pairs to measure now, in any order; disjoint ones stand next to each other. None when
    /// all is known that will be.
    ///
    /// Pairs that were asked for and not answered are asked for again. A pair may come back later,
    /// to be measured once more.
    pub fn next_pairs(&mut self) -> Vec<(usize, usize)> {
        if self.unanswered.is_empty() {
            let mut planned = self.plan();
            planned.truncate(self.room());
            self.outstanding = planned;
            self.unanswered = self.outstanding.iter().copied().collect();
        }
        self.outstanding.iter().copied().filter(|pair| self.unanswered.contains(pair)).collect()
    }

    /// Takes the answer for one pair. Answers that were not asked for are taken, too.
    pub fn tell(&mut self, (a, b): (usize, usize), answer: PairResult) {
        let cpus = (a.min(b), a.max(b));
        self.unanswered.remove(&cpus);
        self.matrix += 1;
        match answer {
            PairResult::HandoffCost(cost) => self.pairs.add(cpus, cost),
            PairResult::NotMeasurable(reason) => self.pairs.fail(cpus, &reason),
        }
    }

    /// Measurements that were made, and the most that there may be.
    pub fn progress(&self) -> (usize, usize) {
        (self.matrix, self.most_measurements())
    }

    /// What is known by now.
    pub fn finish(&self) -> CpuStructure {
        let limit = self.is_over_limit.then(|| self.most_measurements());
        let checks_wanted = (!self.is_small()).then_some(self.limits.checks);
        cpu_structure::of(&self.pairs, &self.claim, &self.checks, checks_wanted, limit)
    }

    /// Whether every pair is measured.
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
        self.most_measurements().saturating_sub(self.matrix)
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
                .filter(|pair| pair.matrix() < MEASUREMENTS_OF_FEW)
                .map(|pair| pair.cpus);
            return rounds::disjoint_first(few.collect(), self.pairs.cpus());
        }
        let tree = Tree::of(&self.pairs);
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
        let tree = Tree::of(&self.pairs);
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
            self.pairs.get(pair).is_none_or(|pair| pair.matrix() < MEASUREMENTS)
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

    /// How near the claim says two CPUs are: 0 on a core to 3 in different packages.
    fn claimed_relation(&self, cpus: (usize, usize)) -> usize {
        self.claimed.iter().position(|claimed| claimed.blocks.together(cpus)).unwrap_or(3)
    }

    /// Pairs of a class that few of those have which the claim puts equally far apart.
    fn unlike_their_kind(&self, tree: &Tree, asked: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let mut kinds: BTreeMap<usize, BTreeMap<usize, Vec<&Pair>>> = BTreeMap::new();
        for pair in asked.iter().filter_map(|&cpus| self.pairs.get(cpus)) {
            let classes = kinds.entry(self.claimed_relation(pair.cpus)).or_default();
            classes.entry(tree.class(pair)).or_default().push(pair);
        }
        let rare = kinds.values().flat_map(|classes| {
            let all: usize = classes.values().map(Vec::len).sum();
            classes
                .values()
                .filter(move |of_class| of_class.len() as f64 <= DOUBTFUL_SHARE * all as f64)
        });
        rare.flatten().filter(|pair| pair.matrix() < MEASUREMENTS).map(|pair| pair.cpus).collect()
    }

    /// Pairs that cost otherwise than the structure says, measured fewer than three times.
    fn misfits(&self, tree: &Tree) -> Vec<(usize, usize)> {
        let doubtful = |pair: &&Pair| {
            pair.matrix() < MEASUREMENTS && tree.class(pair) != tree.relation(pair.cpus)
        };
        self.pairs.measured().filter(doubtful).map(|pair| pair.cpus).collect()
    }

    fn judge_checks(&mut self, tree: &Tree) {
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
            if self.checks.contradictions <= MOST_FOLLOWED {
                let more = repair::follow_up(tree, cpus, class.min(relation), &mut self.rng);
                self.follow_ups.extend(more);
            }
        }
    }

    fn draw_checks(&mut self) -> Vec<(usize, usize)> {
        let target = self.limits.checks;
        let left = target.saturating_sub(self.checks.in_a_row);
        let most = (target * MOST_CHECKS_PER_TARGET).saturating_sub(self.checks.made.len());
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
