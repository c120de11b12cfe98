//! How long does `nearfar fleet` take, and how much memory does it use, for 100 machines of 64
//! nodes and for 10,000 machines of 8 nodes? The aims are 30 seconds and 500 MB.
//!
//! Documents are surveys without samples, a file each, with a seeded scatter; one machine of each
//! fleet has slow memory. `lines`, `tables` and `files` measure 1,000 to 100,000 machines, and how
//! time of a CPU grows with their number: of seven cells from JSON lines, of 64 cells from tables,
//! of seven cells from a file each. `stream` has a million machines of seven cells, as JSON lines
//! through a pipe; `stream=1000` a thousand.
//!
//! `year` prints what is found in a year of weekly surveys of 1,000 machines; three are faulty.
//! `year=100` has 100 machines.
//!
//!     ./dev bench fleet [lines] [tables] [files] [stream] [year]

#[path = "../../survey/tests/fleet/made_fleet.rs"]
#[allow(dead_code)] // tests use more of it
mod made_fleet;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use jiff::ToSpan;
use jiff::civil::Date;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::{Value, json};

use made_fleet::{EIGHT_NODES, MadeMachine, TWO_NODES, healthy};

const LONGEST: Duration = Duration::from_secs(30);
const MAX_MB: f64 = 500.0;
/// Machines that are made at a time.
const BATCH: usize = 50;

/// Machines of growing fleets.
const GROWING: [usize; 3] = [1_000, 10_000, 100_000];
/// Machines that are appended to tables at a time.
const APPENDED: usize = 10_000;
/// Surveys of each machine in a year.
const WEEKS: usize = 52;
/// Parts that a fleet does not read, and that a year of surveys is made faster without.
const NOT_READ: [&str; 4] = ["devices", "interrupts", "fills", "advice"];

fn main() -> ExitCode {
    let chosen: Vec<String> =
        std::env::args().skip(1).filter(|one| !one.starts_with('-')).collect();
    for name in &chosen {
        match name.as_str() {
            "lines" => growing("7 cells, JSON lines", |folder, count| {
                write_lines(&folder.join("fleet.jsonl"), TWO_NODES, 0..count);
            }),
            "tables" => growing("64 cells, tables", write_tables),
            "files" => growing("7 cells, a file each", |folder, count| {
                write_fleet(folder, TWO_NODES, count);
            }),
            "stream" => stream(1_000_000),
            "year" => year(1_000),
            other => {
                let number = |prefix| other.strip_prefix(prefix).and_then(|it| it.parse().ok());
                match (number("stream="), number("year=")) {
                    (Some(machines), _) => stream(machines),
                    (_, Some(machines)) => year(machines),
                    _ => {
                        eprintln!("lines, tables, files, stream or year, not '{other}'");
                        return ExitCode::FAILURE;
                    }
                }
            }
        }
    }
    if !chosen.is_empty() {
        return ExitCode::SUCCESS;
    }
    // The fleet that needs less memory first: the kernel keeps the largest child's peak.
    let is_fast = [
        measured("100 machines of 64 nodes", &with_nodes(64), 100),
        measured("10,000 machines of 8 nodes", EIGHT_NODES, 10_000),
    ];
    if is_fast.iter().all(|fast| *fast) {
        return ExitCode::SUCCESS;
    }
    println!("beyond {} s or {MAX_MB:.0} MB", LONGEST.as_secs());
    ExitCode::FAILURE
}

fn measured(name: &str, survey: &str, machines: usize) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_fleet(folder.path(), survey, machines);
    let (duration, _, peak) = judged(name, folder.path());
    duration <= LONGEST && peak <= MAX_MB
}

/// Judges the fleet of a folder.
fn judged(name: &str, folder: &Path) -> (Duration, Duration, f64) {
    let name = format!("{name}, {:.0} MB", size(folder) as f64 / 1e6);
    timed(&name, || {
        Command::new(env!("CARGO_BIN_EXE_nearfar"))
            .args(["fleet", "--exclude"])
            .arg(folder)
            .stderr(Stdio::null())
            .status()
            .expect("nearfar starts")
    })
}

