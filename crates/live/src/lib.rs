//! Memory of nodes, processes and control groups over time: what `nearfar top` shows.
//!
//! - A [`Tick`] is the document `nearfar.top/1`: one second of a machine. [`Recording`] writes and
//!   reads files of them.
//! - [`ProcessTable`], [`NodeTable`] and [`GroupTable`] turn readings into rows: rates between two
//!   readings, remote shares with their intervals, memory that moves.
//! - A table also plans: which processes are read and sampled next. What is on the screen comes
//!   first. [`Pace`] repeats a reading less often the more it costs.
//! - A [`View`] is what a user chose: order, filter, place in the list; [`View::press`] changes it.
//! - An [`Observer`] reads a machine as the tables plan it. [`Replay`] steps through a recording.
//!
//! [`explain`] has what remote memory costs a running program, and tries what may help.
//!
//! All but the observer and trials is pure: readings, the clock and keys are arguments. Sentences
//! stand in [`text`]; nothing here prints.

mod columns;
mod cpu_clock;
mod document;
pub mod explain;
mod groups;
mod key;
mod latencies;
pub mod metrics;
mod motion;
mod node_reader;
mod nodes;
mod observer;
mod order;
mod pace;
mod pmu_counters;
mod processes;
mod reading;
mod recording;
mod remote;
mod replay;
mod targets;
pub mod text;
mod thread_weights;
mod tracked;
mod tree;
mod view;

pub use document::{
    GroupRow, GroupWhy, Interval, MachineRates, MovingMemory, NodeBytes, NodeRow, NodeThreads,
    PmuState, ProcessCounts, ProcessIdentity, ProcessRow, ProcessWhy, SCHEMA, SurveyBasis, Tick,
};
pub use groups::GroupTable;
pub use key::Key;
pub use latencies::NodeLatencies;
pub use node_reader::NodeReader;
pub use nodes::NodeTable;
pub use observer::{Effort, ObserveError, Observer, Shown};
pub use order::SortKey;
pub use pace::Pace;
pub use processes::{Access, ProcessTable};
pub use reading::{MachineReading, NodeReading};
pub use recording::{DamagedRecording, Recording, RecordingHead};
pub use remote::remote_share;
pub use replay::{Replay, ReplayError};
pub use targets::{MAX_TARGETS, TargetListError, TargetReader};
pub use thread_weights::thread_weights;
pub use tracked::ProcessSample;
pub use view::{KeyEffect, Prompt, View};
