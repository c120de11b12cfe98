//! Sets which CPUs serve a device's interrupts and which CPUs handle its packets.
//!
//! - [`plan`]: which file gets which CPUs, and what cannot be set. Pure.
//! - [`ChangeSet::apply`]: all or none. The state before is in a file ([`UndoNote`]) before the
//!   first write, so that [`undo`] works after a kill.
//! - [`LastingSystem`]: the same setting as a unit, a rule, a policy or a profile, for the next
//!   boot.
//!
//! The kernel's files are behind [`nearfar_machine::guard::SettingFiles`]. Sentences about results
//! stand in [`text`].

mod applying;
mod document;
mod error;
mod lasting;
mod plan;
mod shares;
pub mod text;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nearfar_machine::guard::{SettingFiles, notes_folder};
use nearfar_machine::interrupts::{InterruptSetting, SettableInterface, SettableInterrupts};
use nearfar_machine::{PciAddress, Topology};
use nearfar_model::{CpuId, CpuSet, NodeId};
use nearfar_view::owned_files::{Note, NoteError, NoteFault, PrivateFolder};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Device;
use crate::irq::{Irq, IrqControl, IrqDocument};

pub use applying::{ChangeSet, SettingChange, SettingResult};
pub use document::{IrqSetAction, IrqSetDocument, IrqSetWarning, RefusedSetting};
pub use error::IrqSetError;
pub use lasting::{LastingSetting, LastingSystem};
pub use plan::{CpuReach, IrqTarget, SetRequest, plan};

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedSetting {
    /// The file.
    #[serde(deserialize_with = "plain")]
    pub setting: InterruptSetting,
    /// Its text.
    pub text: String,
}

impl SavedSetting {
    /// Whether a text has the same CPUs: masks may differ in leading zeros.
    pub(crate) fn is_same_as(&self, text: &str) -> bool {
        let parse = |text: &str| self.setting.parse(text);
        self.text == text || parse(text).is_some_and(|cpus| Some(cpus) == parse(&self.text))
    }
}

/// The state of a device before its first set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UndoNote {
    /// The device.
    pub label: String,
    /// The files and their texts, in the order of the sets.
    pub settings: Vec<SavedSetting>,
}

impl Note for UndoNote {
    const SCHEMA: &'static str = "nearfar.irq-undo/1";
    const TAKEN: &'static str = "it has an earlier state";
    const STATE: &'static str = "the device's CPUs ('nearfar irq')";
}

impl UndoNote {
    /// Where a device's note is. `run` is emptied at boot, as the settings are.
    pub fn path(run: &Path, address: PciAddress) -> PathBuf {
        notes_folder(run).join(format!("irq-{address}.json"))
    }

    pub(crate) fn new(label: &str) -> Self {
        Self { label: label.to_owned(), settings: Vec::new() }
    }

    /// Adds files that it lacks: the first state is the one to return to.
    pub(crate) fn with(mut self, saved: impl Iterator<Item = SavedSetting>) -> Self {
        for one in saved {
            if !self.settings.iter().any(|own| own.setting == one.setting) {
                self.settings.push(one);
            }
        }
        self
    }

    /// Writes an earlier note, or removes the file if there was none.
    pub(crate) fn restore(earlier: Option<&Self>, path: &Path) -> Result<(), NoteError> {
        earlier.map_or_else(|| Self::remove(path), |note| note.replace(path))
    }
}

/// No setting of a note leads out of the kernel's folders.
fn plain<'de, D: Deserializer<'de>>(text: D) -> Result<InterruptSetting, D::Error> {
    let setting = InterruptSetting::deserialize(text)?;
    setting
        .is_plain()
        .then_some(setting)
        .ok_or_else(|| D::Error::custom("no interface has this name"))
}

/// Online CPUs and their cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuLayout {
    /// The CPUs of each core, neighbours next to each other.
    pub cores: Vec<CpuSet>,
    /// CPUs that the command line isolates from other work.
    pub isolated: CpuSet,
}

