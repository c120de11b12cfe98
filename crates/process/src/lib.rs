//! Where is a *running* program, its threads and its pages, and what moves them?
//!
//! - [`ProcessMemory::read`] looks at a process: its mappings by kind and policy, its pages by node
//!   in bytes, its threads and the nodes they run on, and the share of its memory that is remote to
//!   them. [`advise`] says in a sentence what to do about it.
//! - [`moving`] rebinds what already runs: its CPUs, where its next pages come from as far as the
//!   kernel allows, and the pages it has.
//! - [`Counters`] and [`ProcessUse`] tell what nodes hold and what processes have on them, as
//!   numastat divides it.
//! - [`Migration`] moves a process's pages from nodes to nodes, and looks at what stayed.
//! - [`ProcessSelector`] is what a word names: a process's number, or a text; [`find_processes`]
//!   and [`SelectedProcesses`] find who has it.
//!
//! A page is *remote* to a thread when it is on another node than the CPU that the thread ran on
//! last. Of all processes the kernel tells which pages there are, and of none who uses them: shares
//! assume that every thread uses all pages alike, and count each thread by the CPU time that it has
//! had.
//!
//! This crate prints nothing. Machines are read through [`nearfar_machine::Source`], so all of the
//! looking works on captured ones.

mod advice;
mod by_node;
mod counters;
mod descendants;
mod error;
mod find;
mod kind;
mod mapping;
mod memory;
mod migration;
pub mod moving;
mod numastat;
mod process_selector;
mod threads;
mod where_document;

pub use advice::{Advice, advise};
pub use by_node::ByNode;
pub use counters::{COUNTERS_SCHEMA, Counters, NodeFigures};
pub use descendants::{with_descendants, with_descendants_at_a_glance};
pub use error::ProcessError;
pub use find::find_processes;
pub use kind::Kind;
pub use mapping::MappingMemory;
pub use memory::{ProcessMemory, Subtotal};
pub use migration::{MIGRATION_SCHEMA, Migration, STILL_WITHOUT_MIGRATION, Standing};
pub use numastat::{NodeUse, ProcessUse};
pub use process_selector::{BadSelector, ProcessSelector, SelectedProcesses};
pub use threads::{ThreadNode, ThreadPlace, Threads};
pub use where_document::{Unreadable, WHERE_SCHEMA, WhereDocument};
