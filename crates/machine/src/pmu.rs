//! Local and remote memory accesses, counted by the PMU: a witness beside measured latency.
//!
//! - [`FillEvents`]: which two events a CPU has for fills from local and from remote memory.
//! - [`EventSource`] opens groups of events: [`LivePmu`] by perf_event_open(2), and in tests a
//!   scripted one.
//! - [`FillCounter`]: fills of the calling thread; [`NodeFills`]: fills of all CPUs by node.
//! - [`CycleCounter`]: cycles per instruction of running programs.
//! - [`L3Latency`]: how long L3 caches of Zen 4 and 5 wait for near and far memory.
//! - [`MemoryControllers`]: what each node's DRAM reads and writes, on Intel's servers.
//! - [`PmuRefusal`]: why events cannot be counted here.
//!
//! Events are counted, never sampled. Counts of a PMU that is shared with other programs are scaled
//! by the time that they were counted, and [`Fills`] has both times.

mod access;
mod bit_field;
mod cycles;
mod events;
mod fills;
mod l3_latency;
mod live;
mod memory_controllers;
mod node_fills;
mod refusal;
#[cfg(feature = "scripted")]
pub mod scripted;
mod source;
pub mod text;

pub use access::{node_fills, thread_fills};
pub use cycles::CycleCounter;
pub use events::FillEvents;
pub use fills::{FillCounter, Fills};
pub use l3_latency::{L3Latency, LatencySum, SampledLatency};
pub use live::LivePmu;
pub use memory_controllers::{DramTraffic, MemoryControllers};
pub use node_fills::NodeFills;
pub use refusal::PmuRefusal;
pub use source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};