impl CpuLayout {
    /// The CPUs that a machine reports.
    pub fn new(topology: &Topology) -> Self {
        let mut cores = Vec::new();
        let mut listed = CpuSet::new();
        for cpu in topology.cpus.iter().filter(|cpu| cpu.online) {
            if listed.contains(cpu.id) {
                continue;
            }
            let mut core = CpuSet::from_id(cpu.id);
            core.extend(cpu.siblings.iter());
            let core = core.intersection(&topology.online()).difference(&listed);
            listed.extend(core.iter());
            cores.push(core);
        }
        let isolated = topology.cpus.iter().filter(|cpu| cpu.isolated).map(|cpu| cpu.id).collect();
        Self { cores, isolated }
    }

    /// All online CPUs.
    pub fn online(&self) -> CpuSet {
        self.cores.iter().flat_map(CpuSet::iter).collect()
    }

    /// Online CPUs without isolated ones, unless all are isolated.
    pub fn usable(&self, cpus: &CpuSet) -> CpuSet {
        let online = cpus.intersection(&self.online());
        let usable = online.difference(&self.isolated);
        if usable.is_empty() { online } else { usable }
    }

    /// CPUs, threads of a core next to each other.
    pub(crate) fn by_core(&self, cpus: &CpuSet) -> Vec<CpuId> {
        self.cores
            .iter()
            .flat_map(|core| core.intersection(cpus).iter().collect::<Vec<_>>())
            .collect()
    }

    /// CPUs, a thread of each core first.
    pub(crate) fn cores_first(&self, cpus: &CpuSet) -> Vec<CpuId> {
        let cores: Vec<Vec<CpuId>> = self
            .cores
            .iter()
            .map(|core| core.intersection(cpus).iter().collect::<Vec<_>>())
            .collect();
        let most = cores.iter().map(Vec::len).max().unwrap_or(0);
        (0..most)
            .flat_map(|at| cores.iter().filter_map(move |core| core.get(at).copied()))
            .collect()
    }
}

const NAME: &str = "irq.lock";

/// Held until it is dropped; the kernel releases it when the process ends.
#[derive(Debug)]
pub struct SetLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

impl SetLock {
    /// Takes the lock below `run`.
    ///
    /// # Errors
    ///
    /// Another process has it, or the folder is not writable.
    ///
    /// # References
    ///
    /// flock(2)
    pub fn take(run: &Path) -> Result<Self, IrqSetError> {
        let folder = notes_folder(run);
        let path = folder.join(NAME);
        let taken = PrivateFolder::create(&folder).and_then(|folder| folder.lock(NAME));
        let held = taken.map_err(|error| NoteError::new(&path, &error))?;
        let fault = NoteFault::Taken("another nearfar is setting interrupts");
        Ok(held.map(Self).ok_or(NoteError { path, fault })?)
    }
}

/// Whether an interrupt's CPUs can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqFreedom {
    /// Its file can be written.
    Free,
    /// The kernel spreads a driver's queues itself.
    Managed,
    /// Its chip has no affinity.
    Fixed,
    /// The kernel shows it only when it is tried (before Linux 6.12).
    Unknown,
}

/// An interrupt of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrqFacts {
    /// Its number.
    pub number: u32,
    /// The name of its handler; empty without one.
    pub name: String,
    /// Its queue. Interrupts of one queue get the same CPU.
    pub queue: Option<u32>,
    /// Whether it can be set.
    pub freedom: IrqFreedom,
    /// Other devices on the same line.
    pub shared_with: Vec<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its label.
    pub label: String,
    /// Its function.
    pub address: PciAddress,
    /// Its node; `None` if unknown.
    pub node: Option<NodeId>,
    /// The CPUs of its node, or of the nearest nodes with CPUs; empty if unknown.
    pub near: CpuSet,
    /// Its interrupts.
    pub interrupts: Vec<IrqFacts>,
    /// Its network interfaces.
    pub interfaces: Vec<SettableInterface>,
}

