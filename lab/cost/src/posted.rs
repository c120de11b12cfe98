//! Stores past the caches (non-temporal): a CPU collects a line in a buffer, sends it off, and goes
//! on. A limited number of lines is in flight.

use std::collections::VecDeque;

/// Lines that are collected at a time: streams of such stores that a program may mix.
const BUFFERS: usize = 4;

/// One CPU's lines on their way to memory.
#[derive(Debug)]
pub(crate) struct Posted {
    lines: usize,
    /// Virtual lines, the one that was begun last at the end.
    collected: VecDeque<u64>,
    /// When each line that was sent off has arrived.
    arrive: VecDeque<u64>,
}

impl Posted {
    /// The largest number of lines in flight.
    pub(crate) fn new(lines: usize) -> Self {
        Self { lines, collected: VecDeque::new(), arrive: VecDeque::new() }
    }

    /// Whether a store goes to a line that is collected already. If not, its line is from now on.
    pub(crate) fn collects(&mut self, virtual_line: u64) -> bool {
        if self.collected.contains(&virtual_line) {
            return true;
        }
        if self.collected.len() == BUFFERS {
            self.collected.pop_front();
        }
        self.collected.push_back(virtual_line);
        false
    }

    /// When there is room for one more line, from a time on.
    pub(crate) fn room(&mut self, from: u64) -> u64 {
        let full = self.arrive.len() >= self.lines;
        let first = if full { self.arrive.pop_front() } else { None };
        first.map_or(from, |arrived| arrived.max(from))
    }

    /// A line is sent off and arrives at a time.
    pub(crate) fn send(&mut self, arrives: u64) {
        self.arrive.push_back(arrives);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_to_one_line_are_collected_and_so_are_those_of_a_few_streams() {
        let mut posted = Posted::new(8);
        assert_eq!(
            [5, 5, 9, 5, 9].map(|line| posted.collects(line)),
            [false, true, false, true, true]
        );
        assert_eq!([10, 11, 12, 5].map(|line| posted.collects(line)), [false; 4]);
    }

    #[test]
    fn one_that_is_full_has_room_when_its_first_line_has_arrived() {
        let mut posted = Posted::new(2);
        assert_eq!(posted.room(100), 100);
        posted.send(180);
        assert_eq!(posted.room(110), 110);
        posted.send(190);
        assert_eq!(posted.room(120), 180);
        posted.send(260);
        assert_eq!(posted.room(500), 500);
    }
}
