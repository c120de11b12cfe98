//! Unpacking xz within bounds.
//!
//! The decoder (`lzma-rs`) gathers a whole block in memory before it hands it over, so a counter behind it would
//! count too late: a few kilobytes can unpack to gigabytes. But each LZMA2 chunk tells its own unpacked size in clear, and
//! no decoder makes more of it than that; adding these up first bounds what unpacking can take.
//! Layout: "The .xz File Format" 1.2.1, sections 2 and 3; chunks as in `lzma2_dec.c` of XZ Utils.

use std::io::{self, ErrorKind, Read};

use nearfar_model::Bytes;

/// Magic, flags and CRC at the start of a stream.
const STREAM_HEADER: usize = 12;
/// Bytes of the check after each block, by the type in the stream's flags.
const CHECK_SIZES: [usize; 16] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/// Unpacks a whole file. The error is of kind `FileTooLarge` when it holds more than `most`.
pub(super) fn unpack(file: impl Read, most: Bytes) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    file.take(most.0 + 1).read_to_end(&mut packed)?;
    let size = unpacked_size(&packed).ok_or(ErrorKind::UnexpectedEof)?;
    if packed.len() as u64 > most.0 || size > most.0 {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut plain = Vec::new();
    lzma_rs::xz_decompress(&mut packed.as_slice(), &mut plain)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("{error:?}")))?;
    Ok(plain)
}

/// What all chunks of the first stream say they unpack to; none when it is cut short.
fn unpacked_size(packed: &[u8]) -> Option<u64> {
    let check = CHECK_SIZES[usize::from(packed.get(7)? & 15)];
    let mut at = STREAM_HEADER;
    let mut total = 0;
    // A header size of 0 marks the index, which ends the blocks.
    while *packed.get(at)? != 0 {
        at += (usize::from(packed[at]) + 1) * 4;
        while *packed.get(at)? != 0 {
            let chunk = Chunk::read(packed.get(at..)?)?;
            at += chunk.packed;
            total += chunk.unpacked;
        }
        at = (at + 1).next_multiple_of(4) + check;
    }
    Some(total)
}

/// Sizes of one LZMA2 chunk, its header included in the packed one.
struct Chunk {
    packed: usize,
    unpacked: u64,
}

impl Chunk {
    fn read(bytes: &[u8]) -> Option<Self> {
        let control = bytes[0];
        let number = |at: usize| Some(usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
        let low = number(1)?;
        if control < 0x80 {
            return Some(Self { packed: 3 + low + 1, unpacked: low as u64 + 1 });
        }
        let properties = usize::from(control >= 0xc0);
        let high = usize::from(control & 0x1f) << 16;
        Some(Self { packed: 5 + properties + number(3)? + 1, unpacked: (high + low) as u64 + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "nearfar\n" 10,000 times over, packed by `xz -9` of XZ Utils 5.4.1.
    const PACKED: &[u8] = include_bytes!("../../tests/data/nearfar-10000.xz");

    #[test]
    fn the_chunks_tell_what_will_be_unpacked() {
        assert_eq!(unpacked_size(PACKED), Some(80_000));
        assert_eq!(unpack(PACKED, Bytes(80_000)).unwrap(), "nearfar\n".repeat(10_000).as_bytes());
    }

    #[test]
    fn what_unpacks_to_too_much_is_not_unpacked() {
        assert_eq!(unpack(PACKED, Bytes(79_999)).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        for length in 0..PACKED.len() {
            assert!(unpack(&PACKED[..length], Bytes::mib(1)).is_err(), "{length} bytes");
        }
    }
}
