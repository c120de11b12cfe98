//! What memory is wanted, and whether asking for it is safe.

use nearfar_model::{Bytes, CpuSet, NodeId};

use crate::mapping::HUGE_PAGE;
use crate::place_error::PlaceError;

/// The page size wanted under a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedPages {
    /// 2 MiB, from the pool or transparent; base pages when there are none, which is told.
    Huge,
    /// The base page size, with transparent huge pages kept away.
    Base,
}

/// A wish for memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPlace {
    /// The node to bind to; `None` leaves it to the kernel (the only choice where memory policies
    /// are refused).
    pub node: Option<NodeId>,
    /// How much; rounded up to 2 MiB.
    pub bytes: Bytes,
    /// On which pages.
    pub pages: WantedPages,
    /// CPUs to touch from, normally the node's: page tables follow the toucher. Empty: from
    /// wherever the thread runs.
    pub touch_from: CpuSet,
    /// What is free where it goes, if known. Bound memory that runs out wakes the kernel's
    /// out-of-memory killer, so too large a wish is refused before a page is touched.
    pub free: Option<Bytes>,
}

/// At least this much stays free.
const LEAST_SPARED: Bytes = Bytes::mib(32);

/// The length of a mapping for so many bytes: rounded up to 2 MiB.
pub(crate) fn mapped_length(wanted: Bytes) -> Result<usize, PlaceError> {
    let fail = || PlaceError::OutOfMemory {
        call: "mmap",
        wanted,
        errno: "a size beyond sense".to_owned(),
    };
    let bytes = usize::try_from(wanted.0.max(1)).map_err(|_| fail())?;
    bytes.checked_next_multiple_of(HUGE_PAGE).ok_or_else(fail)
}

/// Refuses what would leave less than 1/16 of the free memory, or less than 32 MiB.
pub(crate) fn check_room(
    node: Option<NodeId>,
    wanted: Bytes,
    free: Option<Bytes>,
) -> Result<(), PlaceError> {
    let Some(free) = free else { return Ok(()) };
    let spared = LEAST_SPARED.max(Bytes(free.0 / 16));
    if wanted + spared <= free {
        return Ok(());
    }
    let place = node.map_or_else(|| "this machine".to_owned(), |node| format!("node {node}"));
    Err(PlaceError::TooLittleFree { place, wanted, free, spared })
}

impl BufferPlace {
    /// The length of the mapping in bytes: rounded up to 2 MiB.
    pub fn length(&self) -> Result<usize, PlaceError> {
        mapped_length(self.bytes)
    }

    /// Refuses what would leave less than 1/16 of the free memory, or less than 32 MiB.
    pub fn check_room(&self) -> Result<(), PlaceError> {
        check_room(self.node, self.bytes, self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(bytes: Bytes, free: Option<Bytes>) -> BufferPlace {
        BufferPlace {
            node: Some(NodeId(3)),
            bytes,
            pages: WantedPages::Huge,
            touch_from: CpuSet::new(),
            free,
        }
    }

    #[test]
    fn a_node_that_is_nearly_full_is_left_alone() {
        assert_eq!(wish(Bytes::mib(16), Some(Bytes::gib(1))).check_room(), Ok(()));
        assert_eq!(wish(Bytes::gib(64), None).check_room(), Ok(()));
        assert_eq!(
            wish(Bytes::mib(256), Some(Bytes::mib(270))).check_room().unwrap_err().to_string(),
            "256 MiB wanted on node 3 but only 270 MiB can be had there (32 MiB are left alone): \
             free some, or ask for less"
        );
        assert!(wish(Bytes(u64::MAX), Some(Bytes::gib(1))).check_room().is_err());
    }

    #[test]
    fn sizes_are_rounded_up_to_huge_pages() {
        assert_eq!(wish(Bytes(1), None).length(), Ok(2 << 20));
        assert_eq!(wish(Bytes::mib(4), None).length(), Ok(4 << 20));
        assert!(wish(Bytes(u64::MAX), None).length().is_err());
    }
}
