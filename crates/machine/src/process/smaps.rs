//! What `/proc/PID/smaps` has of each mapping.

use nearfar_model::Bytes;

/// First and last addresses of the mappings with the flag `lo`: locked in memory (mlock).
///
/// # References
///
/// Documentation/filesystems/proc.rst, `VmFlags`
pub(super) fn locked_mappings(smaps: &str) -> Vec<[u64; 2]> {
    let locked = with_range(smaps).filter_map(|(range, line)| {
        let flags = line.strip_prefix("VmFlags:")?;
        flags.split_whitespace().any(|flag| flag == "lo").then_some(range)
    });
    locked.collect()
}

/// First and last addresses of each mapping, and its memory that was used since its pages were
/// marked as unused.
///
/// # References
///
/// Documentation/filesystems/proc.rst, `Referenced`
pub(super) fn referenced(smaps: &str) -> Vec<([u64; 2], Bytes)> {
    let used = with_range(smaps).filter_map(|(range, line)| {
        let size = line.strip_prefix("Referenced:")?;
        Some((range, size.trim().parse().ok()?))
    });
    used.collect()
}

/// The lines with the range of their mapping.
fn with_range(smaps: &str) -> impl Iterator<Item = ([u64; 2], &str)> {
    let mut range = None;
    smaps.lines().filter_map(move |line| {
        range = header(line).or(range);
        Some((range?, line))
    })
}

/// The range of "7f00-7f10 rw-p ...".
fn header(line: &str) -> Option<[u64; 2]> {
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some([number(start)?, number(end)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mapping_has_its_own_lines() {
        let text = "7f00-7f10 rw-p 00000000 00:00 0 [anon:a-b]\nSize: 4 kB\n\
                    Referenced:         4 kB\nVmFlags: rd wr lo ac \n\
                    7f20-7f30 rw-p 00000000 00:00 0 \nReferenced:  0 kB\nVmFlags: rd wr lf \n";
        assert_eq!(locked_mappings(text), [[0x7f00, 0x7f10]]);
        let used = [([0x7f00, 0x7f10], Bytes::kib(4)), ([0x7f20, 0x7f30], Bytes(0))];
        assert_eq!(referenced(text), used);
        assert!(locked_mappings("nonsense\nVmFlags: lo\n").is_empty());
        assert!(referenced("nonsense\nReferenced: 4 kB\n7-8\nReferenced: x\n").is_empty());
    }
}
