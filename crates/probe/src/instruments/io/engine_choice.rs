//! Which engine works on this system, and why no better one.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages};

use super::IoEngine;
use super::ring;
use super::target_file::open;

/// The best engine of this system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: IoEngine,
    /// Why it is not the first.
    pub why: Option<String>,
}

impl EngineChoice {
    /// Tries the engines with buffers of this size in total.
    pub fn detect(buffers: Bytes) -> Self {
        match ring::try_ring(buffers) {
            Ok(()) => Self { engine: IoEngine::UringRegistered, why: None },
            Err((engine, why)) => Self { engine, why: Some(why) },
        }
    }

    /// The engine for these targets. Some devices cannot refuse an access that would have to wait:
    /// dm-crypt, dm-thin, tables of several kinds. io_uring issues their accesses from threads of
    /// the kernel, and the kernel does not move these when the program moves to another row.
    pub fn for_targets<'p>(self, mut targets: impl Iterator<Item = &'p Path>) -> Self {
        if self.engine == IoEngine::Threads {
            return self;
        }
        match targets.find(|target| always_waits(target)) {
            Some(target) => Self {
                engine: IoEngine::Threads,
                why: Some(format!(
                    "{} has no accesses without waiting (RWF_NOWAIT): io_uring would issue them \
                     from threads of the kernel",
                    target.display()
                )),
            },
            None => self,
        }
    }
}

/// Whether a target refuses all accesses that must not wait.
///
/// # References
///
/// preadv2(2), `RWF_NOWAIT`
fn always_waits(target: &Path) -> bool {
    let Ok(file) = open(target, false) else { return false };
    let place = BufferPlace {
        node: None,
        bytes: Bytes::kib(4),
        pages: WantedPages::Base,
        touch_from: CpuSet::new(),
        free: None,
    };
    let Ok(memory) = PlacedBuffer::on_node(&place) else { return false };
    let one = libc::iovec { iov_base: memory.start().cast(), iov_len: 4096 };
    // SAFETY: the buffer has a page, and stays mapped during the call.
    let read = unsafe { libc::preadv2(file.as_raw_fd(), &raw const one, 1, 0, libc::RWF_NOWAIT) };
    read < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_cannot_be_opened_change_nothing() {
        let choice = EngineChoice { engine: IoEngine::Uring, why: None };
        assert_eq!(choice.clone().for_targets([Path::new("/nowhere")].into_iter()), choice);
    }
}
