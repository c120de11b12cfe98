//! Reads numbers at offsets of a byte slice. Out of bounds is `None`.

use nearfar_model::ProximityDomain;

/// Bytes of a table or of one entry. Offsets count from their start. Numbers are little-endian, as
/// in ACPI and SMBIOS.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteView<'a>(pub(super) &'a [u8]);

/// A type that is decoded from a fixed number of bytes.
pub(super) trait Number {
    /// Its size in bytes.
    const BYTES: usize;
    /// Decodes exactly [`BYTES`](Self::BYTES) bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($kind:ident),*) => {$(
        impl Number for $kind {
            const BYTES: usize = size_of::<Self>();

            fn from_bytes(bytes: &[u8]) -> Self {
                let mut number = [0; size_of::<Self>()];
                number.copy_from_slice(bytes);
                Self::from_le_bytes(number)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

impl Number for ProximityDomain {
    const BYTES: usize = u32::BYTES;

    fn from_bytes(bytes: &[u8]) -> Self {
        Self(u32::from_bytes(bytes))
    }
}

impl<'a> ByteView<'a> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    /// `length` bytes from an offset.
    pub(super) fn slice(self, at: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(length)?)
    }

    /// All bytes from an offset to the end. Empty beyond the end.
    pub(super) fn from(self, at: usize) -> &'a [u8] {
        self.0.get(at..).unwrap_or_default()
    }

    /// The number at an offset.
    pub(super) fn at<T: Number>(self, at: usize) -> Option<T> {
        self.slice(at, T::BYTES).map(T::from_bytes)
    }

    /// A list of numbers.
    pub(super) fn list<T: Number>(self, at: usize, count: usize) -> Option<Vec<T>> {
        let bytes = self.slice(at, count.checked_mul(T::BYTES)?)?;
        Some(bytes.chunks_exact(T::BYTES).map(T::from_bytes).collect())
    }

    /// Text of a fixed width, up to the first NUL. Unprintable bytes become '?'.
    pub(super) fn text(self, at: usize, width: usize) -> Option<String> {
        Some(printable(self.slice(at, width)?))
    }
}

/// Text up to the first NUL. Bytes that are not printable ASCII become '?'.
pub(super) fn printable(bytes: &[u8]) -> String {
    let text = bytes.iter().take_while(|&&byte| byte != 0);
    text.map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '?' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_bounds_checked() {
        let view = ByteView(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            (view.at::<u8>(7), view.at::<u16>(6), view.at::<u32>(4)),
            (Some(8), Some(0x0807), Some(0x0807_0605))
        );
        assert_eq!(view.at::<u64>(0), Some(0x0807_0605_0403_0201));
        assert_eq!((view.at::<u8>(8), view.at::<u16>(7)), (None, None));
        assert_eq!((view.at::<u32>(usize::MAX), view.at::<u64>(1)), (None, None));
        assert_eq!(view.list(2, 3), Some(vec![0x0403u16, 0x0605, 0x0807]));
        assert_eq!((view.list::<u16>(2, 4), view.list::<u32>(0, usize::MAX)), (None, None));
        assert_eq!((view.from(6), view.from(9)), (&[7, 8][..], &[][..]));
    }

    #[test]
    fn text_ends_at_nul_without_control_characters() {
        assert_eq!(ByteView(b"A M I \0\0").text(0, 8).as_deref(), Some("A M I "));
        assert_eq!(ByteView(b"\x1b[2J").text(0, 4).as_deref(), Some("?[2J"));
        assert_eq!(ByteView(b"abc").text(1, 3), None);
    }
}
