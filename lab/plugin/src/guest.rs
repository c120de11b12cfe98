//! The guest whose accesses are charged: one machine, its CPUs, a clock.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use nearfar_lab_cost::{DeviceWindow, EmulatedCpu, InstructionSet, Model};

use crate::clock::Clock;

/// The one guest of this emulator.
pub(crate) static GUEST: OnceLock<Guest> = OnceLock::new();

pub(crate) struct Guest {
    pub(crate) model: Model,
    pub(crate) cpus: Vec<OwnCpu>,
    pub(crate) clock: Clock,
    pub(crate) instructions: InstructionSet,
    pub(crate) interface: u32,
    pub(crate) ledger: PathBuf,
    /// Set when the guest has mapped its devices.
    pub(crate) windows: OnceLock<Vec<DeviceWindow>>,
    /// Whether the kernel was seen: until then, low addresses are firmware's and not a user's.
    pub(crate) kernel_was_seen: AtomicBool,
}

/// A CPU that only its own thread uses.
pub(crate) struct OwnCpu(pub(crate) UnsafeCell<EmulatedCpu>);

// SAFETY: QEMU emulates each CPU in one thread (`thread=multi`) and calls back for it there; the
// ledger is read when none runs any more.
unsafe impl Sync for OwnCpu {}
// SAFETY: a CPU is plain data.
unsafe impl Send for OwnCpu {}

impl Guest {
    /// Has one of its CPUs do something.
    ///
    /// # Safety
    /// Only the thread that emulates this CPU calls it, and not from within `does`.
    pub(crate) unsafe fn with_cpu(&self, number: u32, does: impl FnOnce(&mut EmulatedCpu)) {
        if let Some(own) = self.cpus.get(number as usize) {
            // SAFETY: as the caller promises.
            does(unsafe { &mut *own.0.get() });
        }
    }

    /// Writes down what was charged.
    pub(crate) fn close(&self) {
        // SAFETY: QEMU calls this from `exit`, which it reaches from its main loop after
        // `vm_shutdown` has stopped all CPUs (plugins/core.c registers it with `atexit`,
        // system/runstate.c stops them). An `exit` for an error of its own may come earlier; the
        // launcher takes no ledger of such a run.
        let cpus = self.cpus.iter().map(|own| unsafe { &*own.0.get() });
        let ledger = self.model.ledger(self.interface, cpus);
        let text = serde_json::to_string(&ledger).unwrap_or_default();
        if let Err(error) = fs::write(&self.ledger, text) {
            eprintln!(
                "nearfar-lab: could not write the ledger to {}: {error}",
                self.ledger.display()
            );
        }
    }
}
