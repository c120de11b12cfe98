//! Node sets in the form that the memory-policy system calls take: a bitmap and its length in bits.
//!
//! The kernel reads one bit less than it is told (`get_nodes` in `mm/mempolicy.c` counts
//! `--maxnode`), so the length passed is one more than the bits meant. An empty set is a null
//! pointer.

use std::ptr;

use libc::c_ulong;
use nearfar_model::NodeSet;

/// The arguments `nodemask` and `maxnode`: where the set's words are, for as long as it is
/// borrowed, and their length.
pub(crate) fn lent(nodes: &NodeSet) -> (*const u64, c_ulong) {
    match nodes.words() {
        [] => (ptr::null(), 0),
        words => (words.as_ptr(), (words.len() * 64 + 1) as c_ulong),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn counts_one_bit_more_than_is_meant() {
        let nodes = NodeSet::of(NodeId(64));
        assert_eq!(lent(&nodes).1, 129);
    }

    #[test]
    fn the_empty_set_is_a_null_pointer() {
        let none = NodeSet::new();
        let (words, length) = lent(&none);
        assert!(words.is_null() && length == 0);
    }
}
