//! First touch: making every page of a mapping exist, where the policy says, from the CPU that shall own its page tables.

#![allow(unsafe_code)]

use nearfar_model::Bytes;

use crate::mapping::{Mapping, base_page};
use crate::refusal::{Refusal, describe};

/// Makes all pages exist. Uses `MADV_POPULATE_WRITE` (Linux 5.14), which returns an error where a plain write would end in a
/// signal; older kernels get plain writes when `plain_writes` allows.
pub(crate) fn touch(mapping: &mut Mapping, plain_writes: bool) -> Result<(), Refusal> {
    loop {
        match mapping.advise(libc::MADV_POPULATE_WRITE) {
            Ok(()) => return Ok(()),
            Err(libc::EINTR) => {}
            Err(libc::EINVAL | libc::ENOSYS | libc::EPERM) if plain_writes => break,
            // EFAULT and EHWPOISON: a plain write would have ended in SIGBUS.
            Err(errno @ (libc::ENOMEM | libc::EFAULT | libc::EHWPOISON)) => {
                let wanted = Bytes(mapping.length() as u64);
                return Err(Refusal::OutOfMemory { call: "first touch", wanted, errno: describe(errno) });
            }
            Err(errno) => return Err(Refusal::of("madvise", errno)),
        }
    }
    write_each_page(mapping);
    Ok(())
}

fn write_each_page(mapping: &mut Mapping) {
    let words_per_page = base_page() / size_of::<u64>();
    for word in mapping.words_mut().iter_mut().step_by(words_per_page) {
        // SAFETY: a reference is a valid place to write; volatile, so that writing back what is there is not left out.
        unsafe { std::ptr::write_volatile(word, 0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denied_calls::{Denied, without};
    use crate::residency::{Residence, residences};

    #[test]
    fn every_page_exists_afterwards() {
        let mut mapping = Mapping::anonymous(2 << 20).unwrap();
        let last = mapping.start().wrapping_add(mapping.length() - 1).cast_const();
        assert_eq!(residences(&[last]).unwrap(), [Residence::Absent]);
        touch(&mut mapping, false).unwrap();
        assert!(residences(&[last]).unwrap()[0].node().is_some());
    }

    #[test]
    fn an_older_kernel_gets_plain_writes() {
        let mut mapping = Mapping::anonymous(2 << 20).unwrap();
        let last = mapping.start().wrapping_add(mapping.length() - 1) as usize;
        let found = without(&[libc::SYS_madvise], Denied::Einval, move || {
            assert!(touch(&mut mapping, false).is_err());
            touch(&mut mapping, true).unwrap();
            (residences(&[last as *const u8]).unwrap(), mapping)
        });
        assert!(found.0[0].node().is_some());
    }
}
