//! Hidden NUMA: costs of many pages (or lines) from several groups of CPUs, clustered.
//!
//! Where a machine hides its nodes, the node of each page is unknown. But pages of one node have
//! equal costs, and pages of two nodes do not: memory near one CPU is far from another. So *items*
//! (pages, or lines) are clustered by their costs from all *rows* (groups of CPUs), after the means
//! of rows and of items are subtracted: neither a slow CPU nor a slow page is NUMA. The interaction
//! remains, where rows differ in the order of items, or in contrast.
//!
//! - [`CostTable`]: the costs of one process's items.
//! - `cut`: are these points several clusters, or one? No unimodal distribution, not even a flat
//!   one, has cuts as good.
//! - `parts`: optimal cuts of numbers.
//! - [`clusters`]: repeated cuts.
//! - [`pages`]: the agreement of processes with fresh pages: found, none (with the smallest
//!   detectable difference), or undetermined.
//! - [`lines`]: the same for single lines, for firmware that interleaves them, with the correlation
//!   of CPUs' fingerprints.
//! - [`level_shifts`]: change points in a CPU's costs. A hypervisor may move it during the
//!   measurement.

mod clusters;
mod contrasts;
mod cost_table;
mod coverage;
mod cut;
mod joined;
mod lines;
mod nearness;
mod node_count;
mod over_processes;
mod page_kinds;
mod page_reason;
mod pages;
#[cfg(test)]
mod part_tests;
mod parts;
mod pooled;
mod ranks;
mod rows_apart;
#[cfg(test)]
mod tests;
mod timeline;

pub use clusters::{Clustering, clusters};
pub use cost_table::CostTable;
pub use coverage::{Coverage, SeenPage, UnseenMemory};
pub use cut::MIN_GAP;
pub use lines::{LineFinding, LineHalves, LineReason, LineStatement, lines};
pub use nearness::Nearness;
pub use page_reason::{MAX_SHARE, PageReason, PageRemedy, Settling};
pub use pages::{MIN_PAGES, PageCluster, PageFinding, PageStatement, PageVerdict, pages};
pub use timeline::{LevelShift, level_shifts};
