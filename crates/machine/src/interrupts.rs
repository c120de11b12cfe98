//! Interrupts: how often each CPU served them, where they may run, which device has them, and what
//! spreads the work after them.
//!
//! [`InterruptSnapshot`] has what changes while the machine runs; two of them give rates.
//! [`InterruptSetup`] has what a driver or an administrator set. Both only read.
//!
//! References: proc(5) (`/proc/interrupts`), Documentation/core-api/irq/irq-affinity.rst,
//! Documentation/ABI/testing/sysfs-kernel-irq, Documentation/networking/scaling.rst.

mod affinity;
mod balancer;
mod disk_queues;
mod line;
mod network_queues;
mod served;
mod settable;
mod setting;
mod sysfs_line;
mod table;
#[cfg(test)]
mod tests;
mod vectors;

use std::collections::BTreeMap;

use nearfar_firmware::linux::{KernelParameters, ParameterReader};
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::addresses::without_addresses;
use crate::attribute::{Attributes, shorten};
use crate::in_threads;
use crate::inventory::Inventory;
use crate::pci::PciAddress;
use crate::source::{FileContents, Source, trimmed_text};
use table::TABLE;

pub use affinity::IrqAffinity;
pub use balancer::{Balancer, BalancerState};
pub use disk_queues::{DiskQueue, DiskQueues};
pub use line::InterruptLine;
pub use network_queues::{NetworkQueues, ReceiveQueue, TransmitQueue};
pub use served::ServedInterrupts;
pub use settable::{SettableInterface, SettableInterrupts};
pub use setting::InterruptSetting;
pub use table::{InterruptTable, NotInterrupts};
pub use vectors::{IrqVector, VectorKind};

/// A value of one of the kernel's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileValue<T> {
    /// The value.
    Value(T),
    /// The file exists, and is not readable.
    NotReadable,
    /// The file does not exist.
    #[default]
    Absent,
    /// The file's text, which is not of this type: at most 40 characters.
    Malformed(String),
}

impl<T> FileValue<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotReadable | Self::Absent | Self::Malformed(_) => None,
        }
    }

    /// Parses a file's text, without surrounding whitespace.
    fn parse(source: &Source, path: &str, parse: impl Fn(&str) -> Option<T>) -> Self {
        match source.contents(path) {
            FileContents::Absent => Self::Absent,
            FileContents::Denied => Self::NotReadable,
            FileContents::Bytes(bytes) => {
                let text = trimmed_text(&bytes);
                parse(&text).map_or_else(|| Self::Malformed(shorten(&text)), Self::Value)
            }
        }
    }
}

impl FileValue<CpuSet> {
    /// CPUs in list form.
    fn cpus(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| CpuSet::parse_list(text).ok())
    }

    /// CPUs as a mask.
    fn mask(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| CpuSet::parse_mask(text).ok())
    }
}

impl<T: std::str::FromStr> FileValue<T> {
    fn number(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| text.parse().ok())
    }
}

/// The interrupts of a machine at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterruptSnapshot {
    /// The counters.
    pub table: InterruptTable,
    /// Where each device's interrupt may run, by its number.
    pub affinity: BTreeMap<u32, IrqAffinity>,
    /// The work after interrupts (`/proc/softirqs`, which has the layout of the counters): a line
    /// for each kind, a column for each possible CPU. `None` if not readable.
    pub softirqs: Option<InterruptTable>,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl InterruptSnapshot {
    /// Reads the counters and `/proc/irq` of a machine.
    ///
    /// # Errors
    ///
    /// Why there are no counters, in one line: they are neither in `/proc/interrupts` nor in
    /// `/sys/kernel/irq`.
    pub fn read(source: &Source) -> Result<Self, String> {
        let read = Attributes::new(source);
        let mut table =
            InterruptTable::read(source).or_else(|why| sysfs_line::table(&read).ok_or(why))?;
        for line in &mut table.lines {
            let is_undecided = line.number.is_some() && line.chip.is_none();
            if is_undecided && line.description.is_some() {
                sysfs_line::describe(&read, line);
            }
        }
        let mut snapshot = Self::for_table(table);
        let numbers = snapshot.table.lines.iter().filter_map(|line| line.number);
        let numbers: Vec<u32> = numbers.collect();
        let affinity = in_threads::each(source, &numbers, |one| IrqAffinity::read(source, *one));
        snapshot.affinity = numbers.into_iter().zip(affinity).collect();
        snapshot.forget_unkept_modes(source.is_live());
        snapshot.softirqs = softirqs(source);
        snapshot.oddities.extend(read.into_oddities());
        Ok(snapshot)
    }

    /// A saved `/proc/interrupts`, alone.
    pub fn for_table(mut table: InterruptTable) -> Self {
        // Drivers name interrupts after interfaces, whose names may have an address.
        let anonymous = |text: &mut String| *text = without_addresses(text, &mut Vec::new());
        let oddities = std::mem::take(&mut table.oddities);
        for InterruptLine { actions, description, .. } in &mut table.lines {
            actions.iter_mut().chain(description).for_each(anonymous);
        }
        Self {
            table,
            oddities: oddities.into_iter().map(|line| format!("{TABLE}: {line}")).collect(),
            ..Self::default()
        }
    }

    /// Captures may have one mode for all files: such modes show nothing.
    fn forget_unkept_modes(&mut self, is_live: bool) {
        let has =
            |wanted: bool| self.affinity.values().any(|value| value.is_writable == Some(wanted));
        let are_kept = is_live || (has(true) && has(false));
        if !are_kept {
            self.affinity.values_mut().for_each(|one| one.is_writable = None);
        }
    }
}

