//! The threads and the memory that they stream through.

use std::time::Duration;

use nearfar_model::{Bytes, CpuId, CpuSet, MatrixShape};
use nearfar_place::{BufferPlace, PlaceError, WantedPages};
use serde::{Deserialize, Serialize};

use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::worker::station::{WorkSetup, sound};

/// A combination of kernel and threads that cells are visited with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamTreatment {
    /// What each thread does.
    pub kernel: Kernel,
    /// The number of threads, on the first CPUs of the row.
    pub threads: usize,
}

/// The threads and their memory: rows are CPU groups, columns memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandwidthSetup {
    /// The CPUs of each row, in the order in which threads are added.
    pub rows: Vec<Vec<CpuId>>,
    /// Each column's memory.
    pub columns: Vec<MemoryJob>,
    /// The combinations that cells are visited with.
    pub treatments: Vec<StreamTreatment>,
    /// The instruction set.
    pub isa: Isa,
    /// The bytes that the threads of a visit sweep together, at least.
    pub footprint: Bytes,
    /// The length of a window.
    pub window: Duration,
    /// Windows per visit, at least 1: the fastest is its sample.
    pub windows: u32,
}

impl WorkSetup for BandwidthSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.rows.len(),
            columns: self.columns.len(),
            treatments: self.treatments.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let largest = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let fit =
            self.treatments.iter().all(|treatment| (1..=largest).contains(&treatment.threads));
        let is_sound =
            self.windows > 0 && self.footprint.0 > 0 && self.rows.iter().all(|row| !row.is_empty());
        sound(
            fit && is_sound && !self.treatments.is_empty(),
            "streams without threads, treatments or memory",
        )
    }
}

impl BandwidthSetup {
    /// The largest number of a row's threads in any treatment.
    pub fn threads_of(&self, row: usize) -> usize {
        let most = self.treatments.iter().map(|treatment| treatment.threads).max().unwrap_or(0);
        self.rows[row].len().min(most)
    }

    /// The memory of all of a row's threads.
    pub fn row_bytes(&self, row: usize) -> Bytes {
        (0..self.threads_of(row)).map(|thread| self.bytes_of(thread)).sum()
    }

    /// Checks that a row's threads fit into a memory; touches nothing.
    pub fn check_free(&self, row: usize, memory: usize) -> Result<(), PlaceError> {
        let MemoryJob { node, free, .. } = self.columns[memory];
        let pages = WantedPages::Huge;
        BufferPlace { node, bytes: self.row_bytes(row), pages, touch_from: CpuSet::new(), free }
            .check_free()
    }

    /// The bytes of a row's nth thread. The first may be alone and then sweeps the whole footprint;
    /// two share it.
    pub(crate) fn bytes_of(&self, thread: usize) -> Bytes {
        Bytes((self.footprint.0 / (thread as u64 + 1)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> BandwidthSetup {
        let treatment = |threads| StreamTreatment { kernel: Kernel::Read, threads };
        BandwidthSetup {
            rows: vec![vec![CpuId(0), CpuId(1)]],
            columns: vec![MemoryJob::default(); 2],
            treatments: vec![treatment(1), treatment(2)],
            isa: Isa::Portable,
            footprint: Bytes::mib(64),
            window: Duration::from_millis(5),
            windows: 1,
        }
    }

    #[test]
    fn threads_together_sweep_the_footprint() {
        for threads in 1..100 {
            let together: u64 = (0..threads).map(|thread| setup().bytes_of(thread).0).sum();
            assert!(together >= setup().footprint.0);
        }
    }

    #[test]
    fn a_row_takes_memory_for_its_used_threads() {
        let one = BandwidthSetup {
            treatments: vec![StreamTreatment { kernel: Kernel::Read, threads: 1 }],
            ..setup()
        };
        assert_eq!((one.row_bytes(0), setup().row_bytes(0)), (Bytes::mib(64), Bytes::mib(96)));
    }

    #[test]
    fn a_row_without_free_memory_is_refused_untouched() {
        let with = |free| {
            let memory = MemoryJob { free: Some(free), ..setup().columns[0].clone() };
            BandwidthSetup { columns: vec![memory], ..setup() }.check_free(0, 0)
        };
        with(Bytes::mib(256)).unwrap();
        assert!(
            with(Bytes::mib(97))
                .unwrap_err()
                .to_string()
                .starts_with("96 MiB wanted on this machine, but only 97 MiB")
        );
        // The footprint decides, not the number of threads.
        let many = BandwidthSetup {
            rows: vec![(0..128).map(CpuId).collect()],
            treatments: vec![StreamTreatment { kernel: Kernel::Read, threads: 128 }],
            columns: vec![MemoryJob { free: Some(Bytes::gib(64)), ..setup().columns[0].clone() }],
            footprint: Bytes::gib(2),
            ..setup()
        };
        many.check_free(0, 0).unwrap();
    }

    #[test]
    fn more_threads_than_cpus_and_none_are_refused() {
        let with = |threads| BandwidthSetup {
            treatments: vec![StreamTreatment { kernel: Kernel::Read, threads }],
            ..setup()
        };
        assert!(with(3).check().is_err() && with(0).check().is_err());
        with(2).check().unwrap();
    }
}
