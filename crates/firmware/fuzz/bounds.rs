//! The memory limit of all targets, the same as in tests/it/bounds.rs.

/// Decodes an input and checks the peak memory.
pub fn check(bytes: &[u8], decode: impl FnOnce(&[u8])) {
    let held = allocation_counter::measure(|| decode(bytes)).bytes_max;
    let most = 48 * bytes.len() as u64 + (64 << 10);
    assert!(held <= most, "{held} bytes allocated for an input of {}, limit {most}", bytes.len());
}
