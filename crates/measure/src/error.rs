//! Why a measurement fails as a whole.

use std::time::Duration;

use nearfar_infer::InferError;
use nearfar_machine::MachineError;
use nearfar_model::{Bytes, CpuId, Instrument, format_duration};
use nearfar_probe::{LayoutError, ProbeError};

/// Why nothing, or nothing more, was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The user stopped it.
    #[error("interrupted: nothing was kept")]
    Interrupted,
    /// The settings do not fit this machine.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The CPUs or nodes asked for are not available.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The machine cannot be read.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A worker process failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The samples cannot be estimated from.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// No memory may be measured.
    #[error("no memory can be measured: {reasons}")]
    NoMemory {
        /// Why not, for each memory.
        reasons: String,
    },
}

/// Settings that are well-formed and do not fit this machine.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A budget that does not suffice for the first instrument.
    #[error("a budget of {} is too small: {first} alone needs about {}{}",
        format_duration(*.budget), format_duration(*.needs), all_need(*.all))]
    BudgetTooSmall {
        /// The budget.
        budget: Duration,
        /// The most important instrument.
        first: Instrument,
        /// What it takes at least.
        needs: Duration,
        /// What all of several instruments take at least.
        all: Option<Duration>,
    },
    /// More threads than the largest group has CPUs.
    #[error("--threads {threads}: the largest group of these CPUs has {}", cpus(*.most))]
    TooManyThreads {
        /// What was asked for.
        threads: usize,
        /// CPUs of the largest group.
        most: usize,
    },
    /// Threads that together take more memory than there is.
    #[error("--size {size}{}: {why}", for_threads(.all))]
    StreamTooLarge {
        /// What was asked for.
        size: Bytes,
        /// What several threads take in all, and how many these are.
        all: Option<(Bytes, usize)>,
        /// Which memory lacks how much.
        why: String,
    },
    /// More memory than a node has free.
    #[error("--size {size} is more than can be had on {memory}, {free}: ask for less")]
    SizeTooLarge {
        /// What was asked for.
        size: Bytes,
        /// The memory with the least.
        memory: String,
        /// What it has free.
        free: Bytes,
    },
    /// Buffers of a cache sweep that do not fit into memory.
    #[error(
        "--largest {largest} takes {taken} (all sizes, on two kinds of pages), and {free} can be \
         had: ask for less"
    )]
    LargestTooLarge {
        /// What was asked for.
        largest: Bytes,
        /// What all buffers take.
        taken: Bytes,
        /// What is free.
        free: Bytes,
    },
    /// A cache sweep that ends before any cache does.
    #[error("--largest {largest} is too small: at least {least}")]
    LargestTooSmall {
        /// What was asked for.
        largest: Bytes,
        /// The least that makes sense.
        least: Bytes,
    },
    /// One CPU cannot exchange lines.
    #[error("core-to-core needs two CPUs: one has nobody to hand a line to")]
    OneCpu,
    /// More CPUs than are explored.
    #[error("{cpus} CPUs are more than {most}: name some of them by --cpus")]
    TooManyCpus {
        /// What was asked for.
        cpus: usize,
        /// How many may be.
        most: usize,
    },
    /// One CPU cannot be loaded by others.
    #[error("loaded latency needs two CPUs, one that waits and one that disturbs it: there is one only{}", .cpu.map_or_else(String::new, |cpu| format!(" (CPU {cpu})")))]
    OneCpuToLoad {
        /// Which.
        cpu: Option<CpuId>,
    },
}

fn all_need(all: Option<Duration>) -> String {
    all.map_or_else(String::new, |all| {
        format!("; all instruments, as coarsely as is useful, about {}", format_duration(all))
    })
}

fn cpus(count: usize) -> String {
    if count == 1 { "1 CPU".to_owned() } else { format!("{count} CPUs") }
}

/// Why a row's threads take more than they sweep together.
fn for_threads(all: &Option<(Bytes, usize)>) -> String {
    all.map_or_else(String::new, |(bytes, threads)| {
        format!(
            " takes {bytes} in all for up to {threads} threads (the first has all of it, as it \
             sweeps alone at first, the second a half, the nth an nth)"
        )
    })
}
