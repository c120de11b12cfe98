//! What does `nearfar top` take of a CPU beside 1,000 idle processes? The aim is 1 % or less.
//!
//! It runs on a terminal that script(1) makes, 120 columns by 50 lines, a tick a second. Its start,
//! in which it reads all processes once, does not count.
//!
//!     ./dev bench top [PROCESSES]      1,000 by default

use std::fs;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const WARM_UP: Duration = Duration::from_secs(5);
const MEASURED: Duration = Duration::from_secs(60);
const AIM: f64 = 0.01;
/// Ticks of `/proc/PID/stat` in a second.
const TICKS: f64 = 100.0;

/// Processes that end with their keeper.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn main() -> ExitCode {
    let first = std::env::args().skip(1).find(|arg| arg != "--bench");
    let processes = first.and_then(|text| text.parse().ok()).unwrap_or(1000);
    let sleeper = |_| Command::new("sleep").arg("600").spawn().expect("sleep starts");
    let _sleepers = Running((0..processes).map(sleeper).collect());
    let line = format!("stty cols 120 rows 50; exec {} top", env!("CARGO_BIN_EXE_nearfar"));
    let script = Command::new("script")
        .args(["-q", "-c", &line, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("script starts");
    let script = Running(vec![script]);
    sleep(WARM_UP);
    let pid = child_of(script.0[0].id());
    let (begun, before) = (Instant::now(), cpu_seconds(pid));
    sleep(MEASURED);
    let share = (cpu_seconds(pid) - before) / begun.elapsed().as_secs_f64();
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    let all =
        all.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok()).count();
    println!("{all} processes, {processes} of them idle: {:.2} % of a CPU", share * 100.0);
    if share <= AIM {
        return ExitCode::SUCCESS;
    }
    println!("more than the {} % it should take", AIM * 100.0);
    ExitCode::FAILURE
}

/// The process that script(1) started.
fn child_of(pid: u32) -> u32 {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("children");
    text.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("script has a child")
}

fn cpu_seconds(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("nearfar runs");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    assert!(fields[0] != "Z", "nearfar has ended");
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / TICKS
}
