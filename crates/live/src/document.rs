//! `nearfar top --json`: the document `nearfar.top/1`, a line each tick.
//!
//! Parts may be added within a schema number; none is renamed or changes its type.

use nearfar_machine::pmu::PmuRefusal;
use nearfar_process::NodeFigures;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

pub use crate::columns::groups::{GroupRow, GroupWhy};
pub use crate::columns::machine::MachineRates;
pub use crate::columns::nodes::NodeRow;
pub use crate::columns::processes::{ProcessIdentity, ProcessRow, ProcessWhy};
pub use crate::columns::value::{Interval, MovingMemory, NodeBytes, NodeThreads};

/// The document's name and number.
pub const SCHEMA: &str = "nearfar.top/1";

/// A machine during one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Tick {
    /// `nearfar.top/1`.
    pub schema: String,
    /// The end of the interval, RFC 3339.
    pub time: String,
    /// Length of the interval over which rates are counted, in seconds. 0: nothing is counted yet.
    pub interval_s: f64,
    /// What the kernel does with pages of the whole machine.
    pub machine: MachineRates,
    /// The nodes, ascending.
    pub nodes: Vec<NodeRow>,
    /// Processes, in the requested order: not all of them, see `counts`.
    pub processes: Vec<ProcessRow>,
    /// Control groups, in the requested order. Null without `--cgroups`.
    pub cgroups: Option<Vec<GroupRow>>,
    /// How many processes there are.
    pub counts: ProcessCounts,
    /// The PMU behind fills and DRAM. Null with one node.
    pub pmu: Option<PmuState>,
    /// The survey that costs are derived from. Null without a survey of this machine.
    pub survey: Option<SurveyBasis>,
    /// Memory use and allocations of each node since boot, with the kernel's names. Only with
    /// `--once`.
    #[serde(default, deserialize_with = "not_read", skip_serializing_if = "Option::is_none")]
    pub counters: Option<Vec<NodeFigures>>,
}

/// A recording has none, and nothing reads them.
fn not_read<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Option<T>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| None)
}

/// The PMU that counts fills, and those of memory controllers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PmuState {
    /// perf's name of the events of local and remote fills. Null where none can be counted.
    pub events: Option<String>,
    /// Why no fills are counted.
    pub refusal: Option<PmuRefusal>,
    /// Why memory controllers are not counted. Null also where the kernel describes none.
    pub dram_refusal: Option<PmuRefusal>,
}

/// Numbers of processes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct ProcessCounts {
    /// Processes with memory that may be sampled and pass the filter.
    pub matching: usize,
    /// Processes with memory that may be sampled.
    pub readable: usize,
    /// Processes of other users, which only root may sample. They are not shown. Null where
    /// `/proc` may hide processes of this PID namespace (hidepid).
    pub of_others: Option<usize>,
}

/// The survey behind costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SurveyBasis {
    /// When it was made, RFC 3339.
    pub started: String,
    /// The largest ratio of remote to local latency in it.
    pub remote_ratio: f64,
}
