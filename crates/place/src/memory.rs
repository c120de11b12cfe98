//! Memory for programs, on the nodes that they choose: what `numa_alloc_onnode` and its siblings
//! are in libnuma.

#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::mapping::{Mapping, base_page};
use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;
use crate::populate::{Access, populate};
use crate::range_policy::{range_policy, set_range_policy_with};
use crate::residence::Residence;
use crate::residency::residences;

/// Zeroed memory of whole pages under a policy of its own, given back when dropped.
///
/// A page gets its node when it is first touched, not before: [`Memory::touch`] does that for all
/// of them, and reports memory that is not there instead of dying of it. [`Memory::residences`]
/// tells where they are.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_model::Bytes;
/// use nearfar_place::{Memory, allowed_nodes};
///
/// let node = allowed_nodes()?.first().expect("a process has memory somewhere");
/// let mut table = Memory::on_node(Bytes::mib(4), node)?;
/// table.touch()?;
/// table[0] = 42;
/// assert!(table.residences()?.iter().all(|page| page.node() == Some(node)));
/// # Ok(())
/// # }
/// ```
pub struct Memory {
    mapping: Mapping,
}

// SAFETY: shared references only read, and the bytes change through exclusive ones alone.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory on this node and nowhere else: when it is full, [`Memory::touch`] fails, and a touch
    /// by hand ends the process. For memory that may go elsewhere then, see [`Memory::preferring`].
    pub fn on_node(bytes: Bytes, node: NodeId) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Bind(NodeSet::of(node)))
    }

    /// Memory on this node, and elsewhere when it is full.
    pub fn preferring(bytes: Bytes, node: NodeId) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Preferred(node))
    }

    /// Memory on these nodes and nowhere else, nearest first.
    pub fn bound(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Bind(nodes.clone()))
    }

    /// Memory page by page on these nodes in turn.
    pub fn interleaved(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Interleave(nodes.clone()))
    }

    /// Memory on these nodes in turn, in proportion to the kernel's weights (Linux 6.9). See
    /// [`set_weight`].
    ///
    /// [`set_weight`]: crate::set_weight
    pub fn weighted(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::WeightedInterleave(nodes.clone()))
    }

    /// Memory on the node of whichever CPU touches it first, whatever the thread's policy says.
    pub fn local(bytes: Bytes) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Local)
    }

    /// Memory under any policy. [`Policy::Default`] is that of the thread that touches.
    pub fn with_policy(bytes: Bytes, policy: &Policy) -> Result<Self, PlaceError> {
        let memory = Self { mapping: Mapping::plain(whole_pages(bytes)?)? };
        // A fresh mapping follows the thread already: one call less, and it works where policies
        // are denied.
        if *policy != Policy::Default {
            memory.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay)?;
        }
        Ok(memory)
    }

    /// Gives all of it another policy.
    pub fn set_policy(
        &self,
        policy: &Policy,
        flags: PolicyFlags,
        existing: ExistingPages,
    ) -> Result<(), PlaceError> {
        set_range_policy_with(self.start(), self.length(), policy, flags, existing)
    }

    /// The policy that its first page follows.
    pub fn policy(&self) -> Result<Policy, PlaceError> {
        range_policy(self.start())
    }

    /// Makes all pages exist, where the policy says.
    pub fn touch(&self) -> Result<(), PlaceError> {
        populate(self.mapping.start(), self.length(), Access::Write, true)
    }

    /// Keeps transparent huge pages away from pages that are not touched yet, so that each base
    /// page goes where the policy sends it. Kernels that have none, and filters that deny the
    /// advice, leave things as they are.
    pub fn keep_huge_pages_away(&self) {
        let _ = self.mapping.advise(libc::MADV_NOHUGEPAGE);
    }

    /// Where its pages are, one answer a base page.
    pub fn residences(&self) -> Result<Vec<Residence>, PlaceError> {
        residences(&self.pages().collect::<Vec<_>>())
    }

    /// The addresses of its base pages.
    pub fn pages(&self) -> impl Iterator<Item = *const u8> + '_ {
        (0..self.length()).step_by(base_page()).map(|offset| self.start().wrapping_add(offset))
    }

    /// Makes it larger (zeroed, under the same policy) or smaller; it may move to other addresses,
    /// and never to other nodes.
    pub fn resize(&mut self, bytes: Bytes) -> Result<(), PlaceError> {
        self.mapping.resize(whole_pages(bytes)?)
    }

    /// The first byte.
    pub fn start(&self) -> *const u8 {
        self.mapping.start()
    }

    /// The length in bytes, whole pages.
    pub fn length(&self) -> usize {
        self.mapping.length()
    }
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping is readable, initialised (zero or written), `length` bytes long, and
        // borrowed for as long as the slice.
        unsafe { std::slice::from_raw_parts(self.mapping.start(), self.mapping.length()) }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`, and exclusively borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.start(), self.mapping.length()) }
    }
}

/// At least one page; whole ones.
fn whole_pages(bytes: Bytes) -> Result<usize, PlaceError> {
    let wanted = usize::try_from(bytes.0.max(1))
        .ok()
        .and_then(|bytes| bytes.checked_next_multiple_of(base_page()));
    wanted.ok_or_else(|| crate::mapping::too_large(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn memory_is_where_its_policy_says() {
        let nodes = allowed_nodes().unwrap();
        let node = nodes.first().unwrap();
        let bytes = Bytes::kib(64);
        let all = [
            Memory::on_node(bytes, node).unwrap(),
            Memory::bound(bytes, &nodes).unwrap(),
            Memory::interleaved(bytes, &nodes).unwrap(),
            Memory::preferring(bytes, node).unwrap(),
            Memory::local(bytes).unwrap(),
        ];
        for memory in &all {
            assert!(memory.residences().unwrap().iter().all(|page| *page == Residence::Absent));
            memory.touch().unwrap();
            let found = memory.residences().unwrap();
            assert_eq!(found.len(), bytes.0 as usize / base_page());
            assert!(
                found.iter().all(|page| page.node().is_some_and(|node| nodes.contains(node))),
                "{found:?}"
            );
        }
        assert_eq!(all[0].policy(), Ok(Policy::Bind(NodeSet::of(node))));
        assert_eq!(all[4].policy(), Ok(Policy::Local));
    }

    #[test]
    fn memory_grows_and_shrinks_with_its_bytes_and_its_policy() {
        let nodes = allowed_nodes().unwrap();
        let mut memory = Memory::interleaved(Bytes::kib(64), &nodes).unwrap();
        memory[0] = 7;
        memory.resize(Bytes::mib(8)).unwrap();
        assert_eq!((memory.len(), memory[0], memory[(8 << 20) - 1]), (8 << 20, 7, 0));
        assert_eq!(memory.policy(), Ok(Policy::Interleave(nodes)));
        memory.resize(Bytes(1)).unwrap();
        assert_eq!((memory.len(), memory[0]), (base_page(), 7));
        assert!(memory.resize(Bytes(1 << 60)).is_err());
        assert_eq!((memory.len(), memory[0]), (base_page(), 7));
    }

    #[test]
    fn absurd_sizes_and_absent_nodes_are_refused() {
        for bytes in [Bytes(u64::MAX), Bytes(1 << 60)] {
            assert!(matches!(Memory::local(bytes), Err(PlaceError::OutOfMemory { .. })));
        }
        let absent = Memory::on_node(Bytes(1), NodeId(999)).map(|_| ()).unwrap_err();
        assert!(absent.to_string().contains("999"), "{absent}");
    }

    #[test]
    fn where_policies_are_denied_memory_still_follows_the_thread() {
        let (bound, free) = without(&[libc::SYS_mbind], Denied::Eperm, || {
            let bound = Memory::on_node(Bytes(1), NodeId(0)).map(|_| ());
            (bound, Memory::with_policy(Bytes(1), &Policy::Default).map(|memory| memory.len()))
        });
        assert_eq!(bound, Err(PlaceError::NotPermitted { call: "mbind" }));
        assert_eq!(free, Ok(base_page()));
    }
}
