//! An earlier snapshot of the interrupts, for counts of a time and for changes.

use nearfar_machine::interrupts::InterruptSnapshot;

/// A snapshot before.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The snapshot.
    pub snapshot: &'a InterruptSnapshot,
    /// Seconds since then; `None` if unknown.
    pub seconds: Option<f64>,
}
