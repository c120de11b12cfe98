//! The five witnesses: the sources of evidence.

use std::collections::BTreeSet;

use nearfar_devices::{MeasuredNode, SmiMatrix};
use nearfar_firmware::Firmware;
use nearfar_firmware::acpi::{Affinity, InterruptController, Madt, Srat};
use nearfar_firmware::linux::{
    Architecture, CommandLine, KernelLog, KernelParameters, KernelVersion, LogEvent, LogEventKind,
    MemoryMap, NumaOutcome, ObservedNuma, PredictionInput, PresentCpu,
};
use nearfar_machine::capture::NotSent;
use nearfar_machine::interrupts::{InterruptSetup, InterruptSnapshot};
use nearfar_machine::sent::SentConflict;
use nearfar_machine::{
    Environment, Inventory, InventoryScope, NodeAccess, Source, Topology, firmware_tables,
    kernel_log, memory_map, present_cpus, sysfs_nodes,
};
use nearfar_model::{NodeId, NodeSet};

/// The data of one machine. Missing data is left out; [`diagnose`](crate::diagnose) reports it.
#[derive(Debug, Default)]
pub struct Witnesses {
    /// Firmware's tables, and DIMM slots from SMBIOS.
    pub firmware: Firmware,
    /// The topology in sysfs, and the processors' model; none where there are only tables.
    pub topology: Option<Topology>,
    /// Settings: the hypervisor of CPUID, and the kernel's command line.
    pub environment: Option<Environment>,
    /// The kernel's log.
    pub log: KernelLog,
    /// What the capture of this machine was not sent with.
    pub not_sent: NotSent,
    /// The map of memory.
    pub memory_map: Option<MemoryMap>,
    /// The CPUs with their hardware ids; empty where only firmware's order is known.
    pub cpus: Vec<PresentCpu>,
    /// Latencies and bandwidths of the HMAT, as the kernel shows them.
    pub access: Vec<NodeAccess>,
    /// The devices; none where there are only tables.
    pub inventory: Option<Inventory>,
    /// Counters of interrupts since boot, and where interrupts run; none if not readable.
    pub interrupts: Option<InterruptSnapshot>,
    /// Vectors and queues of devices, irqbalance.
    pub irq_setup: InterruptSetup,
    /// Devices whose nearest node was measured; the caller adds them.
    pub measured: Vec<MeasuredNode>,
    /// The nodes that are named, where the machine's nodes were not sent.
    pub named_nodes: NodeSet,
    /// Whether there are only outputs of programs: what is missing was not sent.
    pub is_sent: bool,
    /// What these outputs disagree about; the caller adds it.
    pub conflicts: Vec<SentConflict>,
    /// The matrix of `nvidia-smi` among them; the caller adds it.
    pub smi: Option<Result<SmiMatrix, String>>,
}

impl Witnesses {
    /// Reads a machine, live or captured. Every part is optional, so that reading cannot fail.
    pub fn read(source: &Source) -> Self {
        Self::with_devices(source, InventoryScope::Usual)
    }

    /// The same with these devices.
    pub fn with_devices(source: &Source, scope: InventoryScope) -> Self {
        let firmware = firmware_tables::read(source);
        let log = kernel_log::read(source);
        let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
        let memory_map = memory_map(Some(source), &log, tree);
        let topology = Topology::read(source).ok();
        let environment = topology.is_some().then(|| Environment::read(source));
        let (cpus, access) = (present_cpus(source), NodeAccess::read_all(source));
        let inventory = topology.is_some().then(|| Inventory::read(source, scope));
        let interrupts = inventory.as_ref().and_then(|_| InterruptSnapshot::read(source).ok());
        let irq_setup = inventory.as_ref().map(|inventory| InterruptSetup::read(source, inventory));
        Self {
            firmware,
            topology,
            environment,
            log,
            not_sent: NotSent::read(source),
            memory_map,
            cpus,
            access,
            inventory,
            interrupts,
            irq_setup: irq_setup.unwrap_or_default(),
            measured: Vec::new(),
            named_nodes: source.named_nodes(),
            is_sent: source.is_sent(),
            conflicts: Vec::new(),
            smi: None,
        }
    }

