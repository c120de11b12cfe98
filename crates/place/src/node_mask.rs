//! Node sets as the memory-policy system calls take them: a bitmap and its length in bits.
//!
//! The kernel reads one bit less than `maxnode` (`get_nodes` in `mm/mempolicy.c` decrements it), so
//! the length passed is one more than the number of bits. An empty set is a null pointer.

use std::ptr;

use libc::c_ulong;
use nearfar_model::NodeSet;

/// The arguments `nodemask` and `maxnode`. The pointer is valid while the set is borrowed.
pub(crate) fn mask_arguments(nodes: &NodeSet) -> (*const u64, c_ulong) {
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
    fn maxnode_is_one_more_than_the_bits() {
        let nodes = NodeSet::from_id(NodeId(64));
        assert_eq!(mask_arguments(&nodes).1, 129);
    }

    #[test]
    fn the_empty_set_is_a_null_pointer() {
        let none = NodeSet::new();
        let (words, length) = mask_arguments(&none);
        assert!(words.is_null() && length == 0);
    }
}
