//! What holds for which bytes of shared memory, told in stretches.

#![allow(unsafe_code)]

use std::ops::Range;

use libc::c_ulong;
use nearfar_model::NodeId;

use crate::mapping::base_page;
use crate::policy::{Policy, ask};
use crate::range_policy::range_policy;
use crate::refusal::{Refusal, describe, last_errno};
use crate::shared_memory::SharedMemory;
use crate::shared_memory::region::Region;

const MPOL_F_NODE: c_ulong = 1;
const MPOL_F_ADDR: c_ulong = 2;

/// Bytes of which the same holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch<T> {
    /// From where to where, counted from the beginning of the segment or file.
    pub bytes: Range<u64>,
    /// What holds.
    pub what: T,
}

/// Neighbours of which the same holds become one.
pub(super) fn add<T: PartialEq>(stretches: &mut Vec<Stretch<T>>, bytes: Range<u64>, what: T) {
    match stretches.last_mut() {
        Some(last) if last.bytes.end == bytes.start && last.what == what => last.bytes.end = bytes.end,
        _ => stretches.push(Stretch { bytes, what }),
    }
}

/// See [`SharedMemory::policies`].
pub(super) fn policies(memory: &SharedMemory) -> Result<Vec<Stretch<Policy>>, Refusal> {
    let mut stretches = Vec::new();
    for (page, bytes) in memory.pages().zip(bytes_of_pages(&memory.region)) {
        add(&mut stretches, bytes, range_policy(page)?);
    }
    Ok(stretches)
}

/// See [`SharedMemory::nodes`].
pub(super) fn nodes(memory: &SharedMemory) -> Result<Vec<Stretch<Option<NodeId>>>, Refusal> {
    let mut stretches = Vec::new();
    let exists = memory.existing()?;
    for ((page, bytes), exists) in memory.pages().zip(bytes_of_pages(&memory.region)).zip(exists) {
        add(&mut stretches, bytes, if exists { node_of(page)? } else { None });
    }
    Ok(stretches)
}

/// The bytes of each page, counted from the beginning of the segment or file.
pub(super) fn bytes_of_pages(region: &Region) -> impl Iterator<Item = Range<u64>> + use<> {
    let (offset, page) = (region.offset, region.page);
    region.pages().map(move |start| offset + start as u64..offset + start as u64 + page)
}

/// The node of a page; `None` where there is none and none can be made.
pub(super) fn node_of(page: *const u8) -> Result<Option<NodeId>, Refusal> {
    match fault_in(page) {
        Err(Refusal::Failed { errno, .. }) if errno == describe(libc::EFAULT) => Ok(None),
        node => node.map(Some),
    }
}

/// Has the kernel look a page up, which makes it where it does not exist, and gives its node.
pub(super) fn fault_in(page: *const u8) -> Result<NodeId, Refusal> {
    let (node, _) = ask(page, MPOL_F_NODE | MPOL_F_ADDR)?;
    Ok(NodeId(node.unsigned_abs()))
}

/// Which pages of a region exist, in memory or, as far as the kernel lets this user know, not: mincore(2). For huge pages it knows only those
/// that this process has used; they are all taken to exist.
pub(super) fn pages_that_exist(start: *const u8, region: &Region) -> Result<Vec<bool>, Refusal> {
    let pages = region.pages().count();
    if region.page != base_page() as u64 {
        return Ok(vec![true; pages]);
    }
    let mut answer = vec![0u8; pages];
    // SAFETY: the kernel writes one byte a page, and looks the addresses up without access.
    let status = unsafe { libc::mincore(start.cast_mut().cast(), region.length(), answer.as_mut_ptr()) };
    match status {
        0 => Ok(answer.into_iter().map(|byte| byte & 1 == 1).collect()),
        // Where the question is denied, pages are made rather than left out.
        _ if last_errno() == libc::EPERM => Ok(vec![true; pages]),
        _ => Err(Refusal::last("mincore")),
    }
}
