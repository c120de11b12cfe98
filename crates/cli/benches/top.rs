//! What does `nearfar top` take of a CPU beside 1,000 idle processes? The aim is 1 % or less.
//!
//! It runs on a terminal that script(1) makes, 120 columns by 50 lines, a tick a second. Its start,
//! in which it reads all processes once, does not count. A view that skips ticks would be cheaper:
//! its frames are counted, and too few are a failure.
//!
//!     ./dev bench top [PROCESSES]      1,000 by default

use std::fs;
use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

const WARM_UP: Duration = Duration::from_secs(5);
const MEASURED: Duration = Duration::from_secs(60);
const AIM: f64 = 0.01;
/// Output after a pause of this length is the next frame: a tick is a second.
const PAUSE: Duration = Duration::from_millis(300);
/// Frames that may be missing in the measured time: its ends, and a stall of the host.
const MISSING: u32 = 3;
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
        .stdout(Stdio::piped())
        .spawn()
        .expect("script starts");
    let mut script = Running(vec![script]);
    let frames = count_frames(script.0[0].stdout.take().expect("a pipe"));
    sleep(WARM_UP);
    let pid = child_of(script.0[0].id());
    let (begun, before) = (Instant::now(), cpu_seconds(pid));
    let frames_before = frames.load(Ordering::Relaxed);
    sleep(MEASURED);
    let shown = frames.load(Ordering::Relaxed) - frames_before;
    let share = (cpu_seconds(pid) - before) / begun.elapsed().as_secs_f64();
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    let all =
        all.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok()).count();
    println!(
        "{all} processes, {processes} of them idle: {:.2} % of a CPU, {shown} frames in {} s",
        share * 100.0,
        MEASURED.as_secs()
    );
    if u64::from(shown + MISSING) < MEASURED.as_secs() {
        println!("too few frames");
        return ExitCode::FAILURE;
    }
    if share <= AIM {
        return ExitCode::SUCCESS;
    }
    println!("more than the {} % it should take", AIM * 100.0);
    ExitCode::FAILURE
}

/// Counts frames as long as there is output.
fn count_frames(mut output: impl Read + Send + 'static) -> Arc<AtomicU32> {
    let frames = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&frames);
    thread::spawn(move || {
        let (mut buffer, mut last) = ([0; 1 << 16], Instant::now());
        while output.read(&mut buffer).is_ok_and(|bytes| bytes > 0) {
            if last.elapsed() >= PAUSE {
                counted.fetch_add(1, Ordering::Relaxed);
            }
            last = Instant::now();
        }
    });
    frames
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
