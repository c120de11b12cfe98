//! How long does `nearfar where` take on a process with 60,000 mappings? The aim is a second or
//! less.
//!
//! The process is this program once more: every second page of one allocation has a policy of its
//! own, so that the kernel keeps a mapping for each page; all of them are touched.
//!
//!     ./dev bench where [MAPPINGS]      60,000 by default

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nearfar_model::Bytes;
use nearfar_place::{ExistingPages, Memory, Policy, allowed_nodes, set_range_policy};

/// The environment variable that makes a copy of this program the measured process.
const HOLD: &str = "hold-mappings";
const RUNS: usize = 21;
const AIM: Duration = Duration::from_secs(1);
const PAGE: usize = 4096;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let number = |text: Option<&String>| text.and_then(|text| text.parse().ok()).unwrap_or(60_000);
    match args.first() {
        Some(first) if first == HOLD => hold(number(args.get(1))),
        first => measure(number(first)),
    }
}

/// Makes the mappings, reports that, and keeps them until standard input closes.
fn hold(mappings: usize) -> ExitCode {
    let memory = Memory::local(Bytes((mappings * PAGE) as u64)).expect("memory");
    let node = allowed_nodes().expect("the policy calls").first().expect("a node");
    for page in memory.pages().skip(1).step_by(2) {
        set_range_policy(page, PAGE, &Policy::Preferred(node), ExistingPages::Stay)
            .expect("a policy for a page");
    }
    memory.touch().expect("room for the pages");
    println!("ready");
    io::stdout().flush().expect("a reader of standard output");
    let _ = io::stdin().read(&mut [0]);
    ExitCode::SUCCESS
}

/// A process that ends with its keeper.
struct HeldProcess(Child);

impl HeldProcess {
    fn start(mappings: usize) -> Self {
        let own = std::env::current_exe().expect("this program's path");
        let mut child = Command::new(own)
            .args([HOLD, &mappings.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts once more");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a word from it");
        assert_eq!(
            line, "ready\n",
            "it could not make its mappings: sysctl vm.max_map_count allows how many?"
        );
        Self(child)
    }
}

impl Drop for HeldProcess {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn measure(mappings: usize) -> ExitCode {
    let held = HeldProcess::start(mappings);
    let pid = held.0.id().to_string();
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("its mappings");
    println!("{} mappings", maps.lines().count());
    let text = times(&["where", &pid]);
    let json = times(&["where", &pid, "--json"]);
    for (name, times) in [("text", &text), ("--json", &json)] {
        println!(
            "{name:>6}: median {:>4} ms, slowest {:>4} ms of {RUNS} runs",
            times[RUNS / 2].as_millis(),
            times[RUNS - 1].as_millis()
        );
    }
    if text[RUNS / 2] <= AIM {
        return ExitCode::SUCCESS;
    }
    println!("slower than the {} s it should take", AIM.as_secs());
    ExitCode::FAILURE
}

/// How long the command takes, ascending.
fn times(args: &[&str]) -> Vec<Duration> {
    let once = |_| {
        let begun = Instant::now();
        let status =
            Command::new(env!("CARGO_BIN_EXE_nearfar")).args(args).stdout(Stdio::null()).status();
        let taken = begun.elapsed();
        assert!(status.expect("nearfar starts").success());
        taken
    };
    let mut times: Vec<Duration> = (0..RUNS).map(once).collect();
    times.sort_unstable();
    times
}
