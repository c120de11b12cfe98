//! Facts about the machine: guest or bare metal, packages, CPU model, vendor.

use std::collections::BTreeSet;

use nearfar_firmware::Firmware;
use nearfar_firmware::acpi::{
    Affinity, Crat, CratEntry, FADT, InterruptController, Madt, PowerProfile, Pptt, PpttStructure,
    Slit, Srat,
};
use nearfar_firmware::linux::{LogEvent, LogEventKind};
use nearfar_machine::{Node, Topology, UNKNOWN_HYPERVISOR};

use crate::document::{BootConfig, Evidence, OpenQuestion, OutsideNode};
use crate::memory_design::MemoryDesign;
use crate::vendor::{Vendor, oem_id};
use crate::witnesses::Witnesses;

/// Facts about the machine from outside its NUMA tables.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The hypervisor, and the evidence; none on bare metal, as far as it is visible.
    pub(crate) hypervisor: Option<(String, Evidence)>,
    /// Packages in use, where the number is known.
    pub(crate) packages: Option<usize>,
    pub(crate) has_one_cpu: bool,
    /// Whether packages may be clusters of cores: kernels confuse them on boards without ACPI.
    pub(crate) packages_may_be_clusters: bool,
    /// The power management profile of its FADT.
    pub(crate) profile: Option<PowerProfile>,
    /// What the only online node does not have: CPUs, or offline nodes.
    pub(crate) outside_the_node: Option<OutsideNode>,
    /// Number of domains in enabled entries of the SRAT; 0 without one.
    pub(crate) srat_domains: usize,
    /// Number of domains in the SLIT; 0 without one.
    pub(crate) slit_domains: usize,
    pub(crate) memory_design: MemoryDesign,
    pub(crate) model: Option<String>,
    pub(crate) vendor: Option<Vendor>,
    /// Number of domains with memory in AMD's CRAT; 0 without one.
    pub(crate) crat_domains: usize,
    /// Whether one of several nodes with CPUs has all memory.
    pub(crate) memory_in_one_node: bool,
    /// Whether the kernel's options interleave memory over emulated nodes.
    pub(crate) interleaves_on_purpose: bool,
    /// What has the kernel's command line.
    pub(crate) boot: BootConfig,
}

/// OEM ids that hypervisors write into the headers of their tables.
const OEM_IDS: [(&str, &str); 12] = [
    ("BOCHS", "QEMU"),
    ("VMWARE", "VMware"),
    ("VRTUAL", "Hyper-V"),
    ("MICRO", "Hyper-V"),
    ("Xen", "Xen"),
    ("XEN", "Xen"),
    ("AMAZON", "Amazon EC2"),
    ("Google", "KVM"),
    ("VBOX", "VirtualBox"),
    ("BHYVE", "bhyve"),
    ("FIRECK", "Firecracker"),
    ("CLOUDH", "Cloud Hypervisor"),
];

/// Names of hypervisors in the kernel's log.
const LOG_NAMES: [(&str, &str); 3] =
    [("Microsoft Hyper-V", "Hyper-V"), ("VMware", "VMware"), ("Xen", "Xen")];

impl Facts {
    pub(crate) fn from_witnesses(witnesses: &Witnesses) -> Self {
        let model = model(witnesses);
        let product =
            witnesses.topology.as_ref().and_then(|topology| topology.identity.product.as_deref());
        Self {
            hypervisor: hypervisor(witnesses),
            packages: packages(witnesses),
            has_one_cpu: has_one_cpu(witnesses),
            packages_may_be_clusters: packages_may_be_clusters(witnesses),
            profile: profile(&witnesses.firmware),
            outside_the_node: witnesses.topology.as_ref().and_then(outside_the_node),
            srat_domains: srat_domains(&witnesses.firmware),
            slit_domains: witnesses
                .firmware
                .first::<Slit>()
                .map_or(0, |(_, slit)| slit.content.distances.size()),
            memory_design: MemoryDesign::from_model(model.as_deref()),
            vendor: Vendor::find(product, &witnesses.firmware),
            crat_domains: crat_domains(&witnesses.firmware),
            memory_in_one_node: match &witnesses.topology {
                Some(topology) => memory_in_one_node(topology),
                None => memory_in_one_domain(&witnesses.firmware),
            },
            interleaves_on_purpose: interleaves_on_purpose(witnesses),
            boot: boot(witnesses),
            model,
        }
    }

