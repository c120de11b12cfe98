//! What disturbed a measurement, and when.

mod binned;
mod drawing;
mod table;
mod terminal;

use crate::{Drawing, Heading, Picture, Screen, Table};

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

impl Picture for Timeline {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    fn table(&self) -> Table {
        table::told(self)
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        terminal::shown(self, screen)
    }
}
