//! How do nearfar's figures of a disk compare with fio's, and how much does each vary? In each run,
//! both programs have one turn for latency and one for throughput, in random order, on the same
//! file, with the same size, depth and engine, from CPU 0, with buffers of huge pages. Needs root,
//! to reserve huge pages for fio.
//!
//!     ./dev bench fio [FILE] [RUNS] [SECONDS A TURN]      a file made for this, 12 runs, 4 s

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_survey::Survey;
use nearfar_survey::measure::MadeFile;
use serde_json::Value;

const NEARFAR: &str = env!("CARGO_BIN_EXE_nearfar");

/// A kind of access that both programs have.
#[derive(Clone, Copy)]
struct Access {
    name: &'static str,
    depth: u32,
    size: &'static str,
    unit: &'static str,
}

const ACCESSES: [Access; 2] = [
    Access { name: "latency, 4 KiB", depth: 1, size: "4K", unit: "µs" },
    Access { name: "throughput, 128 KiB x 32", depth: 32, size: "128K", unit: "MB/s" },
];

/// Huge pages that are reserved for fio: 32 MiB. Reads of 128 KiB into small pages have 32 segments
/// each, and take twice as long on some virtual disks.
struct HugePages {
    before: String,
}

impl HugePages {
    fn reserve() -> Result<Self, String> {
        let before = output_of(Command::new("sysctl").args(["-n", "vm.nr_hugepages"]))?;
        output_of(Command::new("sysctl").args(["-w", "vm.nr_hugepages=16"]))?;
        Ok(Self { before: before.trim().to_owned() })
    }
}

impl Drop for HugePages {
    fn drop(&mut self) {
        let setting = format!("vm.nr_hugepages={}", self.before);
        let _ = output_of(Command::new("sysctl").args(["-w", &setting]));
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let named = args.first().filter(|arg| arg.parse::<f64>().is_err()).map(PathBuf::from);
    let numbers: Vec<u32> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let runs = numbers.first().copied().unwrap_or(12);
    let seconds = numbers.get(1).copied().unwrap_or(4);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = named.is_none().then(|| {
        let path = folder.path().join("file");
        MadeFile::create(&path, Bytes::gib(1), true, &|| false).expect("a file of 1 GiB")
    });
    let file = named.or_else(|| made.as_ref().map(|made| made.opened_by().to_owned()));
    let file = file.expect("a file");
    let _pages = HugePages::reserve().expect("huge pages: run it as root");
    let mut random = Rng::with_seed(1);
    for access in ACCESSES {
        let mut pairs: Vec<[f64; 2]> = Vec::new();
        for run in 1..=runs {
            eprint!("\r{}: run {run} of {runs}   ", access.name);
            let ours_first = random.bool();
            let before = ours_first.then(|| ours(&file, access, seconds, folder.path()));
            let theirs = theirs(&file, access, seconds);
            let ours = before.unwrap_or_else(|| ours(&file, access, seconds, folder.path()));
            match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => pairs.push([ours, theirs]),
                (ours, theirs) => {
                    eprintln!("\n{}", ours.and(theirs).err().unwrap_or_default());
                    return ExitCode::FAILURE;
                }
            }
        }
        eprintln!();
        print(access, &pairs);
    }
    ExitCode::SUCCESS
}

/// Medians and spreads of both, and of their ratio within runs.
fn print(access: Access, pairs: &[[f64; 2]]) {
    let of = |index: usize| pairs.iter().map(|pair| pair[index]).collect::<Vec<f64>>();
    let ratios: Vec<f64> = pairs.iter().map(|[ours, theirs]| ours / theirs).collect();
    println!(
        "{} ({}), median and interquartile range of {} runs",
        access.name,
        access.unit,
        pairs.len()
    );
    for (name, values) in [("nearfar io", of(0)), ("fio", of(1)), ("ratio", ratios)] {
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|q| quantile(&values, q));
        println!(
            "  {name:<11} {middle:>10.3}  {low:.3} to {high:.3}  ({:.1} %)",
            100.0 * (high - low) / middle
        );
    }
}

fn quantile(values: &[f64], quantile: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * quantile).round() as usize]
}

/// Microseconds or MB/s by nearfar.
fn ours(file: &Path, access: Access, seconds: u32, folder: &Path) -> Result<f64, String> {
    let document = folder.join("ours.json");
    let mut command = Command::new(NEARFAR);
    command
        .args(["io", "--force", "--thorough", "--cpus=0", "--depth", &access.depth.to_string()])
        .args(["--size", access.size, "--budget", &format!("{seconds}s"), "-o"])
        .args([&document, file]);
    output_of(&mut command)?;
    let survey: Survey = nearfar_survey::read(&document).map_err(|error| error.to_string())?;
    let io = survey.io.ok_or("no disk was measured")?;
    let figure = match (io.latency, io.throughput) {
        (Some(latency), _) => {
            latency.tails.first().and_then(|tail| tail.p50).map(|figure| figure.ns / 1e3)
        }
        (None, Some(rates)) => {
            rates.part.matrix.cells.first().and_then(|cell| cell.median).map(|rate| rate / 1e6)
        }
        (None, None) => None,
    };
    figure.ok_or_else(|| "no figure".to_owned())
}

/// The same by fio.
fn theirs(file: &Path, access: Access, seconds: u32) -> Result<f64, String> {
    let mut command = Command::new("fio");
    command
        .args(["--name=x", "--readonly", "--rw=randread", "--direct=1", "--ioengine=io_uring"])
        .args(["--registerfiles=1", "--fixedbufs=1", "--time_based", "--norandommap"])
        .args(["--lat_percentiles=1", "--output-format=json", "--cpus_allowed=0"])
        .args(["--iomem=mmaphuge"])
        .arg(format!("--iodepth={}", access.depth))
        .arg(format!("--bs={}", access.size))
        .arg(format!("--runtime={seconds}"))
        .arg(format!("--filename={}", file.display()));
    let text = output_of(&mut command)?;
    let found: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let read = &found["jobs"][0]["read"];
    let figure = match access.depth {
        1 => read["lat_ns"]["percentile"]["50.000000"].as_f64().map(|ns| ns / 1e3),
        _ => read["bw_bytes"].as_f64().map(|rate| rate / 1e6),
    };
    figure.ok_or_else(|| "cannot parse fio's output".to_owned())
}

fn output_of(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
