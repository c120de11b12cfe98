//! Why is a program slow? What the place of its memory costs, what may help, and whether it did.
//!
//! - [`AccessCosts`]: what memory of each node costs from the CPUs of each node, by a survey.
//! - [`explain`]: from a process's sampled pages and threads, how much longer an access takes than
//!   to the fastest memory, and how much more or less with each [`Cure`]. [`Obstacle`]s are what
//!   would keep pages from moving, known before anything moves.
//! - [`TrialPlan`], [`TrialRecord`]: a cure is tried: pages are moved there and back several times,
//!   in random order, while a [`Metric`] is read. [`TrialVerdict`] is the answer.
//!
//! The kernel does not record which thread uses which page, nor how often. So these figures are
//! [`TimeBounds`] over all ways of use, and cures have no order. Only a trial measures a gain.
//!
//! - [`dose_nodes`], [`ResponseDocument`]: what each added nanosecond of latency costs a program,
//!   by doses of far memory, and forecasts for other placements and machines.
//! - [`measure_objects`], [`ObjectsDocument`]: which part of its memory that is; and, by
//!   [`measure_threads`], which thread.
//!
//! Only [`observe`] reads processes; [`try_cure`], [`measure_response`] and [`measure_objects`]
//! move pages and read a metric. All else is pure: samples, figures and random seeds are arguments.
//! Nothing here prints.

mod balancing;
mod bounds;
mod document;
mod explained;
mod metric_reader;
mod objects;
mod objects_plan;
mod observing;
mod obstacles;
mod pause;
mod possible_cures;
mod response;
mod subjects;
#[cfg(test)]
mod tests;
pub mod text;
mod together;
mod trial;
mod trial_run;

use std::collections::BTreeMap;
use std::io;
use std::process::ExitStatus;

use fastrand::Rng;
use nearfar_machine::guard::GuardError;
use nearfar_machine::pmu::PmuRefusal;
use nearfar_machine::pmu::text::refusal;
use nearfar_machine::process::{NodeSummaries, NumaPolicy};
use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use nearfar_process::{NodeWeights, PageSample, ProcessError, usable_nodes};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use bounds::{AccessChange, AccessTime, TimeBounds};
pub use document::{
    ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict, SCHEMA, SurveyUsed,
    TrialDocument, TrialledProcess,
};
pub use explained::explain;
pub use objects::{
    MeasuredObject, OBJECTS_SCHEMA, ObjectPeriod, ObjectsDocument, ObjectsSettings, ObjectsStage,
    measure_objects, measure_threads, thread_nodes,
};
pub use objects_plan::ObjectsPlan;
pub use observing::observe;
pub use obstacles::obstacles;
pub use response::{
    DOSES, DoseNodes, DosePlacement, DoseUnit, DosedProcess, DroppedDose, FORECAST_SCHEMA,
    Forecast, ForecastDocument, ForecastMachine, ForecastPlacement, MachineLatencies, MovingCost,
    RESPONSE_SCHEMA, ResponseDocument, ResponsePeriod, ResponseSettings, dose_nodes,
    forecast_elsewhere, forecasts_here, measure_response,
};
pub use together::{MemoryTogether, memory_together};
pub use trial::{DroppedPeriod, TrialPeriod, TrialRecord, TrialVerdict};
pub use trial_run::{
    TrialEvent, TrialReport, TrialSettings, chosen_cure, trial_refusals, try_cure,
};

/// A difference below this fraction is none: 2 %.
pub const FLOOR: f64 = 0.02;

/// Where pages are during a period of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialPlacement {
    /// Where they were.
    AsItWas,
    /// Where the cure puts them.
    Cured,
}

/// Randomised complete blocks: each has both placements, in random order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialPlan {
    /// The placements of each block.
    pub blocks: Vec<[TrialPlacement; 2]>,
}

