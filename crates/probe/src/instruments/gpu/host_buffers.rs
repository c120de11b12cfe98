//! The host's memory of a column: placed and proven, one part registered with the driver.

#![allow(unsafe_code)]

use nearfar_model::Bytes;
use nearfar_place::PlacedBuffer;

use super::setup::{GpuSetup, HostMemory};
use crate::gpu_driver::{Gpu, RegisteredMemory};
use crate::layout_column::MemoryJob;
use crate::spec::PageSize;
use crate::worker::memories::{first_note, moved_since_placed};
use crate::worker_message::PlacedMemory;

/// The buffers of one column.
pub(super) struct HostBuffers {
    /// Unregistered before its buffer is given back.
    registered: Option<Result<RegisteredMemory, String>>,
    pinned: Option<PlacedBuffer>,
    pageable: Option<PlacedBuffer>,
}

impl HostBuffers {
    /// Places what the treatments need; or why it cannot be placed.
    pub(super) fn place(setup: &GpuSetup, memory: &MemoryJob) -> Result<Self, String> {
        let place = |kind, taken| {
            let bytes = setup.footprint(kind);
            if bytes == Bytes(0) {
                return Ok(None);
            }
            let request = memory.request(bytes, PageSize::Huge, taken)?;
            let buffer = PlacedBuffer::on_node(&request).map_err(|refusal| refusal.to_string())?;
            Ok(Some(buffer))
        };
        let pinned = place(HostMemory::Pinned, Bytes(0))?;
        let taken = pinned.as_ref().map_or(0, |buffer| buffer.length() as u64);
        // What was placed is not free any more by then, but `free` was read before.
        let pageable: Result<_, String> = place(HostMemory::Pageable, Bytes(taken));
        Ok(Self { registered: None, pinned, pageable: pageable? })
    }

    /// Registers the pinned part with the driver of a GPU, for all GPUs.
    pub(super) fn register(&mut self, gpu: &Gpu) {
        let Some(buffer) = &self.pinned else { return };
        // SAFETY: the buffer is mapped and stays so until after the registration has ended, since
        // this value drops the registration first.
        let registered = unsafe { gpu.register(buffer.start(), buffer.length()) };
        self.registered = Some(registered.map_err(|error| {
            let limit = locked_memory_limit().filter(|limit| *limit < buffer.length() as u64);
            let limit = limit.map_or_else(String::new, |limit| {
                format!("; this user may lock {} of memory (ulimit -l)", Bytes(limit))
            });
            format!("the driver does not register memory of this node: {error}{limit}")
        }));
    }

    /// Where copies of a kind begin; or why there are none.
    pub(super) fn start(&self, memory: HostMemory) -> Result<*mut u8, String> {
        let missing = || "no memory was placed for this copy".to_owned();
        match memory {
            HostMemory::Pageable => {
                self.pageable.as_ref().map(PlacedBuffer::start).ok_or_else(missing)
            }
            HostMemory::Pinned => {
                self.registered.as_ref().ok_or_else(missing)?.as_ref().map_err(String::clone)?;
                self.pinned.as_ref().map(PlacedBuffer::start).ok_or_else(missing)
            }
        }
    }

    /// What was placed, for messages.
    pub(super) fn placed(&self) -> PlacedMemory {
        let notes = self.buffers().map(|buffer| (buffer.notes(), buffer.proof()));
        let backing = self.buffers().next().map(|buffer| buffer.backing().name());
        PlacedMemory { pages: 1, backing: backing.unwrap_or_default(), note: first_note(notes) }
    }

    /// Whether pages are elsewhere now, and how.
    pub(super) fn moved(&self) -> Option<String> {
        self.buffers().find_map(moved_since_placed)
    }

    fn buffers(&self) -> impl Iterator<Item = &PlacedBuffer> + Clone {
        self.pinned.iter().chain(&self.pageable)
    }
}

/// The bytes that this process may lock; `None` without a limit. Root has none.
fn locked_memory_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one `rlimit`.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
    (status == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}
