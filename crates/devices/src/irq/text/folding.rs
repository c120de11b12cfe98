//! Which interrupts get a row.

use crate::irq::Irq;

/// Whether idle interrupts share a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// The idle ones of a device share a row.
    Idle,
    /// Those that were not served share a row.
    Unserved,
    /// Every interrupt has a row.
    Nothing,
}

impl Folding {
    /// Whether an interrupt shares a row with others. Unknown counts are no idle ones.
    pub(super) fn folds(self, irq: &Irq) -> bool {
        match self {
            Self::Idle => irq.is_idle(),
            Self::Unserved => irq.count == Some(0),
            Self::Nothing => false,
        }
    }
}
