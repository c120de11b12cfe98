//! Counts over the course of several things: a lane each, from its first slot to its last.

mod binned;
mod drawing;
mod terminal;

use binned::total;

use crate::draw::{Drawing, FigureTable, Heading, Picture, Screen};

/// Slots that a cell of the table names.
const NAMED: usize = 40;

/// Lanes of counts over slots of time (rounds).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Title and description.
    pub heading: Heading,
    /// What a slot is: "round".
    pub slot: String,
    /// What is counted, in the singular: "sample".
    pub counted: String,
    /// The lanes, top to bottom.
    pub lanes: Vec<Lane>,
}

/// One lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// How many slots it has: all lanes are drawn equally long.
    pub slots: usize,
    /// Slot and count; slots that are not named count nothing.
    pub counts: Vec<(usize, u64)>,
}

impl Timeline {
    /// "1 sample", "2 samples".
    fn count(&self, number: u64) -> String {
        format!("{number} {}{}", self.counted, if number == 1 { "" } else { "s" })
    }
}

impl Picture for Timeline {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    /// A row a lane: what it counted in all, and in which slots.
    fn table(&self) -> FigureTable {
        let row = |lane: &Lane| {
            let counted = lane.counts.iter().filter(|(_, count)| *count > 0);
            let named = counted.clone().take(NAMED);
            let mut slots: Vec<String> =
                named.map(|(slot, count)| format!("{}: {count}", slot.saturating_add(1))).collect();
            let more = counted.count() - slots.len();
            if more > 0 {
                slots.push(format!("and {more} more"));
            }
            vec![lane.name.clone(), total(lane).to_string(), slots.join(", ")]
        };
        let columns = ["lane", &format!("{}s in all", self.counted), &format!("in {}s", self.slot)];
        FigureTable::new(&columns, self.lanes.iter().map(row).collect())
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        terminal::shown(self, screen)
    }
}
