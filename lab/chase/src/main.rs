//! A memory-bound program, to be swept in guests: each load waits for the one before it, so that it
//! takes as long as its memory is far.
//!
//!     chase STEPS [FILLER,FILLER.. CHASER]
//!
//! goes round 4 MiB once, more than a CPU of the lab caches, then a number of steps, and prints
//! "chase: 901.2 ns" a step. With CPUs named, the memory is filled from one of the fillers, drawn
//! by chance, and gone through from the chaser: the accident of a thread that was elsewhere when it
//! first touched its memory.
//!
//!     chase loop FILE
//!
//! goes round for ever, and keeps the number of steps so far in a file.
//!
//!     chase loop FILE HOT COLD CHASER MIB
//!
//! does so on the CPU CHASER, with the ring in memory at the place HOT, and with so much memory at
//! the place COLD. It uses a line of that in a thousand steps. A place is a CPU, whose memory is
//! near, or a node: "n4".
//!
//!     chase drift FILE HOT COLD CHASER MIB
//!
//! is the same, and counts its steps for less and less: as many in ten minutes for half.
//!
//!     chase stream FILE HOT CHASER MIB
//!
//! reads so much memory line by line, and keeps the number of lines so far.
//!
//!     chase ring FILE SHARED CHASER
//!
//! goes for ever through the lines of a file of zeros that it maps, as others may do.
//!
//!     chase calm FILE HOT CHASER MIB
//!
//! computes in registers, and keeps the number of its steps, beside so much memory.
//!
//!     chase arrays FILE CPU FOLDER RATE,RATE..
//!
//! uses files of 4 MiB in a folder that it maps, each at its rate, and keeps the number of steps.
//!
//!     chase together wait|stream CPU,CPU.. SECONDS
//!
//! uses 4 MiB from a thread on each CPU, by loads that wait for each other or line by line, and
//! prints how many lines all threads had a second.
//!
//!     chase map FILE STEPS
//!
//! goes through the lines of a file that it maps, as programs read models, and prints a step's
//! time. The file's pages are where the page cache has them.

mod arrays;
mod count;
mod mapped_file;
mod ring;
mod together;

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use nearfar_model::{NodeId, NodeSet};
use nearfar_place::{Policy, PolicyGuard};
use rustix::thread::{CpuSet, sched_setaffinity};

use count::Count;
use mapped_file::MappedFile;
use ring::Ring;

const USAGE: &str = "usage: chase STEPS [FILLER,FILLER.. CHASER], chase map FILE STEPS, \
    chase arrays FILE CPU FOLDER RATE,RATE.., chase together wait|stream CPU,CPU.. SECONDS, \
    chase loop FILE [HOT COLD CHASER MIB], chase drift FILE HOT COLD CHASER MIB, \
    chase stream FILE HOT CHASER MIB, chase ring FILE SHARED CHASER, \
    or chase calm FILE HOT CHASER MIB";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (steps, cpus) = match words[..] {
        ["loop", file] => return for_ever(Count::in_file(file)?, &Ring::filled(), &[]),
        [mode @ ("loop" | "drift"), file, hot, cold, chaser, mib] => {
            let cold = at(cold, || ones(mib))??;
            let ring = at(hot, Ring::filled)?;
            move_to(chaser)?;
            let count = Count::in_file(file)?;
            let count = if mode == "drift" { count.drifting() } else { count };
            return for_ever(count, &ring, &cold);
        }
        ["stream", file, hot, chaser, mib] => {
            let memory = at(hot, || ones(mib))??;
            move_to(chaser)?;
            return stream(Count::in_file(file)?, &memory);
        }
        ["ring", file, shared, chaser] => {
            move_to(chaser)?;
            return round_file(Count::in_file(file)?, &MappedFile::open(shared)?);
        }
        ["calm", file, hot, chaser, mib] => {
            let memory = at(hot, || ones(mib))??;
            move_to(chaser)?;
            return compute(Count::in_file(file)?, &memory);
        }
        ["arrays", file, cpu, folder, rates] => {
            move_to(cpu)?;
            let rates = rates.split(',').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
            return arrays::use_arrays(file, folder, &rates);
        }
        ["together", by, cpus, seconds] => {
            let cpus: Vec<&str> = cpus.split(',').collect();
            return together::use_together(by, &cpus, seconds.parse()?);
        }
        ["map", file, steps] => return through_file(file, steps.parse()?),
        [steps] => (steps, None),
        [steps, fillers, chaser] => (steps, Some((fillers, chaser))),
        _ => return Err(USAGE.into()),
    };
    let steps: u64 = steps.parse()?;
    if let Some((fillers, _)) = cpus {
        let fillers: Vec<&str> = fillers.split(',').collect();
        move_to(fillers[fastrand::usize(..fillers.len())])?;
    }
    let ring = Ring::filled();
    if let Some((_, chaser)) = cpus {
        move_to(chaser)?;
    }
    // What the filler's cache still holds comes over before the clock is looked at.
    black_box(ring.walk(ring.lines()));
    let began = Instant::now();
    let end = ring.walk(steps);
    let step_ns = began.elapsed().as_nanos() as f64 / steps as f64;
    println!("chase: {step_ns:.1} ns (at line {end})");
    Ok(())
}

