//! A timeline in block characters, a line to a lane.

use super::Timeline;
use super::binned::{BinnedLane, binned};
use crate::draw::Screen;
use crate::draw::characters::{fitted, left, shown as written};

/// Characters of a lane's name.
const NAME: usize = 24;
/// Characters of a total.
const TOTAL: usize = 10;
/// Fewer columns hold no lane.
const LEAST: usize = NAME + TOTAL + 12;

/// A line a lane: name, bars, total; none where the terminal is narrow.
pub(crate) fn shown(timeline: &Timeline, screen: &Screen) -> Option<String> {
    if screen.columns < LEAST {
        return None;
    }
    let room = screen.columns.min(400) - NAME - TOTAL - 3;
    let binned = binned(timeline, room);
    let blocks: &[char] = if screen.unicode {
        &['▁', '▂', '▃', '▅', '▇']
    } else {
        &['.', ':', '-', '=', '#']
    };
    let mut out: Vec<String> =
        binned.rows.iter().map(|row| line(row, binned.largest, blocks, (room, screen))).collect();
    out.push(format!(
        "{:NAME$} first {slot} to last {slot}; tallest: {}",
        "",
        written(&timeline.count(binned.largest), screen),
        slot = written(&timeline.slot, screen),
    ));
    if let (lanes @ 1.., counted) = binned.left_out {
        out.push(format!("{:NAME$} and {lanes} more lanes with {counted} in all", ""));
    }
    Some(out.iter().map(|line| fitted(line, screen.columns, screen) + "\n").collect())
}

fn line(
    row: &BinnedLane<'_>,
    largest: u64,
    blocks: &[char],
    (room, screen): (usize, &Screen),
) -> String {
    // A lane with fewer bins than there is room for is stretched: all are equally long.
    let bin = |column: usize| row.bins.get(column * row.bins.len() / room.max(1));
    let bars: String =
        (0..room).map(|column| block(bin(column).copied().unwrap_or(0), largest, blocks)).collect();
    format!("{} {bars} {:>TOTAL$}", left(&row.lane.name, NAME, screen), row.total)
}

fn block(count: u64, largest: u64, blocks: &[char]) -> char {
    if count == 0 {
        return ' ';
    }
    let step = u128::from(count) * blocks.len() as u128 / u128::from(largest.max(1));
    let step = usize::try_from(step).unwrap_or(0).clamp(1, blocks.len());
    blocks[step - 1]
}
