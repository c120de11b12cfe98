//! Who measures, and who disturbs it.

use nearfar_model::{Bytes, CpuId, CpuSet, Shape};
use serde::{Deserialize, Serialize};

use crate::latency::ColumnJob;
use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::worker::station::WorkSetup;

/// What disturbs a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// The row whose CPUs stream.
    pub row: usize,
    /// The column whose memory they stream through; none for the victim's own.
    pub memory: Option<usize>,
    /// Turns of an empty loop after every piece of memory: 0 for the most traffic.
    pub delay: u32,
}

/// Who reads what beside whom: rows are CPU groups, columns memory, treatments loads. Loads may be added later on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedSetup {
    /// The CPUs of each row, one of which is the victim.
    pub rows: Vec<Vec<CpuId>>,
    /// Those that share a core.
    pub cores: Vec<CpuSet>,
    /// CPUs that spin where nobody streams, so that uncore clocks are what they are beside aggressors.
    pub spinners: CpuSet,
    /// The memory, and the probe that runs over it.
    pub columns: Vec<ColumnJob>,
    /// What a victim is measured beside; none is nobody. The first is nobody.
    pub loads: Vec<Option<Load>>,
    /// What aggressors do.
    pub kernel: Kernel,
    /// With which instructions.
    pub isa: Isa,
    /// What the aggressors sweep together, at least.
    pub footprint: Bytes,
}

impl WorkSetup for LoadedSetup {
    fn shape(&self) -> Shape {
        Shape { rows: self.rows.len(), columns: self.columns.len(), treatments: self.loads.len() }
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(ColumnJob::check)?;
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let is_there = |load: &Load| load.row < rows && load.memory.is_none_or(|memory| memory < columns);
        let sound = columns > 0 && self.footprint.0 > 0 && self.rows.iter().all(|row| !row.is_empty());
        match sound && self.loads.first() == Some(&None) && self.loads.iter().flatten().all(is_there) {
            true => Ok(()),
            false => Err(ProbeError::BadJob("a victim beside nobody that there is".to_owned())),
        }
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

    /// Those that spin while this CPU is the victim.
    pub(crate) fn spinners_beside(&self, victim: CpuId) -> CpuSet {
        let of_core = self.cores.iter().find(|core| core.contains(victim));
        let own = of_core.cloned().unwrap_or_else(|| CpuSet::of(victim));
        self.spinners.difference(&own)
    }

    /// The memory of each of so many aggressors. One of them may be the victim and sleep, so the others share all of it.
    pub(crate) fn bytes_of(&self, threads: usize) -> Bytes {
        Bytes((self.footprint.0 / threads.saturating_sub(1).max(1) as u64).max(1))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::spec::ProbeSpec;

    pub(in crate::instruments::loaded) fn setup(rows: Vec<Vec<CpuId>>) -> LoadedSetup {
        let column = ColumnJob {
            probe: ProbeSpec::page(),
            node: None,
            pages: 2,
            touch_from: CpuSet::new(),
            free: None,
            why_not: None,
        };
        LoadedSetup {
            rows,
            cores: vec![],
            spinners: CpuSet::new(),
            columns: vec![column; 2],
            loads: vec![None],
            kernel: Kernel::Read,
            isa: Isa::best(),
            footprint: Bytes::mib(64),
        }
    }

    #[test]
    fn loads_are_added_without_moving_those_before_them() {
        let mut setup = setup(vec![vec![CpuId(0), CpuId(1)]]);
        let load = |delay| Some(Load { row: 0, memory: None, delay });
        assert_eq!([None, load(0), load(9), load(0), None].map(|load| setup.treatment(load)), [0, 1, 2, 1, 0]);
        assert_eq!(setup.shape(), Shape { rows: 1, columns: 2, treatments: 3 });
        setup.check().unwrap();
    }

    #[test]
    fn no_spinner_sits_on_the_victims_core() {
        let cpus = |list| CpuSet::parse_list(list).unwrap();
        let setup = LoadedSetup {
            cores: ["0,4", "1,5", "2,6", "3,7"].map(cpus).to_vec(),
            spinners: cpus("3,6"),
            ..setup(vec![(0..8).map(CpuId).collect()])
        };
        let beside = |victim| setup.spinners_beside(CpuId(victim)).to_string();
        assert_eq!([0, 3, 7, 2].map(beside), ["3,6", "6", "6", "3"]);
    }

    #[test]
    fn aggressors_that_are_not_there_are_refused() {
        let with = |loads| LoadedSetup { loads, ..setup(vec![vec![CpuId(0)]]) }.check();
        assert!(with(vec![None, Some(Load { row: 1, memory: None, delay: 0 })]).is_err());
        assert!(with(vec![None, Some(Load { row: 0, memory: Some(2), delay: 0 })]).is_err());
        assert!(with(vec![]).is_err());
    }
}
