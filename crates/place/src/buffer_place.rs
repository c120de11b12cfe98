//! What memory is requested, and whether it is safe to touch.

use nearfar_model::{Bytes, CpuSet, NodeId};

use crate::mapping::HUGE_PAGE;
use crate::place_error::PlaceError;

/// The page size requested for a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedPages {
    /// 2 MiB, from the huge-page pool or transparent. Where there are none: base pages, with a note
    /// ([`PlacedBuffer::notes`](crate::PlacedBuffer::notes)).
    Huge,
    /// The base page size, with transparent huge pages disabled.
    Base,
}

/// A request for memory on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPlace {
    /// The node to bind to. `None` lets the kernel choose (the only choice where memory policies
    /// are denied).
    pub node: Option<NodeId>,
    /// The size, rounded up to 2 MiB.
    pub bytes: Bytes,
    /// The page size.
    pub pages: WantedPages,
    /// The CPUs that touch the memory, normally the node's: page tables are allocated beside the
    /// CPU that touches. Empty: wherever the thread runs.
    pub touch_from: CpuSet,
    /// Free memory on the node, if known. Bound memory that runs out triggers the kernel's
    /// out-of-memory killer, so a request that is too large fails before a page is touched.
    pub free: Option<Bytes>,
}

/// At least this much stays free.
const MIN_RESERVED: Bytes = Bytes::mib(32);

/// The length of a mapping in bytes: `wanted`, rounded up to 2 MiB.
pub(crate) fn mapped_length(wanted: Bytes) -> Result<usize, PlaceError> {
    let fail = || PlaceError::OutOfMemory {
        call: "mmap",
        wanted,
        errno: "larger than the address space".to_owned(),
    };
    let bytes = usize::try_from(wanted.0.max(1)).map_err(|_| fail())?;
    bytes.checked_next_multiple_of(HUGE_PAGE).ok_or_else(fail)
}

/// Fails if less than 1/16 of the free memory, or less than 32 MiB, would remain.
pub(crate) fn check_free(
    node: Option<NodeId>,
    wanted: Bytes,
    free: Option<Bytes>,
) -> Result<(), PlaceError> {
    let Some(free) = free else { return Ok(()) };
    let reserved = MIN_RESERVED.max(Bytes(free.0 / 16));
    if wanted + reserved <= free {
        return Ok(());
    }
    let place = node.map_or_else(|| "this machine".to_owned(), |node| format!("node {node}"));
    Err(PlaceError::TooLittleFree { place, wanted, free, reserved })
}

impl BufferPlace {
    /// The length of the mapping in bytes: the size, rounded up to 2 MiB.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] if the size exceeds the address space.
    pub fn length(&self) -> Result<usize, PlaceError> {
        mapped_length(self.bytes)
    }

    /// Checks that at least 1/16 of the free memory, and at least 32 MiB, would remain.
    ///
    /// # Errors
    ///
    /// [`PlaceError::TooLittleFree`] if not.
    pub fn check_free(&self) -> Result<(), PlaceError> {
        check_free(self.node, self.bytes, self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(bytes: Bytes, free: Option<Bytes>) -> BufferPlace {
        BufferPlace {
            node: Some(NodeId(3)),
            bytes,
            pages: WantedPages::Huge,
            touch_from: CpuSet::new(),
            free,
        }
    }

    #[test]
    fn a_nearly_full_node_is_refused() {
        assert_eq!(request(Bytes::mib(16), Some(Bytes::gib(1))).check_free(), Ok(()));
        assert_eq!(request(Bytes::gib(64), None).check_free(), Ok(()));
        assert_eq!(
            request(Bytes::mib(256), Some(Bytes::mib(270))).check_free().unwrap_err().to_string(),
            "256 MiB wanted on node 3, but only 270 MiB available (32 MiB stay reserved): free \
             memory, or use less"
        );
        assert!(request(Bytes(u64::MAX), Some(Bytes::gib(1))).check_free().is_err());
    }

    #[test]
    fn sizes_are_rounded_up_to_huge_pages() {
        assert_eq!(request(Bytes(1), None).length(), Ok(2 << 20));
        assert_eq!(request(Bytes::mib(4), None).length(), Ok(4 << 20));
        assert!(request(Bytes(u64::MAX), None).length().is_err());
    }
}
