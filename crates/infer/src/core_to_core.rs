//! Groups of CPUs by core-to-core latency.
//!
//! - [`Explorer`] selects the pairs of CPUs to measure, so that a small part of them determines
//!   all, and checks the machine's claims about its cores, cache groups and packages.
//! - [`who_shares()`] finds cores, cache groups and packages in a matrix alone, or reports why they
//!   are undetermined.
//!
//! Noise never splits a group: levels exist only where costs have a gap of at least 4 %, and where
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
mod slow_cpus;
#[cfg(test)]
mod tests;
mod thresholds;
mod tree;
mod who_shares;

pub use claim::{ClaimedCpu, GroupKind, TopologyClaim};
pub use compare::ClaimContradiction;
pub use cpu_structure::{CostClass, CpuStructure, SharedLevel};
pub use explorer::{Explorer, ExplorerLimits, PairResult};
pub use groups::{CpuGroup, MAX_CPUS};
pub use pairs::{HandoffCost, PairCost};
pub use pairs_reason::PairsReason;
pub use slow_cpus::SlowCpu;
pub use who_shares::{UndeterminedGroups, UndeterminedReason, WhoShares, who_shares};
