//! For tests: a buffer wherever the kernel puts it.

use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages};

/// So many bytes on huge pages, if there are any.
pub(crate) fn memory(bytes: u64) -> PlacedBuffer {
    let wish = BufferPlace {
        node: None,
        bytes: Bytes(bytes),
        pages: WantedPages::Huge,
        touch_from: CpuSet::new(),
        free: None,
    };
    PlacedBuffer::place(&wish).expect("a few MiB")
}
