//! The cached pages of a part of a file, and their nodes.

use std::ops::Range;

use nearfar_model::NodeId;
use nearfar_place::{FileWindow, PlaceError, Residence, major_faults};

/// A mapped part of a file, or a stand-in for it in tests.
pub(super) trait CachedPages {
    /// Whether each page is cached.
    fn cached(&self) -> Result<Vec<bool>, PlaceError>;
    /// Enters cached pages in the page table.
    fn enter(&self, pages: Range<usize>) -> Result<(), PlaceError>;
    /// The nodes of pages in the page table.
    fn nodes(&self, pages: &[usize]) -> Result<Vec<Residence>, PlaceError>;
    /// Moves pages in the page table; `shared`: also those that others map.
    fn relocate(
        &self,
        pages: &[(usize, NodeId)],
        shared: bool,
    ) -> Result<Vec<Residence>, PlaceError>;
}

impl CachedPages for FileWindow {
    fn cached(&self) -> Result<Vec<bool>, PlaceError> {
        FileWindow::cached(self)
    }

    fn enter(&self, pages: Range<usize>) -> Result<(), PlaceError> {
        self.map_pages(pages)
    }

    fn nodes(&self, pages: &[usize]) -> Result<Vec<Residence>, PlaceError> {
        self.residences(pages)
    }

    fn relocate(
        &self,
        pages: &[(usize, NodeId)],
        shared: bool,
    ) -> Result<Vec<Residence>, PlaceError> {
        self.move_pages(pages, shared)
    }
}

/// What [`locate`] finds.
#[derive(Debug)]
pub(super) struct LocatedPages {
    /// The cached pages, and what is known about the node of each.
    pub(super) pages: Vec<(usize, Residence)>,
    /// Pages that were evicted in between, and read from the disk again.
    pub(super) read_again: u64,
}

/// Finds the nodes of the cached pages. Touches no other page.
pub(super) fn locate(window: &impl CachedPages) -> Result<LocatedPages, PlaceError> {
    let cached = window.cached()?;
    let faults = major_faults();
    for run in runs(&cached) {
        match window.enter(run) {
            // The file was cut meanwhile: these pages are gone.
            Ok(()) | Err(PlaceError::NoPage { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let read_again = major_faults() - faults;
    let pages: Vec<usize> = (0..cached.len()).filter(|page| cached[*page]).collect();
    let nodes = window.nodes(&pages)?;
    let found = pages.into_iter().zip(nodes).filter(|(_, node)| *node != Residence::Absent);
    Ok(LocatedPages { pages: found.collect(), read_again })
}

/// Ranges of neighbours that are cached.
fn runs(cached: &[bool]) -> Vec<Range<usize>> {
    let mut next = 0;
    let neighbours = cached.chunk_by(|one, other| one == other).map(|chunk| {
        let start = next;
        next += chunk.len();
        (chunk[0], start..next)
    });
    neighbours.filter(|(is_cached, _)| *is_cached).map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_only_cached_pages() {
        assert_eq!(runs(&[false, true, true, false, true]), [1..3, 4..5]);
        assert!(runs(&[]).is_empty() && runs(&[false]).is_empty());
    }
}
