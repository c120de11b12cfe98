//! What do the numbers mean?
//!
//! Everything here is a pure function of numbers and a seed: no file, no clock, no system call,
//! nothing of the machine. The same readings and the same seed always give the same answer.
//!
//! [`SampleMatrix`] are samples of a matrix: *rows* are groups of CPUs, *columns* are memories, and a
//! *cell* is one group reading one memory. They were taken in *rounds*, each of which visits every
//! cell once, by several freshly started *processes*. From them:
//!
//! - [`estimates`]: each cell's lower quartile, median, standard error and 95 % interval;
//!   [`worst_standard_error`] is what a plan stops on.
//! - [`detect`]: is there any difference at all between columns within rows?
//! - [`effect`]: how large is the largest, with an interval that holds for all of them at once?
//! - [`contrast()`]: how do two given columns of one row compare?
//! - [`verdict`]: both together, against a threshold: yes, no or undetermined, with reasons and
//!   what would settle it.
//! - [`one_memory_verdict`]: the same where all columns are one memory to the kernel, and rows may
//!   disagree about it.
//! - [`controls`]: how often does the same thing, measured twice, seem to differ?
//! - [`cpu_difference`]: with one memory only, do CPUs differ by more than one CPU from itself?
//!
//! What is said of nodes rests on [`NodeCosts`], the same by node:
//!
//! - [`classes`]: which memories are as far away as each other.
//! - [`links`]: which nodes are connected directly, and what bandwidths say of that.
//! - [`claims`]: whether what firmware claims of distances holds.
//!
//! `tests/replay` is machines made of numbers, on which all of this is tried (`./dev bench odds`,
//! docs/odds.md).
//!
//! Beside the matrix, one module for each of the other instruments, with plain numbers and a seed
//! in, too:
//!
//! - [`core_to_core`]: which pairs of CPUs to measure, and which CPUs are near each other.
//! - [`cache_levels`]: where each cache ends, and whether what is claimed of it holds.
//! - [`load_curve`]: how slow memory is when busy, from which load on, and who shares a link.
//! - [`weight_search`]: which weights of interleaving move most.
//! - [`hidden`]: is there NUMA that the system does not show?
//! - [`outliers`]: which cells are otherwise than their row and column say.
//! - [`changes`]: which cells of two surveys differ by more than chance.
//!
//! And for programs rather than memory:
//!
//! - [`trials`]: which configuration runs a program fastest, which most steadily, and what differs.
//!
//! Noise of memory latency is one-sided and comes in tails, so medians are tested, never means.
//! Runs differ more than samples within one do, and a CPU's speed wanders from moment to moment
//! (`drift`), so intervals resample processes first and rounds second (the module `bootstrap` says
//! how, and why two draws of rounds go with each draw of processes). `examples/coverage.rs`
//! measures how honest they are.

#[cfg(test)]
extern crate self as nearfar_infer; // as replays call it, in whatever program they are

mod bootstrap;
pub mod cache_levels;
mod cell;
pub mod changes;
pub mod claims;
pub mod classes;
mod column_drift;
mod contrast;
mod contrast_noise;
mod controls;
pub mod core_to_core;
mod cpu_difference;
mod detection;
mod distances;
mod effect;
mod estimate;
pub mod hidden;
mod isotonic;
pub mod links;
pub mod load_curve;
mod many_tests;
mod node_costs;
mod normal;
mod numa;
mod one_memory;
pub mod outliers;
mod permutation;
mod process_drift;
mod ratio_change;
mod remedy;
#[cfg(test)]
#[path = "../tests/replay/mod.rs"]
pub mod replay;
mod sample_matrix;
mod student;
#[cfg(test)]
mod tests;
pub mod trials;
mod verdict;
mod verdict_reason;
pub mod weight_search;

pub use cell::MIN_SAMPLES;
pub use contrast::{Contrast, contrast};
pub use controls::{Controls, controls};
pub use cpu_difference::{CpuDifference, cpu_difference};
pub use detection::{ALPHA, Detection, detect};
pub use effect::{Effect, effect};
pub use estimate::{Estimate, estimates, worst_standard_error, worst_standard_error_of};
pub use node_costs::NodeCosts;
pub use normal::normal;
pub use numa::Numa;
pub use one_memory::one_memory_verdict;
pub use remedy::Remedy;
pub use sample_matrix::{InferError, MAX_CELLS, SampleMatrix};
pub use verdict::{NumaVerdict, THRESHOLD, verdict};
pub use verdict_reason::NumaReason;
