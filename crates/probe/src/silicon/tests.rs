//! Workers that misbehave, played by the shell. Real ones are in `tests/worker_process.rs`.

use nearfar_model::CpuSet;

use super::*;

fn ask(script: &'static str, heard: &mut dyn FnMut(Answer) -> bool) -> Result<(), ProbeError> {
    let setup = Setup { rows: vec![], columns: vec![], spinners: CpuSet::new() };
    let launch = move || {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        shell
    };
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    Silicon::new(setup, Box::new(launch)).answer(&batch, heard)
}

fn complaint(script: &'static str) -> String {
    ask(script, &mut |_| true).unwrap_err().to_string()
}

#[test]
fn a_killed_worker_names_the_signal_and_the_likely_reason() {
    let said = complaint("echo placing >&2; kill -9 $$");
    assert!(said.starts_with("a worker process was killed by SIGKILL: likely by the kernel, out of memory"), "{said}");
    assert!(said.ends_with("; its last words: placing"), "{said}");
}

#[test]
fn a_failed_worker_hands_on_its_last_words() {
    let said = complaint("read job; echo first >&2; echo 'no such thing' >&2; exit 3");
    assert_eq!(said, "a worker process failed with status 3; its last words: no such thing");
}

#[test]
fn chatter_is_no_answer() {
    let said = complaint("echo hello");
    assert!(said.starts_with("the worker said 'hello', which is no answer: "), "{said}");
}

#[test]
fn an_answer_cut_off_is_explained_by_how_the_worker_ended() {
    let said = complaint("printf '{\"placed\":'; kill -11 $$");
    assert_eq!(said, "a worker process was killed by SIGSEGV");
}

#[test]
fn a_worker_that_cannot_start_is_told() {
    let setup = Setup { rows: vec![], columns: vec![], spinners: CpuSet::new() };
    let mut silicon = Silicon::new(setup, Box::new(|| Command::new("/no/such/program")));
    let batch = Batch { process: 0, seed: 1, visits: vec![] };
    let said = silicon.answer(&batch, &mut |_| true).unwrap_err().to_string();
    assert!(said.starts_with("a worker process cannot be started: "), "{said}");
}

#[test]
fn nobody_waits_for_a_worker_that_is_no_longer_heard() {
    let begin = Instant::now();
    let script = r#"echo '{"row-unavailable":{"row":0,"why":"x"}}'; exec sleep 60"#;
    let mut answers = 0;
    let ended = ask(script, &mut |_| {
        answers += 1;
        false
    });
    assert!(ended.is_ok());
    assert_eq!(answers, 1);
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn only_the_end_of_much_complaining_is_kept() {
    let many = vec![b'x'; 100_000];
    assert_eq!(last_bytes(&many[..]).len(), LAST_WORDS);
    assert_eq!(last_words(b"one\n\ntwo\n \n"), "; its last words: two");
    assert_eq!(last_words(b""), "");
}

#[test]
fn spaced_workers_start_apart() {
    let setup = Setup { rows: vec![], columns: vec![], spinners: CpuSet::new() };
    let mut silicon = Silicon::new(setup, Box::new(|| Command::new("true"))).spaced(Duration::from_millis(300));
    let begun = Instant::now();
    for process in 0..3 {
        silicon.answer(&Batch { process, seed: 1, visits: vec![] }, &mut |_| true).unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(600));
}
