//! A helper ends with the process that started it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PROGRAM, VERSION};

/// Only ends a test that hangs.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The shell starts a worker with the shell's own input, prints its number, and waits.
const PARENT: &str = r#"exec 3<&0; "$0" --for "$1" worker <&3 & echo $!; wait"#;

#[test]
fn a_killed_parent_ends_the_helper() {
    let mut parent = Command::new("sh")
        .args(["-c", PARENT, PROGRAM, VERSION])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // While this end is open, the worker waits for its job.
    let _input = parent.stdin.take();
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    let mut worker = String::new();
    output.read_line(&mut worker).unwrap();
    wait_until_worker(worker.trim());
    parent.kill().unwrap();
    parent.wait().unwrap();

    // The output ends when the last process that has it has ended.
    let (sender, ended) = channel();
    thread::spawn(move || sender.send(output.read_to_end(&mut Vec::new()).is_ok()));
    assert_eq!(ended.recv_timeout(TIMEOUT), Ok(true), "the worker {worker} still runs");
}

/// Waits until it has become a worker: that ends with the score of the out-of-memory killer.
fn wait_until_worker(process: &str) {
    let file = format!("/proc/{process}/oom_score_adj");
    let start = Instant::now();
    while fs::read_to_string(&file).unwrap().trim() != "1000" {
        assert!(start.elapsed() < TIMEOUT, "{process} is no worker");
        thread::sleep(Duration::from_millis(2));
    }
}