    pub(crate) fn hypervisor_name(&self) -> Option<&str> {
        self.hypervisor.as_ref().map(|(name, _)| name.as_str())
    }

    /// The same, where it has a name.
    pub(crate) fn known_hypervisor(&self) -> Option<&str> {
        self.hypervisor_name().filter(|&name| name != UNKNOWN_HYPERVISOR)
    }

    /// The smallest possible number of memories, by CPU model and packages, or by the CRAT.
    pub(crate) fn least_memories(&self) -> Option<usize> {
        let memory_design = self.memory_design.least_memories(self.packages.unwrap_or(1));
        let crat = Some(self.crat_domains).filter(|&domains| domains > 1);
        memory_design.max(crat)
    }

    /// Whether its FADT has a mobile profile.
    pub(crate) fn is_portable(&self) -> bool {
        self.profile.is_some_and(PowerProfile::is_portable)
    }

    /// The open question: is there more than one memory?
    pub(crate) fn open(&self) -> OpenQuestion {
        OpenQuestion::Memories {
            model_known: self.model.is_some(),
            packages_known: self.packages.is_some(),
            may_be_clusters: self.packages_may_be_clusters,
        }
    }
}

/// CPUID decides. Without a CPU to query, and on Arm, tables and log decide.
fn hypervisor(witnesses: &Witnesses) -> Option<(String, Evidence)> {
    let environment = witnesses.environment.as_ref();
    let named = environment.and_then(|environment| {
        Some((environment.hypervisor.clone()?, environment.hypervisor_source?))
    });
    if let Some((name, source)) = named {
        let evidence = Evidence::new(source.name(), source.place(), name.as_str());
        // A capture's processors show that there is one, and its log may name it.
        let elsewhere = || from_log(witnesses).or_else(|| from_tables(&witnesses.firmware));
        let better = if name == UNKNOWN_HYPERVISOR { elsewhere() } else { None };
        return Some(better.unwrap_or((name, evidence)));
    }
    // On x86, CPUID always reports a hypervisor: a live machine without one is bare metal.
    let arch = witnesses.topology.as_ref().and_then(|topology| topology.identity.arch.as_deref());
    let arch = arch.filter(|_| !witnesses.is_sent);
    if arch.is_some_and(|arch| {
        arch.starts_with("x86") || (arch.starts_with('i') && arch.ends_with("86"))
    }) {
        return None;
    }
    from_log(witnesses)
        .or_else(|| from_tables(&witnesses.firmware))
        .or_else(|| from_tree(&witnesses.firmware))
}

fn from_log(witnesses: &Witnesses) -> Option<(String, Evidence)> {
    witnesses.log.events.iter().find_map(|event| {
        let name = match &event.kind {
            LogEventKind::Hypervisor { name } => name,
            LogEventKind::Paravirtualized { on } if on != "bare hardware" => on,
            _ => return None,
        };
        let known = LOG_NAMES.iter().find(|(start, _)| name.starts_with(start));
        let name = known.map_or(name.as_str(), |(_, name)| name);
        Some((name.to_owned(), crate::evidence::event(witnesses, event)))
    })
}

fn from_tables(firmware: &Firmware) -> Option<(String, Evidence)> {
    firmware.tables.iter().find_map(|file| {
        let id = oem_id(file)?;
        let (_, name) = OEM_IDS.iter().find(|(start, _)| id.starts_with(start))?;
        let evidence = Evidence::in_file(&file.name, &file.path, Some("offset 10 (OEM id)"), id);
        Some(((*name).to_owned(), evidence))
    })
}