impl TrialPlan {
    /// As many blocks begin with one placement as with the other, or one more: a metric that grows
    /// or falls steadily then favours neither.
    pub fn new(blocks: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let first_cured = rng.bool();
        let mut orders: Vec<bool> = (0..blocks).map(|at| (at % 2 == 0) == first_cured).collect();
        rng.shuffle(&mut orders);
        let both = [TrialPlacement::Cured, TrialPlacement::AsItWas];
        let order = |cured_first: bool| if cured_first { both } else { [both[1], both[0]] };
        Self { blocks: orders.into_iter().map(order).collect() }
    }
}

/// How a metric is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetricKind {
    /// The number that a command prints.
    Command,
    /// A counter of the process in /proc, a second.
    Counter,
    /// Cycles per instruction, by the PMU.
    Cpi,
}

/// Which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Larger ones.
    MoreIsBetter,
    /// Smaller ones.
    LessIsBetter,
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Metric {
    /// The command, or the counter.
    pub name: String,
    /// How it is read.
    pub kind: MetricKind,
    /// Which values are better.
    pub direction: Direction,
    /// Whether its increase per second is the figure.
    pub is_counter: bool,
}

/// CPUs of a node that access memory of a node.
pub(crate) type NodePair = (NodeId, NodeId);

/// The latency of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairCost {
    pub(crate) ns: f64,
    /// The ends of its 95 % interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Latencies by (node of the CPUs, node of the memory).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessCosts(BTreeMap<NodePair, PairCost>);

impl AccessCosts {
    /// From medians in nanoseconds, each with its 95 % interval. Those that are not positive, or
    /// without an interval, are skipped.
    pub fn new(
        latencies: impl IntoIterator<Item = ((NodeId, NodeId), f64, Option<[f64; 2]>)>,
    ) -> Self {
        let sound = latencies.into_iter().filter_map(|(pair, ns, ci95)| {
            let [low, high] = ci95?;
            let is_sound = 0.0 < low && low <= ns && ns <= high && high.is_finite();
            is_sound.then_some((pair, PairCost { ns, low, high }))
        });
        Self(sound.collect())
    }

    pub(crate) fn get(&self, pair: NodePair) -> Option<PairCost> {
        self.0.get(&pair).copied()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all latencies from nodes with CPUs to nodes with memory are known: only then is it
    /// known that no placement is better.
    pub fn cover(&self, nodes: &NodeSummaries) -> bool {
        let with_cpus = nodes.nodes.iter().filter(|node| !node.cpus.is_empty());
        let memory = nodes.with_memory();
        with_cpus
            .map(|node| node.id)
            .all(|cpus| memory.iter().all(|to| self.get((cpus, to)).is_some()))
    }
}

/// A process, as it was observed.
#[derive(Clone, Debug, Default)]
pub struct ObservedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its memory.
    pub memory: Bytes,
    /// A sample of its pages.
    pub pages: PageSample,
    /// The CPU time of its threads by node; the sum is 1.
    pub weights: NodeWeights,
    /// Number of threads.
    pub threads: usize,
    /// CPUs that it kept busy while it was observed.
    pub busy_cpus: f64,
    /// Nodes that its cpuset allows for memory; `None` if unknown.
    pub allowed_nodes: Option<NodeSet>,
    /// Its first thread's memory policy: that of its new pages; `None` if unknown.
    pub policy: Option<NumaPolicy>,
    /// Locked memory.
    pub locked: Bytes,
    /// Pinned memory.
    pub pinned: Bytes,
    /// Whether it belongs to another user, whose processes this one may not move.
    pub is_of_other_user: bool,
}

impl ObservedProcess {
    /// The nodes that it can have memory on: those with memory, within its cpuset.
    pub(crate) fn usable_nodes(&self, nodes: &NodeSummaries) -> NodeSet {
        usable_nodes(nodes, self.allowed_nodes.as_ref())
    }
}

/// The machine around a process.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// CPUs and free memory of each node.
    pub nodes: &'a NodeSummaries,
    /// What memory costs, if a survey is kept.
    pub costs: Option<&'a AccessCosts>,
    /// Whether the kernel moves pages by itself; `None` if it cannot.
    pub balancing: Option<bool>,
}

