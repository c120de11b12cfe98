//! The bytes of one document in a file that may hold several.

use std::io::{self, BufRead, ErrorKind, Read};

/// The largest document, and the longest text between two.
const MAX_BYTES: u64 = 512 << 20;

/// One document's bytes, as a reader that ends where the next document begins: at a line that
/// starts with `{`. In an indented document, only its first line does.
pub(crate) struct OneDocument<'r, R> {
    source: &'r mut R,
    /// Line breaks in what was read.
    lines: usize,
    bytes: u64,
    hash: StableHash,
    /// Bytes that may still be read.
    left: u64,
    is_at_line_start: bool,
    is_at_end: bool,
    first_visible: Option<u8>,
}

impl<'r, R: BufRead> OneDocument<'r, R> {
    pub(crate) fn new(source: &'r mut R) -> Self {
        Self {
            source,
            lines: 0,
            bytes: 0,
            hash: StableHash::default(),
            left: MAX_BYTES,
            is_at_line_start: false,
            is_at_end: false,
            first_visible: None,
        }
    }

    /// Reads the rest, if the document's parser stopped within it.
    pub(crate) fn finish(mut self) -> io::Result<DocumentBytes> {
        let mut rest = [0; 8192];
        while self.read(&mut rest)? > 0 {}
        let Self { lines, bytes, hash, first_visible, is_at_line_start, .. } = self;
        Ok(DocumentBytes {
            lines,
            bytes,
            hash: hash.finish(),
            first_visible,
            ends_in_line_break: is_at_line_start,
        })
    }

    fn note(&mut self, taken: &[u8]) {
        let text = taken.trim_ascii();
        self.first_visible = self.first_visible.or_else(|| text.first().copied());
        if self.first_visible.is_some() {
            let seen = if self.bytes == 0 { taken.trim_ascii_start() } else { taken };
            // A last line without a line break is the same document.
            let seen = seen.strip_suffix(b"\n").unwrap_or(seen);
            self.hash.write(seen);
            self.bytes += seen.len() as u64;
        }
    }
}

/// FNV-1a of 64 bits: the same in each version of nearfar, since tables keep it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHash(u64);

impl Default for StableHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StableHash {
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

fn too_large() -> io::Error {
    let why = format!("a document in it is larger than {} MiB", MAX_BYTES >> 20);
    io::Error::new(ErrorKind::FileTooLarge, why)
}

/// What one document's bytes were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentBytes {
    pub(crate) lines: usize,
    /// Without the space around them.
    pub(crate) bytes: u64,
    /// The same bytes have the same hash, in any version.
    pub(crate) hash: u64,
    /// The first byte that is no space; none of an empty document.
    pub(crate) first_visible: Option<u8>,
    pub(crate) ends_in_line_break: bool,
}

impl<R: BufRead> Read for OneDocument<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_at_end || buffer.is_empty() {
            return Ok(0);
        }
        let available = self.source.fill_buf()?;
        let is_next = self.is_at_line_start && available.first() == Some(&b'{');
        if available.is_empty() || (is_next && self.first_visible.is_some()) {
            self.is_at_end = true;
            return Ok(0);
        }
        let most = &available[..available.len().min(buffer.len())];
        let line = most.iter().position(|&byte| byte == b'\n').map_or(most.len(), |at| at + 1);
        let taken = &mut buffer[..line];
        taken.copy_from_slice(&most[..line]);
        self.source.consume(line);
        self.left = self.left.checked_sub(line as u64).ok_or_else(too_large)?;
        self.is_at_line_start = taken.ends_with(b"\n");
        self.lines += usize::from(self.is_at_line_start);
        let taken = &*taken;
        self.note(taken);
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn documents(text: &str) -> Vec<(String, DocumentBytes)> {
        // A small buffer ends within documents and at line breaks.
        let mut source = BufReader::with_capacity(3, text.as_bytes());
        let mut found = Vec::new();
        loop {
            let mut document = OneDocument::new(&mut source);
            let mut read = String::new();
            document.read_to_string(&mut read).unwrap();
            let bytes = document.finish().unwrap();
            if read.is_empty() {
                return found;
            }
            found.push((read, bytes));
        }
    }

    #[test]
    fn a_document_ends_where_a_line_begins_the_next() {
        let texts = |text| documents(text).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts("{1}\n{2}\n"), ["{1}\n", "{2}\n"]);
        assert_eq!(texts("{\n  {1}\n}\n{2}"), ["{\n  {1}\n}\n", "{2}"]);
        assert_eq!(texts("\n\n{1}\n\nerror: x\n{2}\n"), ["\n\n{1}\n\nerror: x\n", "{2}\n"]);
        assert_eq!(texts("{cut\n{2}"), ["{cut\n", "{2}"]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn the_same_document_has_the_same_hash() {
        let found = documents("{1}\n{1}\n{2}\n{1}");
        let hashes: Vec<u64> = found.iter().map(|(_, bytes)| bytes.hash).collect();
        assert!(hashes[0] == hashes[1] && hashes[0] == hashes[3] && hashes[0] != hashes[2]);
        assert_eq!(found.iter().map(|(_, bytes)| bytes.lines).collect::<Vec<_>>(), [1, 1, 1, 0]);
    }
}