/// Parts of a round after which the number is written: who reads it every second sees a rate.
const PARTS: u64 = 16;
/// Steps for each line of cold memory.
const STEPS_PER_COLD: u64 = 1 << 10;
/// From one line of cold memory to the next: far enough for no stream.
const COLD_STEP: usize = 4096 + 64;

fn for_ever(mut count: Count, ring: &Ring, cold: &[u8]) -> Result<(), Box<dyn Error>> {
    let (steps, mut line, mut at) = (ring.lines() / PARTS, 0, 0);
    loop {
        for _ in 0..steps / STEPS_PER_COLD {
            line = black_box(ring.walk_from(line, STEPS_PER_COLD));
            if !cold.is_empty() {
                at = (at + COLD_STEP) % cold.len();
                black_box(cold[at]);
            }
        }
        count.add(steps)?;
    }
}

/// All lines, from the lowest address to the highest.
fn stream(mut count: Count, memory: &[u8]) -> Result<(), Box<dyn Error>> {
    const LINES: usize = 1 << 13;
    loop {
        for part in memory.chunks(LINES * 64) {
            black_box(part.iter().step_by(64).fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
            count.add(part.len() as u64 / 64)?;
        }
    }
}

fn round_file(mut count: Count, file: &MappedFile) -> Result<(), Box<dyn Error>> {
    let (steps, mut line) = (file.lines() / PARTS, 0);
    loop {
        line = black_box(file.walk_from(line, steps));
        count.add(steps)?;
    }
}

/// A line of the memory for a million steps.
fn compute(mut count: Count, memory: &[u8]) -> Result<(), Box<dyn Error>> {
    const STEPS: u64 = 1 << 20;
    let (mut sum, mut at) = (1u64, 0);
    loop {
        sum = (0..STEPS).fold(sum, |sum, step| black_box(sum.wrapping_mul(step | 1)));
        at = (at + COLD_STEP) % memory.len();
        sum = sum.wrapping_add(u64::from(black_box(memory[at])));
        count.add(STEPS)?;
    }
}

fn through_file(file: &str, steps: u64) -> Result<(), Box<dyn Error>> {
    let file = MappedFile::open(file)?;
    // All pages are in the page table before the clock is looked at.
    black_box(file.walk(file.lines()));
    let began = Instant::now();
    black_box(file.walk(steps));
    let step_ns = began.elapsed().as_nanos() as f64 / steps as f64;
    println!("chase: {step_ns:.1} ns");
    Ok(())
}

fn ones(mib: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(vec![1; mib.parse::<usize>()? << 20])
}

/// Memory that is written first at a place: near a CPU, or on a node.
fn at<T>(place: &str, fill: impl FnOnce() -> T) -> Result<T, Box<dyn Error>> {
    let Some(node) = place.strip_prefix('n') else {
        move_to(place)?;
        return Ok(fill());
    };
    let node = NodeId(node.parse()?);
    let _bound = PolicyGuard::enter(&Policy::Bind(NodeSet::from_iter([node])))?;
    Ok(fill())
}

/// Where the kernel had put this thread does not matter any more.
fn move_to(cpu: &str) -> Result<(), Box<dyn Error>> {
    let mut only = CpuSet::new();
    only.set(cpu.parse()?);
    Ok(sched_setaffinity(None, &only)?)
}