/// An error with what to do about it.
#[derive(Debug, Error)]
pub enum ExplainError {
    /// The user interrupted it.
    #[error("interrupted: nothing was kept")]
    Interrupted,
    /// A process cannot be read, or its pages not be moved.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// There is nothing to try.
    #[error(
        "no cure moves pages, so there is nothing to try: 'nearfar explain' without --try has the \
         reasons; --to NODES tries others"
    )]
    NoMovingCure,
    /// All processes under trial have ended.
    #[error("the process ended during the trial: there is no result")]
    Ended,
    /// Pages are not where they were.
    #[error(
        "pages of process {pid} could not be put back: {error}; 'nearfar explain --undo' tries it \
         again"
    )]
    NotRestored {
        /// The process.
        pid: u32,
        /// Why not.
        error: ProcessError,
    },
    /// It may have memory on one node only.
    #[error(
        "process {pid} can have memory on one node only, so that none is far ('nearfar where' and \
         its cpuset have the reason)"
    )]
    OneUsableNode {
        /// The process.
        pid: u32,
    },
    /// No thread's node is known.
    #[error("no thread of process {pid} has a known node: nothing is near or far")]
    NoThreadNode {
        /// The process.
        pid: u32,
    },
    /// A node that the process may not use.
    #[error("process {pid} cannot have memory on node {node}: name another with --to")]
    NotUsable {
        /// The process.
        pid: u32,
        /// The node.
        node: NodeId,
    },
    /// Its threads are on several nodes, so that none is far from all.
    #[error(
        "no node is far from process {pid}: node {far} costs its threads as much as node {near}. \
         Bind them first ('nearfar move {pid} --cpus LIST')"
    )]
    NothingFar {
        /// The process.
        pid: u32,
        /// The nearest node.
        near: NodeId,
        /// The farthest node.
        far: NodeId,
    },
    /// The kernel moves none of its pages.
    #[error(
        "no page moves: other processes map them, or they are pinned. Name all processes that \
         share them"
    )]
    PagesStay,
    /// No thread can run there.
    #[error("node {node} has no CPUs: name another with --to")]
    NoCpus {
        /// The node.
        node: NodeId,
    },
    /// No thread can be far from memory.
    #[error("only one node here has CPUs: no thread can run farther from its memory")]
    OneNodeWithCpus,
    /// No CPUs are far from its memory.
    #[error(
        "the memory of process {pid} is as near from one node's CPUs as from the other's: no \
         thread is far from it ('nearfar where {pid}')"
    )]
    SameFromAll {
        /// The process.
        pid: u32,
    },
    /// No thread has anything to lose.
    #[error(
        "no thread that keeps 1 % of a CPU busy may run on both nodes: nothing can be measured \
         ('nearfar where' and its cpuset have where it may run)"
    )]
    NoBusyThread,
    /// Threads would wait for a CPU.
    #[error(
        "its threads keep {busy} CPUs busy, more than CPUs {cpus} are: they would wait for each \
         other, wherever their memory is"
    )]
    NoRoom {
        /// Busy CPUs.
        busy: usize,
        /// The CPUs of a node.
        cpus: CpuSet,
    },
    /// A thread of the experiment has ended.
    #[error(
        "{name} ended meanwhile: there is no result. Threads have to live longer than it takes"
    )]
    ThreadEnded {
        /// Its name.
        name: String,
    },
    /// Moving pages costs too much.
    #[error(
        "moving its pages would take more than {:.1} % of its time: give --period {period_s}s, or \
         a larger --max-cost",
        100.0 * max_cost
    )]
    MovingCosts {
        /// The limit.
        max_cost: f64,
        /// The period with which the limit holds.
        period_s: u64,
    },
    /// Too little time.
    #[error("--budget is less than three blocks take: give {least_s}s, or a shorter --period")]
    SmallBudget {
        /// What three blocks take.
        least_s: u64,
    },
    /// The kernel's balancing is on, and cannot be switched off.
    #[error(
        "the kernel moves pages by itself, which hides what a dose does: {0}. Root can switch it \
         off: 'sysctl -w kernel.numa_balancing=0'"
    )]
    Balancing(#[from] GuardError),
    /// The PMU does not count for this user.
    #[error(
        "cycles per instruction cannot be counted: {}. Give --metric CMD or --counter NAME",
        refusal(.0)
    )]
    Cycles(PmuRefusal),
    /// The shell of a metric's command cannot be started.
    #[error("cannot start --metric '{command}'")]
    MetricNotStarted {
        /// The command.
        command: String,
        /// Why not.
        source: io::Error,
    },
    /// A metric's command failed.
    #[error("--metric '{command}' failed ({status}): {why}")]
    MetricFailed {
        /// The command.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The first line that it printed on stderr.
        why: String,
    },
    /// A metric's command printed something else.
    #[error("--metric '{command}' has to print a number; it printed '{printed}'")]
    NoNumber {
        /// The command.
        command: String,
        /// The first line that it printed.
        printed: String,
    },
    /// No process has the counter.
    #[error("cannot read {name} of process {pid}: it has ended, or denies it")]
    NoCounter {
        /// The counter.
        name: String,
        /// The first process.
        pid: u32,
    },
}