/// # References
///
/// proc(5)
fn softirqs(source: &Source) -> Option<InterruptTable> {
    InterruptTable::parse(&source.read("/proc/softirqs")?).ok()
}

/// Bytes that every user may read.
const HEADER: usize = 64;
/// Bytes with all capabilities that are asked for here.
const CAPABILITIES: usize = 256;
/// Offsets and values (PCI Local Bus Specification 3.0, sections 6.2.3 and 6.7).
const STATUS: usize = 0x06;
const HAS_CAPABILITIES: u8 = 1 << 4;
const FIRST_CAPABILITY: usize = 0x34;
const MSI: u8 = 0x05;
const MSI_X: u8 = 0x11;

/// Whether a function can signal interrupts by messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageSupport {
    /// It offers MSI, and not MSI-X.
    Msi,
    /// It offers MSI-X.
    MsiX,
    /// It offers neither.
    Neither,
    /// Only root may read the capabilities.
    NotReadable,
    /// The source has no configuration space: captures have none.
    Absent,
}

impl MessageSupport {
    /// Reads the capabilities of a function.
    fn read(source: &Source, address: PciAddress) -> Self {
        let path = format!("/sys/bus/pci/devices/{address}/config");
        match source.device(&path, 0, CAPABILITIES) {
            FileContents::Bytes(bytes) => Self::parse(&bytes),
            FileContents::Denied => Self::NotReadable,
            FileContents::Absent => match source.device(&path, 0, HEADER) {
                FileContents::Bytes(header) if has_capabilities(&header) => Self::NotReadable,
                FileContents::Bytes(_) => Self::Neither,
                FileContents::Denied => Self::NotReadable,
                FileContents::Absent => Self::Absent,
            },
        }
    }

    /// Walks the list of capabilities. A damaged list ends it.
    fn parse(bytes: &[u8]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let mut support = Self::Neither;
        if !has_capabilities(bytes) {
            return support;
        }
        let mut at = usize::from(byte(FIRST_CAPABILITY) & !3);
        // Each capability has at least four bytes: a longer list is a cycle.
        for _ in 0..CAPABILITIES / 4 {
            if at < HEADER {
                break;
            }
            match byte(at) {
                MSI_X => return Self::MsiX,
                MSI => support = Self::Msi,
                _ => {}
            }
            at = usize::from(byte(at + 1) & !3);
        }
        support
    }
}

fn has_capabilities(bytes: &[u8]) -> bool {
    bytes.get(STATUS).is_some_and(|status| status & HAS_CAPABILITIES != 0)
}

/// What the command line sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IrqBootOptions {
    /// `irqaffinity=`: the CPUs that new interrupts may run on.
    pub default_cpus: Option<CpuSet>,
    /// `isolcpus=managed_irq,...`: the CPUs that managed interrupts avoid.
    pub managed_avoid: Option<CpuSet>,
}

impl IrqBootOptions {
    /// Reads `/proc/cmdline`.
    fn read(source: &Source) -> Self {
        Self::parse(&source.text("/proc/cmdline").unwrap_or_default())
    }

    /// The last of several options counts.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/kernel-parameters.txt
    fn parse(command_line: &str) -> Self {
        let mut options = Self::default();
        let parameters = KernelParameters::parse(command_line);
        for word in parameters.of(&[ParameterReader::Interrupts]) {
            if let Some(list) = word.strip_prefix("irqaffinity=") {
                options.default_cpus = CpuSet::parse_list(list).ok();
            }
            if let Some(list) = word.strip_prefix("isolcpus=") {
                options.managed_avoid = managed(list);
            }
        }
        options
    }
}

/// `managed_irq,domain,2-7`: flags stand before the CPUs.
fn managed(text: &str) -> Option<CpuSet> {
    let is_flag = |part: &&str| part.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let parts: Vec<&str> = text.split(',').collect();
    let flags = parts.iter().take_while(|part| is_flag(part)).count();
    let is_managed = parts[..flags].contains(&"managed_irq");
    is_managed.then(|| CpuSet::parse_list(&parts[flags..].join(",")).ok())?
}

/// The setup of a machine's interrupts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterruptSetup {
    /// The devices of each interrupt.
    pub vectors: BTreeMap<u32, IrqVector>,
    /// Whether functions with a line offer messages.
    pub support: BTreeMap<PciAddress, MessageSupport>,
    /// Queues of network interfaces.
    pub network: Vec<NetworkQueues>,
    /// Queues of disks.
    pub disks: Vec<DiskQueues>,
    /// Flows that are steered to readers, of all interfaces (`rps_sock_flow_entries`); 0: none.
    pub flow_entries: FileValue<u64>,
    /// irqbalance.
    pub balancer: Balancer,
    /// Options of the command line.
    pub boot: IrqBootOptions,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl InterruptSetup {
    /// Reads the setup of a machine. Missing files are normal.
    pub fn read(source: &Source, inventory: &Inventory) -> Self {
        let read = Attributes::new(source);
        let vectors = vectors::read(&read, inventory);
        let lines = vectors.values().filter(|value| value.kind == VectorKind::Line);
        let functions = lines.flat_map(|line| line.functions.iter());
        Self {
            support: functions
                .map(|address| (*address, MessageSupport::read(source, *address)))
                .collect(),
            network: network_queues::read(&read),
            disks: disk_queues::read(&read),
            flow_entries: FileValue::number(source, "/proc/sys/net/core/rps_sock_flow_entries"),
            balancer: Balancer::read(source),
            boot: IrqBootOptions::read(source),
            vectors,
            oddities: read.into_oddities(),
        }
    }
}
