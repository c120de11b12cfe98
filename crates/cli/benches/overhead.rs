//! What does a run of `nearfar sweep` take beyond the program itself? The aim is 3 ms or less;
//! hyperfine is measured for comparison.
//!
//! Each round starts `true` 200 times by hand, by `nearfar sweep` and by `hyperfine -N`, in random
//! order; what a round takes by hand is taken off what it takes otherwise. Where hyperfine is
//! missing, its rows are, too.
//!
//!     ./dev bench overhead [ROUNDS]      9 by default

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const STARTS: u32 = 200;
const ROUNDS: usize = 9;
const AIM: Duration = Duration::from_millis(3);
const PROGRAM: &str = "true";

/// Starts the program this many times.
struct Way {
    name: &'static str,
    command: Vec<String>,
}

fn main() -> ExitCode {
    let rounds = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(ROUNDS);
    let folder = tempfile::tempdir().expect("a folder for the sweeps' files");
    let starts = STARTS.to_string();
    let sweep = [
        env!("CARGO_BIN_EXE_nearfar"),
        "sweep",
        "--placement",
        "unbound",
        "--warmup",
        "0",
        "--runs",
        &starts,
    ];
    let own = |options: &[&str]| words(&[&sweep[..], options, &["--", PROGRAM]].concat());
    let ways = [
        Way { name: "nearfar sweep", command: own(&[]) },
        Way { name: "nearfar sweep --no-pages", command: own(&["--no-pages"]) },
        Way {
            name: "hyperfine -N",
            command: words(&[
                "hyperfine",
                "-N",
                "--warmup",
                "0",
                "--runs",
                &starts,
                "--style",
                "none",
                PROGRAM,
            ]),
        },
    ];
    let took = |command: &[String]| took(command, folder.path());
    let ways: Vec<&Way> = ways.iter().filter(|way| took(&way.command).is_some()).collect();
    let mut rng = fastrand::Rng::new();
    let mut by_hand = Vec::new();
    let mut beyond = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        let mut order: Vec<usize> = (0..=ways.len()).collect();
        rng.shuffle(&mut order);
        let mut times = vec![Duration::ZERO; ways.len() + 1];
        for at in order {
            times[at] = ways
                .get(at)
                .map_or_else(started_by_hand, |way| took(&way.command).expect("as before"));
        }
        let bare = ms(times[ways.len()]);
        by_hand.push(bare);
        ways.iter().enumerate().for_each(|(at, _)| beyond[at].push(ms(times[at]) - bare));
    }
    println!(
        "{:<26} {:>7.2} ms a start (median of {rounds} rounds of {STARTS})",
        "by hand",
        middle(&mut by_hand).1
    );
    for (way, beyond) in ways.iter().zip(&mut beyond) {
        let (low, median, high) = middle(beyond);
        println!("{:<26} {median:>+7.2} ms more (quartiles {low:+.2} to {high:+.2})", way.name);
    }
    if middle(&mut beyond[0]).1 <= AIM.as_secs_f64() * 1e3 {
        return ExitCode::SUCCESS;
    }
    println!("more than the {} ms it should take", AIM.as_millis());
    ExitCode::FAILURE
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|&word| word.to_owned()).collect()
}

/// None where the program is not there. Sweeps are kept in the folder.
fn took(command: &[String], folder: &Path) -> Option<Duration> {
    let begun = Instant::now();
    let mut run = Command::new(&command[0]);
    run.args(&command[1..])
        .env("XDG_DATA_HOME", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = run.status();
    status.ok().filter(std::process::ExitStatus::success).map(|_| begun.elapsed())
}

fn started_by_hand() -> Duration {
    let begun = Instant::now();
    for _ in 0..STARTS {
        let status = Command::new(PROGRAM).stdout(Stdio::null()).status();
        assert!(status.expect("it starts").success());
    }
    begun.elapsed()
}

fn ms(for_all: Duration) -> f64 {
    for_all.as_secs_f64() * 1e3 / f64::from(STARTS)
}

/// Lower quartile, median, upper quartile.
fn middle(values: &mut [f64]) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: usize| values[(values.len() * share / 4).min(values.len() - 1)];
    (at(1), at(2), at(3))
}
