//! Formats addresses as the kernel's messages do.

/// `[mem %#010Lx-%#010Lx]`: first and last address of a half-open range.
pub(super) fn range(start: u64, end: u64) -> String {
    format!("[mem {start:#010x}-{:#010x}]", end.wrapping_sub(1))
}

/// Like [`range`], with 16 digits.
pub(super) fn long_range(start: u64, end: u64) -> String {
    format!("[mem {start:#018x}-{:#018x}]", end.wrapping_sub(1))
}

pub(super) fn mib(bytes: u64) -> u64 {
    bytes >> 20
}
