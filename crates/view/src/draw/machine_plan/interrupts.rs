//! Interrupts of a device, or of a node's CPUs.

/// How many interrupts there are, and where they are served.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanInterrupts {
    /// "1.2k/s near", "890/s, 45 % far".
    pub text: String,
    /// Whether most are far: the text has the colour of marks. The text states it, too.
    pub is_far: bool,
}

impl PlanInterrupts {
    pub(super) fn class(&self) -> &'static str {
        if self.is_far { "mt" } else { "q" }
    }
}
