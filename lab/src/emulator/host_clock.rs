//! How fast is the host's time-stamp counter? An emulated PC's counter is the host's, and its
//! kernel measures it against an emulated timer as it boots. On a busy host that goes wrong, once
//! by a factor of 19: so the launcher measures and passes it on.

use std::thread;
use std::time::{Duration, Instant};

use quanta::Clock;

const APART: Duration = Duration::from_millis(50);
/// Pairs of readings; the least interrupted one counts.
const TRIES: usize = 200;

/// In kHz; absent where this host has no such counter, or not a steady one.
pub(super) fn tsc_khz() -> Option<u64> {
    const TICKS: u64 = 1 << 40;
    let clock = Clock::new();
    // A counter that ticks in nanoseconds is the system's clock, which stands in where there is no
    // better one.
    if cfg!(not(target_arch = "x86_64")) || clock.delta_as_nanos(0, TICKS) == TICKS {
        return None;
    }
    let (began, first) = together(&clock)?;
    thread::sleep(APART);
    let (ended, last) = together(&clock)?;
    let khz = last.checked_sub(first)? as f64 / (ended - began).as_secs_f64() / 1000.0;
    Some(khz.round() as u64)
}

/// The time, and the counter at that time.
fn together(clock: &Clock) -> Option<(Instant, u64)> {
    let readings = (0..TRIES).map(|_| {
        let (before, counter) = (Instant::now(), clock.raw());
        (before.elapsed(), before, counter)
    });
    readings.min_by_key(|(took, ..)| *took).map(|(_, time, counter)| (time, counter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_measurements_agree() {
        if let (Some(one), Some(other)) = (tsc_khz(), tsc_khz()) {
            assert!(one.abs_diff(other) * 1000 < one, "{one} and {other} kHz");
            assert!((100_000..10_000_000).contains(&one), "{one} kHz");
        }
    }
}
