//! The page sizes under a range, from `/proc/self/smaps`.
//!
//! `madvise(MADV_HUGEPAGE)` is only a request, which fails silently when memory is fragmented.

use std::ops::Range;

use nearfar_model::Bytes;

/// Transparent huge pages within a range of this process's addresses; `None` if the kernel does not
/// report them.
pub(crate) fn huge_bytes(range: &Range<usize>) -> Option<Bytes> {
    let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
    Some(anon_huge_bytes(&text, range))
}

/// The sum of `AnonHugePages` of the mappings within a range.
fn anon_huge_bytes(smaps: &str, range: &Range<usize>) -> Bytes {
    let within = |mapping: &Range<usize>| range.start <= mapping.start && mapping.end <= range.end;
    lines_of(smaps, within).filter_map(|line| size(line, "AnonHugePages:")).sum()
}

/// The page size under an address of this process; `None` if the kernel does not report it.
pub(crate) fn page_size(address: usize) -> Option<Bytes> {
    let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
    lines_of(&text, |mapping| mapping.contains(&address))
        .find_map(|line| size(line, "KernelPageSize:"))
}

/// Whether shared memory in a range of this process's addresses has transparent huge pages, as far
/// as the kernel reports.
pub(crate) fn has_huge_shared(range: &Range<usize>) -> bool {
    let text = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    lines_of(&text, |mapping| overlap(mapping, range))
        .filter_map(|line| size(line, "ShmemPmdMapped:"))
        .any(|bytes| bytes > Bytes(0))
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The lines of the selected mappings.
fn lines_of(
    smaps: &str,
    is_selected: impl Fn(&Range<usize>) -> bool,
) -> impl Iterator<Item = &str> {
    let mut selected = false;
    smaps.lines().filter(move |line| {
        if let Some(mapping) = mapping_range(line) {
            selected = is_selected(&mapping);
        }
        selected
    })
}

/// The addresses of a mapping's first line: `7f2c40000000-7f2c40200000 rw-p ...`.
fn mapping_range(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(address(start)?..address(end)?)
}

/// The size of a line such as `AnonHugePages:      2048 kB`.
fn size(line: &str, field: &str) -> Option<Bytes> {
    let value = line.strip_prefix(field)?.trim().strip_suffix("kB")?;
    value.trim().parse::<u64>().ok()?.checked_mul(1024).map(Bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMAPS: &str = "\
7f0000000000-7f0000200000 ---p 00000000 00:00 0
AnonHugePages:      4096 kB
7f0000200000-7f0000600000 rw-p 00000000 00:00 0
Size:               4096 kB
AnonHugePages:      2048 kB
VmFlags: rd wr mr mw me ac hg
7f0000600000-7f0000800000 rw-p 00000000 00:00 0                          [heap]
AnonHugePages:      2048 kB
";

    #[test]
    fn only_mappings_within_the_range_count() {
        assert_eq!(anon_huge_bytes(SMAPS, &(0x7f00_0020_0000..0x7f00_0060_0000)), Bytes::mib(2));
        assert_eq!(anon_huge_bytes(SMAPS, &(0x7f00_0020_0000..0x7f00_0080_0000)), Bytes::mib(4));
        assert_eq!(anon_huge_bytes(SMAPS, &(0..1)), Bytes(0));
    }

    #[test]
    fn overlapping_mappings_are_found() {
        let huge = |range: Range<usize>| {
            let lines = lines_of(SMAPS, |mapping| overlap(mapping, &range));
            lines.filter_map(|line| size(line, "AnonHugePages:")).sum::<Bytes>()
        };
        assert_eq!(huge(0x7f00_0030_0000..0x7f00_0030_0001), Bytes::mib(2));
        assert_eq!(huge(0x7f00_0000_0000..0x7f00_0080_0000), Bytes::mib(8));
        let own = [1u8; 100];
        assert!(page_size(own.as_ptr().addr()).is_some_and(|page| page.0.is_power_of_two()));
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(
            text in "([0-9a-f]{1,18}-[0-9a-f]{1,18} .{0,5}\n|AnonHugePages: *[0-9]{0,25} kB\n\
                |.{0,30}\n){0,12}"
        ) {
            anon_huge_bytes(&text, &(0..usize::MAX));
        }
    }
}
