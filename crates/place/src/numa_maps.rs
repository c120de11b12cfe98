//! A second source for the location of pages: `/proc/self/numa_maps`, readable where seccomp denies
//! move_pages(2).
//!
//! A line describes a whole mapping, `7f0000200000 default anon=512 dirty=512 N0=512
//! kernelpagesize_kB=4`, by its first address; adjacent mappings with equal attributes are one
//! line. It reports the nodes and the number of pages of each mapping that overlaps a range. This
//! proves that a range is on one node, but never where a single page is. See numa(7).

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

/// All pages of the mappings that overlap a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MappedPages {
    /// The nodes that they are on.
    pub(crate) nodes: NodeSet,
    /// Their total size, without pages that are absent, swapped out or in migration.
    pub(crate) bytes: Bytes,
}

/// The mappings that overlap a range of this process's addresses; `None` if the kernel does not
/// report them.
pub(crate) fn mapped_pages(range: &Range<usize>) -> Option<MappedPages> {
    let text = std::fs::read_to_string("/proc/self/numa_maps").ok()?;
    Some(mapped_pages_in(&text, range)).filter(|mapped_pages| !mapped_pages.nodes.is_empty())
}

fn mapped_pages_in(numa_maps: &str, range: &Range<usize>) -> MappedPages {
    let mut mapped_pages = MappedPages::default();
    let mut lines = numa_maps.lines().filter_map(first_address).peekable();
    while let Some((start, line)) = lines.next() {
        let next = lines.peek().map_or(usize::MAX, |(start, _)| *start);
        if start < range.end && range.start < next {
            mapped_pages.add(line);
        }
    }
    mapped_pages
}

impl MappedPages {
    /// Adds one mapping. If its page size is missing, only its nodes are added.
    fn add(&mut self, line: &str) {
        let words = || line.split_whitespace();
        let page = words().find_map(page_size).unwrap_or_default();
        for (node, pages) in words().filter_map(node_count) {
            self.nodes.insert(node);
            self.bytes = Bytes(self.bytes.0.saturating_add(pages.saturating_mul(page.0)));
        }
    }
}

fn first_address(line: &str) -> Option<(usize, &str)> {
    let (start, rest) = line.split_once(' ')?;
    Some((usize::from_str_radix(start, 16).ok()?, rest))
}

/// The node and the pages of `N0=512`.
fn node_count(word: &str) -> Option<(NodeId, u64)> {
    let (node, pages) = word.strip_prefix('N')?.split_once('=')?;
    let pages = pages.parse::<u64>().ok().filter(|&pages| pages > 0)?;
    Some((NodeId(node.parse().ok()?), pages))
}

/// The page size that the counts refer to: `kernelpagesize_kB=4`.
fn page_size(word: &str) -> Option<Bytes> {
    word.strip_prefix("kernelpagesize_kB=")?.parse::<u64>().ok()?.checked_mul(1024).map(Bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NUMA_MAPS: &str = "\
7f0000000000 default file=/usr/lib/libc.so.6 mapped=2 N1=2 kernelpagesize_kB=4
7f0000200000 bind:0 anon=1024 dirty=1024 active=0 N0=1024 kernelpagesize_kB=4
7f0000600000 default anon=1024 dirty=1024 N0=512 N3=512 kernelpagesize_kB=4
7f0000a00000 default
7f0000e00000 bind:1 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N1=3 \
                             kernelpagesize_kB=2048
";

    #[test]
    fn only_overlapping_mappings_count() {
        let nodes = |range| mapped_pages_in(NUMA_MAPS, &range).nodes.to_string();
        assert_eq!(nodes(0x7f00_0020_0000..0x7f00_0060_0000), "0");
        assert_eq!(nodes(0x7f00_0040_0000..0x7f00_0080_0000), "0,3");
        assert_eq!(nodes(0x7f00_00b0_0000..0x7f00_00c0_0000), "");
    }

    #[test]
    fn pages_are_counted_by_their_size() {
        let bytes = |range| mapped_pages_in(NUMA_MAPS, &range).bytes;
        assert_eq!(bytes(0x7f00_0020_0000..0x7f00_0060_0000), Bytes::mib(4));
        assert_eq!(bytes(0x7f00_0040_0000..0x7f00_0080_0000), Bytes::mib(8));
        assert_eq!(bytes(0x7f00_00e0_0000..0x7f00_00e0_1000), Bytes::mib(6));
        assert_eq!(bytes(0x7f00_00b0_0000..0x7f00_00c0_0000), Bytes(0));
    }

    #[test]
    fn touched_memory_is_counted_on_its_node() {
        let words = vec![1u64; 1 << 18];
        let start = words.as_ptr() as usize;
        let mapped_pages = mapped_pages(&(start..start + (words.len() * 8))).unwrap();
        assert!(
            !mapped_pages.nodes.is_empty() && mapped_pages.bytes >= Bytes::mib(2),
            "{mapped_pages:?}"
        );
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(
            text in "([0-9a-f]{0,18} \
                (N[0-9]{0,12}=[0-9]{0,25} |kernelpagesize_kB=[0-9]{0,20} ){0,3}.{0,10}\n){0,10}"
        ) {
            mapped_pages_in(&text, &(0..usize::MAX));
        }
    }
}
