//! Measures the cost of memory accesses.
//!
//! A [`Layout`] defines which CPU groups (rows) access which memory (columns). A [`Plan`], executed
//! by [`run`], visits every place in randomised complete blocks and stops at the precision that
//! [`infer`](nearfar_infer) computes. It runs on any [`BatchExecutor`]: [`ProcessExecutor`] (fresh
//! worker processes that pin themselves, place pages, prove their location and time loops over
//! them) or a replayed matrix with noise ([`Replay`]).
//!
//! `instruments/` has a folder for each instrument: the setup that a worker process receives, and
//! the station that it measures with.
//!
//! `probes/` has the probes: `page_probe`, `chase` (and rmw), `store_sweep` (and the core walk).
//! Exact loops are assembly, one file per architecture under `probes/arch/`. `worker/` is the
//! worker process; its `guards` drop disturbed samples with a reason.
//!
//! [`streams`] are loops with maximal throughput, and a [`thread_team`] runs them on several
//! threads in one common window: for bandwidth, and as the load of loaded latency.
//!
//! [`gpu_driver`] drives GPUs by their vendors' libraries, which it loads when they are needed.
//!
//! This crate does not interpret figures, and prints nothing.

pub mod gpu_driver;
mod instruments;
mod job;
mod layout;
mod layout_column;
mod layout_error;
mod load_fills;
mod plan;
mod probe_error;
mod probes;
mod process_executor;
mod replay;
mod spec;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod thread_team;
mod worker;
mod worker_message;

pub use instruments::*;
pub use job::WorkerJob;
pub use latency::LatencySetup;
pub use layout::{ControlPair, Layout, LayoutRequest, LayoutRow, RowKind};
pub use layout_column::{LayoutColumn, MemoryJob};
pub use layout_error::LayoutError;
pub use load_fills::LoadFills;
pub use plan::{Frequency, Plan, PlanLimits, PlanOutcome, PlanProgress, PlanStopReason, run};
pub use probe_error::ProbeError;
pub use process_executor::ProcessExecutor;
pub use replay::{Replay, ReplayNoise};
pub use spec::{PageSize, ProbeKind, ProbeSpec};
pub use streams::{Isa, Kernel};
pub use worker::{become_worker, serve};
pub use worker_message::{
    Batch, BatchExecutor, DropReason, Dropped, PlacedMemory, PlanScope, Visit, WorkerMessage,
};
