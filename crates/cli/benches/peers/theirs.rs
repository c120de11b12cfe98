//! The other programs: how each is run, and over how much memory.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::Bench;
use crate::parse;

/// stress-ng reports no rate of shorter runs.
const STRESS_NG_LEAST_S: f64 = 6.0;
/// Rounds of the trial that measures the time of a round.
const TRIAL: u64 = 3;

/// A program with its operation.
#[derive(Clone, Copy)]
pub(crate) enum Theirs {
    Mbw,
    PerfBench(&'static str),
    Sysbench { small: bool, operation: &'static str },
    StressNgStream,
    Numademo(&'static str),
    CoreToCoreLatency,
}

impl Theirs {
    fn program(self) -> &'static str {
        match self {
            Self::Mbw => "mbw",
            Self::PerfBench(_) => "perf",
            Self::Sysbench { .. } => "sysbench",
            Self::StressNgStream => "stress-ng",
            Self::Numademo(_) => "numademo",
            Self::CoreToCoreLatency => "core-to-core-latency",
        }
    }

    /// Its name in the table.
    pub(crate) fn title(self) -> String {
        match self {
            Self::Mbw => "mbw -t0".to_owned(),
            Self::PerfBench(what) => format!("perf bench mem {what}"),
            Self::Sysbench { small: true, operation } => format!("sysbench memory {operation} 1K"),
            Self::Sysbench { small: false, operation } => format!("sysbench memory {operation}"),
            Self::StressNgStream => "stress-ng --stream".to_owned(),
            Self::Numademo(what) => format!("numademo {what}"),
            Self::CoreToCoreLatency => "core-to-core-latency".to_owned(),
        }
    }

    /// Rounds that fill a turn's time; 1 for programs that take a time or choose their own number.
    /// The error is why the program cannot run.
    pub(crate) fn rounds(self, bench: &Bench, threads: usize) -> Result<u64, String> {
        find(self.program())?;
        match self {
            Self::Sysbench { .. } | Self::StressNgStream | Self::Numademo(_) => Ok(1),
            Self::Mbw | Self::PerfBench(_) | Self::CoreToCoreLatency => {
                let timed = |rounds| -> Result<f64, String> {
                    let begun = Instant::now();
                    self.figure(bench, threads, rounds)?;
                    Ok(begun.elapsed().as_secs_f64())
                };
                // What it takes to begin is no measuring time.
                let one = (timed(2 * TRIAL)? - timed(TRIAL)?) / TRIAL as f64;
                Ok(((bench.seconds / one.max(1e-3)) as u64).max(TRIAL))
            }
        }
    }

    /// Its figure: bytes a second read and written, or nanoseconds.
    pub(crate) fn figure(self, bench: &Bench, threads: usize, rounds: u64) -> Result<f64, String> {
        let each = bench.mib / threads as u64;
        let (half, loops) = (format!("{}", each / 2), rounds.to_string());
        match self {
            // It has no threads: as many of it as CPUs, at the same time, added up.
            Self::Mbw => side_by_side(threads, |thread| {
                let command = &mut pinned(&bench.nth(thread), "mbw")?;
                read(command.args(["-q", "-t0", "-n", &loops, &half]), parse::mbw)
            }),
            Self::PerfBench(what) => {
                let copies = what == "memcpy";
                let size = format!("{}MB", if copies { each / 2 } else { each });
                let command = &mut pinned(&bench.first(1), "perf")?;
                command.args(["bench", "mem", what, "-f", "default", "-s", &size, "-l", &loops]);
                read(command, |text| parse::perf_bench(text, copies))
            }
            Self::Sysbench { small, operation } => {
                // It takes powers of two.
                let block = if small { "1K".to_owned() } else { format!("{}M", 1 << each.ilog2()) };
                let command = &mut pinned(&bench.first(threads), "sysbench")?;
                command.args([
                    "memory",
                    "--memory-total-size=1000T",
                    "--memory-scope=local",
                    "run",
                ]);
                command.args([
                    format!("--threads={threads}"),
                    format!("--time={}", bench.seconds.ceil()),
                    format!("--memory-block-size={block}"),
                    format!("--memory-oper={operation}"),
                ]);
                read(command, parse::sysbench)
            }
            Self::StressNgStream => {
                // Three arrays of four such caches each.
                let cache = format!("{}M", each.div_ceil(12));
                let timeout = bench.seconds.max(STRESS_NG_LEAST_S).ceil().to_string();
                let command = &mut pinned(&bench.first(threads), "stress-ng")?;
                command.args([
                    "--stream",
                    &threads.to_string(),
                    "--stream-l3-size",
                    &cache,
                    "--timeout",
                    &timeout,
                ]);
                read(command, |text| parse::stress_ng(text, threads))
            }
            Self::Numademo(what) => numademo(bench, what),
            Self::CoreToCoreLatency => {
                let cores: Vec<String> = (0..threads).map(|thread| bench.nth(thread)).collect();
                let command = &mut pinned(&bench.first(threads), "core-to-core-latency")?;
                command.args(["-c", &cores.join(","), "--csv", "1000", &(rounds * 20).to_string()]);
                read(command, parse::core_to_core_latency)
            }
        }
    }
}

/// Ended after its first line, since it runs for minutes with other policies. It always makes ten
/// passes.
fn numademo(bench: &Bench, what: &str) -> Result<f64, String> {
    let program = find("numademo")?;
    let mut command = Command::new("taskset");
    command
        .args(["-c", &bench.first(1), "stdbuf", "-oL"])
        .arg(program)
        .args([&format!("{}M", bench.mib), what]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let lines = child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines().map_while(Result::ok));
    let mut read_lines = Vec::new();
    let figure = lines.into_iter().find_map(|line| {
        let figure = parse::numademo(&line);
        read_lines.push(line);
        figure
    });
    // taskset and stdbuf became the program; it may have ended by itself.
    let _ = child.kill();
    child.wait().map_err(|error| error.to_string())?;
    figure.ok_or_else(|| unread(&read_lines.join("\n")))
}

/// The sum of what as many programs as threads give, run at the same time.
fn side_by_side(
    threads: usize,
    one: impl Fn(usize) -> Result<f64, String> + Sync,
) -> Result<f64, String> {
    let one = &one;
    thread::scope(|scope| {
        let each: Vec<_> = (0..threads).map(|thread| scope.spawn(move || one(thread))).collect();
        each.into_iter()
            .map(|one| {
                one.join().unwrap_or_else(|_| Err("a thread of this bench ended".to_owned()))
            })
            .sum()
    })
}

fn pinned(cpus: &str, program: &str) -> Result<Command, String> {
    let mut command = Command::new("taskset");
    command.args(["-c", cpus]).arg(find(program)?);
    Ok(command)
}

fn read(command: &mut Command, figure: impl Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let text = output_of(command)?;
    figure(&text).ok_or_else(|| unread(&text))
}

/// A program in the folder that `NEARFAR_PEERS` names, or in the path.
fn find(program: &str) -> Result<PathBuf, String> {
    let own = std::env::var_os("NEARFAR_PEERS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&path));
    let missing = || format!("not here: no {program} in the path");
    folders.map(|folder| folder.join(program)).find(|file| file.is_file()).ok_or_else(missing)
}

/// A program's standard output and error; an error if it failed.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    let text = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("failed ({}): {}", output.status, last_line(&text)))
    }
}

fn unread(text: &str) -> String {
    format!("cannot parse its output: {}", last_line(text))
}

fn last_line(text: &str) -> String {
    text.trim_end().lines().last().unwrap_or("nothing").chars().take(100).collect()
}