/// How long a command took, the time of a CPU that it used, and the largest peak of memory of
/// all commands so far, in MB.
fn timed(name: &str, command: impl FnOnce() -> ExitStatus) -> (Duration, Duration, f64) {
    let (begun, before) = (Instant::now(), of_children());
    let status = command();
    let (duration, usage) = (begun.elapsed(), of_children());
    let of_cpu = time_of_cpu(&usage) - time_of_cpu(&before);
    let peak = usage.max_rss() as f64 * 1024.0 / 1e6;
    println!(
        "{name}: {:.1} s, {:.1} s of a CPU, peak {peak:.0} MB (exit {:?})",
        duration.as_secs_f64(),
        of_cpu.as_secs_f64(),
        status.code()
    );
    (duration, of_cpu, peak)
}

fn of_children() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("what children used")
}

fn time_of_cpu(usage: &Usage) -> Duration {
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(u64::try_from(micros).expect("a time that is not negative"))
}

/// Fleets of growing size, and the exponent of a CPU's time between the two largest.
fn growing(name: &str, write: impl Fn(&Path, usize)) {
    let mut times = Vec::new();
    for count in GROWING {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(folder.path(), count);
        let (_, of_cpu, _) = judged(&format!("{count} machines of {name}"), folder.path());
        times.push(of_cpu.as_secs_f64());
    }
    println!("{name}: time grows as machines to the power of {:.2}", (times[2] / times[1]).log10());
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let of = |entry: fs::DirEntry| match entry.metadata().expect("an entry") {
        about if about.is_dir() => size(&entry.path()),
        about => about.len(),
    };
    entries.map(of).sum()
}

