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

mod ring;

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use rustix::thread::{CpuSet, sched_setaffinity};

use ring::Ring;

const USAGE: &str = "usage: chase STEPS [FILLER,FILLER.. CHASER], or chase loop FILE";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (steps, cpus) = match words.as_slice() {
        [mode, file] if mode == "loop" => return for_ever(file),
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

/// The file is always whole: the number only grows.
fn for_ever(file: &str) -> Result<(), Box<dyn Error>> {
    let ring = Ring::filled();
    let file = File::create(file)?;
    for round in 0u64.. {
        file.write_all_at(format!("{}\n", round * ring.lines()).as_bytes(), 0)?;
        black_box(ring.walk(ring.lines()));
    }
    Ok(())
}

/// Where the kernel had put this thread does not matter any more.
fn move_to(cpu: &str) -> Result<(), Box<dyn Error>> {
    let mut only = CpuSet::new();
    only.set(cpu.parse()?);
    Ok(sched_setaffinity(None, &only)?)
}
