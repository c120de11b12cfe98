//! The second witness of where pages are: `/proc/self/numa_maps`, readable where seccomp forbids to ask move_pages(2).
//!
//! It tells of whole mappings, `7f0000200000 default anon=512 dirty=512 N0=512 kernelpagesize_kB=4`, by their first address; neighbours with
//! equal attributes are one mapping. So it says on which nodes the pages of all mappings that touch a range are: enough to prove that a
//! range is on one node, never where a single page is. See numa(7).

use std::ops::Range;

use nearfar_model::{NodeId, NodeSet};

/// The nodes of all mappings that touch a range of this process's addresses; `None` when the kernel does not tell.
pub(crate) fn nodes_around(range: &Range<usize>) -> Option<NodeSet> {
    let text = std::fs::read_to_string("/proc/self/numa_maps").ok()?;
    Some(nodes_in(&text, range)).filter(|nodes| !nodes.is_empty())
}

fn nodes_in(numa_maps: &str, range: &Range<usize>) -> NodeSet {
    let mut nodes = NodeSet::new();
    let mut lines = numa_maps.lines().filter_map(first_address).peekable();
    while let Some((start, line)) = lines.next() {
        let next = lines.peek().map_or(usize::MAX, |(start, _)| *start);
        if start < range.end && range.start < next {
            nodes.extend(line.split_whitespace().filter_map(node_count));
        }
    }
    nodes
}

fn first_address(line: &str) -> Option<(usize, &str)> {
    let (start, rest) = line.split_once(' ')?;
    Some((usize::from_str_radix(start, 16).ok()?, rest))
}

/// The node of `N0=512`.
fn node_count(word: &str) -> Option<NodeId> {
    let (node, pages) = word.strip_prefix('N')?.split_once('=')?;
    pages.parse::<u64>().ok().filter(|&pages| pages > 0)?;
    node.parse().ok().map(NodeId)
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
";

    #[test]
    fn only_mappings_that_touch_the_range_count() {
        let nodes = |range| nodes_in(NUMA_MAPS, &range).to_string();
        assert_eq!(nodes(0x7f00_0020_0000..0x7f00_0060_0000), "0");
        assert_eq!(nodes(0x7f00_0040_0000..0x7f00_0080_0000), "0,3");
        assert_eq!(nodes(0x7f00_00b0_0000..0x7f00_00c0_0000), "");
    }

    #[test]
    fn touched_memory_has_a_node() {
        let words = vec![1u64; 1 << 18];
        let start = words.as_ptr() as usize;
        let nodes = nodes_around(&(start..start + (words.len() * 8))).unwrap();
        assert!(!nodes.is_empty());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9a-f]{0,18} (N[0-9]{0,12}=[0-9]{0,25} ?){0,3}.{0,10}\n){0,10}") {
            nodes_in(&text, &(0..usize::MAX));
        }
    }
}
