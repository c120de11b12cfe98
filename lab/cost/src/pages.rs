//! Where do the next lines of a stream lie? A CPU asks memory for lines that its program has not
//! touched yet, so it must know their physical addresses. It knows those of the pages that it used
//! lately.

use crate::charges::LINE_BYTES;

const PAGE_BYTES: u64 = 4096;
const LINES_PER_PAGE: u64 = PAGE_BYTES / LINE_BYTES;
/// Enough for 32 MiB, more than anybody streams through in the lab.
const ENTRIES: usize = 8192;

/// One CPU's memory of where pages are.
#[derive(Debug)]
pub(crate) struct PageHomes {
    /// (virtual page, physical page), each at the slot of its virtual page.
    entries: Vec<(u64, u64)>,
}

impl PageHomes {
    pub(crate) fn new() -> Self {
        Self { entries: vec![(u64::MAX, 0); ENTRIES] }
    }

    /// A line was found at a physical line.
    pub(crate) fn learn(&mut self, virtual_line: u64, line: u64) {
        let page = virtual_line / LINES_PER_PAGE;
        self.entries[page as usize % ENTRIES] = (page, line / LINES_PER_PAGE);
    }

    /// The physical line of a virtual one, as far as it is known.
    pub(crate) fn line(&self, virtual_line: u64) -> Option<u64> {
        let page = virtual_line / LINES_PER_PAGE;
        let (known, physical) = self.entries[page as usize % ENTRIES];
        (known == page).then(|| physical * LINES_PER_PAGE + virtual_line % LINES_PER_PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_page_are_known_from_one_until_another_page_takes_its_place() {
        let mut pages = PageHomes::new();
        assert_eq!(pages.line(64 * 7 + 3), None);
        pages.learn(64 * 7 + 3, 64 * 1000 + 3);
        assert_eq!(
            [0, 3, 63].map(|line| pages.line(64 * 7 + line)),
            [0, 3, 63].map(|line| Some(64 * 1000 + line))
        );
        assert_eq!(pages.line(64 * 8), None);
        pages.learn(64 * (7 + ENTRIES as u64), 0);
        assert_eq!(pages.line(64 * 7), None);
    }
}
