//! What does a memory access cost?
//!
//! A [`Layout`] says which CPU groups (rows) read which memory (columns). A [`plan`](plan::run) visits every
//! cell in randomised complete blocks, asks [`infer`](nearfar_infer) how precise it has become, and stops there. It
//! runs over anything that is a [`Respondent`]: [`Silicon`] (freshly started worker processes that pin
//! themselves, place pages, prove where they are and time loops over them) or a replayed matrix with noise ([`Replay`]).
//!
//! One file a probe: [`page_probe`], [`chase`], [`store_sweep`], [`core_walk`], [`rmw`]; the loops that must be exact
//! are assembly, twin files under `arch/`. The [`guards`] drop samples that were disturbed and count why.
//!
//! This crate does not decide what numbers mean, and prints nothing.

mod answer;
mod spec;

pub use answer::{Answer, Batch, DropReason, Reading, Respondent, Visit};
pub use spec::{PageSize, ProbeKind, ProbeSpec};