/// The machine name "virt" of QEMU, and of crosvm and others after it.
fn from_tree(firmware: &Firmware) -> Option<(String, Evidence)> {
    let part = firmware.device_tree.as_ref()?;
    let virt = part.state.decoded()?.compatible.iter().find(|name| *name == "linux,dummy-virt")?;
    let evidence = Evidence::in_file("device tree", &part.path, Some("/compatible"), virt.as_str());
    Some(("QEMU".to_owned(), evidence))
}

/// From sysfs, else the populated sockets of SMBIOS, else the PPTT. One CPU is one package.
fn packages(witnesses: &Witnesses) -> Option<usize> {
    let in_sysfs = witnesses.topology.as_ref().map(|topology| topology.packages().len());
    let smbios = witnesses.firmware.smbios.as_ref().and_then(|part| part.state.decoded());
    let sockets = || {
        smbios.map(|smbios| {
            smbios.processors.iter().filter(|cpu| cpu.populated == Some(true)).count()
        })
    };
    let counted = |count: &usize| *count > 0;
    let counted = in_sysfs.filter(counted).or_else(|| sockets().filter(counted));
    counted.or_else(|| in_pptt(&witnesses.firmware)).or_else(|| has_one_cpu(witnesses).then_some(1))
}

/// Whether one node has all memory, and two or more have CPUs.
fn memory_in_one_node(topology: &Topology) -> bool {
    let with_memory = topology.nodes.iter().filter(|node| node.has_memory()).count();
    let with_cpus = topology.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
    with_memory == 1 && with_cpus > 1
}

/// The same by the SRAT's enabled entries.
fn memory_in_one_domain(firmware: &Firmware) -> bool {
    let Some((_, srat)) = firmware.first::<Srat>() else { return false };
    let entries = srat.content.entries.iter().filter_map(|entry| entry.known());
    let enabled: Vec<&Affinity> = entries.filter(|entry| entry.enabled()).collect();
    let domains = |is_wanted: fn(&Affinity) -> bool| {
        let wanted = enabled.iter().filter(|entry| is_wanted(entry)).map(|entry| entry.domain());
        wanted.collect::<BTreeSet<_>>().len()
    };
    domains(|entry| matches!(entry, Affinity::Memory(_))) == 1 && domains(Affinity::is_cpu) > 1
}

/// Emulated nodes and a default policy that interleaves over them: a board's own defaults, for
/// the bandwidth of its banks (raspberrypi/linux, PR 6273).
fn interleaves_on_purpose(witnesses: &Witnesses) -> bool {
    let Some(parameters) = witnesses.parameters() else { return false };
    let has = |start: &str| parameters.words.iter().any(|word| word.starts_with(start));
    has("numa=fake=") && has("numa_policy=interleave") && witnesses.firmware.tables.is_empty()
}

fn boot(witnesses: &Witnesses) -> BootConfig {
    let identity = witnesses.topology.as_ref().map(|topology| &topology.identity);
    let arch = identity.and_then(|identity| identity.arch.as_deref()).unwrap_or_default();
    let board = identity.and_then(|identity| identity.product.as_deref());
    let board = board.or_else(|| witnesses.log.hardware()).unwrap_or_default();
    let names_a_board = |event: &LogEvent| matches!(event.kind, LogEventKind::Architecture { .. });
    let is_board = arch.starts_with("a")
        || arch.starts_with("riscv")
        || arch.is_empty() && witnesses.log.events.iter().any(names_a_board);
    match () {
        () if board.starts_with("Raspberry Pi") => BootConfig::RaspberryPi,
        () if arch.starts_with("s390") => BootConfig::Zipl,
        () if is_board && witnesses.firmware.tables.is_empty() => BootConfig::BoardLoader,
        () => BootConfig::Grub,
    }
}

