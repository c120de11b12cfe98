//! Whose memory is an address? Ranges as the launcher gave them, sorted for a quick answer.

use crate::charges::{HomeRange, LINE_BYTES};

/// The physical addresses of a machine and their homes.
#[derive(Debug)]
pub(crate) struct Places {
    ranges: Vec<HomeRange>,
}

impl Places {
    pub(crate) fn new(ranges: &[HomeRange]) -> Self {
        let mut ranges = ranges.to_vec();
        ranges.sort_by_key(|range| range.start);
        Self { ranges }
    }

    /// The home of an address; none for what is no memory of the machine.
    pub(crate) fn home(&self, address: u64) -> Option<usize> {
        let behind = self.ranges.partition_point(|range| range.start <= address);
        let range = self.ranges[..behind].last().filter(|range| address < range.end)?;
        let turns = range.homes.len().max(1) as u64;
        range.homes.get((address / LINE_BYTES % turns) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64, homes: &[usize]) -> HomeRange {
        HomeRange { start, end, homes: homes.to_vec() }
    }

    #[test]
    fn an_address_belongs_to_the_range_it_lies_in() {
        let places = Places::new(&[range(0x2000, 0x3000, &[1]), range(0, 0x1000, &[0])]);
        let homes = [0, 0xfff, 0x1000, 0x2000, 0x2fff, 0x3000].map(|address| places.home(address));
        assert_eq!(homes, [Some(0), Some(0), None, Some(1), Some(1), None]);
    }

    #[test]
    fn interleaved_lines_alternate() {
        let places = Places::new(&[range(0, 0x1000, &[3, 5])]);
        let homes = [0, 63, 64, 127, 128].map(|address| places.home(address));
        assert_eq!(homes, [Some(3), Some(3), Some(5), Some(5), Some(3)]);
    }

    #[test]
    fn memory_without_a_range_has_no_home() {
        assert_eq!(Places::new(&[range(0, 64, &[])]).home(0), None);
        assert_eq!(Places::new(&[]).home(0), None);
    }
}
