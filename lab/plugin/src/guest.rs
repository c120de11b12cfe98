//! The guest whose accesses are charged: one machine, its CPUs, a clock.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nearfar_lab_cost::{Access, Cpu, InstructionSet, Model};

use crate::clock::Clock;

/// The one guest of this emulator.
pub(crate) static GUEST: OnceLock<Guest> = OnceLock::new();

/// How long a CPU gives its host's CPU away when it does nothing but wait: short against what it may wait for, long against what waking
/// costs.
const NAP: Duration = Duration::from_micros(200);

pub(crate) struct Guest {
    pub(crate) model: Model,
    pub(crate) cpus: Vec<OwnCpu>,
    pub(crate) clock: Clock,
    pub(crate) instructions: InstructionSet,
    pub(crate) interface: u32,
    pub(crate) ledger: PathBuf,
    /// Whether the kernel was seen: until then, low addresses are firmware's and not a user's.
    pub(crate) kernel_was_seen: AtomicBool,
}

/// A CPU that only its own thread uses.
pub(crate) struct OwnCpu(pub(crate) UnsafeCell<Cpu>);

// SAFETY: QEMU emulates each CPU in one thread (`thread=multi`) and calls back for it there; the ledger is read when none runs any more.
unsafe impl Sync for OwnCpu {}
// SAFETY: a CPU is plain data.
unsafe impl Send for OwnCpu {}

impl Guest {
    /// A CPU of the guest.
    ///
    /// # Safety
    /// Only the thread that emulates this CPU calls it, and keeps no earlier result.
    #[allow(clippy::mut_from_ref)]
    unsafe fn cpu(&self, number: u32) -> Option<&mut Cpu> {
        let own = self.cpus.get(number as usize)?;
        // SAFETY: as the caller promises.
        Some(unsafe { &mut *own.0.get() })
    }

    /// Charges an access: returns when it is over, or when the CPU may go on ahead of it.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn access(&self, number: u32, access: Access, physical: impl FnOnce() -> Option<u64>) {
        // SAFETY: as the caller promises.
        let Some(cpu) = (unsafe { self.cpu(number) }) else { return };
        let wait = self.model.access(cpu, access, || self.clock.now(), physical);
        self.clock.wait(wait);
    }

    /// Charges a store past the caches.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn stores_past_caches(&self, number: u32, address: u64, physical: impl FnOnce() -> Option<u64>) {
        // SAFETY: as the caller promises.
        let Some(cpu) = (unsafe { self.cpu(number) }) else { return };
        let wait = self.model.store_past_caches(cpu, address, || self.clock.now(), physical);
        self.clock.wait(wait);
    }

    /// A CPU says that it waits. One that does nothing else gives its host's CPU to those who work.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn waits(&self, number: u32) {
        // SAFETY: as the caller promises.
        let Some(cpu) = (unsafe { self.cpu(number) }) else { return };
        if cpu.waits() {
            std::thread::sleep(NAP);
        }
    }

    /// A CPU flushes a line.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn flushes(&self, number: u32) {
        // SAFETY: as the caller promises.
        if let Some(cpu) = unsafe { self.cpu(number) } {
            let over = self.model.flush(cpu);
            self.clock.wait_until(over.unwrap_or(0));
        }
    }

    /// A CPU asks for the time, or for something from the kernel: not before all that came before is over.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn asks(&self, number: u32) {
        // SAFETY: as the caller promises.
        if let Some(cpu) = unsafe { self.cpu(number) } {
            let over = cpu.begins_anew();
            self.clock.wait_until(over.unwrap_or(0));
        }
    }

    /// A CPU executes a block of user code.
    ///
    /// # Safety
    /// As for [`Guest::cpu`].
    pub(crate) unsafe fn runs_block(&self, number: u32) {
        // SAFETY: as the caller promises.
        if let Some(cpu) = unsafe { self.cpu(number) } {
            cpu.runs_block();
        }
    }

    /// Writes down what was charged.
    pub(crate) fn close(&self) {
        // SAFETY: QEMU calls this from `exit`, which it reaches from its main loop after `vm_shutdown` has stopped all CPUs (plugins/core.c
        // registers it with `atexit`, system/runstate.c stops them). An `exit` for an error of its own may come earlier; the launcher
        // takes no ledger of such a run.
        let cpus = self.cpus.iter().map(|own| unsafe { &*own.0.get() });
        let ledger = self.model.ledger(self.interface, cpus);
        let text = serde_json::to_string(&ledger).unwrap_or_default();
        if let Err(error) = fs::write(&self.ledger, text) {
            eprintln!("nearfar-lab: could not write the ledger to {}: {error}", self.ledger.display());
        }
    }
}
