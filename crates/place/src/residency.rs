//! On which node a page *is*: move_pages(2) asked without target nodes.
//!
//! A policy is a wish; this is the kernel's answer after the fact, and the only proof that memory
//! stands where it should.

use crate::page_moves::look_up;
use crate::place_error::PlaceError;
use crate::residence::Residence;

/// Where the pages at these addresses of this process are, one answer an address. Moves nothing and
/// accesses nothing.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_place::{Residence, residences};
///
/// let table = vec![1u8; 4096];
/// match &residences(&[table.as_ptr()])?[0] {
///     Residence::Node(node) => println!("the table begins on node {node}"),
///     Residence::Absent => println!("it is swapped out"),
///     Residence::Unknown(why) => println!("the kernel does not say: {why}"),
/// }
/// # Ok(())
/// # }
/// ```
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
    fn a_touched_page_is_on_a_node_and_nothing_is_nowhere() {
        let byte = Box::new(7u8);
        let found = residences(&[&raw const *byte, ptr::null()]).unwrap();
        assert!(found[0].node().is_some(), "{found:?}");
        assert_eq!(found[1], Residence::Absent);
        assert_eq!(residences(&[]).unwrap(), []);
    }

    #[test]
    fn any_status_has_a_meaning() {
        assert_eq!(Residence::of_status(3), Residence::Node(NodeId(3)));
        assert_eq!(Residence::of_status(-libc::ENOENT), Residence::Absent);
        assert!(matches!(Residence::of_status(-libc::EIO), Residence::Unknown(_)));
        assert!(matches!(Residence::of_status(c_int::MIN), Residence::Unknown(_)));
    }

    #[test]
    fn a_denied_question_is_an_error_not_a_guess() {
        let asked = without(&[libc::SYS_move_pages], Denied::Eperm, || residences(&[ptr::null()]));
        assert_eq!(asked, Err(PlaceError::NotPermitted { call: "move_pages" }));
    }
}
