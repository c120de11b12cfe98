//! What disturbed a measurement, and when.

use crate::Heading;

/// Lanes of counts over slots of time (rounds).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Title and description.
    pub heading: Heading,
    /// What a slot is: "round".
    pub slot: String,
    /// What is counted: "samples dropped".
    pub counted: String,
    /// How many slots there are.
    pub slots: usize,
    /// The lanes, top to bottom.
    pub lanes: Vec<Lane>,
    /// Slots before which something began anew (a process), drawn as thin lines.
    pub starts: Vec<usize>,
}

/// One lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Slot and count; slots that are not named count nothing.
    pub counts: Vec<(usize, u64)>,
}
