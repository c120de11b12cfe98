//! Findings about devices. `docs/diagnosis.md` has what each code means and what to do.

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use super::{Lanes, NodeClaim, NodeWitness};
use crate::level::Level;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DeviceSeverity {
    /// Something is wrong.
    Warning,
    /// Something to know.
    Note,
}

/// A finding. Devices are named by their labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DeviceFinding {
    /// The kernel knows no node for devices of a machine with several.
    DeviceWithoutNode {
        /// The root bus; null for devices without PCI.
        root_bus: Option<String>,
        /// The devices.
        devices: Vec<String>,
    },
    /// The kernel knows no node for devices of a machine with several, and another witness names
    /// one: firmware, the kernel's log, a driver or a measurement.
    DeviceNodeNotUsed {
        /// The node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// Who names it.
        witnesses: Vec<NodeWitness>,
        /// The root bus; null for devices without PCI.
        root_bus: Option<String>,
        /// The devices.
        devices: Vec<String>,
    },
    /// Copies from and to all nodes showed that a device is nearest to another node than the
    /// kernel's.
    DeviceNodeMeasured {
        /// The device.
        device: String,
        /// The measured node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The kernel's.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        kernel_node: NodeId,
    },
    /// Devices are on a node that has no CPUs.
    DeviceNodeWithoutCpus {
        /// The node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The nearest nodes with CPUs by firmware's distances; empty if unknown.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        nearest: NodeSet,
        /// The devices.
        devices: Vec<String>,
    },
    /// Witnesses name different nodes for a device.
    DeviceWitnessesDisagree {
        /// The device.
        device: String,
        /// What each names.
        claims: Vec<NodeClaim>,
    },
    /// All root buses of a package with several nodes are on one of them. Firmware may name the
    /// package and not the node: which node is nearest is unknown.
    DevicesOnOneNodeOfPackage {
        /// The node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The package's nodes.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        package_nodes: NodeSet,
        /// The number of root buses with listed devices.
        root_buses: usize,
        /// The devices.
        devices: Vec<String>,
    },
    /// A link has fewer lanes than both of its ends support.
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
    },
    /// A device has more lanes than the port that it is connected to.
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
    },
    /// A link runs slower than both of its ends support. Idle devices do so to save power.
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
    },
    /// One of several equal devices is at another package than all others.
    DeviceApartFromPeers {
        /// The device.
        device: String,
        /// Its node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The equal devices.
        peers: Vec<String>,
        /// Their nodes.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        peer_nodes: NodeSet,
    },
    /// A second witness has another level for a pair.
    PairDisagrees {
        /// The witness: `nvidia-smi`.
        witness: String,
        /// The two devices.
        pair: [String; 2],
        /// The level by the paths in sysfs.
        by_path: Level,
        /// The witness's level.
        by_witness: Level,
    },
    /// AMD's compute driver lists a GPU where sysfs has no PCI function.
    KfdGpuAbsent {
        /// The driver's number.
        kfd_node: u32,
        /// The address.
        address: String,
    },
    /// A second witness is installed, and gave no answer.
    WitnessFailed {
        /// The witness: `nvidia-smi`.
        witness: String,
        /// Why, one line.
        why: String,
    },
}

/// A link between bridges above a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
            | Self::DevicesOnOneNodeOfPackage { devices, .. } => devices.clone(),
            Self::LinkNarrow { device, above, .. }
            | Self::PortNarrow { device, above, .. }
            | Self::LinkSlow { device, above, .. } => {
                above.as_ref().map_or_else(|| vec![device.clone()], |above| above.devices.clone())
            }
            Self::DeviceWitnessesDisagree { device, .. }
            | Self::DeviceNodeMeasured { device, .. }
            | Self::DeviceApartFromPeers { device, .. } => vec![device.clone()],
            Self::PairDisagrees { pair, .. } => pair.to_vec(),
            Self::KfdGpuAbsent { .. } | Self::WitnessFailed { .. } => Vec::new(),
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

    /// Its code, in kebab-case: never renamed.
    pub fn code(&self) -> &'static str {
        match self {
            Self::DeviceWithoutNode { .. } => "device-without-node",
            Self::DeviceNodeNotUsed { .. } => "device-node-not-used",
            Self::DeviceNodeMeasured { .. } => "device-node-measured",
            Self::DeviceNodeWithoutCpus { .. } => "device-node-without-cpus",
            Self::DeviceWitnessesDisagree { .. } => "device-witnesses-disagree",
            Self::DevicesOnOneNodeOfPackage { .. } => "devices-on-one-node-of-package",
            Self::LinkNarrow { .. } => "link-narrow",
            Self::PortNarrow { .. } => "port-narrow",
            Self::LinkSlow { .. } => "link-slow",
            Self::DeviceApartFromPeers { .. } => "device-apart-from-peers",
            Self::PairDisagrees { .. } => "pair-disagrees",
            Self::KfdGpuAbsent { .. } => "kfd-gpu-absent",
            Self::WitnessFailed { .. } => "witness-failed",
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> DeviceSeverity {
        match self {
            Self::DeviceWithoutNode { .. }
            | Self::DeviceNodeNotUsed { .. }
            | Self::DeviceNodeMeasured { .. }
            | Self::DeviceWitnessesDisagree { .. }
            | Self::LinkNarrow { .. }
            | Self::PairDisagrees { .. }
            | Self::KfdGpuAbsent { .. } => DeviceSeverity::Warning,
            Self::DeviceNodeWithoutCpus { .. }
            | Self::DevicesOnOneNodeOfPackage { .. }
            | Self::PortNarrow { .. }
            | Self::LinkSlow { .. }
            | Self::DeviceApartFromPeers { .. }
            | Self::WitnessFailed { .. } => DeviceSeverity::Note,
        }
    }
}
