//! Loads of a machine of one row.

use nearfar_model::{Bytes, CpuId, CpuSet, MatrixShape};

use super::*;
use crate::layout_column::{LayoutColumn, MemoryJob};
use crate::spec::ProbeSpec;
use crate::streams::{Isa, Kernel};
use crate::worker::station::WorkSetup;

pub(super) fn setup(rows: Vec<Vec<CpuId>>) -> LoadedSetup {
    let (label, memory) = ("memory".to_owned(), MemoryJob::default());
    let column = LayoutColumn { label, probe: ProbeSpec::page(), pages: 2, memory };
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
fn new_loads_are_appended() {
    let mut setup = setup(vec![vec![CpuId(0), CpuId(1)]]);
    let load = |delay| Some(Load { row: 0, memory: None, delay });
    assert_eq!(
        [None, load(0), load(9), load(0), None].map(|load| setup.treatment(load)),
        [0, 1, 2, 1, 0]
    );
    assert_eq!(setup.shape(), MatrixShape { rows: 1, columns: 2, treatments: 3 });
    setup.check().unwrap();
}

#[test]
fn no_spinner_runs_on_the_victims_core() {
    let cpus = |list| CpuSet::parse_list(list).unwrap();
    let setup = LoadedSetup {
        cores: ["0,4", "1,5", "2,6", "3,7"].map(cpus).to_vec(),
        spinners: cpus("3,6"),
        ..setup(vec![(0..8).map(CpuId).collect()])
    };
    assert_eq!(
        [0, 3, 7, 2].map(|victim| setup.spinners_beside(CpuId(victim)).to_string()),
        ["3,6", "6", "6", "3"]
    );
}

#[test]
fn absent_aggressors_are_refused() {
    let with = |loads| LoadedSetup { loads, ..setup(vec![vec![CpuId(0)]]) }.check();
    assert!(with(vec![None, Some(Load { row: 1, memory: None, delay: 0 })]).is_err());
    assert!(with(vec![None, Some(Load { row: 0, memory: Some(2), delay: 0 })]).is_err());
    assert!(with(vec![]).is_err());
}
