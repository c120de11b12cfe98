//! How a program ends without an error.

/// Whether a program did all that its arguments request.
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
