//! What does a memory access cost?
//!
//! A [`Layout`] says which CPU groups (rows) read which memory (columns). A [`Plan`], once [`run`], visits every
//! cell in randomised complete blocks, asks [`infer`](nearfar_infer) how precise it has become, and stops there. It
//! runs over anything that is a [`Respondent`]: [`Silicon`] (freshly started worker processes that pin
//! themselves, place pages, prove where they are and time loops over them) or a replayed matrix with noise ([`Replay`]).
//!
//! One file a probe: `page_probe`, `chase`, `store_sweep`, `core_walk`, `rmw`; the loops that must be exact
//! are assembly, twin files under `arch/`. The `guards` drop samples that were disturbed and say why.
//!
//! This crate does not decide what numbers mean, and prints nothing.

mod answer;
mod arch;
mod chase;
mod core_walk;
mod cycle;
mod guards;
mod job;
mod layout;
mod layout_error;
mod memories;
mod page_probe;
mod plan;
mod probe_error;
mod replay;
mod rmw;
mod seat;
mod silicon;
mod slice;
mod speaker;
mod spec;
mod spinners;
mod store_sweep;
#[cfg(test)]
mod test_memory;
mod visiting;
mod worker;

pub use answer::{Answer, Batch, DropReason, Reading, Respondent, Visit};
pub use layout::{ControlPair, Layout, LayoutColumn, LayoutRow, RowKind, Wanted};
pub use layout_error::LayoutError;
pub use job::{ColumnJob, Job, Setup};
pub use plan::{Frequency, Outcome, Placed, Plan, PlanLimits, Progress, Stop, Taken, run};
pub use probe_error::ProbeError;
pub use replay::{Noise, Replay};
pub use silicon::Silicon;
pub use spec::{PageSize, ProbeKind, ProbeSpec};
pub use worker::serve;
