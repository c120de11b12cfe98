//! Node sets in the form that the memory-policy system calls take: a bitmap and its length in bits.
//!
//! The kernel reads one bit less than it is told (`get_nodes` in `mm/mempolicy.c` counts `--maxnode`), so the length passed is
//! one more than the bits meant. An empty set is a null pointer.

use libc::c_ulong;
use nearfar_model::NodeSet;

/// Bits for the answer of `get_mempolicy`, which refuses masks shorter than the nodes it supports (1,024 at most,
/// `MAX_NUMNODES`) and longer than a page.
const ANSWER_BITS: usize = 4096;

/// A node set, lent to a system call.
pub(crate) struct NodeMask<'a> {
    words: &'a [u64],
}

impl<'a> NodeMask<'a> {
    pub(crate) fn of(nodes: &'a NodeSet) -> Self {
        Self { words: nodes.words() }
    }

    pub(crate) fn pointer(&self) -> *const u64 {
        if self.words.is_empty() { std::ptr::null() } else { self.words.as_ptr() }
    }

    /// The `maxnode` argument.
    pub(crate) fn length(&self) -> c_ulong {
        if self.words.is_empty() { 0 } else { (self.words.len() * 64 + 1) as c_ulong }
    }
}

/// Room for a node set that a system call writes.
pub(crate) struct NodeAnswer {
    words: [u64; ANSWER_BITS / 64],
}

impl NodeAnswer {
    pub(crate) fn new() -> Self {
        Self { words: [0; ANSWER_BITS / 64] }
    }

    pub(crate) fn pointer(&mut self) -> *mut u64 {
        self.words.as_mut_ptr()
    }

    /// The `maxnode` argument.
    pub(crate) fn length(&self) -> c_ulong {
        ANSWER_BITS as c_ulong
    }

    pub(crate) fn nodes(&self) -> NodeSet {
        NodeSet::from_words(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn counts_one_bit_more_than_is_meant() {
        let nodes = NodeSet::of(NodeId(64));
        assert_eq!(NodeMask::of(&nodes).length(), 129);
    }

    #[test]
    fn the_empty_set_is_a_null_pointer() {
        let none = NodeSet::new();
        assert!(NodeMask::of(&none).pointer().is_null());
        assert_eq!(NodeMask::of(&none).length(), 0);
    }
}
