//! Findings about devices. `docs/why/diagnosis.md` has what each code means and what to do.

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use super::{Lanes, NodeClaim, NodeWitness};
use crate::level::Level;

nearfar_model::findings! {
    /// A finding. Devices are named by their labels.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "code", rename_all = "kebab-case")]
    pub enum DeviceFinding {
        "device-without-node", Warning,
        "The kernel knows no node for devices of a machine with several nodes, and nothing else \
         names one.",
        "Run 'nearfar sweep PROGRAM': its fastest node is the device's. Then use 'nearfar run -N \
         NODE', or write the node to numa_node of the device in sysfs, as root. A newer BIOS may \
         name it.";
        DeviceWithoutNode {
            /// The root bus; null for devices without PCI.
            root_bus: Option<String>,
            /// The devices.
            devices: Vec<String>,
        }
        "device-node-not-used", Warning,
        "The kernel knows no node for devices, and firmware, its log, a driver or a measurement \
         names one.",
        "Run programs on the node that is named: 'nearfar run -N NODE'. Or write it to the \
         device's numa_node in sysfs, as root: then the kernel uses it, too.";
        DeviceNodeNotUsed {
            /// The node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// Who names it.
            witnesses: Vec<NodeWitness>,
            /// The root bus; null for devices without PCI.
            root_bus: Option<String>,
            /// The devices.
            devices: Vec<String>,
        }
        "device-node-measured", Warning,
        "Copies show that a device is nearest to another node than the kernel's.",
        "Run programs on the measured node: 'nearfar run -N NODE'. The kernel and drivers go on \
         using numa_node, which root can write.";
        DeviceNodeMeasured {
            /// The device.
            device: String,
            /// The measured node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The kernel's.
            #[schemars(with = "u32")]
            kernel_node: NodeId,
        }
        "device-node-without-cpus", Note,
        "Devices are on a node that has no CPUs.",
        "Run programs on the nearest node with CPUs: 'nearfar run -N NODE'. Where it is unknown, \
         'nearfar survey' measures it.";
        DeviceNodeWithoutCpus {
            /// The node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The nearest nodes with CPUs by firmware's distances; empty if unknown.
            #[schemars(with = "String")]
            nearest: NodeSet,
            /// The devices.
            devices: Vec<String>,
        }
        "device-node-without-memory", Note,
        "Devices are on a node that has CPUs and no memory.",
        "Their buffers are on another node: put modules into that socket's slots, or move the \
         devices to a socket that has memory.";
        DeviceNodeWithoutMemory {
            /// The node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The nearest nodes with memory by firmware's distances; empty if unknown.
            #[schemars(with = "String")]
            nearest: NodeSet,
            /// The devices.
            devices: Vec<String>,
        }
        "device-witnesses-disagree", Warning,
        "Firmware, the kernel or amdkfd name different nodes for a device.",
        "Where the kernel names one, Linux uses that. Run the workload from each of the named \
         nodes ('nearfar sweep') before you bind it to one.";
        DeviceWitnessesDisagree {
            /// The device.
            device: String,
            /// What each names.
            claims: Vec<NodeClaim>,
        }
        "devices-on-one-node-of-package", Note,
        "All devices of a package are on one of its nodes. Firmware may name the package only.",
        "Run the workload from each node of the package ('nearfar sweep'): any of them may be \
         nearest.";
        DevicesOnOneNodeOfPackage {
            /// The node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The package's nodes.
            #[schemars(with = "String")]
            package_nodes: NodeSet,
            /// The number of root buses with listed devices.
            root_buses: usize,
            /// The devices.
            devices: Vec<String>,
        }
        "link-narrow", Warning,
        "A PCIe link, of a device or between bridges above it, has fewer lanes than both of its \
         ends support.",
        "Reseat the device and its riser or cable. Check the slot's bifurcation in the firmware \
         setup.";
        LinkNarrow {
            /// The device.
            device: String,
            /// What it runs at.
            now: Lanes,
            /// What the device supports, or the bridge at its lower end.
            device_max: Lanes,
            /// What the port above it supports; null if unknown.
            port_max: Option<Lanes>,
            /// Set if it is a link between bridges above the device; absent for the device's own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            above: Option<LinkAbove>,
        }
        "port-narrow", Note,
        "A device, or a bridge above it, has more lanes than its slot.",
        "Move it to a slot with more lanes if it needs them.";
        PortNarrow {
            /// The device.
            device: String,
            /// Lanes of the device, or of the bridge above it.
            device_lanes: u32,
            /// Lanes of the port.
            port_lanes: u32,
            /// The port.
            port: String,
            /// Set if it is a link between bridges above the device; absent for the device's own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            above: Option<LinkAbove>,
        }
        "link-slow", Note,
        "A PCIe link runs slower than both of its ends support.",
        "Idle devices lower the speed to save power: look again under load. If it stays low, check \
         the slot's speed in the firmware setup.";
        LinkSlow {
            /// The device.
            device: String,
            /// What it runs at.
            now: Lanes,
            /// What the device supports, or the bridge at its lower end.
            device_max: Lanes,
            /// What the port above it supports; null if unknown.
            port_max: Option<Lanes>,
            /// Set if it is a link between bridges above the device; absent for the device's own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            above: Option<LinkAbove>,
        }
        "device-apart-from-peers", Note,
        "One of several equal devices is at another package than all others.",
        "Place programs by each device's own node, or move the device to a slot of the other \
         package.";
        DeviceApartFromPeers {
            /// The device.
            device: String,
            /// Its node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The equal devices.
            peers: Vec<String>,
            /// Their nodes.
            #[schemars(with = "String")]
            peer_nodes: NodeSet,
        }
        "pair-disagrees", Warning,
        "nvidia-smi has another level for a pair of devices than their paths in sysfs.",
        "In a guest the hypervisor makes up the paths: ask it. Elsewhere report both outputs.";
        PairDisagrees {
            /// The witness: `nvidia-smi`.
            witness: String,
            /// The two devices.
            pair: [String; 2],
            /// The level by the paths in sysfs.
            by_path: Level,
            /// The witness's level.
            by_witness: Level,
        }
        "smi-place-differs", Warning,
        "nvidia-smi names other CPUs or another node for a GPU than sysfs.",
        "Programs follow one of the two: NCCL and the kernel read sysfs, others nvidia-smi. Bind \
         by the measured one ('nearfar gpu'), and report both outputs.";
        SmiPlaceDiffers {
            /// The GPU.
            device: String,
            /// The column of nvidia-smi.
            column: SmiColumn,
            /// What nvidia-smi has.
            by_witness: String,
            /// What sysfs has: CPUs, or nodes; null for none.
            by_sysfs: Option<String>,
        }
        "smi-not-compared", Warning,
        "The output of nvidia-smi has another number of GPUs than this machine: it was not \
         compared.",
        "Give the output of the same machine. In a container nvidia-smi may show some of its GPUs \
         only: run it outside.";
        SmiNotCompared {
            /// GPUs in the output.
            file_gpus: usize,
            /// GPUs of NVIDIA here.
            gpus: usize,
        }
        "kfd-gpu-absent", Warning,
        "AMD's compute driver lists a GPU where sysfs has no PCI function.",
        "The GPU may have been removed or have failed: look at the kernel's log, then reload \
         amdgpu or reboot.";
        KfdGpuAbsent {
            /// The driver's number.
            kfd_node: u32,
            /// The address.
            address: String,
        }
        "witness-failed", Note,
        "nvidia-smi is installed, and gave no answer.",
        "Run it yourself: it names the driver's fault. The paths in sysfs need no driver.";
        WitnessFailed {
            /// The witness: `nvidia-smi`.
            witness: String,
            /// Why, one line.
            why: String,
        }
    }
}