impl DeviceFacts {
    /// Of a device, at this address, and its document. Names may assign interrupts to a device that
    /// its numbers do not: those are left out.
    pub fn new(
        device: &Device,
        address: PciAddress,
        document: &IrqDocument,
        settable: &SettableInterrupts,
    ) -> Self {
        let irqs = document.devices.iter().flat_map(|device| &device.interrupts);
        let irqs = irqs.filter(|irq| settable.numbers.contains(&irq.number));
        Self {
            label: device.label.clone(),
            address,
            node: device.node.node,
            near: device.cpus.clone().unwrap_or_default(),
            interrupts: irqs.map(IrqFacts::new).collect(),
            interfaces: settable.interfaces.clone(),
        }
    }
}

impl IrqFacts {
    fn new(irq: &Irq) -> Self {
        Self {
            number: irq.number,
            name: irq.actions.join(","),
            queue: irq.queue.map(|queue| queue.number),
            freedom: match irq.control {
                IrqControl::Free => IrqFreedom::Free,
                IrqControl::Managed => IrqFreedom::Managed,
                IrqControl::Fixed => IrqFreedom::Fixed,
                IrqControl::Unknown => IrqFreedom::Unknown,
            },
            shared_with: irq.shared_with.clone(),
        }
    }
}

/// What an undo did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoResult {
    /// The files that have their earlier text again, or had it still.
    pub restored: Vec<SavedSetting>,
    /// The files that no longer exist: the driver freed the interrupt or queue.
    pub gone: Vec<InterruptSetting>,
    /// The files that refused, with the reason. The note keeps them.
    pub refused: Vec<(InterruptSetting, String)>,
}

/// Puts a device's files back, the last one first. `is_of_device` is false for interrupts that
/// another device has now.
///
/// # Errors
///
/// No note, or one that is unusable. Files that refuse are in the result.
pub fn undo(
    label: &str,
    files: &impl SettingFiles,
    note: &Path,
    is_of_device: impl Fn(&InterruptSetting) -> bool,
) -> Result<UndoResult, IrqSetError> {
    let kept = load(label, note)?;
    let mut result = UndoResult::default();
    let mut left = UndoNote::new(&kept.label);
    for saved in kept.settings.iter().rev() {
        let path = saved.setting.path();
        if !is_of_device(&saved.setting) {
            result.gone.push(saved.setting.clone());
            continue;
        }
        let is_restored = || files.read(&path).is_ok_and(|text| saved.is_same_as(&text));
        if is_restored() {
            result.restored.push(saved.clone());
            continue;
        }
        match files.write(&path, &saved.text) {
            Ok(()) => result.restored.push(saved.clone()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                result.gone.push(saved.setting.clone());
            }
            Err(error) => {
                let why = IrqSetError::refused(label, &saved.setting, &error).to_string();
                result.refused.push((saved.setting.clone(), why));
                left.settings.insert(0, saved.clone());
            }
        }
    }
    UndoNote::restore((!left.settings.is_empty()).then_some(&left), note)?;
    Ok(result)
}

/// What an undo would put back; it writes nothing.
///
/// # Errors
///
/// No note, or one that is unusable.
pub fn undo_preview(
    label: &str,
    note: &Path,
    is_of_device: impl Fn(&InterruptSetting) -> bool,
) -> Result<UndoResult, IrqSetError> {
    let kept = load(label, note)?.settings.into_iter();
    let (restored, gone): (Vec<_>, Vec<_>) = kept.partition(|one| is_of_device(&one.setting));
    let gone = gone.into_iter().map(|gone| gone.setting).collect();
    Ok(UndoResult { restored, gone, refused: Vec::new() })
}

fn load(label: &str, note: &Path) -> Result<UndoNote, IrqSetError> {
    let none = || IrqSetError::NothingToUndo { label: label.to_owned(), note: note.to_owned() };
    UndoNote::read(note)?.ok_or_else(none)
}
