//! A guest's life: booted on a machine, it runs one command, hands over what the command said and wrote, and is gone.
//!
//! Every byte that the command says has arrived before the emulator is told to end, and the emulator ends with this process,
//! however that one ends. Call [`run`] from the main thread: the emulator's life hangs on the thread that starts it.

mod arguments;
mod console;
mod error;
mod lock;
mod port;
mod process;
mod relay;
mod report;
mod scratch;
mod shell;
mod supervise;
mod unpack;
mod until_end;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use nearfar_lab_cost::Ledger;
use nearfar_terminal::Interrupt;

pub(crate) use error::GuestError;
pub(crate) use shell::shell;

use crate::image::{self, Task};
use crate::kit::{Kit, Parts};
use crate::machine::Machine;
use arguments::{Invocation, Threads};
use lock::Lock;
use process::{Emulator, Priority};
use scratch::Scratch;
use supervise::Supervisor;
use until_end::End;

/// Where a guest's output goes while it comes.
pub(crate) type Sink = Box<dyn Write + Send>;

/// What a guest is to do, and how.
pub(crate) struct Job {
    /// The command and its arguments.
    pub(crate) command: Vec<OsString>,
    /// Takes what the command says.
    pub(crate) stdout: Sink,
    /// Takes what it says on the side.
    pub(crate) stderr: Sink,
    /// Where /out is unpacked; absent: nothing is kept of it.
    pub(crate) out: Option<PathBuf>,
    /// How long all may take, from power-on.
    pub(crate) timeout: Duration,
    /// What is common to all ways of starting a guest.
    pub(crate) setup: Setup,
}

/// How a guest is set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Programs that come along, under /bin.
    pub(crate) with: Vec<PathBuf>,
    /// In place of the description's seed.
    pub(crate) seed: Option<u64>,
    /// Whether accesses cost what the description says, or as little as the emulator can.
    pub(crate) charged: bool,
    /// Whether it runs while other labs do, which disturbs what both measure.
    pub(crate) beside_others: bool,
    /// Whether the emulator's command line and the guest's console are shown on stderr.
    pub(crate) verbose: bool,
}

impl Setup {
    /// A guest that is not timed and runs beside others gets one thread, which also leaves them the
    /// other CPUs of the host.
    fn threads(&self) -> Threads {
        if self.charged || !self.beside_others { Threads::EachCpu } else { Threads::One }
    }
}

/// What became of a job.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The command's exit status; 128 and the signal's number when a signal killed it.
    pub(crate) status: u8,
    /// From power-on to the command, by the host's clock.
    pub(crate) booted_after: Duration,
    /// The files that the command left in /out, kept or not.
    pub(crate) files: Vec<PathBuf>,
    /// What the plugin charged, or why that is not known; absent when nothing was to be charged.
    pub(crate) ledger: Option<Result<Ledger, GuestError>>,
}

/// Runs a command in a guest.
///
/// # Errors
///
/// [`GuestError`]: the lab's own failures. What the command makes of its life is its [`Outcome`].
pub(crate) fn run(kit: &Kit, machine: &Machine, job: Job, interrupt: &Interrupt) -> Result<Outcome, GuestError> {
    let parts = kit.parts(machine.arch())?;
    let plugin = job.setup.charged.then(|| kit.plugin()).transpose()?;
    if let Some(folder) = &job.out {
        unpack::prepare(folder)?;
    }
    let _lock = if job.setup.beside_others { None } else { Some(Lock::take(interrupt)?) };

    let scratch = Scratch::new()?;
    let end = End::new();
    let command = image::quoted_words(job.command.iter().map(OsString::as_os_str));
    let task = Task { machine: machine.name(), end: end.words(), command: Some(command), with: &job.setup.with };
    image::write(&scratch.image(), machine.arch(), &parts.programs, &task)?;

    let mut invocation = Invocation::new(machine, &parts, &scratch, job.setup.threads())?;
    if let Some(plugin) = &plugin {
        write_charges(machine, &parts, job.setup.seed, &scratch)?;
        invocation.charge(plugin, &scratch);
    }
    let ports = invocation.ports()?;
    let priority = if job.setup.charged { Priority::High } else { Priority::Normal };
    let emulator = Emulator::start(&parts.qemu.path, &invocation, priority, job.setup.verbose)?;
    // The emulator has its ends of the pipes now. With ours open as well, nothing would end when it does.
    drop(invocation);

    let done = Supervisor::new(emulator, ports, &end, job, interrupt.clone()).supervise()?;
    let ledger = plugin.map(|_| read_ledger(&scratch));
    Ok(Outcome { status: done.status, booted_after: done.booted_after, files: done.files, ledger })
}

/// Tells the plugin what accesses cost.
fn write_charges(machine: &Machine, parts: &Parts, seed: Option<u64>, scratch: &Scratch) -> Result<(), GuestError> {
    let mut charges = machine.charges(parts.qemu.version);
    charges.seed = seed.unwrap_or(charges.seed);
    let path = scratch.charges();
    let text = serde_json::to_vec(&charges).map_err(io::Error::from);
    text.and_then(|text| fs::write(&path, text)).map_err(|source| GuestError::Scratch { path, source })
}

fn read_ledger(scratch: &Scratch) -> Result<Ledger, GuestError> {
    let text = fs::read(scratch.ledger()).map_err(GuestError::NoLedger)?;
    serde_json::from_slice(&text).map_err(|error| GuestError::NoLedger(error.into()))
}
