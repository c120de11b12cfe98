//! Statistical inference: what measured numbers mean.
//!
//! Everything here is a pure function of numbers and a seed: no file, no clock, no system call. The
//! same samples and the same seed always give the same result.
//!
//! A [`SampleMatrix`] has samples of a matrix: *rows* are groups of CPUs, *columns* are memories,
//! and a *cell* is one group that reads one memory. Samples are taken in *rounds*, by several
//! freshly started *processes*. A round visits every cell once. From them:
//!
//! - [`estimates`]: each cell's lower quartile, median, standard error and 95 % interval. A plan
//!   stops on [`worst_standard_error`].
//! - [`detect`]: is there any difference between columns within rows?
//! - [`effect`]: the largest such difference, with a simultaneous interval.
//! - [`contrast()`]: the comparison of two given columns of one row.
//! - [`verdict`]: both together, with a threshold: yes, no or undetermined, with reasons and what
//!   would settle it.
//! - [`one_memory_verdict`]: the same where all columns are one memory to the kernel, and rows may
//!   differ on its cost.
//! - [`controls`]: how often does the same memory, measured twice, seem to differ?
//! - [`cpu_difference`]: with one memory only, do CPUs differ by more than one CPU from itself?
//!
//! Results about nodes use [`NodeCosts`], the same costs by node:
//!
//! - [`classes`]: memories with equal distance.
//! - [`links`]: directly connected nodes, with the evidence of bandwidths.
//! - [`claims`]: whether firmware's claims about distances hold.
//! - [`advice()`]: placements that beat those beside them, with [`CostFigure`]s that know their
//!   cells.
//!
//! `tests/replay` has simulated machines that test all of this (`./dev bench odds`,
//! docs/method/odds.md).
//!
//! One module for each of the other instruments, also with plain numbers and a seed as input:
//!
//! - [`core_to_core`]: which pairs of CPUs to measure, and which CPUs are near each other.
//! - [`cache_levels`]: the capacity of each cache, and whether claims about it hold.
//! - [`load_curve`]: latency of memory under load, the load at which it rises, and shared links.
//! - [`weight_search`]: the interleave weights with the largest bandwidth.
//! - [`weight_choice`]: whether interleaving pays.
//! - [`hidden`]: NUMA that the system does not show.
//! - [`outliers`]: cells that differ from their row and column.
//! - [`factor_effects`]: what each factor of a crossed design costs.
//! - [`fill_check()`]: whether the PMU agrees with the placement of memory.
//! - [`nearest_node`]: to which node a device is nearest.
//! - [`tail()`]: rare latencies.
//! - [`changes`]: cells of two surveys that differ significantly.
//! - [`fleet`]: machines of one shape that differ from the others.
//! - [`history`]: when a machine changed, over many surveys.
//! - [`selector`]: which machines to test next.
//!
//! For programs rather than memory:
//!
//! - [`bounded_mean()`]: a share or a mean cost from sampled pages, with its interval.
//! - [`trials`]: the fastest and the least variable configuration of a program, and differences.
//! - [`response`]: what each added nanosecond of latency costs a program, and forecasts.
//! - [`object_effects`]: which part of its memory that is.
//!
//! Noise of memory latency is one-sided and has heavy tails, so medians are tested, never means.
//! Runs differ more than samples within one do, and a CPU's speed drifts (`process_drift`). So
//! intervals resample processes first and rounds second (the module `bootstrap` explains how, and
//! why each draw of processes has two draws of rounds). `examples/coverage.rs` measures the
//! coverage of intervals.

#[cfg(test)]
extern crate self as nearfar_infer; // as replays call it, in whatever program they are

pub mod advice;
mod bootstrap;
mod bounded_mean;
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
mod evidence;
mod factors;
mod fill_check;
pub mod fleet;
pub mod hidden;
pub mod history;
mod isotonic;
pub mod links;
pub mod load_curve;
mod many_tests;
mod nearest_node;
mod node_costs;
mod normal;
mod numa;
pub mod object_effects;
mod one_memory;
pub mod outliers;
mod permutation;
mod process_drift;
mod ratio_change;
mod remedy;
#[cfg(test)]
#[path = "../tests/replay/mod.rs"]
pub mod replay;
pub mod response;
mod sample_matrix;
pub mod selector;
mod student;
mod tail;
#[cfg(test)]
mod tests;
pub mod trials;
mod verdict;
mod verdict_reason;
pub mod weight_choice;
pub mod weight_search;

pub use advice::{Advice, MachineNodes, advice};
pub use bounded_mean::{BoundedMean, bounded_mean};
pub use cell::MIN_SAMPLES;
pub use contrast::{Contrast, contrast};
pub use controls::{ControlResult, controls};
pub use cpu_difference::{CpuDifference, cpu_difference};
pub use detection::{ALPHA, Detection, detect};
pub use effect::{Effect, effect};
pub use estimate::{Estimate, estimates, worst_standard_error, worst_standard_error_of};
pub use evidence::{CostComparison, CostFigure, CostStatistic};
pub use factors::{DesignCell, FactorEffect, FactorVerdict, MIN_PROCESSES, factor_effects};
pub use fill_check::{CellFillCount, ExpectedMemory, FillCheck, fill_check};
pub use nearest_node::{AccessDesign, NearestNode, NearestVerdict, nearest_node};
pub use node_costs::NodeCosts;
pub use normal::normal;
pub use numa::Numa;
pub use one_memory::one_memory_verdict;
pub use remedy::Remedy;
pub use sample_matrix::{InferError, MAX_CELLS, SampleMatrix};
pub use tail::{TailFigure, tail};
pub use verdict::{NumaVerdict, THRESHOLD, verdict};
pub use verdict_reason::NumaReason;
