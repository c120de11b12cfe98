//! Threads that use one memory at the same time, as workers do a shared buffer.

use std::error::Error;
use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::move_to;
use crate::ring::Ring;

/// A stream's memory in lines of 64 bytes: twice what a CPU of the lab caches.
const STREAMED: usize = 1 << 13;
/// Lines that are counted together.
const AT_ONCE: usize = 1 << 11;

/// The memory, in the way that threads use it.
enum Shared {
    /// Each load waits for the one before.
    Waited(Ring),
    /// Line by line.
    Streamed(Vec<Line>),
}

#[repr(align(64))]
#[derive(Clone)]
struct Line(usize);

/// Where a thread is in the memory.
struct Walker<'m> {
    shared: &'m Shared,
    line: usize,
}

impl Shared {
    /// Written by this thread, under its policy.
    fn filled(by: &str) -> Result<Self, String> {
        match by {
            "wait" => Ok(Self::Waited(Ring::filled())),
            "stream" => Ok(Self::Streamed(vec![Line(1); STREAMED])),
            _ => Err(format!("'{by}' is neither wait nor stream")),
        }
    }
}

impl Walker<'_> {
    fn go_on(&mut self) {
        match self.shared {
            Shared::Waited(ring) => {
                self.line = black_box(ring.walk_from(self.line, AT_ONCE as u64));
            }
            Shared::Streamed(memory) => {
                let part = &memory[self.line..][..AT_ONCE];
                black_box(part.iter().fold(0, |sum: usize, line| sum.wrapping_add(line.0)));
                self.line = (self.line + AT_ONCE) % STREAMED;
            }
        }
    }

    /// The lab's streams know the pages that follow from earlier rounds.
    fn goes_round_first(&mut self) {
        if let Shared::Streamed(_) = self.shared {
            (0..2 * STREAMED / AT_ONCE).for_each(|_| self.go_on());
        }
    }
}

/// A thread on each CPU for that many seconds, in memory that this thread writes first, under its
/// policy. Prints the lines a second of all together.
pub(crate) fn use_together(by: &str, cpus: &[&str], seconds: u64) -> Result<(), Box<dyn Error>> {
    let shared = Shared::filled(by)?;
    let (is_over, lines) = (AtomicBool::new(false), AtomicU64::new(0));
    let start = Barrier::new(cpus.len() + 1);
    let work = |at: usize| -> Result<(), String> {
        let moved = move_to(cpus[at]).map_err(|error| error.to_string());
        // Threads begin a round at different lines.
        let line = at * (STREAMED / cpus.len() / AT_ONCE) * AT_ONCE;
        let mut walker = Walker { shared: &shared, line };
        walker.goes_round_first();
        start.wait();
        moved?;
        loop {
            walker.go_on();
            // What is begun when the time is over does not count.
            if is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            lines.fetch_add(AT_ONCE as u64, Ordering::Relaxed);
        }
    };
    let rate = thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..cpus.len()).map(|at| scope.spawn(move || work(at))).collect();
        start.wait();
        let began = Instant::now();
        thread::sleep(Duration::from_secs(seconds));
        is_over.store(true, Ordering::Relaxed);
        let rate = lines.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
        for worker in workers {
            worker.join().map_err(|_| "a thread ended")??;
        }
        Ok::<f64, Box<dyn Error>>(rate)
    })?;
    println!("chase: {rate:.0} lines/s");
    Ok(())
}
