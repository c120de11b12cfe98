//! Exercises of memory and their rates, in MB/s as numademo prints them.
//!
//! Nothing is reported that was not timed: the compiler cannot leave a loop out, and a pass too
//! short for the clock is repeated until the clock sees it.

use std::time::{Duration, Instant};

use fastrand::Rng;

use super::Rates;
use super::loops::{self, LINE};
use super::pointer_chain::PointerChain;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exercise {
    /// Writes all of it, in order.
    Memset,
    /// Copies its second half over its first.
    Memcpy,
    /// Increments a byte of each line, upwards.
    Forward,
    /// Decrements a byte of each line, downwards.
    Backward,
    /// McCalpin's four kernels over three arrays.
    Stream,
    /// Increments words at random.
    Random2,
    /// Follows pointers at random, each load waiting for the one before.
    PtrChase,
}

/// Passes that count, after one that touches the pages.
const PASSES: usize = 10;
/// Shortest pass: a hundred times the resolution of common clocks.
const SHORTEST: Duration = Duration::from_micros(100);

impl Exercise {
    /// All of them, in numademo's order.
    pub(super) const ALL: [Self; 7] = [
        Self::Memset,
        Self::Memcpy,
        Self::Forward,
        Self::Backward,
        Self::Stream,
        Self::Random2,
        Self::PtrChase,
    ];

    /// Its name on numademo's command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memset => "memset",
            Self::Memcpy => "memcpy",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Stream => "stream",
            Self::Random2 => "random2",
            Self::PtrChase => "ptrchase",
        }
    }

    /// The least memory that it needs.
    pub(super) fn least_bytes(self) -> usize {
        match self {
            Self::Stream => 3 * size_of::<f64>(),
            Self::PtrChase => 2 * LINE,
            _ => 2 * size_of::<u64>(),
        }
    }

    /// Runs it on this memory. `None` when the memory is smaller than [`Exercise::least_bytes`].
    ///
    /// The memory is written to before any time is taken, so that pages exist: the caller
    /// decides where they are.
    pub(super) fn rates(self, memory: &mut [u8]) -> Option<Rates> {
        if memory.len() < self.least_bytes() {
            return None;
        }
        let mut random = Rng::with_seed(SEED);
        Some(match self {
            Self::Memset => passes_over(memory, loops::set),
            Self::Memcpy => passes_over(memory, loops::copy),
            Self::Forward => passes_over(memory, loops::forward),
            Self::Backward => passes_over(memory, loops::backward),
            Self::Stream => loops::stream(memory, time),
            Self::Random2 => {
                passes_over(memory, |memory| loops::increment_at_random(memory, &mut random))
            }
            Self::PtrChase => chase(memory),
        })
    }
}

const SEED: u64 = 1234;

/// Passes of a loop that goes through all of the memory.
fn passes_over(memory: &mut [u8], mut exercise: impl FnMut(&mut [u8])) -> Rates {
    passes(memory.len() as u64, || exercise(memory))
}

/// Passes of a loop; each counts as this many bytes.
fn passes(bytes: u64, mut pass: impl FnMut()) -> Rates {
    let seconds: Vec<f64> = (0..=PASSES).map(|_| time(&mut pass)).collect();
    let (bytes, timed) = (bytes as f64, &seconds[1..]);
    let (shortest, longest) =
        timed.iter().fold((f64::MAX, 0f64), |(low, high), &s| (low.min(s), high.max(s)));
    Rates::Passes {
        average: bytes * PASSES as f64 / timed.iter().sum::<f64>(),
        fastest: bytes / shortest,
        slowest: bytes / longest,
    }
}

/// Trips through the memory. Each load counts as the 8 bytes that it loads.
fn chase(memory: &mut [u8]) -> Rates {
    let chase = PointerChain::link(memory, &mut Rng::with_seed(SEED));
    passes(chase.bytes(), || {
        chase.go_round();
    })
}

/// Seconds that one pass takes. A pass that is too short for the clock is repeated, and
/// the time divided.
fn time(pass: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    let mut passes = 0u32;
    loop {
        pass();
        passes += 1;
        let taken = start.elapsed();
        if taken >= SHORTEST || passes == u32::MAX {
            return taken.as_secs_f64().max(f64::MIN_POSITIVE) / f64::from(passes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exercise_takes_time_and_gives_a_finite_rate() {
        let mut memory = vec![0u8; 1 << 20];
        for exercise in Exercise::ALL {
            let rates = match exercise.rates(&mut memory).unwrap() {
                Rates::Passes { average, fastest, slowest } => {
                    assert!(
                        slowest <= average * 1.000_001 && average <= fastest * 1.000_001,
                        "{exercise:?}"
                    );
                    vec![average, fastest, slowest]
                }
                Rates::Stream { copy, scale, add, triad } => vec![copy, scale, add, triad],
            };
            assert!(
                rates.iter().all(|rate| rate.is_finite() && *rate > 0.0),
                "{exercise:?} {rates:?}"
            );
        }
    }

    #[test]
    fn random_increments_reach_words_everywhere() {
        let mut memory = vec![0u8; 1 << 18];
        Exercise::Random2.rates(&mut memory).unwrap();
        let touched = memory.chunks(4096).filter(|page| page.iter().any(|byte| *byte != 0)).count();
        assert_eq!(touched, 64, "each page was written to");
    }

    #[test]
    fn too_little_memory_is_refused() {
        for exercise in Exercise::ALL {
            let least = exercise.least_bytes();
            assert_eq!(exercise.rates(&mut vec![0; least - 1]), None, "{exercise:?}");
            assert!(exercise.rates(&mut vec![0; least]).is_some(), "{exercise:?}");
        }
    }
}
