//! The CPUs and the sizes that they chase through.

use nearfar_model::{Bytes, CellIndex, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use super::order::ARCS;
use super::regions::footprint;
use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::probes::arch::LINE;
use crate::spec::PageSize;
use crate::worker::station::{WorkSetup, sound};

/// The smallest size: 4 KiB fit every cache.
const SMALLEST: f64 = 4096.0;
/// Sizes are multiples of this, so that the arcs of a cycle have equal length.
const UNIT: u64 = (ARCS * LINE) as u64;

/// One row: CPUs, and the memory of their node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRow {
    /// The candidates, one of them drawn per process.
    pub cpus: CpuSet,
    /// Index of its memory.
    pub memory: usize,
}

/// CPUs, sizes and page sizes: the rows, columns and treatments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheSetup {
    /// The rows.
    pub rows: Vec<SweepRow>,
    /// The memory of their nodes.
    pub memories: Vec<MemoryJob>,
    /// The sizes, ascending.
    pub sizes: Vec<Bytes>,
    /// The page sizes.
    pub pages: Vec<PageSize>,
    /// CPUs that spin so that their package's uncore clocks stay up.
    pub spinners: CpuSet,
}

impl WorkSetup for CacheSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.rows.len(),
            columns: self.sizes.len(),
            treatments: self.pages.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let placed = self.rows.iter().all(|row| row.memory < self.memories.len());
        sound(placed && !self.pages.is_empty(), "a sweep without pages or memory")?;
        let whole = |bytes: &Bytes| {
            bytes.0 >= UNIT && bytes.0 % UNIT == 0 && bytes.0 / (LINE as u64) < 1 << 32
        };
        let ascend = self.sizes.iter().all(whole) && self.sizes.is_sorted_by(|a, b| a < b);
        sound(ascend, "sizes of a sweep that are not ascending multiples of 512 bytes")
    }
}

impl CacheSetup {
    /// Every size on every page size, from every row.
    pub fn places(&self) -> Vec<CellIndex> {
        let MatrixShape { rows, columns, treatments } = self.shape();
        let of_size = move |row, size| {
            (0..treatments).map(move |pages| CellIndex::new(row, size).with_treatment(pages))
        };
        (0..rows).flat_map(|row| (0..columns).flat_map(move |size| of_size(row, size))).collect()
    }

    /// The memory of all sizes on one page size.
    pub fn footprint(&self) -> Bytes {
        footprint(&self.sizes)
    }
}

/// Sizes from 4 KiB to `largest`, `per_octave` to each doubling.
pub fn sizes(largest: Bytes, per_octave: u32) -> Vec<Bytes> {
    let size = |step: u32| {
        let bytes = SMALLEST * (f64::from(step) / f64::from(per_octave.max(1))).exp2();
        ((bytes / UNIT as f64).round() as u64).checked_mul(UNIT).map(Bytes)
    };
    let mut sizes: Vec<Bytes> =
        (0..).map_while(size).take_while(|bytes| *bytes <= largest).collect();
    sizes.dedup();
    sizes
}

/// Keeps every size up to a limit and every second one beyond, the largest included. Large sizes
/// take longest, and memory's plateau is wide.
pub fn thinned(sizes: Vec<Bytes>, beyond: Bytes) -> Vec<Bytes> {
    let count = sizes.len();
    let keeps = |(place, bytes): &(usize, Bytes)| *bytes <= beyond || (count - 1 - place) % 2 == 0;
    sizes.into_iter().enumerate().filter(keeps).map(|(_, bytes)| bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> CacheSetup {
        let memory = MemoryJob::default();
        CacheSetup {
            rows: vec![SweepRow { cpus: CpuSet::new(), memory: 0 }],
            memories: vec![memory],
            sizes: sizes(Bytes::mib(1), 4),
            pages: vec![PageSize::Huge, PageSize::Base],
            spinners: CpuSet::new(),
        }
    }

    #[test]
    fn sizes_are_evenly_spaced_and_whole() {
        let sizes = sizes(Bytes::kib(32), 4);
        let kib: Vec<f64> = sizes.iter().map(|bytes| bytes.0 as f64 / 1024.0).collect();
        assert_eq!(kib, [4.0, 5.0, 5.5, 6.5, 8.0, 9.5, 11.5, 13.5, 16.0, 19.0, 22.5, 27.0, 32.0]);
        assert!(super::sizes(Bytes(100), 4).is_empty());
        assert_eq!(super::sizes(Bytes(u64::MAX), 4).len(), 4 * (64 - 12));
    }

    #[test]
    fn beyond_a_limit_every_second_size_is_skipped() {
        let all = sizes(Bytes::mib(64), 4);
        let thin = thinned(all.clone(), Bytes::mib(8));
        let [fine, coarse] = [&thin[..45], &thin[45..]];
        assert_eq!(fine, &all[..45]);
        assert_eq!(fine.last(), Some(&Bytes::mib(8)));
        let mib: Vec<f64> = coarse
            .iter()
            .map(|bytes| (bytes.0 as f64 / 1_048_576.0 * 10.0).round() / 10.0)
            .collect();
        assert_eq!(mib, [11.3, 16.0, 22.6, 32.0, 45.3, 64.0]);
        assert_eq!(thinned(all.clone(), Bytes::gib(1)), all);
        assert_eq!(thinned(sizes(Bytes::mib(10), 4), Bytes::mib(8)), sizes(Bytes::mib(10), 4));
        assert!(thinned(vec![], Bytes::mib(8)).is_empty());
    }

    #[test]
    fn odd_sizes_and_no_memory_are_refused() {
        assert!(CacheSetup { sizes: vec![Bytes(700)], ..setup() }.check().is_err());
        assert!(CacheSetup { sizes: vec![Bytes(0)], ..setup() }.check().is_err());
        assert!(CacheSetup { sizes: vec![Bytes(1024), Bytes(512)], ..setup() }.check().is_err());
        assert!(CacheSetup { sizes: vec![Bytes(1 << 60)], ..setup() }.check().is_err());
        assert!(CacheSetup { memories: vec![], ..setup() }.check().is_err());
        assert!(CacheSetup { pages: vec![], ..setup() }.check().is_err());
    }
}
