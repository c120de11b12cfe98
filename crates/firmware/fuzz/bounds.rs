//! The bound that every target holds the decoders to, the same as in tests/it/bounds.rs.

/// Decodes an input and checks how much memory was held at once.
pub fn check(bytes: &[u8], decode: impl FnOnce(&[u8])) {
    let held = allocation_counter::measure(|| decode(bytes)).bytes_max;
    let most = 48 * bytes.len() as u64 + (64 << 10);
    assert!(held <= most, "{held} bytes held for an input of {}, at most {most}", bytes.len());
}
