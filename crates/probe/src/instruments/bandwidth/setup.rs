//! Which threads stream through which memory.

use std::time::Duration;

use nearfar_model::{Bytes, CpuId, CpuSet, MatrixShape};
use nearfar_place::{BufferPlace, PlaceError, WantedPages};
use serde::{Deserialize, Serialize};

use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::worker::station::{WorkSetup, sound};

/// What a cell is visited with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamTreatment {
    /// What each thread does.
    pub kernel: Kernel,
    /// How many of the row's CPUs take part: the first ones.
    pub threads: usize,
}

/// Who streams through what: rows are CPU groups, columns memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandwidthSetup {
    /// The CPUs of each row, in the order in which threads are added.
    pub rows: Vec<Vec<CpuId>>,
    /// The memory.
    pub columns: Vec<MemoryJob>,
    /// What cells are visited with.
    pub treatments: Vec<StreamTreatment>,
    /// The instructions.
    pub isa: Isa,
    /// What the threads of a visit sweep together, at least.
    pub footprint: Bytes,
    /// How long a window is.
    pub window: Duration,
    /// How many a visit has on end, at least 1: the fastest is its sample.
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
    /// How many of a row's threads any treatment uses.
    pub fn threads_of(&self, row: usize) -> usize {
        let most = self.treatments.iter().map(|treatment| treatment.threads).max().unwrap_or(0);
        self.rows[row].len().min(most)
    }

    /// The memory of all of a row's threads.
    pub fn row_bytes(&self, row: usize) -> Bytes {
        (0..self.threads_of(row)).map(|thread| self.bytes_of(thread)).sum()
    }

    /// Whether a row's threads have room in a memory; nothing is touched.
    pub fn check_free(&self, row: usize, memory: usize) -> Result<(), PlaceError> {
        let MemoryJob { node, free, .. } = self.columns[memory];
        let pages = WantedPages::Huge;
        BufferPlace { node, bytes: self.row_bytes(row), pages, touch_from: CpuSet::new(), free }
            .check_free()
    }

    /// The memory of a row's nth thread: the first may be alone, and sweeps all of the footprint
    /// then; two share it.
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
    fn however_many_threads_sweep_the_footprint_together() {
        for threads in 1..100 {
            let together: u64 = (0..threads).map(|thread| setup().bytes_of(thread).0).sum();
            assert!(together >= setup().footprint.0);
        }
    }

    #[test]
    fn a_row_takes_memory_for_as_many_threads_as_are_used() {
        let one = BandwidthSetup {
            treatments: vec![StreamTreatment { kernel: Kernel::Read, threads: 1 }],
            ..setup()
        };
        assert_eq!((one.row_bytes(0), setup().row_bytes(0)), (Bytes::mib(64), Bytes::mib(96)));
    }

    #[test]
    fn a_row_that_has_no_room_is_told_before_anything_is_touched() {
        let with = |free| {
            let memory = MemoryJob { free: Some(free), ..setup().columns[0].clone() };
            BandwidthSetup { columns: vec![memory], ..setup() }.check_free(0, 0)
        };
        with(Bytes::mib(256)).unwrap();
        assert!(
            with(Bytes::mib(97))
                .unwrap_err()
                .to_string()
                .starts_with("96 MiB wanted on this machine but only 97 MiB")
        );
        // However many threads there are, the footprint and not their number decides.
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
