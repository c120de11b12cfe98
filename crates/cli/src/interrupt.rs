//! Ctrl-C, SIGTERM and SIGHUP as a flag: the command stops by itself, and leaves nothing half-written.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// Whether the user wants the command to stop.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. A second signal kills at once.
    pub(crate) fn listen() -> io::Result<Self> {
        let (came, again) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: one that comes between two of them is heard, too.
            signal_hook::flag::register(signal, came.clone())?;
            signal_hook::flag::register_conditional_default(signal, again.clone())?;
            signal_hook::flag::register(signal, again.clone())?;
        }
        Ok(Self(came))
    }

    /// True once a signal came.
    pub(crate) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From here on a file that becomes larger than `ulimit -f` allows is an error of writing it (EFBIG),
/// and does not end this process. A handler, not `SIG_IGN`: programs that are started do not inherit it.
pub(crate) fn outlive_large_files() {
    // Where no handler can be had, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}
