//! Throughput of the streaming loops and of libc's memcpy and memset, interleaved in random order.
//!
//! cargo bench -p nearfar-probe --bench streams -- [RUNS] [MIB]
//!
//! Default: 10 runs and 1024 MiB per thread.

use std::hint::black_box;
use std::time::Duration;

use fastrand::Rng;
use nearfar_model::{Bytes, CpuId, CpuSet};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages, affinity, set_affinity};
use nearfar_probe::streams::{Isa, Kernel};
use nearfar_probe::thread_team::{StreamTask, ThreadBuffer, ThreadTeam};

/// Windows per run; their median is the run's figure.
const WINDOWS: usize = 3;
/// The length of a window.
const LENGTH: Duration = Duration::from_millis(5);
/// Attempts for one run, since disturbed windows are retried.
const TRIES: usize = 30;
/// Bytes that libc copies or sets per call, as in mbw; the memory is twice as large.
const LIBC_BYTES: usize = 256 << 20;
/// Robust estimate of a standard deviation from the median absolute deviation.
const MAD_TO_SD: f64 = 1.4826;

/// The subject of one table line.
#[derive(Clone, Copy)]
enum Subject {
    Streams(Kernel, Isa, usize),
    Memcpy,
    Memset,
}

fn main() {
    let args: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let runs = args.first().copied().unwrap_or(10);
    let bytes = Bytes::mib(args.get(1).map_or(1024, |&mib| mib as u64));
    let cpus: Vec<CpuId> = affinity().expect("this thread's CPUs").iter().take(2).collect();
    let mut team = ThreadTeam::start(&cpus).expect("a thread team");
    let placed = team.place((0..cpus.len()).map(|member| (member, request(bytes))).collect());
    let buffers: Vec<ThreadBuffer> =
        placed.into_iter().map(|new| new.expect("memory").buffer).collect();
    let mut libc_memory =
        PlacedBuffer::on_node(&request(Bytes(2 * LIBC_BYTES as u64))).expect("memory");
    libc_memory.words_mut().fill(1.5f64.to_bits());

    let subjects = subjects(cpus.len());
    let mut samples = vec![Vec::new(); subjects.len()];
    let mut random = Rng::with_seed(1);
    for run in 0..runs {
        let mut order: Vec<usize> = (0..subjects.len()).collect();
        random.shuffle(&mut order);
        for index in order {
            samples[index].extend(match subjects[index] {
                Subject::Streams(kernel, isa, threads) => {
                    streams(&mut team, &buffers[..threads], kernel, isa)
                }
                Subject::Memcpy | Subject::Memset => {
                    Some(libc(subjects[index], &mut libc_memory, cpus[run % cpus.len()]))
                }
            });
        }
    }
    print(&subjects, &samples);
}

fn request(bytes: Bytes) -> BufferPlace {
    BufferPlace {
        node: None,
        bytes,
        pages: WantedPages::Huge,
        touch_from: CpuSet::new(),
        free: None,
    }
}

fn subjects(cpus: usize) -> Vec<Subject> {
    let mut subjects = vec![Subject::Memcpy, Subject::Memset];
    for threads in 1..=cpus {
        for kernel in Kernel::ALL {
            let here = Isa::ALL.into_iter().filter(|isa| isa.is_available());
            subjects.extend(here.map(|isa| Subject::Streams(kernel, isa, threads)));
        }
    }
    subjects
}

/// Bytes per second that the program moves; `None` if every window was disturbed.
fn streams(
    team: &mut ThreadTeam,
    buffers: &[ThreadBuffer],
    kernel: Kernel,
    isa: Isa,
) -> Option<f64> {
    let tasks: Vec<StreamTask> =
        buffers.iter().map(|&buffer| StreamTask { buffer, kernel, isa, pause: 0 }).collect();
    let window = || team.run(&tasks, LENGTH).ok();
    let windows: Vec<f64> = std::iter::repeat_with(window)
        .take(TRIES)
        .flatten()
        .take(WINDOWS)
        .map(|rates| rates.program_bytes_per_s())
        .collect();
    (!windows.is_empty()).then(|| median(&windows))
}

/// Bytes per second of the thread's CPU time, since a call is too long to stay undisturbed on a
/// busy machine. A copy counts reads and writes.
fn libc(subject: Subject, memory: &mut PlacedBuffer, cpu: CpuId) -> f64 {
    let everywhere = affinity().expect("this thread's CPUs");
    set_affinity(&CpuSet::from_id(cpu)).expect("a CPU");
    let words = black_box(memory.words_mut());
    let (to, from) = words.split_at_mut(LIBC_BYTES / size_of::<u64>());
    let before = cpu_time();
    let bytes = match subject {
        Subject::Memset => {
            // Equal bytes, so that the compiler emits memset.
            to.fill(0x3f3f_3f3f_3f3f_3f3f);
            LIBC_BYTES
        }
        _ => {
            to.copy_from_slice(from);
            2 * LIBC_BYTES
        }
    };
    black_box(to);
    let seconds = (cpu_time() - before).as_secs_f64();
    set_affinity(&everywhere).expect("the earlier CPUs");
    bytes as f64 / seconds
}

#[allow(unsafe_code)]
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn print(subjects: &[Subject], samples: &[Vec<f64>]) {
    println!("{:<10} {:<9} threads   runs   program GB/s   robust CV   memory GB/s", "", "");
    for (subject, samples) in subjects.iter().zip(samples) {
        let (name, isa, threads, traffic) = match *subject {
            Subject::Streams(kernel, isa, threads) => (
                kernel.name(),
                isa.name(),
                threads,
                Some(kernel.memory().total() / kernel.program().total()),
            ),
            Subject::Memcpy => ("memcpy", "libc", 1, None),
            Subject::Memset => ("memset", "libc", 1, None),
        };
        let middle = median(samples);
        let cv = robust_cv(samples) * 100.0;
        let runs = samples.len();
        let program = middle / 1e9;
        let memory = traffic.map_or("-".to_owned(), |traffic| format!("{:.2}", program * traffic));
        println!(
            "{name:<10} {isa:<9} {threads:>7}   {runs:>4}   {program:>12.2}   {cv:>7.2} %   \
             {memory:>11}"
        );
    }
}

fn robust_cv(samples: &[f64]) -> f64 {
    let middle = median(samples);
    let deviations: Vec<f64> = samples.iter().map(|rate| (rate - middle).abs()).collect();
    MAD_TO_SD * median(&deviations) / middle
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
