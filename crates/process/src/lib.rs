//! Where is a *running* program, its threads and its pages, and what moves them?
//!
//! - [`Counters`] and [`ProcessUse`] tell what nodes hold and what processes have on them, as numastat divides it.
//! - [`Migration`] moves a process's pages from nodes to nodes, and looks at what stayed.

mod counters;
mod error;
mod migration;
mod numastat;

pub use counters::{COUNTERS_SCHEMA, Counters, NodeFigures};
pub use error::ProcessError;
pub use migration::{MIGRATION_SCHEMA, Migration, Standing};
pub use numastat::{NodeUse, ProcessUse, processes_like};
