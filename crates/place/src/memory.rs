//! Memory on chosen nodes: the counterpart of libnuma's `numa_alloc_onnode` and its siblings.

#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::mapping::{Mapping, base_page};
use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;
use crate::populate::{PopulateAccess, populate};
use crate::range_policy::{range_policy, set_range_policy_with};
use crate::residence::Residence;
use crate::residency::residences;

/// Zeroed memory of whole pages with its own policy, unmapped when dropped.
///
/// A page gets its node when it is first touched. [`Memory::touch`] touches all pages, and returns
/// an error where a plain access would end in a signal. [`Memory::residences`] returns where they
/// are.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_model::Bytes;
/// use nearfar_place::{Memory, allowed_nodes};
///
/// let node = allowed_nodes()?.first().expect("at least one node");
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
    /// Memory on this node only. When the node is full, [`Memory::touch`] fails, and a plain access
    /// ends the process. See [`Memory::preferring`] for memory that may go elsewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_BIND` in set_mempolicy(2)
    pub fn on_node(bytes: Bytes, node: NodeId) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Bind(NodeSet::from_id(node)))
    }

    /// Memory on this node, and elsewhere when it is full.
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_PREFERRED` in set_mempolicy(2)
    pub fn preferring(bytes: Bytes, node: NodeId) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Preferred(node))
    }

    /// Memory on these nodes only, nearest first.
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_BIND` in set_mempolicy(2)
    pub fn bound(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Bind(nodes.clone()))
    }

    /// Memory interleaved over these nodes, page by page.
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_INTERLEAVE` in set_mempolicy(2)
    pub fn interleaved(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Interleave(nodes.clone()))
    }

    /// Memory interleaved over these nodes in proportion to the kernel's weights (Linux 6.9). See
    /// [`set_weight`].
    ///
    /// [`set_weight`]: crate::set_weight
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_WEIGHTED_INTERLEAVE` in set_mempolicy(2)
    pub fn weighted(bytes: Bytes, nodes: &NodeSet) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::WeightedInterleave(nodes.clone()))
    }

    /// Memory on the node of the CPU that touches it first, independent of the thread's policy.
    ///
    /// # Errors
    ///
    /// Those of [`Memory::with_policy`].
    ///
    /// # References
    ///
    /// `MPOL_LOCAL` in set_mempolicy(2)
    pub fn local(bytes: Bytes) -> Result<Self, PlaceError> {
        Self::with_policy(bytes, &Policy::Local)
    }

    /// Memory with any policy. [`Policy::Default`] is that of the thread that touches. `bytes` is
    /// rounded up to whole base pages.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] if the kernel cannot map it; otherwise those of
    /// [`set_range_policy`](crate::set_range_policy).
    ///
    /// # References
    ///
    /// mmap(2), mbind(2)
    pub fn with_policy(bytes: Bytes, policy: &Policy) -> Result<Self, PlaceError> {
        let memory = Self { mapping: Mapping::plain(whole_pages(bytes)?)? };
        // A fresh mapping follows the thread's policy already. Without the call, this works where
        // policies are denied.
        if *policy != Policy::Default {
            memory.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay)?;
        }
        Ok(memory)
    }

    /// Sets the policy of all of it.
    ///
    /// # Errors
    ///
    /// Those of [`set_range_policy`](crate::set_range_policy).
    ///
    /// # References
    ///
    /// mbind(2)
    pub fn set_policy(
        &self,
        policy: &Policy,
        flags: PolicyFlags,
        existing: ExistingPages,
    ) -> Result<(), PlaceError> {
        set_range_policy_with(self.start(), self.length(), policy, flags, existing)
    }

    /// The policy of its first page.
    ///
    /// # Errors
    ///
    /// Those of [`range_policy`](crate::range_policy).
    ///
    /// # References
    ///
    /// get_mempolicy(2)
    pub fn policy(&self) -> Result<Policy, PlaceError> {
        range_policy(self.start())
    }

    /// Allocates all pages, on the nodes that the policy selects.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] or [`PlaceError::NoPage`] if memory runs out.
    ///
    /// # References
    ///
    /// `MADV_POPULATE_WRITE` in madvise(2)
    pub fn touch(&self) -> Result<(), PlaceError> {
        populate(self.mapping.start(), self.length(), PopulateAccess::Write, true)
    }

    /// Disables transparent huge pages for pages that are not touched yet, so that the policy
    /// applies to each base page. Has no effect where the kernel lacks huge pages or a filter
    /// denies the advice.
    ///
    /// # References
    ///
    /// `MADV_NOHUGEPAGE` in madvise(2)
    pub fn keep_huge_pages_away(&self) {
        let _ = self.mapping.advise(libc::MADV_NOHUGEPAGE);
    }

    /// The location of each base page.
    ///
    /// # Errors
    ///
    /// Those of [`residences`](crate::residences).
    ///
    /// # References
    ///
    /// move_pages(2)
    pub fn residences(&self) -> Result<Vec<Residence>, PlaceError> {
        residences(&self.pages().collect::<Vec<_>>())
    }

    /// The addresses of its base pages.
    pub fn pages(&self) -> impl Iterator<Item = *const u8> + '_ {
        (0..self.length()).step_by(base_page()).map(|offset| self.start().wrapping_add(offset))
    }

    /// Grows it (zeroed, same policy) or shrinks it, to `bytes` rounded up to whole base pages. Its
    /// addresses may change; its nodes do not.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] if the kernel cannot map it; the memory then stays as it is.
    ///
    /// # References
    ///
    /// mremap(2)
    pub fn resize(&mut self, bytes: Bytes) -> Result<(), PlaceError> {
        self.mapping.resize(whole_pages(bytes)?)
    }

    /// The address of the first byte.
    pub fn start(&self) -> *const u8 {
        self.mapping.start()
    }

    /// The length in bytes: whole base pages.
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

/// `bytes`, rounded up to whole pages; at least one.
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
    fn memory_follows_its_policy() {
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
        assert_eq!(all[0].policy(), Ok(Policy::Bind(NodeSet::from_id(node))));
        assert_eq!(all[4].policy(), Ok(Policy::Local));
    }

    #[test]
    fn resizing_keeps_bytes_and_policy() {
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
    fn without_policies_memory_follows_the_thread() {
        let (bound, free) = without(&[libc::SYS_mbind], Denied::Eperm, || {
            let bound = Memory::on_node(Bytes(1), NodeId(0)).map(|_| ());
            (bound, Memory::with_policy(Bytes(1), &Policy::Default).map(|memory| memory.len()))
        });
        assert_eq!(bound, Err(PlaceError::NotPermitted { call: "mbind" }));
        assert_eq!(free, Ok(base_page()));
    }
}
