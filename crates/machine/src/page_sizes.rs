//! The sizes of pages: of base pages, and of the huge pages that the kernel takes where nobody asks
//! for another size.
//!
//! Mappings mostly tell the size of their pages themselves. This is the one place that says what
//! holds where they do not.

use nearfar_model::Bytes;

use crate::process::NumaMapping;
use crate::source::Source;

/// What pages are counted in; none where the machine does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSizes {
    /// A base page: what allocations are counted in.
    pub base: Option<Bytes>,
    /// What `HugePages_Total` and its kin are counted in (`Hugepagesize` of `/proc/meminfo`); none
    /// where the kernel has no huge pages.
    pub default_huge: Option<Bytes>,
}

impl PageSizes {
    /// What most machines have, for those that do not tell.
    const USUAL_BASE: Bytes = Bytes::kib(4);
    const USUAL_HUGE: Bytes = Bytes::mib(2);

    /// Reads the sizes.
    pub fn read(source: &Source) -> Self {
        Self { base: base_page(source), default_huge: default_huge_page(source) }
    }

    /// The size of a mapping's pages: its own word; before Linux 3.17, and where it has no page,
    /// what the machine has; else the usual.
    pub fn of(self, mapping: &NumaMapping) -> Bytes {
        let untold = match mapping.huge {
            true => self.default_huge.unwrap_or(Self::USUAL_HUGE),
            false => self.base.unwrap_or(Self::USUAL_BASE),
        };
        mapping.page_size.unwrap_or(untold)
    }
}

fn default_huge_page(source: &Source) -> Option<Bytes> {
    let text = source.text("/proc/meminfo")?;
    text.lines().find_map(|line| line.strip_prefix("Hugepagesize:"))?.trim().parse().ok()
}

/// The smallest page that a process of the machine's stands on; where that was not captured, by the
/// size of a transparent huge page: it is what one page full of 8-byte page table entries maps.
fn base_page(source: &Source) -> Option<Bytes> {
    let maps = source.text("/proc/self/numa_maps").unwrap_or_default();
    let sizes = maps
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("kernelpagesize_kB=")?.parse().ok());
    let seen = sizes
        .filter(|&size: &u64| size > 0)
        .min()
        .and_then(|size| size.checked_mul(1024))
        .map(Bytes);
    seen.or_else(|| {
        let huge: u64 =
            source.text("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")?.parse().ok()?;
        (12..=16).map(|shift| 1u64 << shift).find(|page| page * (page / 8) == huge).map(Bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(sizes: PageSizes) -> [Bytes; 3] {
        let of = |line: &str| sizes.of(&NumaMapping::parse(line).unwrap());
        [
            of("1000 default N0=1"),
            of("1000 default huge N0=1"),
            of("1000 default huge N0=1 kernelpagesize_kB=1048576"),
        ]
    }

    #[test]
    fn a_mapping_tells_its_own_size_else_the_machine_does_else_it_is_the_usual() {
        assert_eq!(sizes(PageSizes::default()), [Bytes::kib(4), Bytes::mib(2), Bytes::gib(1)]);
        let arm = Source::from_files([
            (
                "/proc/self/numa_maps",
                "1000 default huge N0=1 kernelpagesize_kB=2048\n2000 default N0=1 \
                 kernelpagesize_kB=64\n",
            ),
            ("/proc/meminfo", "MemTotal: 9 kB\nHugepagesize:    524288 kB\n"),
        ]);
        assert_eq!(sizes(PageSizes::read(&arm)), [Bytes::kib(64), Bytes::mib(512), Bytes::gib(1)]);
    }

    #[test]
    fn the_base_page_is_known_of_captures_too() {
        let captured = Source::from_files([(
            "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
            "536870912",
        )]);
        assert_eq!(
            PageSizes::read(&captured),
            PageSizes { base: Some(Bytes::kib(64)), default_huge: None }
        );
        assert_eq!(PageSizes::read(&Source::from_files([("/sys/x", "")])), PageSizes::default());
        assert!(PageSizes::read(&Source::live()).base.is_some());
    }
}
