//! A timeline's counts as it is drawn: slots put together until they fit, and the lanes that
//! counted most.

use super::{Lane, Timeline};

/// Lanes that are drawn; the others are summed up.
const LANES: usize = 40;

/// A lane's counts by bin.
pub(crate) struct BinnedLane<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) total: u64,
    /// Slots there are; more than the lane has if it counts beyond them.
    slots: usize,
    pub(crate) bins: Vec<u64>,
}

pub(crate) struct Binned<'a> {
    pub(crate) rows: Vec<BinnedLane<'a>>,
    /// The largest count of a bin, at least 1.
    pub(crate) largest: u64,
    /// Lanes that are left out, and what they counted.
    pub(crate) left_out: (usize, u64),
}

/// A lane's whole count.
pub(crate) fn total(lane: &Lane) -> u64 {
    lane.counts.iter().map(|(_, count)| *count).fold(0, u64::saturating_add)
}

/// The timeline with at most this number of bins in each lane.
pub(crate) fn binned(timeline: &Timeline, most: usize) -> Binned<'_> {
    let mut order: Vec<usize> = (0..timeline.lanes.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(total(&timeline.lanes[*k])));
    let without = order.split_off(order.len().min(LANES));
    order.sort_unstable();
    let counted = without.iter().map(|k| total(&timeline.lanes[*k])).fold(0, u64::saturating_add);
    let rows: Vec<BinnedLane<'_>> =
        order.into_iter().map(|k| row(&timeline.lanes[k], most)).collect();
    let largest = rows.iter().flat_map(|row| &row.bins).copied().max().unwrap_or(0).max(1);
    Binned { rows, largest, left_out: (without.len(), counted) }
}

fn row(lane: &Lane, most: usize) -> BinnedLane<'_> {
    let last = lane.counts.iter().map(|(slot, _)| slot.saturating_add(1)).max();
    let slots = lane.slots.max(last.unwrap_or(0));
    let mut bins = vec![0u64; slots.min(most)];
    for (slot, count) in &lane.counts {
        let place = *slot as u128 * bins.len() as u128 / (slots as u128).max(1);
        let bin = usize::try_from(place).ok().and_then(|place| bins.get_mut(place));
        bin.into_iter().for_each(|sum| *sum = sum.saturating_add(*count));
    }
    BinnedLane { lane, total: total(lane), slots, bins }
}

impl BinnedLane<'_> {
    /// A bin's slots, counted from 1: its first and its last.
    pub(crate) fn slots_of(&self, bin: usize) -> (u128, u128) {
        let bins = (self.bins.len() as u128).max(1);
        let first = |bin: usize| (bin as u128 * self.slots as u128).div_ceil(bins);
        (first(bin) + 1, first(bin + 1).max(first(bin) + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(slots: usize, counts: &[(usize, u64)]) -> Timeline {
        let lane = Lane { slots, counts: counts.to_vec(), ..Lane::default() };
        Timeline { lanes: vec![lane], ..Timeline::default() }
    }

    #[test]
    fn bins_hold_the_slots_that_they_name() {
        let timeline = timeline(1000, &[(999, 3), (2, 1)]);
        let binned = binned(&timeline, 400);
        let row = &binned.rows[0];
        assert_eq!((row.bins.len(), row.bins[399], row.bins[0]), (400, 3, 1));
        assert_eq!((row.slots_of(0), row.slots_of(399)), ((1, 3), (999, 1000)));
        for slot in 0..1000usize {
            let (first, last) = row.slots_of(slot * 400 / 1000);
            assert!((first..=last).contains(&(slot as u128 + 1)));
        }
    }

    #[test]
    fn counts_beyond_the_last_slot_are_not_lost() {
        let timeline = timeline(1, &[(usize::MAX - 1, u64::MAX), (0, 1)]);
        assert_eq!(binned(&timeline, 10).largest, u64::MAX);
    }
}
