//! How do other programs' figures compare with nearfar's, and how far does either scatter? Each program and nearfar's like instrument run in
//! turn, pair by pair, in random order, for about the same time. Figures count what a program reads and what it writes.
//!
//!     ./dev bench peers [RUNS] [SECONDS A RUN] [WORD ...]      10 runs of 6 s unless said otherwise; with words only the rows that hold one
//!
//! A program that is missing is told in its row. `NEARFAR_PEERS` names a folder to look for programs in first.

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use fastrand::Rng;
use nearfar_model::{CpuId, CpuSet};
use nearfar_place::affinity;
use nearfar_survey::{Exchanging, Streaming, Survey};
use tempfile::TempDir;

/// What one copy reads, in MiB; it writes as much.
const MIB: u64 = 256;
const MIB_BYTES: f64 = (1u64 << 20) as f64;
const GIB_BYTES: f64 = (1u64 << 30) as f64;
/// A copy reads and writes; these programs count one of the two.
const BOTH: f64 = 2.0;
/// stress-ng tells no rate of shorter runs.
const STRESS_NG_LEAST: f64 = 6.0;
/// Robust estimate of a standard deviation from the median absolute deviation.
const MAD_TO_SD: f64 = 1.4826;

/// What nearfar measures beside a program.
#[derive(Clone, Copy)]
enum Ours {
    /// A kernel of `nearfar bandwidth`.
    Bandwidth(&'static str),
    /// One way of a hand-over.
    Handoff,
}

/// A program, and how its figure is got.
#[derive(Clone, Copy)]
enum Theirs {
    Mbw,
    PerfBench(&'static str),
    Sysbench { block: &'static str, operation: &'static str },
    StressNgStream,
    Numademo(&'static str),
    CoreToCoreLatency,
}

/// One line of the table.
struct Pair {
    ours: Ours,
    theirs: Theirs,
    /// On all CPUs, or on one.
    all: bool,
    measures: &'static str,
}

/// What all runs share.
struct Bench {
    cpus: Vec<CpuId>,
    seconds: f64,
    folder: TempDir,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let numbers: Vec<f64> = args.iter().map_while(|arg| arg.parse().ok()).collect();
    let words = &args[numbers.len()..];
    let runs = numbers.first().map_or(10, |&runs| runs as usize);
    let bench = Bench {
        cpus: affinity().expect("this thread's CPUs").iter().collect(),
        seconds: numbers.get(1).copied().unwrap_or(6.0),
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    let mut pairs = pairs(bench.cpus.len());
    pairs.retain(|pair| words.is_empty() || words.iter().any(|word| bench.title(pair).contains(word.as_str())));
    // How often each goes round in a run's time; or why there is nothing to run.
    let loops: Vec<Result<u64, String>> = pairs.iter().map(|pair| bench.loops(pair)).collect();
    let mut samples = vec![(Vec::new(), Vec::new()); pairs.len()];
    let mut failures: Vec<Option<String>> = loops.iter().map(|loops| loops.clone().err()).collect();
    let mut random = Rng::with_seed(1);
    for run in 0..runs {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        random.shuffle(&mut order);
        for index in order {
            let Ok(loops) = &loops[index] else { continue };
            eprint!("\rrun {} of {runs}: {:<60}", run + 1, bench.title(&pairs[index]));
            let ours_first = random.bool();
            let mut both = [None, None];
            for ours in [ours_first, !ours_first] {
                let pair = &pairs[index];
                let figure = if ours { bench.ours(pair) } else { bench.theirs(pair, *loops) };
                both[usize::from(!ours)] = figure.map_err(|why| failures[index] = Some(why)).ok();
            }
            if let [Some(ours), Some(theirs)] = both {
                samples[index].0.push(ours);
                samples[index].1.push(theirs);
            }
        }
    }
    eprintln!("\r{:<80}", "");
    bench.print(&pairs, &samples, &failures);
}

fn pairs(cpus: usize) -> Vec<Pair> {
    let pair = |ours, theirs, all, measures| Pair { ours, theirs, all, measures };
    let bandwidth = Ours::Bandwidth;
    let mut pairs = Vec::new();
    for all in [false, true].into_iter().take(cpus.min(2)) {
        let read = |block| Theirs::Sysbench { block, operation: "read" };
        let write = |block| Theirs::Sysbench { block, operation: "write" };
        pairs.extend([
            pair(
                bandwidth("nt-copy"),
                Theirs::Mbw,
                all,
                "memcpy of 256 MiB by glibc, which streams past the cache; read + written",
            ),
            pair(bandwidth("read"), read("256M"), all, "reads 256 MiB, word by word, in a loop of C"),
            pair(bandwidth("read"), read("1K"), all, "reads 1 KiB again and again: the cache, sets no bar"),
            pair(
                bandwidth("write"),
                write("256M"),
                all,
                "writes 256 MiB, word by word; what is read for ownership is not counted, as in ours",
            ),
            pair(
                bandwidth("triad"),
                Theirs::StressNgStream,
                all,
                "mean of copy, scale, add and triad; what is read for ownership is not counted, as in ours",
            ),
        ]);
    }
    pairs.extend([
        pair(bandwidth("nt-copy"), Theirs::PerfBench("memcpy"), false, "memcpy of 256 MiB by glibc; read + written"),
        pair(
            bandwidth("nt-write"),
            Theirs::PerfBench("memset"),
            false,
            "memset of 256 MiB by glibc, which need not read for ownership",
        ),
        pair(
            bandwidth("nt-copy"),
            Theirs::Numademo("memcpy"),
            false,
            "memcpy of 256 MiB by glibc, local; read + written",
        ),
        pair(bandwidth("nt-write"), Theirs::Numademo("memset"), false, "memset of 256 MiB by glibc, local"),
    ]);
    if cpus > 1 {
        let measures = "compare-and-swap to and fro between two CPUs; one way, mean of samples";
        pairs.push(pair(Ours::Handoff, Theirs::CoreToCoreLatency, false, measures));
    }
    pairs
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
    fn title(self) -> String {
        match self {
            Self::Mbw => "mbw -t0".to_owned(),
            Self::PerfBench(what) => format!("perf bench mem {what}"),
            Self::Sysbench { block, operation } => format!("sysbench memory {operation} {block}"),
            Self::StressNgStream => "stress-ng --stream".to_owned(),
            Self::Numademo(what) => format!("numademo {what}"),
            Self::CoreToCoreLatency => "core-to-core-latency".to_owned(),
        }
    }
}

impl Bench {
    fn title(&self, pair: &Pair) -> String {
        let threads = match pair.ours {
            Ours::Handoff => "2 CPUs".to_owned(),
            Ours::Bandwidth(_) => {
                format!("{} CPU{}", self.threads(pair), if self.threads(pair) == 1 { "" } else { "s" })
            }
        };
        format!("{}, {threads}", pair.theirs.title())
    }

    fn threads(&self, pair: &Pair) -> usize {
        if pair.all { self.cpus.len() } else { 1 }
    }

    /// So many CPUs, the first ones.
    fn first(&self, count: usize) -> String {
        self.cpus.iter().take(count).copied().collect::<CpuSet>().to_string()
    }

    /// nearfar's figure: bytes a second, or nanoseconds.
    fn ours(&self, pair: &Pair) -> Result<f64, String> {
        let file = self.folder.path().join("ours.json");
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearfar"));
        match pair.ours {
            Ours::Handoff => {
                command.args(["core-to-core", "--quick", "--handoff-only", "--cpus", &self.first(2)]);
            }
            Ours::Bandwidth(kernel) => {
                let threads = self.threads(pair);
                command.args(["bandwidth", "--quick", "--size", &format!("{}M", 2 * MIB)]);
                command.args(["--cpus", &self.first(threads), "--threads", &threads.to_string(), "--kernels", kernel]);
            }
        }
        said(command.args(["--no-samples", "-o"]).arg(&file))?;
        let survey = nearfar_survey::read(&file).map_err(|error| error.to_string())?;
        let figure = match pair.ours {
            Ours::Handoff => handoff(&survey),
            Ours::Bandwidth(kernel) => bandwidth(&survey, kernel, self.threads(pair)),
        };
        figure.ok_or_else(|| "nearfar has no figure: other programs disturbed every window".to_owned())
    }

    /// How many rounds fill a run's time; those that take a time are told 1.
    fn loops(&self, pair: &Pair) -> Result<u64, String> {
        find(pair.theirs.program())?;
        const TRIAL: u64 = 5;
        let one = match pair.theirs {
            Theirs::Sysbench { .. } | Theirs::StressNgStream | Theirs::Numademo(_) => return Ok(1),
            Theirs::Mbw | Theirs::PerfBench(_) | Theirs::CoreToCoreLatency => {
                let begun = Instant::now();
                self.theirs(pair, TRIAL)?;
                begun.elapsed().as_secs_f64() / TRIAL as f64
            }
        };
        Ok(((self.seconds / one) as u64).max(TRIAL))
    }

    /// The program's figure: bytes a second read and written, or nanoseconds.
    fn theirs(&self, pair: &Pair, loops: u64) -> Result<f64, String> {
        let threads = self.threads(pair);
        let pinned = |cpus: &str| -> Result<Command, String> {
            let mut command = Command::new("taskset");
            command.args(["-c", cpus]).arg(find(pair.theirs.program())?);
            Ok(command)
        };
        let mut command = pinned(&self.first(threads))?;
        match pair.theirs {
            Theirs::Mbw => self.mbw(threads, loops),
            Theirs::PerfBench(what) => {
                command.args([
                    "bench",
                    "mem",
                    what,
                    "-f",
                    "default",
                    "-s",
                    &format!("{MIB}MB"),
                    "-l",
                    &loops.to_string(),
                ]);
                let said = said(&mut command)?;
                let factor = if what == "memcpy" { BOTH } else { 1.0 };
                let units = [("GB/sec", GIB_BYTES), ("MB/sec", MIB_BYTES)];
                let rate = units.iter().find_map(|(unit, bytes)| Some(before(&said, unit)? * bytes));
                rate.map(|rate| rate * factor).ok_or_else(|| unread(&said))
            }
            Theirs::Sysbench { block, operation } => {
                command.args(["memory", "--memory-total-size=1000T", "--memory-scope=local", "run"]);
                command.args([
                    format!("--threads={threads}"),
                    format!("--time={}", self.seconds.ceil()),
                    format!("--memory-block-size={block}"),
                    format!("--memory-oper={operation}"),
                ]);
                let said = said(&mut command)?;
                before(&said, "MiB/sec").map(|rate| rate * MIB_BYTES).ok_or_else(|| unread(&said))
            }
            Theirs::StressNgStream => {
                // Three arrays of four such caches each.
                let cache = (MIB / 4 / threads as u64).max(4);
                command.args(["--stream", &threads.to_string(), "--stream-l3-size", &format!("{cache}M")]);
                command.args(["--timeout", &self.seconds.max(STRESS_NG_LEAST).ceil().to_string()]);
                let said = said(&mut command)?;
                stress_ng(&said, threads).ok_or_else(|| unread(&said))
            }
            Theirs::Numademo(what) => {
                command.args([format!("{MIB}M"), what.to_owned()]);
                let said = said(&mut command)?;
                let local = said.lines().find(|line| line.contains("local")).and_then(|line| after(line, "Avg"));
                let factor = if what == "memcpy" { BOTH } else { 1.0 };
                local.map(|rate| rate * 1e6 * factor).ok_or_else(|| unread(&said))
            }
            Theirs::CoreToCoreLatency => {
                let mut command = pinned(&self.first(2))?;
                let cores: Vec<String> = self.cpus.iter().take(2).map(ToString::to_string).collect();
                command.args(["-c", &cores.join(","), "--csv", "1000", &(loops * 20).to_string()]);
                let said = said(&mut command)?;
                said.split([',', '\n']).find_map(|word| word.trim().parse().ok()).ok_or_else(|| unread(&said))
            }
        }
    }

    /// It has no threads: as many of it as CPUs, at the same time, added up.
    fn mbw(&self, threads: usize, loops: u64) -> Result<f64, String> {
        let program = find("mbw")?;
        let one = |cpu: CpuId| -> Result<f64, String> {
            let mut command = Command::new("taskset");
            command.args(["-c", &cpu.to_string()]).arg(&program);
            let said = said(command.args(["-q", "-t0", "-n", &loops.to_string(), &MIB.to_string()]))?;
            let average = said.lines().find(|line| line.starts_with("AVG")).and_then(|line| after(line, "Copy:"));
            average.map(|rate| rate * MIB_BYTES * BOTH).ok_or_else(|| unread(&said))
        };
        thread::scope(|scope| {
            let each: Vec<_> = self.cpus.iter().take(threads).map(|&cpu| scope.spawn(move || one(cpu))).collect();
            each.into_iter().map(|one| one.join().unwrap_or_else(|_| Err("mbw's thread ended".to_owned()))).sum()
        })
    }

    fn print(&self, pairs: &[Pair], samples: &[(Vec<f64>, Vec<f64>)], failures: &[Option<String>]) {
        println!(
            "{:<34} {:<9} {:>4}  {:>8} {:>8}  {:>7} {:>7}  {:>9}  {:>6}  measures",
            "theirs", "ours", "runs", "theirs", "ours", "CV", "CV", "ours", "spread"
        );
        println!(
            "{:<34} {:<9} {:>4}  {:>8} {:>8}  {:>7} {:>7}  {:>9}  {:>6}",
            "", "", "", "", "", "theirs", "ours", "/ theirs", "ratio"
        );
        for ((pair, (ours, theirs)), failure) in pairs.iter().zip(samples).zip(failures) {
            let name = match pair.ours {
                Ours::Bandwidth(kernel) => kernel,
                Ours::Handoff => "handoff",
            };
            let title = self.title(pair);
            if let (Some(why), true) = (failure, ours.is_empty()) {
                println!("{title:<34} {name:<9} {:>4}  {why}", ours.len());
                continue;
            }
            let unit = |value: f64| match pair.ours {
                Ours::Bandwidth(_) => format!("{:.2}", value / 1e9),
                Ours::Handoff => format!("{value:.1}"),
            };
            let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
            let (our_spread, their_spread) = (robust_cv(ours), robust_cv(theirs));
            println!(
                "{title:<34} {name:<9} {:>4}  {:>8} {:>8}  {:>5.2} % {:>5.2} %  {:>9.3}  {:>6.2}  {}",
                ours.len(),
                unit(median(theirs)),
                unit(median(ours)),
                their_spread * 100.0,
                our_spread * 100.0,
                median(&ratios),
                our_spread / their_spread,
                pair.measures
            );
        }
        println!(
            "\nGB/s, and ns of core-to-core-latency. CV: 1.4826 times the median absolute deviation, by the median. Ratio: the median of the pairs'.\nSpread ratio: below 1 nearfar scatters less. Runs of about {} s each; nearfar --quick.",
            self.seconds
        );
    }
}

fn bandwidth(survey: &Survey, kernel: &str, threads: usize) -> Option<f64> {
    let part = &survey.bandwidth.as_ref()?.part;
    let treatment = Streaming { kernel: kernel.to_owned(), threads };
    let of_rows = (0..part.matrix.rows.len()).map(|row| {
        let columns = 0..part.matrix.columns.len();
        // Where there are nodes, each row's fastest.
        columns.filter_map(|column| part.cell(row, column, &treatment)?.median).reduce(f64::max)
    });
    of_rows.flatten().reduce(f64::max)
}

fn handoff(survey: &Survey) -> Option<f64> {
    let pairs = survey.core_to_core.as_ref()?;
    let is_handoff = |treatment: &Exchanging| treatment.state == "handoff";
    let cells = pairs.matrix.cells.iter().filter(|cell| is_handoff(&cell.treatment));
    let figures: Vec<f64> = cells.filter_map(|cell| cell.median).collect();
    (!figures.is_empty()).then(|| median(&figures))
}

/// The sum over instances of "memory rate: 2773.50 MB read/sec, 1849.00 MB write/sec, 242.35 Mflop/sec (instance 1)"; its MB are MiB.
fn stress_ng(said: &str, instances: usize) -> Option<f64> {
    let rates = said.lines().filter_map(|line| after(line, "memory rate:").zip(before(line, "MB write/sec")));
    let rates: Vec<f64> = rates.map(|(read, written)| (read + written) * MIB_BYTES).collect();
    (rates.len() == instances).then(|| rates.iter().sum())
}

/// A program in the folder that `NEARFAR_PEERS` names, or in the path.
fn find(program: &str) -> Result<PathBuf, String> {
    let own = std::env::var_os("NEARFAR_PEERS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(program)).find(|file| file.is_file()).ok_or_else(|| match program {
        "numademo" => "not here: Debian's numactl comes without it; build numactl from source".to_owned(),
        _ => format!("not here: no {program} in the path"),
    })
}

/// What a program said on both ways out; an error when it failed.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    match output.status.success() {
        true => Ok(said),
        false => Err(format!("failed ({}): {}", output.status, last_line(&said))),
    }
}

fn unread(said: &str) -> String {
    format!("said nothing that is understood here: {}", last_line(said))
}

fn last_line(said: &str) -> String {
    said.trim_end().lines().last().unwrap_or("nothing").chars().take(100).collect()
}

/// The number before a word: "(4385.50 MiB/sec)".
fn before(said: &str, unit: &str) -> Option<f64> {
    let head = &said[..said.find(unit)?];
    head.split_whitespace().last()?.trim_start_matches('(').parse().ok()
}

/// The number after a word.
fn after(line: &str, word: &str) -> Option<f64> {
    let rest = &line[line.find(word)? + word.len()..];
    rest.split_whitespace().next()?.parse().ok()
}

fn robust_cv(samples: &[f64]) -> f64 {
    let middle = median(samples);
    let deviations: Vec<f64> = samples.iter().map(|sample| (sample - middle).abs()).collect();
    MAD_TO_SD * median(&deviations) / middle
}

/// Of an even number the mean of the two in the middle: a spread of two runs is not to look like none.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (count, half) if count % 2 == 0 => f64::midpoint(sorted[half - 1], sorted[half]),
        (_, half) => sorted[half],
    }
}