/// Whether there is one CPU, by sysfs, else by the MADT, else by the device tree.
fn has_one_cpu(witnesses: &Witnesses) -> bool {
    let in_sysfs = witnesses.topology.as_ref().map(|topology| topology.cpus.len());
    let in_madt = || {
        let (_, madt) = witnesses.firmware.first::<Madt>()?;
        let enabled =
            madt.content.entries.iter().filter(|entry| entry.known().is_some_and(is_enabled_cpu));
        Some(enabled.count())
    };
    let tree = || Some(witnesses.firmware.device_tree.as_ref()?.state.decoded()?.cpus.len());
    in_sysfs.or_else(in_madt).or_else(tree) == Some(1)
}

fn is_enabled_cpu(entry: &InterruptController) -> bool {
    match entry {
        InterruptController::LocalApic(cpu) => cpu.enabled,
        InterruptController::LocalX2Apic(cpu) => cpu.enabled,
        InterruptController::Gicc(cpu) => cpu.enabled,
        InterruptController::Rintc(cpu) => cpu.enabled,
        _ => false,
    }
}

/// Arm and RISC-V without ACPI: Linux up to 5.19 reported clusters as packages.
fn packages_may_be_clusters(witnesses: &Witnesses) -> bool {
    let arch = witnesses.topology.as_ref().and_then(|topology| topology.identity.arch.as_deref());
    let is_embedded = arch.is_some_and(|arch| arch.starts_with("a") || arch.starts_with("riscv"));
    is_embedded && witnesses.firmware.tables.is_empty()
}

/// What the only online node does not have.
fn outside_the_node(topology: &Topology) -> Option<OutsideNode> {
    let online: Vec<&Node> = topology.nodes.iter().filter(|node| node.online).collect();
    let [only] = online.as_slice() else { return None };
    let cpus = topology.online().difference(&only.cpus);
    if !cpus.is_empty() {
        return Some(OutsideNode::Cpus { cpus, node: only.id });
    }
    let holds = |node: &&Node| !node.online && (node.has_memory() || !node.cpus.is_empty());
    topology.nodes.iter().find(holds).map(|node| OutsideNode::Node { node: node.id })
}

fn srat_domains(firmware: &Firmware) -> usize {
    let Some((_, srat)) = firmware.first::<Srat>() else { return 0 };
    let enabled = srat
        .content
        .entries
        .iter()
        .filter_map(|entry| entry.known())
        .filter(|entry| entry.enabled());
    enabled.map(Affinity::domain).collect::<BTreeSet<_>>().len()
}

fn profile(firmware: &Firmware) -> Option<PowerProfile> {
    let fadt = firmware.tables.iter().find(|file| file.name == FADT)?;
    PowerProfile::from_fadt(&fadt.bytes)
}

fn crat_domains(firmware: &Firmware) -> usize {
    let Some((_, crat)) = firmware.first::<Crat>() else { return 0 };
    let memory = crat.content.entries.iter().filter_map(|entry| match entry.known()? {
        CratEntry::Memory(memory) if memory.enabled => Some(memory.domain),
        _ => None,
    });
    memory.collect::<BTreeSet<_>>().len()
}

fn in_pptt(firmware: &Firmware) -> Option<usize> {
    let (_, pptt) = firmware.first::<Pptt>()?;
    let package = |structure: &PpttStructure| match structure {
        PpttStructure::Processor(processor) => processor.is_package,
        _ => false,
    };
    let count =
        pptt.content.entries.iter().filter(|entry| entry.known().is_some_and(package)).count();
    (count > 0).then_some(count)
}

fn model(witnesses: &Witnesses) -> Option<String> {
    let running = witnesses.topology.as_ref().and_then(|topology| topology.identity.model.clone());
    let smbios = || witnesses.firmware.smbios.as_ref()?.state.decoded();
    running.or_else(|| smbios()?.processors.iter().find_map(|cpu| cpu.version.clone()))
}
