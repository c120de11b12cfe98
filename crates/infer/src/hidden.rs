//! Is there NUMA that the system does not show? Costs of many pages (or lines) from several groups
//! of CPUs, clustered.
//!
//! Where a machine hides its nodes, nobody knows which memory is whose. But pages of one node cost
//! alike from everywhere, and pages of two nodes do not: what is near to one CPU is far from
//! another. So *items* (pages, or lines) are clustered by their costs from all *rows* (groups of
//! CPUs), after what a whole row and what a whole item does has been taken off: a slow CPU is no
//! NUMA, and neither is a slow page. What is left is where the order of items turns round between
//! rows, or where rows differ in contrast.
//!
//! - [`CostTable`]: what one process measured of its items.
//! - `cut`: are these points several clusters, or one? No distribution with one peak, not even a
//!   flat one, is cut so well.
//! - `parts`: where numbers are cut best.
//! - [`clusters`]: cut again until nothing is left to cut.
//! - [`pages`]: what processes with fresh pages agree on: found, none down to so much, or
//!   undetermined.
//! - [`lines`]: the same of single lines, for firmware that interleaves them, with the correlation
//!   of CPUs' fingerprints.
//! - [`changes`]: when did a CPU's costs jump? A hypervisor may move it meanwhile.

mod clusters;
mod cost_table;
mod cut;
mod lines;
mod over_processes;
mod page_reason;
mod pages;
mod parts;
mod ranks;
mod rows_apart;
#[cfg(test)]
mod tests;
mod timeline;

pub use clusters::{Clustering, clusters};
pub use cost_table::CostTable;
pub use cut::LEAST_GAP;
pub use lines::{LineFinding, LineHalves, LineReason, LineStatement, lines};
pub use page_reason::{LARGEST_SHARE, PageReason, PageRemedy, Settling};
pub use pages::{LEAST_PAGES, PageCluster, PageFinding, PageStatement, PageVerdict, pages};
pub use timeline::{LevelShift, changes};
