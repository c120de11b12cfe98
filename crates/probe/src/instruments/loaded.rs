//! Loaded latency: one CPU walks pages while others stream through the same node's memory, or
//! another's.
//!
//! A visit is one page sample of the *victim*, a CPU that the process draws from the row, beside
//! *aggressors*: the row's CPUs outside the victim's core. Each aggressor streams through its own
//! memory with a pause after every piece. The sample carries their traffic.

mod aggressors;
mod station;
#[cfg(test)]
mod tests;

use nearfar_model::{Bytes, CpuId, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::LayoutColumn;
use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::worker::station::{WorkSetup, sound};

/// A load on a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// The row whose CPUs stream.
    pub row: usize,
    /// The column whose memory they stream through; `None`: the victim's own.
    pub memory: Option<usize>,
    /// Iterations of an empty loop after every piece of memory: 0 for the most traffic.
    pub delay: u32,
}

/// Victims and loads: rows are CPU groups, columns memory, treatments loads. Loads may be added
/// later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedSetup {
    /// The CPUs of each row; one of them is the victim.
    pub rows: Vec<Vec<CpuId>>,
    /// CPUs by core.
    pub cores: Vec<CpuSet>,
    /// CPUs that spin when no CPU streams, so that uncore clocks are the same with and without
    /// load.
    pub spinners: CpuSet,
    /// The memory, and the probe that runs over it.
    pub columns: Vec<LayoutColumn>,
    /// The loads of the victims; `None` is no load. The first is `None`.
    pub loads: Vec<Option<Load>>,
    /// What aggressors do.
    pub kernel: Kernel,
    /// Their instruction set.
    pub isa: Isa,
    /// The bytes that the aggressors sweep together, at least.
    pub footprint: Bytes,
}

impl WorkSetup for LoadedSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.rows.len(),
            columns: self.columns.len(),
            treatments: self.loads.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(LayoutColumn::check)?;
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let is_there =
            |load: &Load| load.row < rows && load.memory.is_none_or(|memory| memory < columns);
        let fits =
            columns > 0 && self.footprint.0 > 0 && self.rows.iter().all(|row| !row.is_empty());
        let are_there =
            self.loads.first() == Some(&None) && self.loads.iter().flatten().all(is_there);
        sound(fits && are_there, "a load of absent CPUs or memory")
    }
}

impl LoadedSetup {
    /// The index of a load, which is added if it is new.
    pub fn treatment(&mut self, load: Option<Load>) -> usize {
        let known = self.loads.iter().position(|known| *known == load);
        known.unwrap_or_else(|| {
            self.loads.push(load);
            self.loads.len() - 1
        })
    }

    /// The spinners while this CPU is the victim.
    pub(crate) fn spinners_beside(&self, victim: CpuId) -> CpuSet {
        let of_core = self.cores.iter().find(|core| core.contains(victim));
        let own = of_core.cloned().unwrap_or_else(|| CpuSet::from_id(victim));
        self.spinners.difference(&own)
    }

    /// The bytes of each of `threads` aggressors. One of them may be the victim and sleep, so the
    /// others share the footprint.
    pub(crate) fn bytes_of(&self, threads: usize) -> Bytes {
        Bytes((self.footprint.0 / threads.saturating_sub(1).max(1) as u64).max(1))
    }
}