    /// Tables and a log of another machine, from a folder.
    pub fn for_tables(firmware: Firmware, log: KernelLog) -> Self {
        let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
        let memory_map =
            MemoryMap::from_log(&log).or_else(|| tree.and_then(MemoryMap::from_device_tree));
        Self { firmware, log, memory_map, ..Self::default() }
    }

    /// The same with other tables or another log.
    pub fn replacing(self, tables: Option<Firmware>, log: Option<KernelLog>) -> Self {
        let firmware = match tables {
            // The machine's memory slots remain where the tables have none.
            Some(tables) => Firmware { smbios: tables.smbios.or(self.firmware.smbios), ..tables },
            None => self.firmware,
        };
        let log = log.unwrap_or(self.log);
        let memory_map = self.memory_map.or_else(|| MemoryMap::from_log(&log));
        Self { firmware, log, memory_map, ..self }
    }

    /// Whether there is a matrix of GPUs, and no list of PCI functions to compare it with.
    pub fn lacks_pci_functions(&self) -> bool {
        let has_functions = |inventory: &Inventory| !inventory.functions.is_empty();
        self.smi.is_some() && !self.inventory.as_ref().is_some_and(has_functions)
    }

    /// The input of the kernel's decision.
    pub(crate) fn prediction_input(&self) -> PredictionInput<'_> {
        let mut prediction_input = PredictionInput::new(&self.firmware, self.architecture());
        prediction_input.kernel = self.kernel_version().unwrap_or_default();
        prediction_input.command_line = self.command_line().unwrap_or_default();
        prediction_input.memory_map = self.memory_map.as_ref();
        if !self.cpus.is_empty() {
            prediction_input.cpus.clone_from(&self.cpus);
        }
        prediction_input.numa_configured =
            self.topology.as_ref().is_none_or(|one| one.numa_supported || one.is_partial);
        prediction_input
    }

    /// The kernel's actual outcome. The predicted one only decides between two explanations of a
    /// truncated log.
    pub(crate) fn observed(&self, predicted: NumaOutcome) -> ObservedNuma {
        let mut observed = ObservedNuma::new(
            self.topology.as_ref().filter(|one| self.has_nodes(one)).map(sysfs_nodes),
            self.command_line().as_ref(),
            &self.log,
        );
        if observed.outcome == NumaOutcome::Unknown && observed.nodes.is_empty() {
            observed.outcome = match self.named_in_log() {
                0 => NumaOutcome::Unknown,
                // A node without memory has no log line.
                1 if predicted == NumaOutcome::Visible => NumaOutcome::Unknown,
                1 => NumaOutcome::OneDomain,
                _ => NumaOutcome::Visible,
            };
            if self.is_log_cut() && observed.outcome != predicted {
                observed.outcome = NumaOutcome::Unknown;
            }
        }
        observed
    }

    /// Whether nodes are known: outputs of programs may have CPUs alone.
    fn has_nodes(&self, topology: &Topology) -> bool {
        !self.is_sent || !topology.nodes.is_empty()
    }

    /// Whether the log of a boot ends while the kernel reads the tables: what it made of them came
    /// later.
    fn is_log_cut(&self) -> bool {
        let is_of_tables = |event: &&LogEvent| {
            use LogEventKind::{CpuAffinity, DistanceTable, MemoryAffinity};
            matches!(event.kind, CpuAffinity { .. } | DistanceTable { .. } | MemoryAffinity { .. })
        };
        let read = self.log.events.iter().filter(is_of_tables);
        let last = read.map(|event| event.line).max().unwrap_or(0);
        self.log.has_boot() && self.log.last_whole_line <= last
    }

    /// Number of nodes in the entries that the kernel logs as accepted. Excerpts of logs have these
    /// lines, and not those of the nodes themselves.
    pub(crate) fn named_in_log(&self) -> usize {
        let nodes = self.log.events.iter().flat_map(|event| match event.kind {
            LogEventKind::MemoryAffinity { node, .. } | LogEventKind::CpuAffinity { node, .. } => {
                vec![node]
            }
            LogEventKind::SiblingElsewhere { node, sibling_node, .. } => vec![node, sibling_node],
            _ => Vec::new(),
        });
        // "Initialized distance table, cnt=2" counts them.
        let counted = self.log.events.iter().filter_map(|event| match event.kind {
            LogEventKind::DistanceTable { nodes } => usize::try_from(nodes).ok(),
            _ => None,
        });
        let named = nodes.collect::<BTreeSet<NodeId>>().len();
        counted.max().unwrap_or(0).max(named)
    }

    /// The parameters of the running kernel, else of the log.
    pub(crate) fn parameters(&self) -> Option<KernelParameters> {
        let running = self.environment.as_ref();
        let running = running.and_then(|environment| environment.boot.command_line.clone());
        running.or_else(|| self.log.command_line().map(KernelParameters::parse))
    }

    /// What they mean for the kernel's decision.
    pub(crate) fn command_line(&self) -> Option<CommandLine> {
        self.parameters().as_ref().map(CommandLine::of)
    }

    /// The version of the running kernel, else of the log.
    pub(crate) fn kernel_version(&self) -> Option<KernelVersion> {
        let running =
            self.topology.as_ref().and_then(|topology| topology.identity.kernel.as_deref());
        running.or_else(|| self.log.release()).and_then(KernelVersion::parse)
    }

    fn architecture(&self) -> Architecture {
        let named = self.topology.as_ref().and_then(|topology| topology.identity.arch.as_deref());
        named.map_or_else(|| for_tables(&self.firmware), Architecture::from_name)
    }
}

