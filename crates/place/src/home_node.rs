//! The home node of a range: set_mempolicy_home_node(2).

#![allow(unsafe_code)]

use nearfar_model::{Id, NodeId, NodeSet};

use crate::feature::Feature;
use crate::place_error::{PlaceError, last_errno};

const CALL: &str = "set_mempolicy_home_node";

/// Sets a range's home node: the kernel allocates from the node *nearest* to it, among those of
/// [`Policy::Bind`] or [`Policy::PreferredMany`]. Without a home node, the nearest to the CPU that
/// touches first counts (Linux 5.17).
///
/// `start` is the address of a page, `length` is in bytes. The whole range must already have one of
/// the two policies. The addresses are looked up and never accessed.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_model::Bytes;
/// use nearfar_place::{Feature, Memory, allowed_nodes, set_home_node};
///
/// let nodes = allowed_nodes()?;
/// let memory = Memory::bound(Bytes::mib(1), &nodes)?;
/// if Feature::HomeNode.is_supported()? {
///     let node = nodes.first().expect("at least one node");
///     set_home_node(memory.start(), memory.length(), node)?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`PlaceError::KernelLacks`] before Linux 5.17, [`PlaceError::HomeNodeWithoutPolicy`] if the
/// range has another policy, [`PlaceError::NoSuchNode`] if the node cannot be used,
/// [`PlaceError::NotPermitted`] where a sandbox denies the call.
///
/// # References
///
/// set_mempolicy_home_node(2), `Documentation/admin-guide/mm/numa_memory_policy.rst`
///
/// [`Policy::Bind`]: crate::Policy::Bind
/// [`Policy::PreferredMany`]: crate::Policy::PreferredMany
pub fn set_home_node(start: *const u8, length: usize, node: NodeId) -> Result<(), PlaceError> {
    // SAFETY: all arguments are numbers; the node of future pages changes no byte of the range.
    let status = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy_home_node,
            start.addr(),
            length,
            u64::from(node.number()),
            0u64,
        )
    };
    if status == 0 {
        return Ok(());
    }
    match last_errno() {
        libc::ENOSYS => Err(PlaceError::kernel_lacks(Feature::HomeNode)),
        libc::EOPNOTSUPP | libc::ENOENT => Err(PlaceError::HomeNodeWithoutPolicy),
        errno => Err(PlaceError::for_nodes(CALL, &NodeSet::from_id(node), errno)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::memory::Memory;
    use crate::policy::Policy;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn home_nodes_need_a_bound_range() {
        let nodes = allowed_nodes().unwrap();
        let node = nodes.first().unwrap();
        if !Feature::HomeNode.is_supported().unwrap() {
            return;
        }
        let bytes = nearfar_model::Bytes::mib(1);
        let bound = Memory::bound(bytes, &nodes).unwrap();
        assert_eq!(set_home_node(bound.start(), bound.length(), node), Ok(()));
        let absent = set_home_node(bound.start(), bound.length(), NodeId(999)).unwrap_err();
        assert!(absent.to_string().contains("999"), "{absent}");
        let interleaved = Memory::with_policy(bytes, &Policy::Interleave(nodes)).unwrap();
        let refused = set_home_node(interleaved.start(), interleaved.length(), node);
        assert_eq!(refused, Err(PlaceError::HomeNodeWithoutPolicy));
    }

    #[test]
    fn a_denied_call_is_distinguished_from_an_older_kernel() {
        let call = || set_home_node(std::ptr::null(), 0, NodeId(0));
        let denied = without(&[libc::SYS_set_mempolicy_home_node], Denied::Eperm, call);
        assert_eq!(denied, Err(PlaceError::NotPermitted { call: CALL }));
        let old = without(&[libc::SYS_set_mempolicy_home_node], Denied::Enosys, call);
        assert_eq!(old, Err(PlaceError::KernelLacks { what: "a home node", since: "5.17" }));
    }
}
