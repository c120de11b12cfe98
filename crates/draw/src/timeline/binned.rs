//! A timeline's counts as it is drawn: slots put together until they fit, and the lanes that
//! counted most.

use super::{Lane, Timeline};

/// Lanes that are drawn; the others are summed up.
const LANES: usize = 40;

/// A lane's counts by bin.
pub(crate) struct Row<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) total: u64,
    pub(crate) bins: Vec<u64>,
}

/// What is drawn.
pub(crate) struct Binned<'a> {
    pub(crate) rows: Vec<Row<'a>>,
    /// Slots there are; more than the timeline says if a lane counts beyond.
    pub(crate) slots: usize,
    /// Bins the slots are put into.
    pub(crate) bins: usize,
    /// The largest count of a bin, at least 1.
    pub(crate) largest: u64,
    /// Bins before which something began.
    pub(crate) starts: Vec<usize>,
    /// Lanes that are left out, and what they counted.
    pub(crate) left_out: (usize, u64),
}

/// A lane's whole count.
pub(crate) fn total(lane: &Lane) -> u64 {
    lane.counts.iter().map(|(_, count)| *count).fold(0, u64::saturating_add)
}

/// The timeline in at most so many bins.
pub(crate) fn binned(timeline: &Timeline, most: usize) -> Binned<'_> {
    let last =
        timeline.lanes.iter().flat_map(|l| &l.counts).map(|(slot, _)| slot.saturating_add(1)).max();
    let slots = timeline.slots.max(last.unwrap_or(0));
    let bins = slots.min(most);
    let mut order: Vec<usize> = (0..timeline.lanes.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(total(&timeline.lanes[*k])));
    let without = order.split_off(order.len().min(LANES));
    order.sort_unstable();
    let counted = without.iter().map(|k| total(&timeline.lanes[*k])).fold(0, u64::saturating_add);
    let rows: Vec<Row<'_>> =
        order.into_iter().map(|k| row(&timeline.lanes[k], slots, bins)).collect();
    let largest = rows.iter().flat_map(|r| &r.bins).copied().max().unwrap_or(0).max(1);
    let mut starts: Vec<usize> =
        timeline.starts.iter().filter(|s| **s < slots).map(|s| bin(*s, slots, bins)).collect();
    starts.sort_unstable();
    starts.dedup();
    Binned { rows, slots, bins, largest, starts, left_out: (without.len(), counted) }
}

fn row(lane: &Lane, slots: usize, bins: usize) -> Row<'_> {
    let mut counts = vec![0u64; bins];
    for (slot, count) in &lane.counts {
        if let Some(sum) = counts.get_mut(bin(*slot, slots, bins)) {
            *sum = sum.saturating_add(*count);
        }
    }
    Row { lane, total: total(lane), bins: counts }
}

fn bin(slot: usize, slots: usize, bins: usize) -> usize {
    let place = slot as u128 * bins as u128 / (slots as u128).max(1);
    usize::try_from(place).unwrap_or(0).min(bins.saturating_sub(1))
}

/// A bin's slots, counted from 1: its first and its last.
pub(crate) fn slots_of(binned: &Binned<'_>, bin: usize) -> (u128, u128) {
    let first =
        |bin: usize| (bin as u128 * binned.slots as u128).div_ceil((binned.bins as u128).max(1));
    (first(bin) + 1, first(bin + 1).max(first(bin) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_the_slots_they_say() {
        let timeline = Timeline {
            slots: 1000,
            lanes: vec![Lane { name: String::new(), counts: vec![(999, 3), (2, 1)] }],
            ..Timeline::default()
        };
        let binned = binned(&timeline, 400);
        assert_eq!((binned.bins, binned.rows[0].bins[399], binned.rows[0].bins[0]), (400, 3, 1));
        assert_eq!((slots_of(&binned, 0), slots_of(&binned, 399)), ((1, 3), (999, 1000)));
        for slot in 0..1000u128 {
            let (first, last) = slots_of(&binned, bin(slot as usize, 1000, 400));
            assert!((first..=last).contains(&(slot + 1)));
        }
    }

    #[test]
    fn counts_beyond_the_last_slot_are_not_lost() {
        let timeline = Timeline {
            slots: 1,
            lanes: vec![Lane { name: String::new(), counts: vec![(usize::MAX, u64::MAX), (0, 1)] }],
            ..Timeline::default()
        };
        assert_eq!(binned(&timeline, 10).largest, u64::MAX);
    }
}