/// The architecture by the tables; x86 where it is undetermined, as most machines with ACPI are.
fn for_tables(firmware: &Firmware) -> Architecture {
    if let Some(found) = for_madt(firmware).or_else(|| for_srat(firmware)) {
        return found;
    }
    let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    match tree {
        Some(tree) if tree.cpus.iter().any(|cpu| cpu.path.contains("riscv")) => Architecture::Riscv,
        Some(_) => Architecture::Arm64,
        None => Architecture::X86,
    }
}

fn for_madt(firmware: &Firmware) -> Option<Architecture> {
    let (_, madt) = firmware.first::<Madt>()?;
    madt.content.entries.iter().find_map(|entry| match entry.known()? {
        InterruptController::LocalApic(_) | InterruptController::LocalX2Apic(_) => {
            Some(Architecture::X86)
        }
        InterruptController::Gicc(_) => Some(Architecture::Arm64),
        InterruptController::Rintc(_) => Some(Architecture::Riscv),
        _ => None,
    })
}

fn for_srat(firmware: &Firmware) -> Option<Architecture> {
    let (_, srat) = firmware.first::<Srat>()?;
    srat.content.entries.iter().find_map(|entry| match entry.known()? {
        Affinity::LocalApic(_) | Affinity::X2Apic(_) => Some(Architecture::X86),
        Affinity::Gicc(_) | Affinity::GicIts(_) => Some(Architecture::Arm64),
        Affinity::Rintc(_) => Some(Architecture::Riscv),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_a_recent_x86_kernel() {
        let witnesses = Witnesses::default();
        let prediction_input = witnesses.prediction_input();
        assert_eq!(
            (prediction_input.architecture, prediction_input.numa_configured),
            (Architecture::X86, true)
        );
        assert_eq!(prediction_input.kernel, KernelVersion::default());
    }

    #[test]
    fn captures_have_kernel_and_command_line() {
        let witnesses = Witnesses::read(&Source::from_files([
            ("/sys/devices/system/cpu/online", "0-1"),
            ("/proc/cmdline", "ro numa=off"),
            ("/proc/version", "Linux version 6.1.0-28-amd64 (x)"),
            ("/proc/cpuinfo", "processor : 0\napicid : 4\n"),
        ]));
        assert_eq!(witnesses.kernel_version(), Some(KernelVersion::new(6, 1)));
        assert!(witnesses.command_line().is_some_and(|line| line.numa_off));
        assert_eq!(witnesses.cpus.len(), 1);
        assert!(!witnesses.prediction_input().numa_configured);
    }

    #[test]
    fn the_log_replaces_a_missing_kernel() {
        let log = KernelLog::parse(b"Linux version 6.12.1 (x)\nCommand line: numa=fake=4\n");
        let witnesses = Witnesses::for_tables(Firmware::default(), log);
        assert_eq!(witnesses.kernel_version(), Some(KernelVersion::new(6, 12)));
        assert!(witnesses.command_line().is_some_and(|line| line.emulation.is_some()));
    }
}
