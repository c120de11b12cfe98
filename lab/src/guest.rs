//! A guest's life: booted on a machine, it runs one command, hands over the command's output and
//! wrote, and is gone.
//!
//! All of the command's output has arrived before the emulator is asked to end, and the
//! emulator ends with this process, however that one ends. Call [`run`] from the main thread: the
//! emulator's life hangs on the thread that starts it.

mod arguments;
mod console;
mod device_windows;
mod disk_server;
mod error;
mod lock;
mod port;
mod process;
mod relay;
mod report;
mod scratch;
mod setup;
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
use nearfar_view::terminal::Interrupt;

pub(crate) use disk_server::READY;
pub(crate) use error::GuestError;
pub(crate) use setup::{MAX_TIMEOUT_S, Setup};
pub(crate) use shell::shell;

use crate::image::{self, GuestTask};
use crate::kit::{GuestParts, Kit};
use crate::machine::LabMachine;
use arguments::Invocation;
use device_windows::{ChargedDevice, DeviceWindows};
use disk_server::DiskServer;
use lock::Lock;
use process::Emulator;
use scratch::Scratch;
use supervise::GuestSupervisor;
use until_end::closing_words;

/// Where a guest's output goes while it comes.
pub(crate) type Sink = Box<dyn Write + Send>;

/// What a guest is to do, and how.
pub(crate) struct GuestJob {
    /// The command and its arguments.
    pub(crate) command: Vec<OsString>,
    /// Takes the command's stdout.
    pub(crate) stdout: Sink,
    pub(crate) stderr: Sink,
    /// Where /out is unpacked; absent: nothing is kept of it.
    pub(crate) out: Option<PathBuf>,
    /// How long all may take, from power-on.
    pub(crate) timeout: Duration,
    /// What is common to all ways of starting a guest.
    pub(crate) setup: Setup,
}

/// What became of a job.
#[derive(Debug)]
pub(crate) struct GuestOutcome {
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
/// [`GuestError`]: the lab's own failures. The command's end is the [`GuestOutcome`].
pub(crate) fn run(
    kit: &Kit,
    machine: &LabMachine,
    job: GuestJob,
    interrupt: &Interrupt,
) -> Result<GuestOutcome, GuestError> {
    if let Some(folder) = &job.out {
        unpack::prepare(folder)?;
    }
    let end = closing_words();
    let command = image::quoted_words(job.command.iter().map(OsString::as_os_str));
    let task = job.setup.task(machine, &end, Some(command));
    let Prepared { qemu, mut invocation, scratch, _disks, _lock } =
        Prepared::new(kit, machine, &job.setup, &task, interrupt)?;
    let ports = invocation.ports()?;
    let charged = !job.setup.no_plugin;
    let emulator = Emulator::start(&qemu, &invocation, &job.setup)?;
    // The emulator has its ends of the pipes now. With ours open as well, nothing would end when it
    // does.
    drop(invocation);

    let windows = (charged && machine.description.device_access.is_some())
        .then(|| DeviceWindows::new(scratch.windows(), charged_devices(machine)));
    let outcome =
        GuestSupervisor::new(emulator, ports, &end, job, windows, interrupt.clone()).supervise()?;
    Ok(GuestOutcome { ledger: charged.then(|| read_ledger(&scratch)), ..outcome })
}

/// QEMU's call for a guest, the files that it names, and the right to run it.
struct Prepared {
    qemu: PathBuf,
    invocation: Invocation,
    scratch: Scratch,
    _disks: Option<DiskServer>,
    _lock: Option<Lock>,
}

impl Prepared {
    /// Waits for other labs, unless it runs beside them.
    fn new(
        kit: &Kit,
        machine: &LabMachine,
        setup: &Setup,
        task: &GuestTask,
        interrupt: &Interrupt,
    ) -> Result<Self, GuestError> {
        let mut parts = kit.parts(machine.arch())?;
        if let Some(folder) = &setup.kernel {
            parts.boot_from(folder)?;
        }
        let plugin = (!setup.no_plugin).then(|| kit.plugin()).transpose()?;
        let _lock = (!setup.no_wait).then(|| Lock::take(interrupt)).transpose()?;
        let scratch = Scratch::new()?;
        image::write(&scratch.image(), &parts.programs, task)?;
        let mut invocation = Invocation::new(machine, &parts, &scratch, setup)?;
        if let Some(plugin) = &plugin {
            write_charges(machine, &parts, setup.seed, &scratch)?;
            invocation.charge(plugin, &scratch);
        }
        let served = machine.served_disks(scratch.folder());
        let _disks = DiskServer::start(&served, &scratch, setup)?;
        Ok(Self { qemu: parts.qemu.path, invocation, scratch, _disks, _lock })
    }
}

/// Devices with a node: others are far from no CPU.
fn charged_devices(machine: &LabMachine) -> Vec<ChargedDevice> {
    let devices = machine.devices().into_iter().enumerate();
    let charged = devices.filter_map(|(device, truth)| {
        let bus = u8::try_from(truth.bus).ok()?;
        Some(ChargedDevice { device, bus, near: machine.near_groups(truth.node?) })
    });
    charged.collect()
}

/// Passes the costs of accesses to the plugin.
fn write_charges(
    machine: &LabMachine,
    parts: &GuestParts,
    seed: Option<u64>,
    scratch: &Scratch,
) -> Result<(), GuestError> {
    let mut charges = machine.charges(parts.qemu.version);
    charges.seed = seed.unwrap_or(charges.seed);
    charges.devices = machine.device_access(scratch.windows());
    let path = scratch.charges();
    let text = serde_json::to_vec(&charges).map_err(io::Error::from);
    text.and_then(|text| fs::write(&path, text))
        .map_err(|source| GuestError::Scratch { path, source })
}

fn read_ledger(scratch: &Scratch) -> Result<Ledger, GuestError> {
    let text = fs::read(scratch.ledger()).map_err(GuestError::NoLedger)?;
    serde_json::from_slice(&text).map_err(|error| GuestError::NoLedger(error.into()))
}
