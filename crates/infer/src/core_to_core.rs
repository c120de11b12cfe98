//! Which CPUs are near each other, and what is it worth?
//!
//! - [`Explorer`] decides which pairs of CPUs to measure, so that a small part of them tells what
//!   all would, and checks what the machine claims of its cores, cache groups and packages.
//! - [`who_shares()`] names what a matrix alone shows: cores, cache groups, packages, or why they
//!   cannot be told.
//!
//! Noise never splits a group: levels stand only where costs leave a gap of 4 % or more, and where
//! they nest.

mod bound;
mod claim;
mod claim_check;
mod compare;
mod cpu_structure;
mod evidence;
mod explorer;
mod groups;
mod halves;
mod join;
mod ladder;
mod naming;
mod package_evidence;
mod pairs;
mod pairs_reason;
mod partition;
mod repair;
mod rounds;
mod siblings;
#[cfg(test)]
mod tests;
mod thresholds;
mod tree;
mod who_shares;

pub use claim::{ClaimedCpu, GroupKind, TopologyClaim};
pub use compare::Contradiction;
pub use cpu_structure::{CostClass, CpuStructure, SharedLevel};
pub use explorer::{Explorer, ExplorerLimits, PairResult};
pub use groups::{CpuGroup, MAX_CPUS};
pub use pairs::{HandoffCost, PairCost};
pub use pairs_reason::PairsReason;
pub use who_shares::{UndeterminedGroups, UndeterminedReason, WhoShares, who_shares};
