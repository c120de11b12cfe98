//! The time of a message, in what stands before it.

/// Microseconds since the boot, of "[  712.500001] " and of /dev/kmsg's "4,339,712500001,-;".
pub(super) fn microseconds(head: &str) -> Option<u64> {
    if let Some((record, _)) = head.split_once(';') {
        return record.split(',').nth(2)?.parse().ok();
    }
    let mut stamps = head.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    stamps.find_map(seconds)
}

/// "712.500001", with at most six digits after the point.
fn seconds(stamp: &str) -> Option<u64> {
    let (whole, part) = stamp.trim().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let micro: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micro)
}
