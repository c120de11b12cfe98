//! Ctrl-C, SIGTERM and SIGHUP as a flag: the command stops by itself, and leaves nothing
//! half-written.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Whether the user wants the command to stop.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. A second signal kills at once.
    pub fn listen() -> io::Result<Self> {
        let (came, again) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: one that comes between two of them is noticed, too.
            flag::register(signal, came.clone())?;
            flag::register_conditional_default(signal, again.clone())?;
            flag::register(signal, again.clone())?;
        }
        Ok(Self(came))
    }

    /// True once a signal came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
