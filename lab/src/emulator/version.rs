//! Which QEMU this is.

use std::fmt;

/// A QEMU's version, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QemuVersion {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

impl QemuVersion {
    /// The oldest that the lab was tried with: Debian 12's.
    pub(super) const LEAST: Self = Self { major: 7, minor: 2 };

    /// Reads what `qemu-system-x86_64 --version` prints.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (_, after) = text.split_once("version ")?;
        let mut numbers = after.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Some(Self { major: numbers.next()?.ok()?, minor: numbers.next()?.ok()? })
    }

    /// Whether plugins get a physical address with the offset of its RAM block added to it once
    /// more. Found by walking memory of known nodes: 7.2 adds it (`qemu_plugin_hwaddr_phys_addr` of
    /// its `plugins/api.c` sums the block's offset, the offset in the block and the block's
    /// address), 10.0 does not. The change is "plugin: Simplify struct qemu_plugin_hwaddr" of
    /// September 2023, between 8.1 and 8.2.
    pub(crate) fn adds_block_offset(self) -> bool {
        self < Self { major: 8, minor: 2 }
    }
}

impl fmt::Display for QemuVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_qemu_prints_them() {
        let debian_12 = "QEMU emulator version 7.2.22 (Debian \
                         1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c) 2003-2022 ...\n";
        assert_eq!(QemuVersion::parse(debian_12), Some(QemuVersion { major: 7, minor: 2 }));
        assert_eq!(
            QemuVersion::parse("QEMU emulator version 10.0.2"),
            Some(QemuVersion { major: 10, minor: 0 })
        );
        assert_eq!(QemuVersion::parse("qemu: no such option"), None);
        assert_eq!(QemuVersion::parse("version x"), None);
    }

    #[test]
    fn addresses_are_right_from_8_2_on() {
        let adds = |major, minor| QemuVersion { major, minor }.adds_block_offset();
        assert_eq!([adds(7, 2), adds(8, 1), adds(8, 2), adds(10, 0)], [true, true, false, false]);
    }
}
