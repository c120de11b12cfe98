//! Waits until a CPU's clock speed is constant, by timing a chain of additions of one cycle each.
//!
//! An idle CPU wakes at a low frequency, which rises for microseconds to milliseconds; latencies in
//! nanoseconds fall with it.

use std::time::{Duration, Instant};

use crate::probes::arch::{ADDS_PER_TURN, add_chain};

/// Turns of one block: about 50 us.
const TURNS: u64 = 4096;
/// The speed is constant after this many consecutive blocks that agree.
const STEADY_BLOCKS: usize = 3;
/// Blocks agree within this fraction.
const TOLERANCE: f64 = 0.02;

/// The time limit before a sample.
pub(crate) const NEXT_TIMEOUT: Duration = Duration::from_millis(10);
/// The time limit before the first sample on a CPU.
pub(crate) const FIRST_TIMEOUT: Duration = Duration::from_millis(100);

/// Spins until the clock speed is constant; returns it in cycles per nanosecond, or `None` after
/// `longest`.
pub(crate) fn settle(longest: Duration) -> Option<f64> {
    let start = Instant::now();
    let mut blocks = Vec::with_capacity(64);
    loop {
        blocks.push(time_block());
        if let Some(speed) = steady_speed(&blocks) {
            return Some(speed);
        }
        if start.elapsed() > longest {
            return None;
        }
    }
}

fn time_block() -> Duration {
    let start = Instant::now();
    add_chain(TURNS);
    start.elapsed()
}

/// The speed of the last blocks, if they agree.
fn steady_speed(blocks: &[Duration]) -> Option<f64> {
    let last = blocks.last_chunk::<STEADY_BLOCKS>()?;
    let (shortest, longest) = (last.iter().min()?.as_secs_f64(), last.iter().max()?.as_secs_f64());
    let agrees = shortest > 0.0 && longest <= shortest * (1.0 + TOLERANCE);
    let cycles = (TURNS * ADDS_PER_TURN) as f64;
    agrees.then(|| cycles / (shortest * 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(blocks: &[u64]) -> Vec<Duration> {
        blocks.iter().map(|&us| Duration::from_micros(us)).collect()
    }

    #[test]
    fn a_climbing_clock_is_not_settled() {
        assert_eq!(steady_speed(&micros(&[90, 70, 60, 50])), None);
        assert_eq!(steady_speed(&micros(&[50, 50])), None);
        assert_eq!(steady_speed(&micros(&[0, 0, 0])), None);
    }

    #[test]
    fn three_agreeing_blocks_are_settled() {
        let ghz = steady_speed(&micros(&[90, 64, 64, 65])).unwrap();
        assert!((ghz - 131.072 / 64.0).abs() < 1e-9, "{ghz}");
    }

    #[test]
    fn a_settled_clock_has_a_speed() {
        // A busy machine may not settle.
        let ghz = settle(NEXT_TIMEOUT);
        assert!(ghz.is_none_or(|ghz| ghz.is_finite() && ghz > 0.0), "{ghz:?}");
    }

    #[test]
    #[ignore = "long: needs a clock that settles, and asserts its speed"]
    fn this_machine_has_a_plausible_clock() {
        // A busy machine may not settle; if it does, the speed is that of a real processor.
        let ghz =
            (0..200).find_map(|_| settle(FIRST_TIMEOUT)).expect("settles once in twenty seconds");
        assert!((0.2..8.0).contains(&ghz), "{ghz}");
    }
}
