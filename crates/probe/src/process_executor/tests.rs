//! Workers that misbehave, played by the shell. Real ones are in `tests/it/worker_process.rs`.

use nearfar_model::CpuSet;

use super::*;
use crate::latency::LatencySetup;

/// So many rows, and no column.
fn nothing(rows: usize) -> Work {
    Work::Latency(LatencySetup {
        rows: vec![CpuSet::new(); rows],
        columns: vec![],
        spinners: CpuSet::new(),
    })
}

fn ask(
    script: &'static str,
    on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
) -> Result<(), ProbeError> {
    let work = nothing(0);
    let launch = move || {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        shell
    };
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    ProcessExecutor::new(work, Box::new(launch), Duration::ZERO).execute(&batch, on_message)
}

fn sleeper() -> Command {
    let mut sleep = Command::new("sleep");
    sleep.arg("600");
    sleep
}

fn complaint(script: &'static str) -> String {
    ask(script, &mut |_| true).unwrap_err().to_string()
}

#[test]
fn a_killed_worker_names_the_signal() {
    let said = complaint("echo placing >&2; kill -9 $$");
    assert!(
        said.starts_with(
            "a worker process was killed by SIGKILL: likely by the kernel, out of memory"
        ),
        "{said}"
    );
    assert!(said.ends_with("; its last words: placing"), "{said}");
}

#[test]
fn a_failed_worker_reports_its_stderr() {
    let said = complaint("read job; echo first >&2; echo 'no such thing' >&2; exit 3");
    assert_eq!(said, "a worker process failed with status 3; its last words: no such thing");
}

#[test]
fn other_output_is_no_message() {
    let said = complaint("echo hello");
    assert!(said.starts_with("the worker said 'hello', which is no answer: "), "{said}");
}

#[test]
fn a_truncated_message_reports_the_exit() {
    let said = complaint("printf '{\"placed\":'; kill -11 $$");
    assert_eq!(said, "a worker process was killed by SIGSEGV");
}

#[test]
fn a_failed_start_is_reported() {
    let work = nothing(0);
    let mut executor =
        ProcessExecutor::new(work, Box::new(|| Command::new("/no/such/program")), Duration::ZERO);
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    let said = executor.execute(&batch, &mut |_| true).unwrap_err().to_string();
    assert!(said.starts_with("a worker process cannot be started: "), "{said}");
}

/// A worker that takes ten minutes is abandoned sooner, on a busy machine too.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn an_interrupted_worker_is_abandoned() {
    let begun = Instant::now();
    let script = r#"echo '{"unavailable":{"scope":{"row":0},"why":"x"}}'; exec sleep 600"#;
    let mut answers = 0;
    let ended = ask(script, &mut |answer| {
        answers += u32::from(answer.is_some());
        answer.is_none()
    });
    assert!(ended.is_ok());
    assert_eq!(answers, 1);
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_silent_worker_can_be_abandoned() {
    for script in ["exec sleep 600", "read job; exec sleep 600", "exec sleep 600 >&-"] {
        let begun = Instant::now();
        let mut asked = 0;
        let ended = ask(script, &mut |answer| {
            assert_eq!(answer, None);
            asked += 1;
            asked < 3
        });
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!(asked, 3);
        assert!(begun.elapsed() < SOON);
    }
}

#[test]
fn a_worker_that_reads_no_job_can_be_abandoned() {
    let work = nothing(100_000);
    let mut executor = ProcessExecutor::new(work, Box::new(sleeper), Duration::ZERO);
    let begun = Instant::now();
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    assert!(executor.execute(&batch, &mut |_| false).is_ok());
    assert!(begun.elapsed() < SOON);
}

#[test]
fn the_wait_for_spacing_can_be_interrupted() {
    let work = nothing(0);
    let mut executor =
        ProcessExecutor::new(work, Box::new(|| Command::new("true")), Duration::from_secs(600));
    let begun = Instant::now();
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    executor.execute(&batch, &mut |_| true).unwrap();
    let mut asked = 0;
    executor
        .execute(&batch, &mut |_| {
            asked += 1;
            asked < 3
        })
        .unwrap();
    assert_eq!(asked, 3);
    assert!(begun.elapsed() < SOON);
}

#[test]
fn spaced_workers_start_apart() {
    let work = nothing(0);
    let mut executor =
        ProcessExecutor::new(work, Box::new(|| Command::new("true")), Duration::from_millis(300));
    let begun = Instant::now();
    for process in 0..3 {
        executor.execute(&Batch { process, seed: 1, visits: vec![] }, &mut |_| true).unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(600));
}
