//! Sizes of base pages and of default huge pages.
//!
//! Most mappings report their page size. This is the default for the others.

use nearfar_model::Bytes;

use crate::process::NumaMapping;
use crate::source::Source;

/// The machine's page sizes; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSizes {
    /// Size of a base page, the unit of allocations.
    pub base: Option<Bytes>,
    /// Unit of `HugePages_Total` and similar (`Hugepagesize` of `/proc/meminfo`); `None` if the
    /// kernel has no huge pages.
    pub default_huge: Option<Bytes>,
}

impl PageSizes {
    /// Sizes on most machines, if unknown.
    const USUAL_BASE: Bytes = Bytes::kib(4);
    const USUAL_HUGE: Bytes = Bytes::mib(2);

    /// Reads the sizes. Never fails.
    ///
    /// # References
    ///
    /// proc_meminfo(5), proc_pid_numa_maps(5)
    pub fn read(source: &Source) -> Self {
        Self { base: base_page(source), default_huge: default_huge_page(source) }
    }

    /// The page size of a mapping: its own; before Linux 3.17, and without pages, the machine's;
    /// else the usual one.
    pub fn of(self, mapping: &NumaMapping) -> Bytes {
        let default = if mapping.huge {
            self.default_huge.unwrap_or(Self::USUAL_HUGE)
        } else {
            self.base.unwrap_or(Self::USUAL_BASE)
        };
        mapping.page_size.unwrap_or(default)
    }
}

fn default_huge_page(source: &Source) -> Option<Bytes> {
    let text = source.text("/proc/meminfo")?;
    text.lines().find_map(|line| line.strip_prefix("Hugepagesize:"))?.trim().parse().ok()
}

/// The smallest page size in `/proc/self/numa_maps`. Without it, derived from the size of a
/// transparent huge page, which one page of 8-byte page table entries maps.
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
    fn page_size_of_mapping_then_machine_then_default() {
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
    fn base_page_size_of_a_capture_is_derived() {
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
