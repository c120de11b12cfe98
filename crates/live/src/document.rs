//! `nearfar top --json`: the document `nearfar.top/1`, a line each tick.
//!
//! Parts may be added within a schema number; none is renamed or changes its type.

use nearfar_machine::pmu::PmuRefusal;
use nearfar_model::{Bytes, CpuSet, NodeId};
use serde::{Deserialize, Serialize};

/// The document's name and number.
pub const SCHEMA: &str = "nearfar.top/1";

/// A machine during one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
}

/// Page migrations and waiting, of the whole machine. Null: this kernel does not count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineRates {
    /// Migrated for any reason (`pgmigrate_success`), bytes a second.
    pub migrated_bytes_per_s: Option<f64>,
    /// Migrated by automatic NUMA balancing (`numa_pages_migrated`), bytes a second.
    pub balanced_bytes_per_s: Option<f64>,
    /// NUMA hinting faults a second (`numa_hint_faults`).
    pub hint_faults_per_s: Option<f64>,
    /// Share of hinting faults whose page was local. Null also without faults.
    pub hint_faults_local_share: Option<f64>,
    /// Promoted from slow memory (`pgpromote_success`), bytes a second.
    pub promoted_bytes_per_s: Option<f64>,
    /// Demoted to slow memory (`pgdemote_*`), bytes a second.
    pub demoted_bytes_per_s: Option<f64>,
    /// Share of the last 10 s in which at least one task waited for memory (PSI, `some`).
    pub memory_wait_some: Option<f64>,
    /// Share of the last 10 s in which all tasks waited for memory (PSI, `full`).
    pub memory_wait_full: Option<f64>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeRow {
    /// The node.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub node: NodeId,
    /// Its CPUs; empty for nodes of memory only.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cpus: CpuSet,
    /// All memory (`MemTotal`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub total_bytes: Option<Bytes>,
    /// Used memory (`MemUsed`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub used_bytes: Option<Bytes>,
    /// Free memory (`MemFree`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub free_bytes: Option<Bytes>,
    /// Page cache (`FilePages`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub file_bytes: Option<Bytes>,
    /// Anonymous memory (`AnonPages`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub anonymous_bytes: Option<Bytes>,
    /// Transparent huge pages (`AnonHugePages`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub transparent_huge_bytes: Option<Bytes>,
    /// Pools of huge pages of all sizes.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub huge_total_bytes: Bytes,
    /// What is free in them.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub huge_free_bytes: Bytes,
    /// Pages allocated on this node as intended, a second (`numa_hit`).
    pub hit_pages_per_s: Option<f64>,
    /// Pages allocated here although intended for another node, a second (`numa_miss`).
    pub miss_pages_per_s: Option<f64>,
    /// Pages intended for this node and allocated on another, a second (`numa_foreign`).
    pub foreign_pages_per_s: Option<f64>,
    /// Traffic of this node's CPUs to memory of the node (resctrl), bytes a second. Null where
    /// resctrl is not mounted or does not count it.
    pub local_bytes_per_s: Option<f64>,
    /// Traffic of this node's CPUs to all memory (resctrl), bytes a second.
    pub traffic_bytes_per_s: Option<f64>,
    /// What DRAM of this node reads, as its memory controllers count it, bytes a second: for CPUs
    /// of all nodes and for devices. Null where the kernel does not describe such events.
    pub dram_read_bytes_per_s: Option<f64>,
    /// What DRAM of this node writes, bytes a second.
    pub dram_written_bytes_per_s: Option<f64>,
    /// Cache lines that this node's CPUs fetched from memory of the node, a second: as far as the
    /// events in `pmu` count them. Null where they are not counted.
    pub local_fills_per_s: Option<f64>,
    /// Cache lines that this node's CPUs fetched from memory of other nodes, a second.
    pub remote_fills_per_s: Option<f64>,
    /// Average latency of memory of this node to the L3 caches of its CPUs, in nanoseconds. Null
    /// without requests, and where the PMU does not sample it (AMD Zen 4 and 5 do).
    pub near_memory_ns: Option<f64>,
    /// Average latency of memory of other nodes to these caches, in nanoseconds.
    pub far_memory_ns: Option<f64>,
}

