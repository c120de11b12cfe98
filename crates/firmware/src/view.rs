//! Reading numbers out of bytes by their offset, as tables are described: what is not there is `None`.

/// Bytes of a table or of one entry; offsets count from their start. Numbers are little-endian, as in ACPI and SMBIOS.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a>(pub(super) &'a [u8]);

impl<'a> View<'a> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    /// So many bytes from an offset.
    pub(super) fn slice(self, at: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(length)?)
    }

    /// All bytes from an offset on; none when it lies beyond the end.
    pub(super) fn from(self, at: usize) -> &'a [u8] {
        self.0.get(at..).unwrap_or_default()
    }

    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.slice(at, N)?.try_into().ok()
    }

    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(super) fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(super) fn u64(self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    /// A list of numbers of 16 bits.
    pub(super) fn u16s(self, at: usize, count: usize) -> Option<Vec<u16>> {
        let bytes = self.slice(at, count.checked_mul(2)?)?;
        Some(bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect())
    }

    /// A list of numbers of 32 bits.
    pub(super) fn u32s(self, at: usize, count: usize) -> Option<Vec<u32>> {
        let bytes = self.slice(at, count.checked_mul(4)?)?;
        Some(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
    }

    /// Text of a fixed width: what stands before the first NUL; what is no printable ASCII becomes '?'.
    pub(super) fn text(self, at: usize, width: usize) -> Option<String> {
        Some(printable(self.slice(at, width)?))
    }
}

/// What stands before the first NUL; what is no printable ASCII becomes '?'.
pub(super) fn printable(bytes: &[u8]) -> String {
    let text = bytes.iter().take_while(|&&byte| byte != 0);
    text.map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_absent_beyond_the_end() {
        let view = View(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((view.u8(7), view.u16(6), view.u32(4)), (Some(8), Some(0x0807), Some(0x0807_0605)));
        assert_eq!(view.u64(0), Some(0x0807_0605_0403_0201));
        assert_eq!((view.u8(8), view.u16(7), view.u32(usize::MAX), view.u64(1)), (None, None, None, None));
        assert_eq!(view.u16s(2, 3), Some(vec![0x0403, 0x0605, 0x0807]));
        assert_eq!((view.u16s(2, 4), view.u32s(0, usize::MAX)), (None, None));
        assert_eq!((view.from(6), view.from(9)), (&[7, 8][..], &[][..]));
    }

    #[test]
    fn text_ends_at_a_nul_and_hides_what_cannot_be_printed() {
        assert_eq!(View(b"A M I \0\0").text(0, 8).as_deref(), Some("A M I "));
        assert_eq!(View(b"\x1b[2J").text(0, 4).as_deref(), Some("?[2J"));
        assert_eq!(View(b"abc").text(1, 3), None);
    }
}