/// Machines of seven cells through a pipe, as they are made.
fn stream(machines: usize) {
    timed(&format!("{machines} machines of 7 cells, JSON lines through a pipe"), || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nearfar"))
            .args(["fleet", "--exclude", "/dev/stdin"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("nearfar starts");
        let mut pipe = BufWriter::new(child.stdin.take().expect("a pipe"));
        each_machine(TWO_NODES, 0..machines, |_, machine| {
            writeln!(pipe, "{}", machine.0).expect("a line is written");
        });
        drop(pipe.into_inner().expect("lines are written"));
        child.wait().expect("nearfar ends")
    });
}

/// Tables of a fleet, appended in parts; documents are removed.
fn write_tables(folder: &Path, count: usize) {
    let other = tempfile::tempdir().expect("a temporary folder");
    for first in (0..count).step_by(APPENDED) {
        let lines = other.path().join("fleet.jsonl");
        write_lines(&lines, EIGHT_NODES, first..count.min(first + APPENDED));
        nearfar_fleet(&["--exclude".as_ref(), "--parquet".as_ref(), folder, &lines]);
    }
}

/// Appends a year of weekly surveys to tables, week by week, and judges all of it.
fn year(machines: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (week, tables) = (folder.path().join("week.jsonl"), folder.path().join("tables"));
    let before = of_children();
    for number in 0..WEEKS {
        let mut out = BufWriter::new(File::create(&week).expect("a file"));
        let first_monday = "2025-12-01".parse::<Date>().expect("a date");
        let day = first_monday
            .checked_add((7 * i64::try_from(number).expect("a week")).days())
            .expect("a date");
        for first in (0..machines).step_by(BATCH) {
            let seed = (1 + number * machines + first) as u64;
            let made = healthy(TWO_NODES, BATCH.min(machines - first), seed);
            for (at, machine) in (first..).zip(made) {
                let started = json!(format!("{day}T08:{:02}:{:02}Z", at / 60 % 60, at % 60));
                let machine = machine
                    .named(&format!("node{at:04}"))
                    .with("/provenance/started", started)
                    .without(&NOT_READ);
                writeln!(out, "{}", with_fault(machine, at, number).0).expect("a line is written");
            }
        }
        out.flush().expect("lines are written");
        nearfar_fleet(&["--exclude".as_ref(), "--parquet".as_ref(), &tables, &week]);
    }
    let of_cpu = time_of_cpu(&of_children()) - time_of_cpu(&before);
    println!("{WEEKS} weeks appended: {:.1} s of a CPU", of_cpu.as_secs_f64());
    judged(&format!("{WEEKS} weeks of {machines} machines of 7 cells, tables"), &tables);
    timed("with history", || {
        let args: [&Path; 4] =
            ["fleet".as_ref(), "--since".as_ref(), "2025-12-01".as_ref(), &tables];
        Command::new(env!("CARGO_BIN_EXE_nearfar")).args(args).status().expect("nearfar starts")
    });
}

/// The year's faults: memory that becomes slow, CPUs that are repaired, a machine that slows down
/// for a year.
fn with_fault(machine: MadeMachine, at: usize, week: usize) -> MadeMachine {
    match (at, week) {
        (7, 39..) => machine.with_slow_memory(1, 1.09),
        (30, 20..31) => machine.with_slow_cpus(0, 1.12),
        (81, _) => {
            let times = 0.1_f64.ln_1p() * week as f64 / (WEEKS - 1) as f64;
            machine.with_slow_cpus(0, times.exp()).with_slow_cpus(1, times.exp())
        }
        _ => machine,
    }
}

/// Runs `nearfar fleet`, and prints nothing.
fn nearfar_fleet(args: &[&Path]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearfar"));
    let output = command.arg("fleet").args(args).stderr(Stdio::null()).output();
    output.expect("nearfar starts");
}

/// A file for each machine.
fn write_fleet(folder: &Path, survey: &str, machines: usize) {
    each_machine(survey, 0..machines, |number, machine| {
        let text = machine.0.to_string();
        fs::write(folder.join(format!("{number}.json")), text).expect("a file is written");
    });
}

/// A line for each machine.
fn write_lines(file: &Path, survey: &str, machines: Range<usize>) {
    let mut out = BufWriter::new(File::create(file).expect("a file"));
    each_machine(survey, machines, |_, machine| {
        writeln!(out, "{}", machine.0).expect("a line is written");
    });
}

/// Makes these machines. The seventh has slow memory.
fn each_machine(survey: &str, machines: Range<usize>, mut write: impl FnMut(usize, &MadeMachine)) {
    for first in machines.clone().step_by(BATCH) {
        let made = healthy(survey, BATCH.min(machines.end - first), 1 + first as u64);
        for (number, machine) in (first + 1..).zip(made) {
            let machine = machine.named(&format!("node{number:06}"));
            write(number, &if number == 7 { machine.with_slow_memory(1, 1.1) } else { machine });
        }
    }
}

/// A survey of this many nodes: each as one of the eight.
fn with_nodes(nodes: usize) -> String {
    let mut survey: Value = serde_json::from_str(EIGHT_NODES).expect("a survey");
    let cells = survey["latency"]["cells"].as_array().expect("cells").clone();
    let label = |node: usize| json!(format!("node {node}"));
    let places = |name: &str| -> Vec<Value> {
        let of = survey["latency"][name].as_array().expect("places");
        let place = |node: usize| {
            let mut place = of[node % of.len()].clone();
            place["label"] = label(node);
            place["node"] = json!(node);
            place
        };
        (0..nodes).map(place).collect()
    };
    let (rows, columns) = (places("rows"), places("columns"));
    let cell = |(row, column): (usize, usize)| {
        let mut cell = cells[row % 8 * 8 + column % 8].clone();
        cell["row"] = json!(row);
        cell["column"] = json!(column);
        cell
    };
    let all = (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)));
    let all: Vec<Value> = all.map(cell).collect();
    survey["latency"]["rows"] = json!(rows);
    survey["latency"]["columns"] = json!(columns);
    survey["latency"]["cells"] = json!(all);
    survey["machine"]["nodes"] = json!(nodes);
    survey.to_string()
}
