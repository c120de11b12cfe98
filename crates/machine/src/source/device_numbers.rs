//! Major and minor numbers of device files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Whether a device file is one of blocks or of characters, and its major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceNumbers {
    Block(u32, u32),
    Char(u32, u32),
}

impl DeviceNumbers {
    /// The numbers of a device file; `None` for other files.
    pub(crate) fn from_metadata(found: &fs::Metadata) -> Option<Self> {
        let (major, minor) = numbers(found.rdev());
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some(Self::Block(major, minor));
        }
        kind.is_char_device().then_some(Self::Char(major, minor))
    }
}

/// Major and minor of a device number, as glibc's `gnu_dev_major` and `gnu_dev_minor` compute them.
fn numbers(device: u64) -> (u32, u32) {
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_number_is_split() {
        assert_eq!(numbers(0xfe00), (254, 0));
        assert_eq!(numbers(0x10_3003), (0x30, 0x103));
    }
}
