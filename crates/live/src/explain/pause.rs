//! Waits that a signal ends.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nearfar_view::terminal::Interrupt;

use crate::explain::ExplainError;

/// After pages have moved, the program runs this long before the metric counts: its caches fill.
pub(crate) const SETTLING: Duration = Duration::from_millis(300);
/// Signals are noticed this often.
const TICK: Duration = Duration::from_millis(50);

/// Waits; an error if the user interrupts.
pub(crate) fn pause(time: Duration, interrupt: &Interrupt) -> Result<(), ExplainError> {
    let end = Instant::now() + time;
    while !interrupt.came() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        sleep(left.min(TICK));
    }
    Err(ExplainError::Interrupted)
}
