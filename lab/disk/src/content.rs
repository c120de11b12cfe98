//! What a disk reads as: each eight bytes are their own offset on the disk, little endian.

/// Fills a buffer with the disk's bytes from an offset on.
pub(crate) fn read(offset: u64, buffer: &mut [u8]) {
    for (at, byte) in (offset..).zip(buffer) {
        *byte = (at & !7).to_le_bytes()[(at & 7) as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_their_offsets_wherever_a_read_begins() {
        let mut whole = [0; 32];
        read(0x1000, &mut whole);
        assert_eq!(whole[8..16], 0x1008_u64.to_le_bytes());
        let mut part = [0; 5];
        read(0x100b, &mut part);
        assert_eq!(part, whole[11..16]);
    }
}