/// An obstacle, known before anything moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Obstacle {
    /// It belongs to another user.
    OtherUser,
    /// It has locked memory (mlock): its owner wants no page faults, and moving causes some.
    LockedMemory {
        /// How much.
        #[schemars(with = "u64")]
        bytes: Bytes,
    },
    /// It has pinned memory (for DMA): the kernel does not move that.
    PinnedMemory {
        /// How much.
        #[schemars(with = "u64")]
        bytes: Bytes,
    },
    /// Its cpuset allows memory on these nodes only.
    Cpuset {
        /// The nodes.
        #[schemars(with = "String")]
        allowed: NodeSet,
    },
    /// A node has too little free memory.
    NoRoom {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
        /// Its free memory.
        #[schemars(with = "u64")]
        free: Bytes,
        /// What would move there.
        #[schemars(with = "u64")]
        needed: Bytes,
    },
    /// Pages move, and new ones are still allocated on nodes of its own policy, which no other
    /// process can change.
    Policy {
        /// The policy, as the kernel prints it.
        policy: String,
        /// Its nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
        /// Where the pages would move.
        #[schemars(with = "String")]
        wanted: NodeSet,
    },
    /// The kernel moves pages by itself (`kernel.numa_balancing`), which may undo what is moved.
    Balancing,
}

impl Obstacle {
    /// Whether a trial is refused for it.
    pub fn forbids_trial(&self) -> bool {
        match self {
            Self::OtherUser
            | Self::LockedMemory { .. }
            | Self::Cpuset { .. }
            | Self::NoRoom { .. } => true,
            Self::PinnedMemory { .. } | Self::Policy { .. } | Self::Balancing => false,
        }
    }
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CureKind {
    /// Move its pages to this node.
    MovePages {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
    /// Bind its threads to the CPUs of this node, where its pages are.
    MoveThreads {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
        /// Its CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
    },
    /// Interleave its pages over the nodes of its threads.
    Interleave {
        /// The nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
    },
    /// Let the kernel move pages to the threads that use them (`kernel.numa_balancing`).
    Balancing,
}

/// A change of placement, with the bounds of what it does to an access's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Cure {
    /// What to change.
    #[serde(flatten)]
    pub kind: CureKind,
    /// How much more time an access takes, over all ways in which its threads may use its pages.
    /// Null where latencies are not known, and for what the kernel decides.
    pub change: Option<TimeBounds>,
}

impl Cure {
    /// Whether each access is faster, by 2 % or more, whichever pages are used.
    pub fn is_always_faster(&self) -> bool {
        self.change.is_some_and(|change| change.most.change <= -FLOOR)
    }
}

impl CureKind {
    /// The nodes that pages go to.
    pub fn page_nodes(&self) -> Option<NodeSet> {
        match self {
            Self::MovePages { node } => Some(NodeSet::from_id(*node)),
            Self::Interleave { nodes } => Some(nodes.clone()),
            Self::MoveThreads { .. } | Self::Balancing => None,
        }
    }
}
