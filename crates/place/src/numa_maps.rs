//! The second witness of where pages are: `/proc/self/numa_maps`, readable where seccomp forbids to
//! ask move_pages(2).
//!
//! It tells of whole mappings, `7f0000200000 default anon=512 dirty=512 N0=512
//! kernelpagesize_kB=4`, by their first address; neighbours with equal attributes are one mapping.
//! So it says on which nodes the pages of all mappings that touch a range are, and how many there
//! are: enough to prove that a range is on one node, never where a single page is. See numa(7).

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

/// All pages of the mappings that touch a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Around {
    /// The nodes that they are on.
    pub(crate) nodes: NodeSet,
    /// Their size in all. Pages that do not exist, or are swapped out or on the move, are left
    /// out.
    pub(crate) bytes: Bytes,
}

/// What is around a range of this process's addresses; `None` when the kernel does not tell.
pub(crate) fn around(range: &Range<usize>) -> Option<Around> {
    let text = std::fs::read_to_string("/proc/self/numa_maps").ok()?;
    Some(around_in(&text, range)).filter(|around| !around.nodes.is_empty())
}

fn around_in(numa_maps: &str, range: &Range<usize>) -> Around {
    let mut around = Around::default();
    let mut lines = numa_maps.lines().filter_map(first_address).peekable();
    while let Some((start, line)) = lines.next() {
        let next = lines.peek().map_or(usize::MAX, |(start, _)| *start);
        if start < range.end && range.start < next {
            around.add(line);
        }
    }
    around
}

impl Around {
    /// Counts one mapping in. One that does not tell the size of its pages adds its nodes only.
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

/// The size of the pages that are counted: `kernelpagesize_kB=4`.
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
    fn only_mappings_that_touch_the_range_count() {
        let nodes = |range| around_in(NUMA_MAPS, &range).nodes.to_string();
        assert_eq!(nodes(0x7f00_0020_0000..0x7f00_0060_0000), "0");
        assert_eq!(nodes(0x7f00_0040_0000..0x7f00_0080_0000), "0,3");
        assert_eq!(nodes(0x7f00_00b0_0000..0x7f00_00c0_0000), "");
    }

    #[test]
    fn pages_are_counted_by_their_size() {
        let bytes = |range| around_in(NUMA_MAPS, &range).bytes;
        assert_eq!(bytes(0x7f00_0020_0000..0x7f00_0060_0000), Bytes::mib(4));
        assert_eq!(bytes(0x7f00_0040_0000..0x7f00_0080_0000), Bytes::mib(8));
        assert_eq!(bytes(0x7f00_00e0_0000..0x7f00_00e0_1000), Bytes::mib(6));
        assert_eq!(bytes(0x7f00_00b0_0000..0x7f00_00c0_0000), Bytes(0));
    }

    #[test]
    fn touched_memory_has_a_node_and_all_of_it_is_counted() {
        let words = vec![1u64; 1 << 18];
        let start = words.as_ptr() as usize;
        let around = around(&(start..start + (words.len() * 8))).unwrap();
        assert!(!around.nodes.is_empty() && around.bytes >= Bytes::mib(2), "{around:?}");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            text in "([0-9a-f]{0,18} (N[0-9]{0,12}=[0-9]{0,25} |kernelpagesize_kB=[0-9]{0,20} ){0,3}.{0,10}\n){0,10}"
        ) {
            around_in(&text, &(0..usize::MAX));
        }
    }
}