/// The PMU that counts fills, and those of memory controllers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PmuState {
    /// perf's name of the events of local and remote fills. Null where none can be counted.
    pub events: Option<String>,
    /// Why no fills are counted.
    pub refusal: Option<PmuRefusal>,
    /// Why memory controllers are not counted. Null also where the kernel describes none.
    pub dram_refusal: Option<PmuRefusal>,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessRow {
    /// Its number.
    pub pid: u32,
    /// Its short name.
    pub name: String,
    /// CPUs that it uses: 1.5 is one and a half. Null at the first reading.
    pub cpus: Option<f64>,
    /// Resident memory, with pages of pools of huge pages.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub memory_bytes: Bytes,
    /// Memory on each node, from a sample of pages. Empty before the first sample.
    pub by_node: Vec<NodeBytes>,
    /// Number of threads.
    pub threads: Option<u32>,
    /// Threads by the node that they last ran on. Empty before the first sample.
    pub threads_by_node: Vec<NodeThreads>,
    /// The share of its memory that is remote to its threads, weighted by their CPU time.
    pub remote_share: Option<Interval>,
    /// By how much remote memory makes an access slower, as a fraction, if its threads use all
    /// pages equally: 0.3 is 30 %. Null without a survey.
    pub remote_cost: Option<Interval>,
    /// Memory that moves from one node to another. Null where none is detected.
    pub moving: Option<MovingMemory>,
    /// Pages in the sample.
    pub sampled_pages: u64,
    /// Age of the sample in seconds.
    pub sample_age_s: Option<f64>,
    /// Why there is no `remote_share`.
    pub why: Option<ProcessWhy>,
}

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval; both ends are the figure where all pages were located.
    pub ci95: [f64; 2],
}

/// Memory on a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeBytes {
    /// The node.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub node: NodeId,
    /// Bytes there.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub bytes: Bytes,
}

/// Threads on a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeThreads {
    /// The node.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub node: NodeId,
    /// Threads there; of processes with more than 256 threads an estimate.
    pub threads: u64,
}

/// Memory that moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MovingMemory {
    /// The node it leaves.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub from: NodeId,
    /// The node it comes to.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub to: NodeId,
    /// Bytes a second, between the last two samples.
    pub bytes_per_s: f64,
}

/// Why a process has no remote share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProcessWhy {
    /// It has not been sampled yet: it is off the screen, or new.
    NotSampled,
    /// Its pages are not readable: it belongs to another user, or a sandbox denies move_pages(2).
    Denied,
    /// No sampled page is in memory.
    NoPages,
    /// The nodes of its threads are unknown.
    NodesUnknown,
}

/// One control group with its child groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupRow {
    /// Its name below the mount point.
    pub name: String,
    /// CPUs that it uses. Null in version 1, and at the first reading.
    pub cpus: Option<f64>,
    /// All its memory.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub memory_bytes: Bytes,
    /// Anonymous memory.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub anonymous_bytes: Bytes,
    /// Memory of files.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub file_bytes: Bytes,
    /// Memory on each node.
    pub by_node: Vec<NodeBytes>,
    /// Number of tasks; null without the controller `pids`.
    pub tasks: Option<u64>,
    /// The share of its memory that is not on the node of its CPUs.
    pub remote_share: Option<f64>,
    /// Memory that moves from one node to another.
    pub moving: Option<MovingMemory>,
    /// Share of the last 10 s in which at least one of its tasks waited for memory (PSI, `some`).
    pub memory_wait_some: Option<f64>,
    /// Why there is no `remote_share`.
    pub why: Option<GroupWhy>,
}

/// Why a control group has no remote share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GroupWhy {
    /// Its CPUs are on several nodes: which of them use the memory is unknown.
    SeveralNodes,
    /// The kernel does not report its CPUs.
    CpusUnknown,
    /// It has no memory.
    NoMemory,
}

/// Numbers of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyBasis {
    /// When it was made, RFC 3339.
    pub started: String,
    /// The largest ratio of remote to local latency in it.
    pub remote_ratio: f64,
}
