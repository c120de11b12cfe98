//! A message of the kernel.

use nearfar_model::{CpuId, NodeId, NodeSet, ProximityDomain};
use serde::Serialize;

use crate::linux::KernelCause;
use crate::linux::MemoryKind;

/// A message of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEvent {
    /// Line number, from 1.
    pub line: usize,
    /// The message without its timestamp.
    pub text: String,
    /// Microseconds since the boot; only of kills, and if the log has them.
    #[serde(skip)]
    pub at_us: Option<u64>,
    /// The decoded message.
    #[serde(flatten)]
    pub kind: LogEventKind,
}

/// The known messages. Comments show the text; `%` stands for its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[allow(missing_docs)] // Fields are the message's values.
pub enum LogEventKind {
    /// "Linux version %": the start of a boot.
    LinuxVersion { release: String },
    /// "Command line: %", "Kernel command line: %".
    CommandLine { text: String },
    /// "Hypervisor detected: %".
    Hypervisor { name: String },
    /// "Booting paravirtualized kernel on %": "bare hardware", "KVM".
    Paravirtualized { on: String },
    /// "DMI: %, BIOS %", "Machine model: %".
    Hardware { name: String },
    /// "Booting Linux on physical CPU %" (Arm), "riscv: base ISA extensions %".
    Architecture { name: &'static str },
    /// "BIOS-e820: [mem %-%] usable", "efi: mem00: [Conventional Memory|...] range=[%-%]".
    MemoryRange { first: u64, last: u64, kind: MemoryKind, efi: bool },
    /// "ACPI: SRAT 0x% 0x% (v03 OEM TABLE % % %)": a table exists.
    Table { signature: String, address: u64, length_bytes: u64, revision: u32, maker: String },
    /// "ACPI: SRAT: Node % PXM % [mem %-%] hotplug non-volatile".
    MemoryAffinity {
        node: NodeId,
        domain: ProximityDomain,
        first: u64,
        last: u64,
        hot_pluggable: bool,
        non_volatile: bool,
    },
    /// "SRAT: PXM % -> APIC % -> Node %" (x86, before Linux 6.11), "ACPI: NUMA: SRAT: PXM % ->
    /// MPIDR % -> Node %" (Arm).
    CpuAffinity { domain: ProximityDomain, hardware_id: u64, node: NodeId },
    /// " node   %: [mem %-%]": RAM of a node, as the kernel uses it.
    NodeMemory { node: NodeId, first: u64, last: u64 },
    /// "No NUMA configuration found".
    NothingFound,
    /// "Faking a node at [mem %-%]".
    Faking { first: u64, last: u64 },
    /// "NUMA turned off" (x86), "NUMA: NUMA disabled" (Arm).
    TurnedOff,
    /// "NUMA: Failed to initialise from firmware" (Arm).
    NotFromFirmware,
    /// "Faking node % at [mem %-%] (%MB)": `numa=fake=`.
    EmulatedNode { node: NodeId, first: u64, last: u64 },
    /// "Not enough memory for each node.  NUMA emulation disabled." and others.
    EmulationFailed,
    /// "SRAT: SRAT not used."
    SratNotUsed,
    /// "SRAT: Unexpected header length: %", "SRAT: Invalid SRAT header length: %" (Arm).
    EntryLength { length_bytes: u64, cpu: bool },
    /// "SRAT: Too many proximity domains".
    TooManyDomains,
    /// "too many memblk ranges", "SRAT: Failed to add memblk to node % [mem %-%]".
    TooManyRanges,
    /// "[SRAT:0x%] Invalid zero length".
    ZeroLength { signature: String, entry: u64 },
    /// "node % [mem %-%] overlaps with node % [mem %-%]".
    Overlap {
        node: NodeId,
        first: u64,
        last: u64,
        other: NodeId,
        other_first: u64,
        other_last: u64,
    },
    /// "Warning: node % [mem %-%] overlaps with itself [mem %-%]".
    SelfOverlap { node: NodeId, first: u64, last: u64, other_first: u64, other_last: u64 },
    /// "NUMA: nodes only cover %MB of your %MB e820 RAM. Not used." (x86, before Linux 6.8).
    CoveredOnly { covered_mib: u64, ram_mib: u64 },
    /// "NUMA: no nodes coverage for %MB of %MB RAM" (Linux 6.8 and later).
    NotCovered { missing_mib: u64, ram_mib: u64 },
    /// "NUMA: Warning: invalid memblk node % [mem %-%]": RAM without a node (Arm, before Linux
    /// 6.12).
    RamWithoutNode { first: u64, last: u64 },
    /// "Node alignment %MB < min %MB, rejecting NUMA config".
    NodeAlignment { alignment_mib: u64, least_mib: u64 },
    /// "Node % using interleaving mode %": from the northbridge of a K8 or K10.
    Interleaving { node: u32 },
    /// "NUMA: Node % [mem %-%] + [mem %-%] -> [mem %-%]".
    Merged { node: NodeId, first: u64, last: u64 },
    /// "SLIT table looks invalid. Not used."
    SlitInvalid,
    /// "NUMA: Initialized distance table, cnt=%".
    DistanceTable { nodes: u64 },
    /// "NUMA: Warning: invalid distance parameter", "node ids are out of bound".
    DistanceIgnored,
    /// "acpi/hmat: Ignoring: %".
    HmatIgnored { why: String },
    /// "acpi/hmat: Unexpected % header length: %".
    HmatLength { structure: String },
    /// "acpi/hmat: Memory Flags:% Processor Domain:% Memory Domain:%".
    HmatMemory { flags: u64, initiator: ProximityDomain, memory: ProximityDomain },
    /// "acpi/hmat: Locality: Flags:% Type:% Initiator Domains:% Target Domains:% Base:%".
    HmatLocality { data: String, initiators: u64, targets: u64, base_unit: u64 },
    /// "acpi/hmat:   Initiator-Target[%-%]:% nsec".
    HmatValue { initiator: ProximityDomain, target: ProximityDomain, value: u64, unit: String },
    /// "acpi/hmat: Cache: Domain:% Size:%".
    HmatCache { memory: ProximityDomain, size_bytes: u64 },
    /// "sched: CPU #%'s llc-sibling CPU #% is not on the same node! [node: % != %]": SRAT and CPUID
    /// disagree.
    SiblingElsewhere {
        cpu: CpuId,
        sibling: CpuId,
        level: String,
        node: NodeId,
        sibling_node: NodeId,
    },
    /// "BUG: arch topology borken" and "the % domain not a subset of the % domain": CPUs that share
    /// a core or cache are not in the next larger group.
    CpuTopologyBroken,
    /// "CFMWS: [BIOS BUG] base/size alignment violates spec" (Linux 6.15 and later).
    CfmwsAlignment,
    /// "pci_bus %: Unknown NUMA node; performance will be reduced": firmware names no `_PXM`.
    PciWithoutNode { bus: String },
    /// "pci_bus %: on NUMA node %" (x86, level debug), in older kernels with "(pxm %)".
    PciBusNode { bus: String, node: NodeId, domain: Option<ProximityDomain> },
    /// "ACPI: PCI Root Bridge [%] (domain % [bus %-%])", in Linux 2.6 "[%] (%:%)": the buses of an
    /// ACPI device. The name is the last one of its path.
    PciRootBridge { name: String, segment: u16, first_bus: u8, last_bus: Option<u8> },
    /// "acpi %: [Firmware Bug]: no _PXM; falling back to node % from hardware": the node of an AMD
    /// host bridge that firmware does not name.
    PciNodeFromHardware { device: String, node: NodeId },
    /// "pci %: [Firmware Bug]: Overriding NUMA node to %": a user wrote sysfs' `numa_node`.
    PciNodeOverridden { device: String, node: Option<NodeId> },
    /// "% invoked oom-killer: gfp_mask=%...": the start of a report, and whose allocation failed.
    OutOfMemoryReport { program: String },
    /// "Node % % free:%kB boost:%kB min:%kB ...": a zone, in a report about memory.
    ZoneMemory { node: NodeId, free_kib: u64, min_kib: u64 },
    /// "oom-kill:constraint=%,nodemask=%,cpuset=%,mems_allowed=%,task_memcg=%,task=%,pid=%,uid=%"
    /// (Linux 5.0 and later). The constraint and the nodes are those of the failed allocation, the
    /// rest those of the program that was killed. Nodes of the policy are none without one.
    OutOfMemory {
        constraint: String,
        policy_nodes: Option<NodeSet>,
        allowed_nodes: NodeSet,
        cgroup: String,
        program: String,
        pid: u64,
    },
    /// "OF: NUMA: parsing numa-distance-map-v1".
    TreeDistances,
    /// "OF: NUMA: Invalid distance[node% -> node%] = %".
    TreeDistanceInvalid { from: NodeId, to: NodeId, distance: u64 },
    /// "OF: NUMA: bad property in memory node", "OF: NUMA: Node id % exceeds maximum value".
    TreePropertyInvalid,
}

impl LogEventKind {
    /// The code of the cause in kebab-case; `None` for messages that are no fault. `hmat-invalid`
    /// and `srat-not-used` stand for several causes that the kernel does not distinguish.
    pub fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::NothingFound => "no-numa-configuration",
            Self::TurnedOff => "numa-off",
            Self::SratNotUsed => "srat-not-used",
            Self::EntryLength { cpu: false, .. } => "srat-memory-entry-length",
            Self::EntryLength { cpu: true, .. } => "srat-cpu-entry-length",
            Self::TooManyDomains => "too-many-domains",
            Self::TooManyRanges => "too-many-ranges",
            Self::ZeroLength { signature, .. } if signature == "SRAT" => "srat-zero-length-entry",
            Self::ZeroLength { signature, .. } if signature == "HMAT" => "hmat-zero-length-entry",
            Self::Overlap { .. } => "nodes-overlap",
            Self::SelfOverlap { .. } => "node-overlaps-itself",
            Self::CoveredOnly { .. } | Self::NotCovered { .. } | Self::RamWithoutNode { .. } => {
                "ram-not-covered"
            }
            Self::NodeAlignment { .. } => "node-alignment",
            Self::Interleaving { .. } => "node-interleaving",
            Self::SlitInvalid => "slit-invalid",
            Self::HmatIgnored { why } if why.starts_with("Unknown revision") => "hmat-revision",
            Self::HmatIgnored { .. } => "hmat-invalid",
            Self::HmatLength { .. } => "hmat-structure-length",
            Self::SiblingElsewhere { .. } => "siblings-on-two-nodes",
            Self::CpuTopologyBroken => "cpu-groups-contradict",
            Self::CfmwsAlignment => "cfmws-alignment",
            Self::PciWithoutNode { .. } => "pci-without-node",
            Self::TreeDistanceInvalid { .. } => "tree-distance-invalid",
            Self::TreePropertyInvalid => "tree-property-invalid",
            Self::EmulationFailed => "emulation-failed",
            _ => return None,
        })
    }

    /// Whether a rule reads it: the memory map, the nodes, the outcome and its reason, devices,
    /// or the hypervisor. A capture keeps no other.
    pub fn is_read(&self) -> bool {
        !matches!(
            self,
            Self::Table { .. }
                | Self::Hardware { .. }
                | Self::Merged { .. }
                | Self::HmatMemory { .. }
                | Self::HmatLocality { .. }
                | Self::HmatValue { .. }
                | Self::HmatCache { .. }
                | Self::PciRootBridge { .. }
                | Self::PciNodeFromHardware { .. }
                | Self::TreeDistances
        )
    }

    /// Whether the kernel rejects firmware's nodes with this message.
    pub fn refuses(&self) -> bool {
        match self {
            Self::ZeroLength { signature, .. } => signature == "SRAT",
            Self::SratNotUsed
            | Self::EntryLength { .. }
            | Self::TooManyDomains
            | Self::TooManyRanges
            | Self::Overlap { .. }
            | Self::CoveredOnly { .. }
            | Self::NotCovered { .. }
            | Self::RamWithoutNode { .. }
            | Self::NodeAlignment { .. }
            | Self::Interleaving { .. }
            | Self::TreeDistanceInvalid { .. }
            | Self::TreePropertyInvalid => true,
            _ => false,
        }
    }
}

impl LogEvent {
    /// Whether it confirms a predicted cause: the same message, or the same code.
    pub fn confirms(&self, cause: &KernelCause) -> bool {
        cause.message.as_deref() == Some(self.text.as_str()) || self.kind.code() == Some(cause.code)
    }
}
