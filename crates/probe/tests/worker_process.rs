//! A survey's process and its workers, as separate processes. Has no harness: the same program is the worker, when so told.

use std::env;
use std::io;
use std::process::Command;
use std::time::Instant;

use nearfar_model::CpuSet;
use nearfar_place::affinity;
use nearfar_probe::{
    Answer, Batch, ColumnJob, ProbeSpec, Respondent, Setup, Silicon, Visit, Work, become_worker, serve,
};

const AS_WORKER: &str = "as-worker";

fn main() {
    if env::args().nth(1).as_deref() == Some(AS_WORKER) {
        become_worker();
        serve(io::stdin().lock(), io::stdout().lock()).expect("the worker works");
        return;
    }
    a_fresh_process_answers_its_batch();
    a_worker_no_longer_heard_is_gone_at_once();
    println!("worker_process: ok");
}

fn silicon() -> Silicon {
    let cpus = affinity().expect("the kernel says where this may run");
    let column = ColumnJob {
        probe: ProbeSpec::page(),
        node: None,
        pages: 4,
        touch_from: cpus.clone(),
        free: None,
        why_not: None,
    };
    let setup = Setup { rows: vec![cpus], columns: vec![column; 2], spinners: CpuSet::new() };
    let launch = || {
        let mut command = Command::new(env::current_exe().expect("this program has a path"));
        command.arg(AS_WORKER);
        command
    };
    Silicon::new(Work::Latency(setup), Box::new(launch))
}

fn batch(rounds: u32) -> Batch {
    let each = |round| (0..2).map(move |column| Visit { round, row: 0, column, draw: round * 7 });
    Batch { process: 0, seed: 11, visits: (0..rounds).flat_map(each).collect() }
}

fn a_fresh_process_answers_its_batch() {
    // On a busy machine all samples of a process may be disturbed.
    let found = (0..20).any(|_| {
        let mut heard = Vec::new();
        let ended = silicon().answer(&batch(5), &mut |answer| {
            heard.extend(answer);
            true
        });
        ended.expect("an orderly end");
        let placed = heard.iter().filter(|answer| matches!(answer, Answer::Placed { .. })).count();
        assert_eq!(placed, 2, "{heard:?}");
        heard.iter().any(|answer| matches!(answer, Answer::Reading(_)))
    });
    assert!(found, "an undisturbed sample in one of 20 processes");
}

fn a_worker_no_longer_heard_is_gone_at_once() {
    let begin = Instant::now();
    let mut answers = 0;
    let ended = silicon().answer(&batch(100_000), &mut |answer| {
        answers += u32::from(answer.is_some());
        answers < 4
    });
    assert!(ended.is_ok() && answers == 4, "{ended:?} after {answers}");
    // The whole batch would take some minutes.
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}
