//! How a program ends that no error stops.

/// Whether a program did all that it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It did everything.
    Full,
    /// It left something out, or showed how it is used. Standard error has the details.
    Partial,
}

impl Completion {
    /// Full if this holds.
    pub(crate) fn full_if(holds: bool) -> Self {
        if holds { Self::Full } else { Self::Partial }
    }
}
