//! One sentence against the truth: its figures, its intervals and its placements.

use nearfar_model::NodeSet;

use super::Slack;
use super::command::{RunCommand, only};
use super::memory::{AS_GOOD, MemoryTruth, SET_AS_GOOD};

/// What is left of rounding in the ends of an interval (0.1 %).
const ROUNDING: f64 = 1.001;
/// Costs are printed in whole nanoseconds.
const ROUNDED_NS: f64 = 0.5;

/// What became of a sentence.
#[derive(Clone, Debug)]
pub(super) struct Judgement<'t> {
    truth: &'t MemoryTruth,
    slack: Slack,
    /// What does not hold.
    pub(super) wrong: Vec<String>,
    /// 95 % intervals: how many hold the truth, and their number.
    pub(super) intervals: [usize; 2],
}

impl<'t> Judgement<'t> {
    pub(super) fn new(truth: &'t MemoryTruth, slack: Slack) -> Self {
        Self { truth, slack, wrong: Vec::new(), intervals: [0; 2] }
    }

    /// Something that has to hold.
    pub(super) fn require(&mut self, holds: bool, wrong: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(wrong());
        }
    }

    /// A cost in ns.
    pub(super) fn ns(&mut self, stated: f64, truth: Option<f64>) {
        let Some(truth) = truth else {
            self.wrong.push(format!("{stated} ns are those of no memory"));
            return;
        };
        let holds = (stated - truth).abs() <= ROUNDED_NS + self.slack.ns * truth;
        self.require(holds, || format!("{stated} ns are stated, {truth:.0} are true"));
    }

    /// A cost that is printed not to be undercut.
    pub(super) fn at_least_ns(&mut self, stated: f64, truth: Option<f64>) {
        let truth = truth.unwrap_or(f64::INFINITY);
        let holds = truth >= (1.0 - self.slack.ns) * stated - ROUNDED_NS;
        self.require(holds, || format!("{stated} ns or more are stated, {truth:.0} are true"));
    }

    /// A ratio of two costs, with its interval where there is one.
    pub(super) fn ratio(&mut self, stated: f64, ci95: Option<[f64; 2]>, truth: Option<f64>) {
        let Some(truth) = truth else {
            self.wrong.push(format!("{stated:.3} times is the ratio of no two costs"));
            return;
        };
        let is_near = (stated / truth - 1.0).abs() <= self.slack.ratio;
        let in_interval = ci95.is_some_and(|ci95| self.interval(ci95, truth));
        self.require(is_near || in_interval, || {
            format!("{stated:.3} times is stated, {truth:.3} is true")
        });
    }

    /// Whether an interval holds the truth: counted, since one in twenty need not.
    pub(super) fn interval(&mut self, [low, high]: [f64; 2], truth: f64) -> bool {
        let holds = low / ROUNDING <= truth && truth <= high * ROUNDING;
        self.intervals = [self.intervals[0] + usize::from(holds), self.intervals[1] + 1];
        holds
    }

    /// A ratio that is printed not to be exceeded: one end of an interval.
    pub(super) fn at_most(&mut self, stated: f64, truth: f64) {
        self.interval([0.0, stated], truth);
        let holds = truth <= stated * (1.0 + self.slack.ratio);
        self.require(holds, || format!("at most {stated:.3} times is stated, {truth:.3} is true"));
    }

    /// CPUs of one node with memory of one: the cheapest for them.
    pub(super) fn nearest(&mut self, [cpus, memory]: [u32; 2]) {
        let (cost, least) = (self.truth.cost(cpus, memory), self.truth.least(cpus, None));
        self.require(cost.is_some_and(|cost| cost <= AS_GOOD * least), || {
            format!(
                "memory of node {memory} costs the CPUs of node {cpus} {:.0} ns, another's \
                 {least:.0}",
                cost.unwrap_or(f64::NAN)
            )
        });
    }

    /// The cheapest placement of the machine.
    pub(super) fn cheapest(&mut self, [cpus, memory]: [u32; 2]) {
        self.nearest([cpus, memory]);
        let (cost, least) = (self.truth.cost(cpus, memory), self.truth.least_of_all());
        self.require(cost.is_some_and(|cost| cost <= AS_GOOD * least), || {
            format!(
                "CPUs of node {cpus} with memory of node {memory}: {:.0} ns, the best placement \
                 has {least:.0}",
                cost.unwrap_or(f64::NAN)
            )
        });
    }

    /// Own memory, and another node's when it is full (-N a -m a,b): both in the order of costs.
    pub(super) fn overflow(&mut self, run: &RunCommand, into: u32) {
        let Some([cpus, second]) = self.own_and_second(run, into) else { return };
        let (cost, least) = (self.truth.cost(cpus, second), self.truth.least(cpus, Some(cpus)));
        self.require(cost.is_some_and(|cost| cost <= AS_GOOD * least), || {
            format!(
                "memory beside their own costs the CPUs of node {cpus} {least:.0} ns, that of node \
                 {second} {:.0}",
                cost.unwrap_or(f64::NAN)
            )
        });
    }

    /// The same into memory without CPUs: from the nearest CPUs, and slower than their own.
    pub(super) fn overflow_without_cpus(&mut self, run: &RunCommand, into: u32) {
        let Some([cpus, second]) = self.own_and_second(run, into) else { return };
        let (cost, nearest) = (self.truth.cost(cpus, second), self.truth.nearest_cpus(second));
        self.require(cost.is_some_and(|cost| cost <= AS_GOOD * nearest), || {
            format!("node {cpus} has not the nearest CPUs to the memory of node {second}")
        });
        self.require(cost > self.truth.cost(cpus, cpus), || {
            format!("memory of node {second} is nearer to node {cpus} than its own")
        });
    }

    fn own_and_second(&mut self, run: &RunCommand, into: u32) -> Option<[u32; 2]> {
        let own = run.cpus.as_ref().and_then(only);
        let Some((cpus, memory)) = own.zip(run.memory.as_ref()) else {
            self.wrong.push("the command is no overflow from one node".to_owned());
            return None;
        };
        let expected: NodeSet = [cpus, into].map(nearfar_model::NodeId).into_iter().collect();
        self.require(*memory == expected, || format!("the command's memory is not {expected}"));
        self.require(self.truth.own_is_nearest(cpus), || {
            format!("the own memory of node {cpus} is not its nearest")
        });
        (*memory == expected).then_some([cpus, into])
    }

    /// CPUs and memory of several nodes (-N S -m S): no exchange of one node is better.
    pub(super) fn set(&mut self, set: &NodeSet) {
        let within = self.truth.within(set);
        let exchanged = self.truth.exchanged(set).unwrap_or(f64::INFINITY);
        self.require(within.is_some_and(|mean| mean <= SET_AS_GOOD * exchanged), || {
            format!(
                "memory of nodes {set} costs their CPUs {:.0} ns on average, with one exchanged \
                 {exchanged:.0}",
                within.unwrap_or(f64::NAN)
            )
        });
    }

    /// Memory of all CPUs, interleaved: no CPUs are as far from it as some are from each single
    /// node, and it costs no more on average.
    pub(super) fn interleaved(&mut self, set: &NodeSet) {
        let singles = self.truth.on_one_node();
        let of = |least: fn(f64, f64) -> f64, cost: fn(&super::memory::SharedCost) -> f64| {
            singles.iter().map(|(_, shared)| cost(shared)).fold(f64::INFINITY, least)
        };
        let (mean, most) = (of(f64::min, |cost| cost.mean), of(f64::min, |cost| cost.most));
        let cost = self.truth.shared(set);
        self.require(cost.is_some_and(|cost| cost.most < most), || {
            format!("interleaved over {set}, some CPUs need as much as on one node: {most:.0} ns")
        });
        self.require(cost.is_some_and(|cost| cost.mean <= AS_GOOD * mean), || {
            format!("one node costs all CPUs less on average than {set}: {mean:.0} ns")
        });
    }

    /// Memory of all CPUs on one node: it wins on average and for the farthest CPUs.
    pub(super) fn one_for_all(&mut self, memory: u32) {
        let singles = self.truth.on_one_node();
        let Some((_, cost)) = singles.iter().find(|(node, _)| *node == memory).copied() else {
            self.wrong.push(format!("node {memory} has no memory"));
            return;
        };
        let sets = self.truth.interleavings();
        let spread = sets.iter().filter_map(|set| self.truth.shared(set));
        let others = singles.iter().map(|(_, cost)| *cost).chain(spread);
        let best = others.fold([f64::INFINITY; 2], |[mean, most], other| {
            [mean.min(other.mean), most.min(other.most)]
        });
        self.require(cost.mean <= AS_GOOD * best[0], || {
            format!(
                "memory of node {memory} costs all CPUs {:.0} ns, another {:.0}",
                cost.mean, best[0]
            )
        });
        self.require(cost.most <= AS_GOOD * best[1], || {
            format!(
                "memory of node {memory} costs some {:.0} ns, another {:.0}",
                cost.most, best[1]
            )
        });
    }
}
