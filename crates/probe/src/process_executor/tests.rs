//! Misbehaving workers, simulated by shell scripts. Real ones are in `tests/it/worker_process.rs`.

use nearfar_model::CpuSet;

use super::*;
use crate::latency::LatencySetup;

/// A job with rows and no column.
fn nothing(rows: usize) -> Work {
    Work::Latency(LatencySetup {
        rows: vec![CpuSet::new(); rows],
        columns: vec![],
        spinners: CpuSet::new(),
        fills: None,
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

fn error_of(script: &'static str) -> String {
    ask(script, &mut |_| true).unwrap_err().to_string()
}

#[test]
fn a_killed_worker_names_the_signal() {
    let message = error_of("echo placing >&2; kill -9 $$");
    assert!(
        message.starts_with("a worker process was killed by SIGKILL: likely out of memory"),
        "{message}"
    );
    assert!(message.ends_with("; stderr: placing"), "{message}");
}

#[test]
fn a_failed_worker_reports_its_stderr() {
    let message = error_of("read job; echo first >&2; echo 'no such thing' >&2; exit 3");
    assert_eq!(message, "a worker process failed with status 3; stderr: no such thing");
}

#[test]
fn other_output_is_no_message() {
    let message = error_of("echo hello");
    assert!(message.starts_with("the worker sent 'hello', which is not a message: "), "{message}");
}

#[test]
fn a_truncated_message_reports_the_exit() {
    let message = error_of("printf '{\"placed\":'; kill -11 $$");
    assert_eq!(message, "a worker process was killed by SIGSEGV");
}

#[test]
fn a_failed_start_is_reported() {
    let work = nothing(0);
    let mut executor =
        ProcessExecutor::new(work, Box::new(|| Command::new("/no/such/program")), Duration::ZERO);
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    let message = executor.execute(&batch, &mut |_| true).unwrap_err().to_string();
    assert!(message.starts_with("a worker process cannot be started: "), "{message}");
}

/// The limit for abandoning a worker that would take ten minutes, on a busy machine too.
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
