//! A file of this system's temporary folder is read by every engine. No figure is asserted.

use std::io::Write;
use std::path::{Path, PathBuf};

use nearfar_model::CpuSet;
use nearfar_place::affinity;
use tempfile::NamedTempFile;

use super::super::setup::IoOperation;
use super::super::target_file::open;
use super::*;
use crate::io::{EngineChoice, FileIdentity, InterruptPlace, InterruptPlaces, TargetError};
use crate::layout_column::MemoryJob;
use crate::tests::{answers, assert_answered, visit};

const BYTES: Bytes = Bytes::mib(2);

/// A file of this size; `None` if the temporary folder has no direct I/O.
fn file(bytes: Bytes) -> Option<NamedTempFile> {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(&vec![7; bytes.0 as usize]).unwrap();
    file.as_file().sync_all().unwrap();
    match open(file.path(), false) {
        Ok(_) => Some(file),
        Err(TargetError::NoDirect { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn setup(path: &Path, engine: IoEngine) -> IoSetup {
    let workload =
        |depth, operation, pattern| IoWorkload { operation, depth, size: Bytes::kib(64), pattern };
    let workloads = [
        workload(1, IoOperation::Read, AccessPattern::Random),
        workload(4, IoOperation::Read, AccessPattern::Sequential),
        workload(4, IoOperation::Write, AccessPattern::Random),
    ];
    let treatment = |workload| IoTreatment { target: 0, workload, interrupts: None, again: false };
    IoSetup {
        rows: vec![affinity().unwrap()],
        memories: vec![MemoryJob::default()],
        targets: vec![IoTarget {
            path: path.to_owned(),
            opened_by: None,
            identity: path.metadata().map(|file| FileIdentity::new(&file)).unwrap_or_default(),
            bytes: BYTES,
            disks: vec![],
            interrupts: vec![],
            interrupt_places: vec![],
        }],
        treatments: workloads.map(treatment).to_vec(),
        engine,
        window: Duration::from_millis(2),
    }
}

fn visits() -> Vec<Visit> {
    (0..3).map(|treatment| visit(0, 0, treatment)).collect()
}

#[test]
fn every_engine_reads_and_writes() {
    let Some(file) = file(BYTES) else { return };
    let best = EngineChoice::detect(Bytes::mib(2)).engine;
    for engine in [IoEngine::Threads, IoEngine::Uring, IoEngine::UringRegistered] {
        if engine < best && engine != IoEngine::Threads {
            continue;
        }
        let setup = setup(file.path(), engine);
        assert!(crate::worker::station::WorkSetup::check(&setup).is_ok());
        let messages = answers(&setup, 1, visits());
        assert_answered(&visits(), &messages);
        for message in &messages {
            if let WorkerMessage::Io(record) = message {
                assert!(record.latencies.total() >= 12, "{record:?}");
            }
        }
        let is_unavailable =
            |message: &WorkerMessage| matches!(message, WorkerMessage::Unavailable { .. });
        assert!(!messages.iter().any(is_unavailable), "{engine:?}: {messages:?}");
    }
    let length = file.as_file().metadata().unwrap().len();
    assert_eq!(length, BYTES.0, "writes stay within the file");
}

/// The reasons that cells are reported with.
fn reasons(setup: &IoSetup) -> Vec<String> {
    let messages = answers(setup, 1, vec![visit(0, 0, 1)]);
    let reason = |message| match message {
        WorkerMessage::Unavailable { why, .. } => Some(why),
        _ => None,
    };
    messages.into_iter().filter_map(reason).collect()
}

#[test]
fn files_that_shrink_or_vanish_are_reported() {
    let Some(file) = file(BYTES) else { return };
    for engine in [IoEngine::Threads, EngineChoice::detect(BYTES).engine] {
        file.as_file().set_len(BYTES.0).unwrap();
        let setup = setup(file.path(), engine);
        file.as_file().set_len(0).unwrap();
        let reasons = reasons(&setup);
        assert!(reasons[0].contains("the file became shorter"), "{reasons:?}");
    }
    let gone = setup(&PathBuf::from("/nowhere"), IoEngine::Threads);
    assert!(reasons(&gone)[0].starts_with("cannot open /nowhere"));
}

#[test]
fn a_failed_access_gives_up_its_target_alone() {
    let (Some(file), Some(whole)) = (file(BYTES), file(BYTES)) else { return };
    let mut setup = setup(file.path(), IoEngine::Threads);
    let other = self::setup(whole.path(), IoEngine::Threads).targets.remove(0);
    setup.targets.push(other);
    setup.treatments[2].target = 1;
    file.as_file().set_len(0).unwrap();
    let messages = answers(&setup, 1, vec![visit(0, 0, 0), visit(0, 0, 2)]);
    let scope = |message: &WorkerMessage| match message {
        WorkerMessage::Unavailable { scope, .. } => Some(*scope),
        _ => None,
    };
    let given_up: Vec<PlanScope> = messages.iter().filter_map(scope).collect();
    let not_visited = PlanScope::Cell(visit(0, 0, 1).place);
    assert_eq!(given_up, [PlanScope::Cell(visit(0, 0, 0).place), not_visited]);
}

#[test]
fn interrupts_that_cannot_be_set_are_reported() {
    let Some(file) = file(BYTES) else { return };
    let mut setup = setup(file.path(), IoEngine::Threads);
    let place = InterruptPlace { number: u32::MAX, cpus: CpuSet::parse_list("0").unwrap() };
    setup.targets[0].interrupt_places =
        vec![InterruptPlaces { name: "near".to_owned(), interrupts: vec![place] }];
    setup.treatments[1].interrupts = Some(0);
    let reasons = reasons(&setup);
    assert!(reasons[0].starts_with("cannot set interrupt 4294967295"), "{reasons:?}");
}

#[test]
fn reads_that_a_cache_answers_are_reported() {
    let Some(file) = file(BYTES) else { return };
    let mut setup = setup(file.path(), IoEngine::Threads);
    // A disk that nothing reads from; the test needs a machine that has one.
    let source = Source::live();
    let is_idle = |name: &&&str| nearfar_machine::DiskCounters::read(&source, name).is_some();
    let Some(idle) = ["zram0", "loop7", "ram7"].iter().find(is_idle) else { return };
    setup.targets[0].disks = vec![(*idle).to_owned()];
    let reasons = reasons(&setup);
    // A busy machine may disturb the visit before its first access.
    let is_cache = |why: &String| why.contains("a cache answered");
    assert!(reasons.iter().all(is_cache), "{reasons:?}");
}
