//! Copies: their memory is checked, their bytes moved, their time scheduled.
//!
//! Bytes move when a copy is submitted, in the order of the program's calls. That order is one in
//! which streams and their events may do the work.

#![allow(unsafe_code)]

use crate::codes::{Answer, Code};
use crate::copy_model::{Direction, HostCopy, host_copy, peer_copy};
use crate::device_block::copy_bytes;
use crate::host_memory;
use crate::schedule::CopyWork;

use super::Driver;

/// A program's copy between host and GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyRequest {
    pub(crate) direction: Direction,
    pub(crate) device: usize,
    pub(crate) host: usize,
    pub(crate) bytes: usize,
}

impl Driver {
    /// Submits a copy to a stream; 0 is the default stream of `current`. Returns the stream's
    /// number if the driver stages the copy, which it then waits for.
    ///
    /// # Safety
    ///
    /// The host's memory of the copy is readable, or writable, as its direction asks.
    pub(crate) unsafe fn copy(
        &mut self,
        current: usize,
        request: CopyRequest,
        stream: usize,
    ) -> Answer<Option<usize>> {
        let CopyRequest { direction, device, host, bytes } = request;
        let number = self.stream_number(current, stream)?;
        let gpu = self.owner(device, bytes)?;
        self.usable(gpu)?;
        if bytes == 0 {
            return Ok(None);
        }
        if host == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let (is_registered, node) = self.registrations.locate(host, bytes);
        let cpu_node = host_memory::cpu_node();
        // Memory that is touched first now would be near the calling CPU.
        let node = node.unwrap_or(cpu_node);
        let copy = HostCopy { gpu, direction, bytes, node, cpu_node, is_registered };
        let work = host_copy(&self.description, copy);
        if self.submit(gpu, number, work) {
            let (to, from) = match direction {
                Direction::ToDevice => (device, host),
                Direction::FromDevice => (host, device),
            };
            // SAFETY: the GPU's memory is large enough, and the caller vouches for the host's.
            unsafe { copy_bytes(to, from, bytes) };
        }
        Ok((!is_registered).then_some(number))
    }

    /// Submits a copy from GPU to GPU.
    pub(crate) fn copy_peer(
        &mut self,
        current: usize,
        [to, from]: [usize; 2],
        bytes: usize,
        stream: usize,
    ) -> Answer<()> {
        let number = self.stream_number(current, stream)?;
        let [target, source] = [self.owner(to, bytes)?, self.owner(from, bytes)?];
        self.usable(target)?;
        self.usable(source)?;
        let is_overlapping = to < from + bytes && from < to + bytes;
        if bytes == 0 || is_overlapping {
            return if bytes == 0 { Ok(()) } else { Err(Code::INVALID_VALUE) };
        }
        let has_access =
            self.access.contains(&(source, target)) || self.access.contains(&(target, source));
        let work = peer_copy(&self.description, source, target, bytes, has_access);
        if self.submit(source, number, work) {
            // SAFETY: both blocks are large enough, and the ranges do not overlap.
            unsafe { copy_bytes(to, from, bytes) };
        }
        Ok(())
    }

    /// The GPU whose memory a range is in.
    fn owner(&self, address: usize, bytes: usize) -> Answer<usize> {
        let before = self.blocks.range(..=address).next_back();
        let within = before.filter(|(_, (_, block))| block.contains(address, bytes));
        within.map(|(_, (gpu, _))| *gpu).ok_or(Code::INVALID_VALUE)
    }

    /// Schedules a copy of a GPU. Whether it happens: a GPU may be lost by it.
    fn submit(&mut self, gpu: usize, stream: usize, work: CopyWork) -> bool {
        if let Some(lost) = self.description.faults.lost.as_ref().filter(|lost| lost.gpu == gpu) {
            if self.copies == lost.after_copies {
                self.is_lost = true;
                if let Some(marker) = &lost.marker {
                    // Later processes find the GPU if this fails, which their tests notice.
                    let _ = std::fs::write(marker, "lost\n");
                }
                return false;
            }
            self.copies += 1;
        }
        self.timeline.submit(stream, work);
        self.note_records();
        true
    }
}
