//! Waits that a signal ends.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nearfar_survey::measure::MeasureError;
use nearfar_view::terminal::Interrupt;

/// Signals are noticed this often.
const TICK: Duration = Duration::from_millis(50);

/// Waits; an error if the user interrupts.
pub(super) fn pause(time: Duration, interrupt: &Interrupt) -> anyhow::Result<()> {
    let end = Instant::now() + time;
    while !interrupt.came() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        sleep(left.min(TICK));
    }
    Err(MeasureError::Interrupted.into())
}
