//! Properties of shared memory by contiguous ranges of bytes.

#![allow(unsafe_code)]

use std::ops::Range;

use nearfar_model::NodeId;

use crate::get_mempolicy::{MPOL_F_ADDR, MPOL_F_NODE, ask};
use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe, last_errno};
use crate::policy::Policy;
use crate::range_policy::range_policy;
use crate::shared_memory::SharedMemory;
use crate::shared_memory::region::SharedRegion;

/// Pages per query: a sparse file may be longer than any list of its pages.
const WINDOW_PAGES: usize = 1 << 16;

/// Contiguous bytes with one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch<T> {
    /// Their range, from the start of the segment or file.
    pub bytes: Range<u64>,
    /// Their common property.
    pub what: T,
}

/// Appends a range, and merges it with the last one if they are adjacent and equal.
pub(super) fn add<T: PartialEq>(stretches: &mut Vec<Stretch<T>>, bytes: Range<u64>, what: T) {
    match stretches.last_mut() {
        Some(last) if last.bytes.end == bytes.start && last.what == what => {
            last.bytes.end = bytes.end;
        }
        _ => stretches.push(Stretch { bytes, what }),
    }
}

impl SharedMemory {
    /// The policies of the part, in order of address. Allocates no page.
    ///
    /// # Errors
    ///
    /// Those of [`range_policy`](crate::range_policy).
    ///
    /// # References
    ///
    /// get_mempolicy(2)
    pub fn policies(&self) -> Result<Vec<Stretch<Policy>>, PlaceError> {
        let mut stretches = Vec::new();
        for (page, bytes) in self.pages().zip(bytes_of_pages(&self.region)) {
            add(&mut stretches, bytes, range_policy(page)?);
        }
        Ok(stretches)
    }

    /// The nodes of the part's pages, in order of address; `None` where no page exists. Allocates
    /// no page, except on huge pages, whose node the kernel reports only after allocation.
    ///
    /// # Errors
    ///
    /// Those of [`allowed_nodes`](crate::allowed_nodes); [`PlaceError::Failed`] if mincore(2)
    /// fails.
    ///
    /// # References
    ///
    /// mincore(2), `MPOL_F_NODE` in get_mempolicy(2)
    pub fn nodes(&self) -> Result<Vec<Stretch<Option<NodeId>>>, PlaceError> {
        let mut stretches = Vec::new();
        let region = &self.region;
        let window = region.page as usize * WINDOW_PAGES;
        for start in (0..region.length()).step_by(window) {
            let length = window.min(region.length() - start);
            let exists = pages_that_exist(self.start().wrapping_add(start), length, region.page)?;
            let first = region.offset + start as u64;
            if !exists.contains(&true) {
                add(&mut stretches, first..first + length as u64, None);
                continue;
            }
            for (number, exists) in exists.into_iter().enumerate() {
                let offset = number as u64 * region.page;
                let page = self.start().wrapping_add(start + offset as usize);
                let node = if exists { node_of(page)? } else { None };
                add(&mut stretches, first + offset..first + offset + region.page, node);
            }
        }
        Ok(stretches)
    }
}

/// The bytes of each page, from the start of the segment or file.
pub(super) fn bytes_of_pages(region: &SharedRegion) -> impl Iterator<Item = Range<u64>> + use<> {
    let (offset, page) = (region.offset, region.page);
    region.pages().map(move |start| offset + start as u64..offset + start as u64 + page)
}

/// The node of a page; `None` if there is none and none can be allocated.
pub(super) fn node_of(page: *const u8) -> Result<Option<NodeId>, PlaceError> {
    match fault_in(page) {
        Err(PlaceError::Failed { errno, .. }) if errno == describe(libc::EFAULT) => Ok(None),
        node => node.map(Some),
    }
}

/// Returns the node of a page; the kernel allocates the page if it does not exist.
pub(super) fn fault_in(page: *const u8) -> Result<NodeId, PlaceError> {
    let (node, _) = ask(page, MPOL_F_NODE | MPOL_F_ADDR)?;
    Ok(NodeId(node.unsigned_abs()))
}

/// Which pages exist: mincore(2), as far as the kernel reports them to this user. It reports only
/// huge pages that this process has used, so all of those count as existing.
fn pages_that_exist(start: *const u8, length: usize, page: u64) -> Result<Vec<bool>, PlaceError> {
    let pages = length.div_ceil(page as usize);
    if page != base_page() as u64 {
        return Ok(vec![true; pages]);
    }
    let mut exists = vec![0u8; pages];
    // SAFETY: the kernel writes one byte per page, and looks the addresses up without access.
    let status = unsafe { libc::mincore(start.cast_mut().cast(), length, exists.as_mut_ptr()) };
    match status {
        0 => Ok(exists.into_iter().map(|byte| byte & 1 == 1).collect()),
        // If the query is denied, pages are allocated rather than ignored.
        _ if last_errno() == libc::EPERM => Ok(vec![true; pages]),
        _ => Err(PlaceError::last_os_error("mincore")),
    }
}
