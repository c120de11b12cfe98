//! Whether the PMU agrees with the placement of memory: loads of local cells should be served by
//! local memory, and loads of remote cells by remote memory.
//!
//! Counts are a witness only where most loads reached memory, and most of the time was counted.
//! Where all memory is equally near, there is nothing to compare.

/// The smallest number of loads that is judged.
const MIN_LOADS: u64 = 1_000;
/// The smallest ratio of fills to loads. With fewer, caches served the loads, or the events miss
/// them: memory of devices, stores.
const MIN_FILLS: f64 = 0.5;
/// The smallest part of the time that must be counted.
const MIN_COUNTED: f64 = 0.1;
/// A cell contradicts its placement if more than this share of its fills is of the other kind.
const CONTRADICTION: f64 = 0.5;

/// Where the loads of a cell are expected to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedMemory {
    /// To memory of the CPUs' own node.
    Local,
    /// To memory of another package.
    Remote,
    /// Which of both the events count is not certain: another node of the same package, memory
    /// without CPUs.
    Uncertain,
}

/// What was counted in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellFillCount {
    /// Where its loads should go.
    pub expected: ExpectedMemory,
    /// Timed loads.
    pub loads: u64,
    /// Fills from local memory.
    pub local: u64,
    /// Fills from remote memory.
    pub remote: u64,
    /// The part of the time that was counted, at most 1.
    pub counted_share: f64,
}

/// The judgement of all cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FillCheck {
    /// The remote share of fills of local cells; `None` if none can be judged.
    pub of_local: Option<f64>,
    /// The same of remote cells.
    pub of_remote: Option<f64>,
    /// Indexes of cells whose fills contradict their placement.
    pub contradictions: Vec<usize>,
}

impl CellFillCount {
    /// The remote share of its fills; `None` if they are no witness.
    pub fn remote_share(&self) -> Option<f64> {
        let fills = self.local.saturating_add(self.remote) as f64;
        let is_witness = self.loads >= MIN_LOADS
            && fills >= MIN_FILLS * self.loads as f64
            && self.counted_share >= MIN_COUNTED;
        is_witness.then(|| self.remote as f64 / fills)
    }

    fn contradicts(&self) -> bool {
        match (self.expected, self.remote_share()) {
            (ExpectedMemory::Local, Some(remote)) => remote > CONTRADICTION,
            (ExpectedMemory::Remote, Some(remote)) => 1.0 - remote > CONTRADICTION,
            _ => false,
        }
    }
}

/// Judges all cells together. Without cells of both kinds there is no contradiction.
pub fn fill_check(cells: &[CellFillCount]) -> FillCheck {
    let share = |kind| {
        let shares = cells.iter().filter(|cell| cell.expected == kind);
        let shares: Vec<f64> = shares.filter_map(CellFillCount::remote_share).collect();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    };
    let has = |kind| cells.iter().any(|cell| cell.expected == kind);
    let is_comparable = has(ExpectedMemory::Local) && has(ExpectedMemory::Remote);
    let contradictions = cells.iter().enumerate().filter(|(_, cell)| cell.contradicts());
    FillCheck {
        of_local: share(ExpectedMemory::Local),
        of_remote: share(ExpectedMemory::Remote),
        contradictions: contradictions.filter(|_| is_comparable).map(|(index, _)| index).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::ExpectedMemory::{Local, Remote, Uncertain};
    use super::*;

    /// A cell of 100 visits; its fills as parts of its loads.
    fn cell(expected: ExpectedMemory, local: f64, remote: f64) -> CellFillCount {
        let loads = 819_200;
        let [local, remote] = [local, remote].map(|share| (share * loads as f64) as u64);
        CellFillCount { expected, loads, local, remote, counted_share: 1.0 }
    }

    /// Two nodes in two packages, as they should be.
    fn sound() -> Vec<CellFillCount> {
        let (near, far) = (cell(Local, 0.99, 0.002), cell(Remote, 0.01, 0.99));
        vec![near, far, far, near]
    }

    #[test]
    fn a_sound_machine_has_shares_and_no_contradiction() {
        let check = fill_check(&sound());
        assert_eq!(check.contradictions, [0; 0]);
        assert!(check.of_local.unwrap() < 0.01 && check.of_remote.unwrap() > 0.98, "{check:?}");
    }

    #[test]
    fn memory_of_the_other_kind_contradicts() {
        // A guest whose second node is memory of the first host node.
        let mut cells = sound();
        (cells[1], cells[3]) = (cell(Remote, 0.98, 0.01), cell(Local, 0.02, 0.97));
        assert_eq!(fill_check(&cells).contradictions, [1, 3]);
        // Half of the pages is not enough, nor more fills than loads, by a prefetcher.
        (cells[1], cells[3]) = (cell(Remote, 0.5, 0.5), cell(Local, 1.6, 1.2));
        assert_eq!(fill_check(&cells).contradictions, [0; 0]);
    }

    #[test]
    fn cached_memory_is_no_witness() {
        let cached = [cell(Local, 0.01, 0.4), cell(Remote, 0.49, 0.0)];
        assert_eq!(fill_check(&cached), FillCheck::default());
        let none = [cell(Local, 0.0, 0.0), cell(Remote, 0.0, 0.0)];
        assert_eq!(fill_check(&none), FillCheck::default());
    }

    #[test]
    fn one_kind_of_memory_contradicts_nothing() {
        let of_one_node = [cell(Local, 0.0, 1.0), cell(Local, 0.0, 1.0)];
        assert_eq!(fill_check(&of_one_node).contradictions, [0; 0]);
        let of_one_package = [cell(Local, 0.0, 1.0), cell(Uncertain, 1.0, 0.0)];
        assert_eq!(fill_check(&of_one_package).contradictions, [0; 0]);
        assert_eq!(fill_check(&[]), FillCheck::default());
    }

    #[test]
    fn counts_of_a_moment_are_no_witness() {
        let wrong = || [cell(Local, 0.0, 1.0), cell(Remote, 1.0, 0.0)];
        assert_eq!(fill_check(&wrong()).contradictions, [0, 1]);
        let rarely = wrong().map(|cell| CellFillCount { counted_share: 0.05, ..cell });
        assert_eq!(fill_check(&rarely), FillCheck::default());
        let few = wrong().map(|cell| CellFillCount { loads: 999, ..cell });
        assert_eq!(fill_check(&few), FillCheck::default());
    }
}
