//! First touch: allocates pages where the policy selects, and returns an error where a plain access
//! would end in a signal.

#![allow(unsafe_code)]

use libc::c_int;
use nearfar_model::Bytes;

use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe, last_errno};

/// The kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PopulateAccess {
    /// Read: enough for shared memory, where a read allocates a page.
    Read,
    /// Written with their old content.
    Write,
}

/// Allocates all pages of a mapping. `MADV_POPULATE_READ` and `_WRITE` (Linux 5.14) return an error
/// where an access would end in a signal. Older kernels, and filters that deny them, get plain
/// accesses if `plain` allows.
///
/// The caller owns the mapping of `length` bytes from `start`, which allows the access.
pub(crate) fn populate(
    start: *mut u8,
    length: usize,
    access: PopulateAccess,
    plain: bool,
) -> Result<(), PlaceError> {
    let advice: c_int = match access {
        PopulateAccess::Read => libc::MADV_POPULATE_READ,
        PopulateAccess::Write => libc::MADV_POPULATE_WRITE,
    };
    loop {
        // SAFETY: populating changes no byte, and an unmapped address is an error.
        if unsafe { libc::madvise(start.cast(), length, advice) } == 0 {
            return Ok(());
        }
        match last_errno() {
            libc::EINTR | libc::EAGAIN => {}
            libc::EINVAL | libc::ENOSYS | libc::EPERM if plain => break,
            libc::EFAULT => return Err(PlaceError::NoPage { wanted: Bytes(length as u64) }),
            // EHWPOISON: an access would end in SIGBUS.
            errno @ (libc::ENOMEM | libc::EHWPOISON) => {
                let wanted = Bytes(length as u64);
                return Err(PlaceError::OutOfMemory {
                    call: "first touch",
                    wanted,
                    errno: describe(errno),
                });
            }
            libc::EINVAL => {
                return Err(PlaceError::KernelLacks { what: "MADV_POPULATE_READ", since: "5.14" });
            }
            errno => return Err(PlaceError::from_errno("madvise", errno)),
        }
    }
    access_each_page(start, length, access);
    Ok(())
}

fn access_each_page(start: *mut u8, length: usize, access: PopulateAccess) {
    for offset in (0..length).step_by(base_page()) {
        let byte = start.wrapping_add(offset);
        // SAFETY: the byte lies in the caller's mapping, which allows the access; volatile, so that
        // the compiler keeps it. Writing back the same byte could undo another thread's write, but
        // the callers own fresh memory.
        unsafe {
            let held = byte.read_volatile();
            if access == PopulateAccess::Write {
                byte.write_volatile(held);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Mapping;
    use crate::residence::Residence;
    use crate::residency::residences;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn every_page_exists_afterwards() {
        let mapping = Mapping::anonymous(2 << 20).unwrap();
        let last = mapping.start().wrapping_add(mapping.length() - 1).cast_const();
        assert_eq!(residences(&[last]).unwrap(), [Residence::Absent]);
        populate(mapping.start(), mapping.length(), PopulateAccess::Write, false).unwrap();
        assert!(residences(&[last]).unwrap()[0].node().is_some());
    }

    #[test]
    fn an_older_kernel_gets_plain_accesses() {
        let mapping = Mapping::anonymous(2 << 20).unwrap();
        let last = mapping.start().wrapping_add(mapping.length() - 1) as usize;
        let found = without(&[libc::SYS_madvise], Denied::Einval, move || {
            assert!(
                populate(mapping.start(), mapping.length(), PopulateAccess::Write, false).is_err()
            );
            populate(mapping.start(), mapping.length(), PopulateAccess::Write, true).unwrap();
            (residences(&[last as *const u8]).unwrap(), mapping)
        });
        assert!(found.0[0].node().is_some());
    }
}
