//! What does a memory access cost?
//!
//! A [`Layout`] says which CPU groups (rows) read which memory (columns). A [`Plan`], once [`run`],
//! visits every place in randomised complete blocks, asks [`infer`](nearfar_infer) how precise it
//! has become, and stops there. It runs over anything that is a [`BatchExecutor`]:
//! [`ProcessExecutor`] (freshly started worker processes that pin themselves, place pages, prove
//! where they are and time loops over them) or a replayed matrix with noise ([`Replay`]).
//!
//! Under `instruments/` each instrument has a folder: what a worker process is told (its setup),
//! and what it measures with (its station).
//!
//! Under `probes/` are the probes: `page_probe`, `chase` (and rmw), `store_sweep` (and the core
//! walk); the loops that must be exact are assembly, twin files under `probes/arch/`. Under
//! `worker/` stands what a worker process does; its `guards` drop samples that were disturbed and
//! say why.
//!
//! [`streams`] are loops that move as much as they can, and a [`thread_team`] is threads that run
//! them together, timed over one common window: bandwidth, and the load that latency is measured
//! under.
//!
//! This crate does not decide what numbers mean, and prints nothing.

mod instruments;
mod job;
mod layout;
mod layout_column;
mod layout_error;
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
pub use job::Job;
pub use latency::LatencySetup;
pub use layout::{ControlPair, Layout, LayoutRequest, LayoutRow, RowKind};
pub use layout_column::{LayoutColumn, MemoryJob};
pub use layout_error::LayoutError;
pub use plan::{Frequency, Plan, PlanLimits, PlanOutcome, PlanProgress, StopReason, run};
pub use probe_error::ProbeError;
pub use process_executor::ProcessExecutor;
pub use replay::{Noise, Replay};
pub use spec::{PageSize, ProbeKind, ProbeSpec};
pub use streams::{Isa, Kernel};
pub use worker::{become_worker, serve};
pub use worker_message::{
    Batch, BatchExecutor, DropReason, Dropped, Placed, PlanScope, Visit, WorkerMessage,
};
