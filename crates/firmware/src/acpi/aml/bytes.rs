//! Reads the parts of AML that have no opcode of their own: lengths, names, constants.

use super::opcode::Opcode;

/// A position in the code of a table, and where the surrounding package ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct AmlBytes<'a> {
    table: &'a [u8],
    /// Offset in bytes from the start of the table.
    pub(super) at: usize,
    /// Offset of the first byte after the package.
    pub(super) end: usize,
}

/// Why bytes cannot be read: the package ends too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndOfPackage;

/// A name as it is written, not yet resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamePath<'a> {
    /// Whether it begins with `\`.
    pub(super) from_root: bool,
    /// Number of `^`.
    pub(super) parents: usize,
    /// Its segments of four characters, one after the other.
    pub(super) segments: &'a [u8],
}

impl NamePath<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = [u8; 4]> {
        self.segments.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]])
    }
}

impl<'a> AmlBytes<'a> {
    /// The bytes of a table from `at` to `end`, or to the end of the table.
    pub(super) fn new(table: &'a [u8], at: usize, end: usize) -> Self {
        Self { table, at, end: end.min(table.len()) }
    }

    /// Whether all bytes of the package are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], EndOfPackage> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.end).ok_or(EndOfPackage)?;
        let bytes = &self.table[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    /// The next byte. The position does not change.
    pub(super) fn peek(&self) -> Result<u8, EndOfPackage> {
        if self.is_at_end() { Err(EndOfPackage) } else { Ok(self.table[self.at]) }
    }

    pub(super) fn byte(&mut self) -> Result<u8, EndOfPackage> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// The next opcode, of one byte or of two.
    pub(super) fn opcode(&mut self) -> Result<Opcode, EndOfPackage> {
        match self.byte()? {
            0x5b => Ok(Opcode::extended(self.byte()?)),
            byte => Ok(Opcode::new(byte)),
        }
    }

    /// A little-endian number of up to eight bytes.
    pub(super) fn number(&mut self, bytes: usize) -> Result<u64, EndOfPackage> {
        let bytes = self.take(bytes)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A package's content, from its PkgLength on. The position moves behind the package; a package
    /// that is longer than the surrounding one is an error.
    pub(super) fn package(&mut self) -> Result<Self, EndOfPackage> {
        let start = self.at;
        let lead = self.byte()?;
        let more = usize::from(lead >> 6);
        let rest =
            self.take(more)?.iter().rev().fold(0, |rest, &byte| rest << 8 | usize::from(byte));
        // With further bytes, only four bits of the first one count.
        let length =
            if more == 0 { usize::from(lead & 0x3f) } else { rest << 4 | usize::from(lead & 0xf) };
        let end = start + length;
        if end < self.at || end > self.end {
            self.at = start;
            return Err(EndOfPackage);
        }
        let content = Self { table: self.table, at: self.at, end };
        self.at = end;
        Ok(content)
    }

    /// A name. `Ok(None)` if the bytes are no name.
    pub(super) fn name(&mut self) -> Result<Option<NamePath<'a>>, EndOfPackage> {
        let from_root = self.peek()? == b'\\';
        self.at += usize::from(from_root);
        let start = self.at;
        while !from_root && self.peek()? == b'^' {
            self.at += 1;
        }
        let parents = self.at - start;
        let count = match self.peek()? {
            0x00 => {
                self.at += 1;
                0
            }
            0x2e => {
                self.at += 1;
                2
            }
            0x2f => {
                self.at += 1;
                usize::from(self.byte()?)
            }
            _ => 1,
        };
        let segments = self.take(4 * count)?;
        let path = NamePath { from_root, parents, segments };
        Ok(path.iter().all(is_segment).then_some(path))
    }

    /// Text up to its NUL.
    pub(super) fn text(&mut self) -> Result<&'a [u8], EndOfPackage> {
        let rest = &self.table[self.at.min(self.end)..self.end];
        let length = rest.iter().position(|&byte| byte == 0).ok_or(EndOfPackage)?;
        self.at += length + 1;
        Ok(&rest[..length])
    }
}

/// Whether a byte begins a name.
pub(super) fn begins_a_name(byte: u8) -> bool {
    matches!(byte, b'\\' | b'^' | 0x2e | 0x2f) || is_lead(byte)
}

fn is_lead(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte == b'_'
}

fn is_segment(segment: [u8; 4]) -> bool {
    is_lead(segment[0]) && segment[1..].iter().all(|&byte| is_lead(byte) || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(bytes: &[u8]) -> Result<(usize, usize), EndOfPackage> {
        let content = AmlBytes::new(bytes, 0, bytes.len()).package()?;
        Ok((content.at, content.end))
    }

    #[test]
    fn package_lengths_have_one_to_four_bytes() {
        assert_eq!(package(&[0x03, 0, 0, 0]), Ok((1, 3)));
        assert_eq!(package(&[vec![0x45, 0x01], vec![0; 19]].concat()), Ok((2, 0x15)));
        assert_eq!(package(&[vec![0x80, 0x10, 0x00], vec![0; 0xfd]].concat()), Ok((3, 0x100)));
        let long = [vec![0xc1, 0x00, 0x01, 0x00], vec![0; 0x1000]].concat();
        assert_eq!(package(&long), Ok((4, 0x1001)));
    }

    #[test]
    fn packages_stay_within_their_parent() {
        for bytes in [&[0x00][..], &[0x02], &[0x41, 0x00], &[0xc0], &[0xff; 9], &[]] {
            assert_eq!(package(bytes), Err(EndOfPackage), "{bytes:x?}");
        }
    }

    #[test]
    fn names_of_each_form_are_read() {
        let name = |bytes: &'static [u8]| {
            AmlBytes::new(bytes, 0, bytes.len()).name().map(|name| {
                name.map(|name| (name.from_root, name.parents, name.iter().collect::<Vec<_>>()))
            })
        };
        assert_eq!(name(b"\\_SB_"), Ok(Some((true, 0, vec![*b"_SB_"]))));
        assert_eq!(name(b"^^PC01"), Ok(Some((false, 2, vec![*b"PC01"]))));
        assert_eq!(name(b"\x2e_SB_PC01"), Ok(Some((false, 0, vec![*b"_SB_", *b"PC01"]))));
        assert_eq!(name(b"\\\x2f\x03AAAABBBBCC00").map(|name| name.unwrap().2.len()), Ok(3));
        assert_eq!(name(b"\\\0"), Ok(Some((true, 0, vec![]))));
        assert_eq!((name(b"1ABC"), name(b"AB-C"), name(b"pc01")), (Ok(None), Ok(None), Ok(None)));
        assert_eq!(
            (name(b"ABC"), name(b"\x2f"), name(b"")),
            (Err(EndOfPackage), Err(EndOfPackage), Err(EndOfPackage))
        );
    }
}
