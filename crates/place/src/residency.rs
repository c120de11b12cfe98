//! The node on which a page *is*: move_pages(2) without target nodes.
//!
//! A policy is only a request. This query is the only proof of where memory is.

use crate::page_moves::look_up;
use crate::place_error::PlaceError;
use crate::residence::Residence;

/// The locations of pages of this process, one per address. Moves and accesses nothing.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_place::{Residence, residences};
///
/// let table = vec![1u8; 4096];
/// match &residences(&[table.as_ptr()])?[0] {
///     Residence::Node(node) => println!("the table begins on node {node}"),
///     Residence::Absent => println!("it is not in memory"),
///     Residence::Unknown(why) => println!("unknown: {why}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`PlaceError::NotPermitted`] where a sandbox denies the call, [`PlaceError::NotInKernel`] on a
/// kernel without NUMA.
///
/// # References
///
/// move_pages(2)
pub fn residences(addresses: &[*const u8]) -> Result<Vec<Residence>, PlaceError> {
    let addresses: Vec<u64> = addresses.iter().map(|address| address.addr() as u64).collect();
    look_up(None, &addresses)
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use libc::c_int;
    use nearfar_model::NodeId;

    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn touched_pages_have_a_node_and_others_none() {
        let byte = Box::new(7u8);
        let found = residences(&[&raw const *byte, ptr::null()]).unwrap();
        assert!(found[0].node().is_some(), "{found:?}");
        assert_eq!(found[1], Residence::Absent);
        assert_eq!(residences(&[]).unwrap(), []);
    }

    #[test]
    fn any_status_has_a_meaning() {
        assert_eq!(Residence::from_status(3), Residence::Node(NodeId(3)));
        assert_eq!(Residence::from_status(-libc::ENOENT), Residence::Absent);
        assert!(matches!(Residence::from_status(-libc::EIO), Residence::Unknown(_)));
        assert!(matches!(Residence::from_status(c_int::MIN), Residence::Unknown(_)));
    }

    #[test]
    fn a_denied_query_is_an_error() {
        let result = without(&[libc::SYS_move_pages], Denied::Eperm, || residences(&[ptr::null()]));
        assert_eq!(result, Err(PlaceError::NotPermitted { call: "move_pages" }));
    }
}
