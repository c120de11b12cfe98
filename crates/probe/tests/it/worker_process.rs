//! A survey's process and its workers, as separate processes. The worker is this program with one
//! test, [`worker`].

use std::env;
use std::fs::File;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

use nearfar_model::{CellIndex, CpuSet};
use nearfar_place::affinity;
use nearfar_probe::{
    Batch, BatchExecutor, LatencySetup, LayoutColumn, MemoryJob, ProbeSpec, ProcessExecutor, Visit,
    Work, WorkerMessage, become_worker, serve,
};

const AS_WORKER: &str = "NEARFAR_TEST_AS_WORKER";

/// Runs this program as a worker. The test harness prints on standard output, so messages use
/// descriptor 3.
const START: &str = "exec \"$0\" --exact worker_process::worker --nocapture 3>&1 >/dev/null";

#[test]
fn worker() {
    if env::var_os(AS_WORKER).is_none() {
        return;
    }
    become_worker();
    let answers =
        File::options().write(true).open("/proc/self/fd/3").expect("descriptor 3 is open");
    serve(io::stdin().lock(), answers).expect("the worker works");
}

fn executor() -> ProcessExecutor<'static> {
    let cpus = affinity().expect("this thread's CPUs");
    let memory = MemoryJob { touch_from: cpus.clone(), ..MemoryJob::default() };
    let column =
        LayoutColumn { label: "memory".to_owned(), probe: ProbeSpec::page(), pages: 4, memory };
    let setup = LatencySetup {
        rows: vec![cpus],
        columns: vec![column; 2],
        spinners: CpuSet::new(),
        fills: None,
    };
    let launch = || {
        let mut command = Command::new("sh");
        command.args(["-c", START]).arg(env::current_exe().expect("this program has a path"));
        command.env(AS_WORKER, "yes");
        command
    };
    ProcessExecutor::new(Work::Latency(setup), Box::new(launch), Duration::ZERO)
}

fn batch(rounds: u32) -> Batch {
    let each = |round| {
        (0..2).map(move |column| Visit {
            process: 0,
            round,
            place: CellIndex::new(0, column),
            draw: round * 7,
        })
    };
    Batch { process: 0, seed: 11, visits: (0..rounds).flat_map(each).collect() }
}

/// Whether a message is about this visit.
fn answers(answer: &WorkerMessage, visit: Visit) -> bool {
    match answer {
        WorkerMessage::Sample(sample) => (sample.round, sample.place) == (visit.round, visit.place),
        WorkerMessage::Dropped(dropped) => dropped.visit == visit,
        _ => false,
    }
}

#[test]
fn a_fresh_process_answers_its_batch() {
    let batch = batch(5);
    let mut messages = Vec::new();
    let ended = executor().execute(&batch, &mut |answer| {
        messages.extend(answer);
        true
    });
    ended.expect("an orderly end");
    let placed =
        messages.iter().filter(|answer| matches!(answer, WorkerMessage::Placed { .. })).count();
    assert_eq!(placed, 2, "{messages:?}");
    // On a busy machine any sample may be disturbed.
    for visit in &batch.visits {
        assert!(messages.iter().any(|answer| answers(answer, *visit)), "{visit:?} in {messages:?}");
    }
}

#[test]
fn a_worker_without_reader_ends_early() {
    let begin = Instant::now();
    let mut answers = 0;
    let ended = executor().execute(&batch(100_000), &mut |answer| {
        answers += u32::from(answer.is_some());
        answers < 4
    });
    assert!(ended.is_ok() && answers == 4, "{ended:?} after {answers}");
    // The whole batch would take some minutes.
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}