/// A column of `nvidia-smi topo -m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SmiColumn {
    /// `CPU Affinity`: CPUs of the GPU's node in sysfs.
    CpuAffinity,
    /// `NUMA Affinity`: the GPU's node in sysfs.
    NumaAffinity,
    /// `GPU NUMA ID`: nodes without CPUs in sysfs.
    GpuNumaId,
}

impl SmiColumn {
    /// Its head in the output.
    pub fn head(self) -> &'static str {
        match self {
            Self::CpuAffinity => "CPU Affinity",
            Self::NumaAffinity => "NUMA Affinity",
            Self::GpuNumaId => "GPU NUMA ID",
        }
    }
}

/// A link between bridges above a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkAbove {
    /// The bridge at its lower end.
    pub bridge: String,
    /// All cards below it.
    pub devices: Vec<String>,
}

impl DeviceFinding {
    /// The labels of its devices.
    pub fn devices(&self) -> Vec<String> {
        match self {
            Self::DeviceWithoutNode { devices, .. }
            | Self::DeviceNodeNotUsed { devices, .. }
            | Self::DeviceNodeWithoutCpus { devices, .. }
            | Self::DeviceNodeWithoutMemory { devices, .. }
            | Self::DevicesOnOneNodeOfPackage { devices, .. } => devices.clone(),
            Self::LinkNarrow { device, above, .. }
            | Self::PortNarrow { device, above, .. }
            | Self::LinkSlow { device, above, .. } => {
                above.as_ref().map_or_else(|| vec![device.clone()], |above| above.devices.clone())
            }
            Self::DeviceWitnessesDisagree { device, .. }
            | Self::DeviceNodeMeasured { device, .. }
            | Self::SmiPlaceDiffers { device, .. }
            | Self::DeviceApartFromPeers { device, .. } => vec![device.clone()],
            Self::PairDisagrees { pair, .. } => pair.to_vec(),
            Self::KfdGpuAbsent { .. }
            | Self::SmiNotCompared { .. }
            | Self::WitnessFailed { .. } => Vec::new(),
        }
    }

    /// The link between bridges that it is about; `None` for a device's own link, and others.
    pub fn link_above(&self) -> Option<&LinkAbove> {
        match self {
            Self::LinkNarrow { above, .. }
            | Self::PortNarrow { above, .. }
            | Self::LinkSlow { above, .. } => above.as_ref(),
            _ => None,
        }
    }

    /// The link that it is about, as its lower end reports it: now, and at most.
    pub fn link(&self) -> Option<[Lanes; 2]> {
        match self {
            Self::LinkNarrow { now, device_max, .. } | Self::LinkSlow { now, device_max, .. } => {
                Some([*now, *device_max])
            }
            Self::PortNarrow { device_lanes, port_lanes, .. } => {
                Some([*port_lanes, *device_lanes].map(|one| Lanes { gt_s: None, lanes: Some(one) }))
            }
            _ => None,
        }
    }
}
