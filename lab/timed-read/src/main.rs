//! Reads of a disk, one at a time, past the page cache, each timed.
//!
//!     timed-read FILE READS [BYTES]
//!
//! reads blocks of BYTES (4096) at places drawn by chance, and prints "timed-read: 612.4 us": half
//! of the reads took no longer. Its CPUs and its buffer are where it is started: `nearfar run -N 0
//! -m 1 timed-read /dev/vda 200` reads from CPUs of node 0 into memory of node 1.

use std::error::Error;
use std::time::Instant;

use rustix::fs::{Mode, OFlags, SeekFrom, open, seek};
use rustix::io::pread;

const USAGE: &str = "usage: timed-read FILE READS [BYTES]";
/// What buffers of reads past the page cache begin at.
const ALIGNMENT: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (file, reads, bytes) = match &words[..] {
        [file, reads] => (file, reads.parse::<usize>()?, 4096),
        [file, reads, bytes] => (file, reads.parse()?, bytes.parse::<usize>()?),
        _ => return Err(USAGE.into()),
    };
    if reads == 0 || bytes == 0 || bytes % 512 != 0 {
        return Err("READS is 0, or BYTES is no multiple of 512".into());
    }
    let median_us = median_us(file, reads, bytes).map_err(|error| format!("{file}: {error}"))?;
    println!("timed-read: {median_us:.1} us");
    Ok(())
}

fn median_us(file: &str, reads: usize, bytes: usize) -> Result<f64, Box<dyn Error>> {
    let disk = open(file, OFlags::RDONLY | OFlags::DIRECT, Mode::empty())?;
    let blocks = seek(&disk, SeekFrom::End(0))? / bytes as u64;
    if blocks == 0 {
        return Err("it is smaller than a read".into());
    }
    let mut memory = vec![1_u8; bytes + ALIGNMENT];
    let aligned = memory.as_ptr().align_offset(ALIGNMENT);
    let buffer = &mut memory[aligned..aligned + bytes];
    let mut places = fastrand::Rng::with_seed(1);
    let mut took_us = Vec::with_capacity(reads);
    for _ in 0..reads {
        let place = places.u64(0..blocks) * bytes as u64;
        let began = Instant::now();
        if pread(&disk, &mut *buffer, place)? != bytes {
            return Err("a read ended early".into());
        }
        took_us.push(began.elapsed().as_secs_f64() * 1e6);
    }
    took_us.sort_by(f64::total_cmp);
    Ok(took_us[(reads - 1) / 2])
}
