//! The GPUs, and which copies are made between them and memory.

use std::time::Duration;

use nearfar_model::{Bytes, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::gpu_driver::GpuApi;
use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::worker::station::{WorkSetup, sound};

/// Which way bytes move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyDirection {
    /// From the host's memory to the GPU.
    ToDevice,
    /// From the GPU to the host's memory.
    FromDevice,
    /// Both at once, the same number of bytes each way.
    Both,
}

impl CopyDirection {
    /// Its name in options and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToDevice => "to-device",
            Self::FromDevice => "from-device",
            Self::Both => "both",
        }
    }
}

/// How the driver reaches the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostMemory {
    /// Registered with the driver: the GPU accesses it directly.
    Pinned,
    /// Ordinary memory: a CPU copies it through memory of the driver.
    Pageable,
}

impl HostMemory {
    /// Its name in options and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Pageable => "pageable",
        }
    }
}

/// Between which memories bytes are copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyRoute {
    /// The host's memory and some GPUs, all at once.
    Host {
        /// Indices in [`GpuSetup::gpus`].
        gpus: Vec<usize>,
        /// Which way.
        direction: CopyDirection,
        /// How the driver reaches the host's memory.
        memory: HostMemory,
    },
    /// One GPU and another. The column's memory is not used.
    Peer {
        /// Index of the source in [`GpuSetup::gpus`].
        from: usize,
        /// Index of the destination.
        to: usize,
    },
}

impl CopyRoute {
    /// Indices of all GPUs that take part.
    pub fn gpus(&self) -> Vec<usize> {
        match self {
            Self::Host { gpus, .. } => gpus.clone(),
            Self::Peer { from, to } => vec![*from, *to],
        }
    }
}

/// A copy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuTreatment {
    /// Between which memories.
    pub route: CopyRoute,
    /// The bytes of one copy; of several GPUs, of each.
    pub size: Bytes,
    /// Whether this is a control: the same as another treatment.
    pub again: bool,
}

/// What the figures of a plan are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyFigure {
    /// The time of one copy, from the call to its end as the program sees it.
    Latency,
    /// Bytes a second.
    Rate,
}

/// A GPU of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuTarget {
    /// The driver's index.
    pub index: usize,
    /// The PCI address that has to be there, so that a changed order is noticed; if known.
    pub address: Option<String>,
    /// Its name for users.
    pub label: String,
}

/// CPUs, host memory and GPUs: rows are CPU groups, columns are nodes of host memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuSetup {
    /// The candidates of each row, one of them drawn per process.
    pub rows: Vec<CpuSet>,
    /// The host's memory.
    pub memories: Vec<MemoryJob>,
    /// The driver's library.
    pub api: GpuApi,
    /// The GPUs.
    pub gpus: Vec<GpuTarget>,
    /// The copies that cells are visited with.
    pub treatments: Vec<GpuTreatment>,
    /// What their figures are.
    pub figure: CopyFigure,
    /// The least time that a visit copies for.
    pub window: Duration,
}

/// The largest copy.
pub const MAX_COPY: Bytes = Bytes::gib(16);

impl GpuTreatment {
    /// Why this is impossible with this number of GPUs; `None` if it is possible.
    fn why_not(&self, gpus: usize) -> Option<&'static str> {
        let used = self.route.gpus();
        let is_known = !used.is_empty() && used.iter().all(|&gpu| gpu < gpus);
        let is_peer_of_itself = matches!(self.route, CopyRoute::Peer { from, to } if from == to);
        match self.size.0 {
            0 => Some("a copy of no bytes"),
            bytes if bytes > MAX_COPY.0 => Some("a copy that is too large"),
            _ if !is_known => Some("a copy of an unknown GPU"),
            _ if is_peer_of_itself => Some("a copy from a GPU to itself"),
            _ => None,
        }
    }
}

impl WorkSetup for GpuSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.rows.len(),
            columns: self.memories.len(),
            treatments: self.treatments.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let mut reasons =
            self.treatments.iter().filter_map(|treatment| treatment.why_not(self.gpus.len()));
        let why = reasons.next();
        sound(why.is_none(), why.unwrap_or_default())
    }
}

impl GpuSetup {
    /// The memory of a node for one kind: for the largest copy. Copies both ways, and those of
    /// several GPUs, each have their own part.
    pub fn footprint(&self, memory: HostMemory) -> Bytes {
        let bytes = self.treatments.iter().filter_map(|treatment| match &treatment.route {
            CopyRoute::Host { gpus, direction, memory: used } if *used == memory => {
                let ways = if *direction == CopyDirection::Both { 2 } else { 1 };
                Some(treatment.size.0.saturating_mul(ways * gpus.len() as u64))
            }
            _ => None,
        });
        Bytes(bytes.max().unwrap_or(0))
    }

    /// The bytes of the largest copy.
    pub(super) fn copy_bytes(&self) -> Bytes {
        let sizes = self.treatments.iter().map(|treatment| treatment.size.0);
        Bytes(sizes.max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(gpus: Vec<usize>, direction: CopyDirection) -> GpuTreatment {
        let route = CopyRoute::Host { gpus, direction, memory: HostMemory::Pinned };
        GpuTreatment { route, size: Bytes::mib(1), again: false }
    }

    fn setup(treatments: Vec<GpuTreatment>) -> GpuSetup {
        let gpu = |index| GpuTarget { index, address: None, label: format!("GPU{index}") };
        GpuSetup {
            rows: vec![CpuSet::new()],
            memories: vec![MemoryJob::default()],
            api: GpuApi::Cuda,
            gpus: vec![gpu(0), gpu(1)],
            treatments,
            figure: CopyFigure::Rate,
            window: Duration::from_millis(20),
        }
    }

    #[test]
    fn each_copy_at_once_has_its_own_memory() {
        let setup = setup(vec![
            host(vec![0], CopyDirection::ToDevice),
            host(vec![0, 1], CopyDirection::Both),
        ]);
        assert_eq!(setup.footprint(HostMemory::Pinned), Bytes::mib(4));
        assert_eq!(setup.footprint(HostMemory::Pageable), Bytes(0));
        assert_eq!(setup.copy_bytes(), Bytes::mib(1));
    }

    #[test]
    fn impossible_copies_are_refused() {
        let size = Bytes::mib(1);
        let peer =
            |from, to| GpuTreatment { route: CopyRoute::Peer { from, to }, size, again: false };
        assert!(setup(vec![peer(0, 1)]).check().is_ok());
        let refused = [
            peer(1, 1),
            peer(0, 2),
            host(vec![], CopyDirection::Both),
            GpuTreatment { size: Bytes(0), ..peer(0, 1) },
            GpuTreatment { size: Bytes(MAX_COPY.0 + 1), ..peer(0, 1) },
        ];
        for treatment in refused {
            assert!(setup(vec![treatment.clone()]).check().is_err(), "{treatment:?}");
        }
    }
}
