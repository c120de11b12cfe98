//! A timeline as rows of text.

use super::Timeline;
use super::binned::total;
use crate::Table;

/// Slots that a cell names.
const NAMED: usize = 40;

/// A row a lane: what it counted in all, and in which slots.
pub(crate) fn told(timeline: &Timeline) -> Table {
    let columns = vec!["lane".to_owned(), format!("{} in all", timeline.counted), format!("in {}s", timeline.slot)];
    let row = |lane: &super::Lane| {
        let counted = lane.counts.iter().filter(|(_, count)| *count > 0);
        let mut slots: Vec<String> =
            counted.clone().take(NAMED).map(|(slot, count)| format!("{}: {count}", slot.saturating_add(1))).collect();
        let more = counted.count() - slots.len();
        if more > 0 {
            slots.push(format!("and {more} more"));
        }
        vec![lane.name.clone(), total(lane).to_string(), slots.join(", ")]
    };
    Table { columns, rows: timeline.lanes.iter().map(row).collect() }
}
