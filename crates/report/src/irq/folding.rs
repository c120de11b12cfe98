//! Which interrupts get a row.

use nearfar_irq::Irq;

/// Whether idle interrupts share a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// The idle ones of a device share a row.
    Idle,
    /// Every interrupt has a row.
    Nothing,
}

/// Below it an interrupt is idle: counts a second, and counts since boot.
const IDLE_PER_SECOND: f64 = 1.0;
const IDLE_SINCE_BOOT: u64 = 1_000;

impl Folding {
    /// Whether an interrupt shares a row with others. Unknown counts are no idle ones.
    pub(super) fn folds(self, irq: &Irq) -> bool {
        let Some(count) = irq.count else { return false };
        let is_idle = match irq.per_second {
            Some(rate) => rate < IDLE_PER_SECOND,
            None => count < IDLE_SINCE_BOOT,
        };
        self == Self::Idle && is_idle
    }
}
