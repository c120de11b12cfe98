//! The instruments, one folder each: the setup that a worker process receives, and the station that
//! it measures with.

pub mod bandwidth;
pub mod caches;
pub mod core_to_core;
pub mod gpu;
pub mod hidden;
pub mod interleave;
pub mod io;
pub mod latency;
pub mod loaded;

use serde::{Deserialize, Serialize};

use crate::worker::station::Prepare;

/// The work of a worker process: one kind per instrument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A row's CPU accesses a column's memory.
    Latency(latency::LatencySetup),
    /// A row's CPUs stream through a column's memory.
    Bandwidth(bandwidth::BandwidthSetup),
    /// Two CPUs exchange a line.
    CoreToCore(core_to_core::PairSetup),
    /// A row's CPU goes round buffers of growing size.
    Caches(caches::CacheSetup),
    /// A row's CPU accesses a column's memory while others stream through it.
    Loaded(loaded::LoadedSetup),
    /// A row's CPUs stream through memory interleaved over nodes, or one of them chases through it.
    Interleave(interleave::InterleaveSetup),
    /// A row's CPU reads disks into memory of a column.
    Io(io::IoSetup),
    /// A row's CPU copies between a column's memory and GPUs.
    Gpu(gpu::GpuSetup),
    /// A row's CPU accesses pages and lines whose node the system does not show.
    Hidden(hidden::HiddenSetup),
}

impl Work {
    /// The setup, whatever its kind.
    pub(crate) fn setup(&self) -> &dyn Prepare {
        match self {
            Self::Latency(setup) => setup,
            Self::Bandwidth(setup) => setup,
            Self::CoreToCore(setup) => setup,
            Self::Caches(setup) => setup,
            Self::Loaded(setup) => setup,
            Self::Interleave(setup) => setup,
            Self::Io(setup) => setup,
            Self::Gpu(setup) => setup,
            Self::Hidden(setup) => setup,
        }
    }
}
