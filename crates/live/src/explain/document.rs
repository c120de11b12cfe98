//! The document `nearfar.explain/2`.

use nearfar_model::{Bytes, NodeId};
use serde::{Deserialize, Serialize};

use crate::Interval;
use crate::explain::Metric;
use crate::explain::Obstacle;
use crate::explain::bounds::{AccessTime, TimeBounds};
use crate::explain::together::MemoryTogether;
use crate::explain::trial::{TrialPeriod, TrialVerdict};
use crate::explain::{Cure, CureKind};

/// The document's name. Parts may be added, never changed, within a number.
pub const SCHEMA: &str = "nearfar.explain/2";

/// Processes, what the place of their memory costs, what may help, and whether it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExplainDocument {
    /// `nearfar.explain/2`.
    pub schema: String,
    /// The survey whose latencies are used. Null where this machine has none.
    pub survey: Option<SurveyUsed>,
    /// The memory of all these processes, each page once. Null of one.
    pub together: Option<MemoryTogether>,
    /// The processes, those whose memory may cost the most first.
    pub processes: Vec<ExplainedProcess>,
    /// Processes that could not be read, a sentence each.
    pub unreadable: Vec<String>,
    /// The trial of a cure. Null where none was asked for.
    pub trial: Option<TrialDocument>,
}

/// A survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SurveyUsed {
    /// Its file.
    pub file: String,
    /// When it was started.
    pub started: String,
}

/// A share on a node: of pages, or of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeShare {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// From 0 to 1.
    pub share: f64,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExplainedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its memory.
    #[schemars(with = "u64")]
    pub memory_bytes: Bytes,
    /// Where its pages are, by a sample.
    pub pages_by_node: Vec<NodeShare>,
    /// Pages that were located.
    pub pages_located: u64,
    /// Whether these are all of its pages.
    pub all_pages_located: bool,
    /// Number of threads.
    pub threads: usize,
    /// Where its threads run, by CPU time.
    pub threads_by_node: Vec<NodeShare>,
    /// The share of its memory that is remote to its threads, weighted by their CPU time. It is no
    /// share of accesses: the kernel does not record which thread uses which page.
    pub remote_share: Option<Interval>,
    /// The fastest access of a thread to a located page. Null without latencies.
    pub fastest_access: Option<AccessTime>,
    /// The slowest one.
    pub slowest_access: Option<AccessTime>,
    /// How much more time an access takes than one to the fastest memory that the process may use,
    /// over all ways in which its threads may use the located pages.
    pub remote_cost: Option<TimeBounds>,
    /// Whether something is to be gained.
    pub verdict: ProcessVerdict,
    /// What may help, in an order without merit: by kind, then by node. Only a trial measures it.
    pub cures: Vec<Cure>,
    /// What would keep its pages from moving.
    pub obstacles: Vec<Obstacle>,
}

/// Whether something is to be gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessVerdict {
    /// A cure makes each access faster, by 2 % or more, whichever pages are used.
    Misplaced,
    /// A cure makes some accesses faster. Whether the process gains depends on which pages it
    /// uses.
    DependsOnUse,
    /// No placement is faster by 2 %, whichever of the located pages are used.
    NothingToGain,
    /// The machine has one node with memory.
    OneNode,
    /// The intervals of latencies are too wide.
    Undetermined,
    /// Memory is remote; what that costs is not known without a survey of this machine.
    CostUnknown,
    /// No page is in memory.
    NoPages,
    /// No thread's node is known.
    NodesUnknown,
}

/// A cure that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TrialDocument {
    /// What was tried.
    pub cure: CureKind,
    /// The only object that moved. Absent: all memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// What was read.
    pub metric: Metric,
    /// Seconds of each period.
    pub period_s: f64,
    /// Its periods, in the order of time.
    pub periods: Vec<TrialPeriod>,
    /// By how much the metric is larger with the cure, as a fraction.
    pub change: Option<Interval>,
    /// Whether it paid.
    pub verdict: TrialVerdict,
    /// Each process, and whether its pages are where they were.
    pub processes: Vec<TrialledProcess>,
}

/// A process whose pages were moved and put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TrialledProcess {
    /// Its number.
    pub pid: u32,
    /// Memory that the cure moved.
    #[schemars(with = "u64")]
    pub moved_bytes: Bytes,
    /// Memory that the cure did not move.
    #[schemars(with = "u64")]
    pub unmoved_bytes: Bytes,
    /// Memory that is where it was, after the trial.
    #[schemars(with = "u64")]
    pub restored_bytes: Bytes,
    /// Memory that is not.
    #[schemars(with = "u64")]
    pub unrestored_bytes: Bytes,
    /// Whether it ended meanwhile.
    pub has_ended: bool,
}
