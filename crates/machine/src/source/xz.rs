//! Unpacks xz: all checks and filters, several blocks and streams.

use std::io::{self, ErrorKind, Read};

use lzma_rust2::XzReader;

/// Maximum dictionary size in KiB. `xz -9` uses 64 MiB.
const MAX_MEMORY_KIB: u32 = 1 << 20;

pub(super) struct Xz<R: Read>(XzReader<R>);

impl<R: Read> Xz<R> {
    pub(super) fn new(file: R) -> Self {
        Self(XzReader::new_mem_limit(file, true, MAX_MEMORY_KIB))
    }
}

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            // Unsupported filters (their header is valid: it has a checksum), and too large
            // dictionaries.
            ErrorKind::InvalidInput | ErrorKind::OutOfMemory => {
                io::Error::new(ErrorKind::Unsupported, error)
            }
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "nearfar\n" 10,000 times, compressed by `xz -9` of XZ Utils 5.4.1.
    const PACKED: &[u8] = include_bytes!("../../tests/data/nearfar-10000.xz");

    fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        Xz::new(packed).read_to_end(&mut plain)?;
        Ok(plain)
    }

    #[test]
    fn a_file_is_unpacked() {
        assert_eq!(unpacked(PACKED).unwrap(), "nearfar\n".repeat(10_000).as_bytes());
    }

    #[test]
    fn truncated_files_are_refused() {
        for length in 0..PACKED.len() {
            assert!(unpacked(&PACKED[..length]).is_err(), "{length} bytes");
        }
    }
}
