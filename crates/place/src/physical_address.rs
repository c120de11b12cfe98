//! Physical addresses of this process's pages: `/proc/self/pagemap`, for privileged users only.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

use crate::mapping::base_page;

const ENTRY: usize = 8;
/// Set if the page is in memory.
const PRESENT: u64 = 1 << 63;
/// The page frame number; 0 without CAP_SYS_ADMIN.
const FRAME: u64 = (1 << 55) - 1;

/// The physical address in bytes of each page at these virtual addresses; `None` if a page is not
/// in memory.
///
/// # Errors
///
/// The reason in one line, if the kernel does not report physical addresses: without CAP_SYS_ADMIN,
/// or without `/proc/self/pagemap`.
///
/// # References
///
/// `Documentation/admin-guide/mm/pagemap.rst`
pub fn physical_addresses(addresses: &[*const u8]) -> Result<Vec<Option<u64>>, String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "the kernel has no /proc/self/pagemap".to_owned(),
        _ => format!("/proc/self/pagemap cannot be read ({error})"),
    };
    let pagemap = File::open("/proc/self/pagemap").map_err(unreadable)?;
    let mut entries = Vec::with_capacity(addresses.len());
    for address in addresses {
        let page = address.addr() / base_page();
        let mut entry = [0; ENTRY];
        pagemap.read_exact_at(&mut entry, (page * ENTRY) as u64).map_err(unreadable)?;
        entries.push(u64::from_ne_bytes(entry));
    }
    physical(&entries, base_page() as u64)
}

fn physical(entries: &[u64], page: u64) -> Result<Vec<Option<u64>>, String> {
    let is_present = |entry: &&u64| **entry & PRESENT != 0;
    if entries.iter().any(|entry| is_present(&entry))
        && entries.iter().filter(is_present).all(|entry| entry & FRAME == 0)
    {
        return Err("only root can read physical addresses (CAP_SYS_ADMIN)".to_owned());
    }
    Ok(entries
        .iter()
        .map(|entry| (entry & PRESENT != 0).then_some((entry & FRAME) * page))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_become_addresses_and_absent_pages_none() {
        let entries = [PRESENT | 0x1234, 0, PRESENT | 1 << 61 | 5];
        assert_eq!(physical(&entries, 4096), Ok(vec![Some(0x123_4000), None, Some(5 * 4096)]));
        assert_eq!(physical(&[0, 0], 4096), Ok(vec![None, None]));
    }

    #[test]
    fn hidden_frames_are_an_error() {
        let message = physical(&[PRESENT, 0, PRESENT | 1 << 56], 4096).unwrap_err();
        assert!(message.starts_with("only root"), "{message}");
    }

    /// Root gets an address; any other user gets the reason.
    #[test]
    fn a_touched_page_has_an_address_or_a_reason() {
        let byte = Box::new(7u8);
        match physical_addresses(&[&raw const *byte]) {
            Ok(found) => assert!(found[0].is_some_and(|address| address > 0), "{found:?}"),
            Err(why) => assert!(why.contains("root") || why.contains("pagemap"), "{why}"),
        }
    }
}
