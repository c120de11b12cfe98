//! A survey's process and its workers, as separate processes. Has no harness: the same program is the worker, when so told.

use std::env;
use std::io;
use std::process::Command;
use std::time::Instant;

use nearfar_model::{CpuId, CpuSet};
use nearfar_probe::{Answer, Batch, ColumnJob, ProbeSpec, Respondent, Setup, Silicon, Visit, serve};

const AS_WORKER: &str = "as-worker";

fn main() {
    if env::args().nth(1).as_deref() == Some(AS_WORKER) {
        serve(io::stdin().lock(), io::stdout().lock()).expect("the worker works");
        return;
    }
    a_fresh_process_answers_its_batch();
    a_worker_no_longer_heard_is_gone_at_once();
    println!("worker_process: ok");
}

fn silicon() -> Silicon {
    let column = |node| ColumnJob {
        probe: ProbeSpec::page(),
        node,
        pages: 4,
        touch_from: CpuSet::of(CpuId(0)),
        free: None,
        why_not: None,
    };
    let setup =
        Setup { rows: vec![CpuSet::of(CpuId(0))], columns: vec![column(None), column(None)], spinners: CpuSet::new() };
    let launch = || {
        let mut command = Command::new(env::current_exe().expect("this program has a path"));
        command.arg(AS_WORKER);
        command
    };
    Silicon::new(setup, Box::new(launch))
}

fn batch(rounds: u32) -> Batch {
    let each = |round| (0..2).map(move |column| Visit { round, row: 0, column, draw: round * 7 });
    Batch { process: 0, seed: 11, visits: (0..rounds).flat_map(each).collect() }
}

fn a_fresh_process_answers_its_batch() {
    let mut heard = Vec::new();
    silicon()
        .answer(&batch(5), &mut |answer| {
            heard.push(answer);
            true
        })
        .expect("an orderly end");
    let placed = heard.iter().filter(|answer| matches!(answer, Answer::Placed { .. })).count();
    assert_eq!(placed, 2, "{heard:?}");
    assert!(heard.iter().any(|answer| matches!(answer, Answer::Reading(_))), "{heard:?}");
}

fn a_worker_no_longer_heard_is_gone_at_once() {
    let begin = Instant::now();
    let mut answers = 0;
    let ended = silicon().answer(&batch(100_000), &mut |_| {
        answers += 1;
        answers < 4
    });
    assert!(ended.is_ok() && answers == 4, "{ended:?} after {answers}");
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}
