//! Why a measurement fails as a whole.

use std::time::Duration;

use nearfar_infer::InferError;
use nearfar_machine::MachineError;
use nearfar_model::{Bytes, CpuId, Instrument, format_duration};
use nearfar_probe::io::TargetError;
use nearfar_probe::{LayoutError, ProbeError};

use crate::measure::instruments::NoSuchGpu;

/// Why nothing, or nothing more, was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The user interrupted it.
    #[error("interrupted: nothing was kept")]
    Interrupted,
    /// The settings do not fit this machine.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The requested CPUs or nodes are not available.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The machine cannot be read.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A worker process failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The samples allow no estimate.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// A file or a disk cannot be measured.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A GPU that there is not.
    #[error(transparent)]
    NoSuchGpu(#[from] NoSuchGpu),
    /// No memory can be measured.
    #[error("no memory can be measured: {reasons}")]
    NoMemory {
        /// The reason for each memory.
        reasons: String,
    },
}

/// Valid settings that do not fit this machine.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A budget that is too small for the first instrument.
    #[error("a budget of {} is too small: {first} alone needs about {}{}",
        format_duration(*.budget), format_duration(*.needs), all_need(*.all))]
    BudgetTooSmall {
        /// The budget.
        budget: Duration,
        /// The most important instrument.
        first: Instrument,
        /// The time that it needs at least.
        needs: Duration,
        /// The time that all instruments need at least, if there are several.
        all: Option<Duration>,
    },
    /// More threads than the largest group has CPUs.
    #[error("--threads {threads}: the largest group of these CPUs has {}", cpus(*.most))]
    TooManyThreads {
        /// The requested number.
        threads: usize,
        /// CPUs of the largest group.
        most: usize,
    },
    /// Threads that together need more memory than is free.
    #[error("--size {size}{}: {why}", for_threads(.all))]
    StreamTooLarge {
        /// The requested size.
        size: Bytes,
        /// The total of several threads, and their number.
        all: Option<(Bytes, usize)>,
        /// Which memory has how much.
        why: String,
    },
    /// More memory than a node has free.
    #[error("--size {size} exceeds the {free} available on {memory}: use less")]
    SizeTooLarge {
        /// The requested size.
        size: Bytes,
        /// The memory with the least free.
        memory: String,
        /// What it has free.
        free: Bytes,
    },
    /// Accesses of a disk that together exceed it, or memory.
    #[error(
        "{depth} accesses of {size} in flight are {footprint}, and {what} has only {most}: use a \
         smaller --size or --depth"
    )]
    AccessesTooLarge {
        /// Accesses in flight.
        depth: u32,
        /// The size of one.
        size: Bytes,
        /// All of them.
        footprint: Bytes,
        /// What they exceed.
        what: String,
        /// What it has.
        most: Bytes,
    },
    /// Buffers of a cache sweep that exceed memory.
    #[error(
        "--largest {largest} takes {taken} (all sizes, on two kinds of pages), but only {free} \
         available: use less"
    )]
    LargestTooLarge {
        /// The requested size.
        largest: Bytes,
        /// What all buffers take.
        taken: Bytes,
        /// What is free.
        free: Bytes,
    },
    /// A cache sweep that ends below any cache.
    #[error("--largest {largest} is too small: at least {least}")]
    LargestTooSmall {
        /// The requested size.
        largest: Bytes,
        /// The smallest useful size.
        least: Bytes,
    },
    /// One CPU cannot exchange lines.
    #[error("core-to-core needs two CPUs")]
    OneCpu,
    /// More CPUs than an exploration supports.
    #[error("{cpus} CPUs exceed the limit of {most}: select some with --cpus")]
    TooManyCpus {
        /// The requested number.
        cpus: usize,
        /// The limit.
        most: usize,
    },
    /// One CPU cannot be loaded by others.
    #[error(
        "loaded latency needs two CPUs, one to measure and one to load memory: only one is \
         available{}",
        .cpu.map_or_else(String::new, |cpu| format!(" (CPU {cpu})"))
    )]
    OneCpuToLoad {
        /// The only CPU.
        cpu: Option<CpuId>,
    },
}

fn all_need(all: Option<Duration>) -> String {
    all.map_or_else(String::new, |all| {
        format!("; all instruments, at minimal precision, need about {}", format_duration(all))
    })
}

fn cpus(count: usize) -> String {
    if count == 1 { "1 CPU".to_owned() } else { format!("{count} CPUs") }
}

/// Why a row's threads take more than their footprint.
fn for_threads(all: &Option<(Bytes, usize)>) -> String {
    all.map_or_else(String::new, |(bytes, threads)| {
        format!(
            " takes {bytes} in all for up to {threads} threads (the first needs all of it when it \
             sweeps alone, the second a half, the nth an nth)"
        )
    })
}
