//! PCI devices of a machine, as its file describes them (x86_64).

use std::fmt;

use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::per_node::PerNode;

/// A PCI host bridge with a bus of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostBridgeDescription {
    /// The name that devices use in `at`.
    pub(crate) id: String,
    /// The node that its `_PXM` names; absent: no `_PXM`, and Linux shows -1.
    pub(crate) node: Option<NodeId>,
}

/// A device below a host bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Device {
    pub(crate) kind: DeviceKind,
    /// Its host bridge and the switches above it, from the bridge down: "a", "a/s1", "a/s1/s2".
    pub(crate) at: String,
    /// The node that SRAT's generic initiator entry names; absent: no entry.
    pub(crate) srat_node: Option<NodeId>,
    /// Queue pairs of a virtio network card, by a tap of the host: `labN` in the network namespace
    /// of the launcher. Absent: one pair, on the machine's Ethernet segment.
    pub(crate) queues: Option<u32>,
    /// What each request of its disk takes, beside the transfer; absent: what the emulator takes.
    pub(crate) latency_us: Option<f64>,
    /// Added where a request's buffer is in the memory of another node than the device's; or a
    /// list: added by the node of the buffer, one number for each node with memory.
    pub(crate) buffer_far_us: Option<PerNode>,
    /// Added by the queue of a request, one number for each queue; the guest decides which CPUs use
    /// which queue.
    pub(crate) queue_us: Option<Vec<f64>>,
    /// The rate of all transfers together; absent: no limit.
    pub(crate) gb_s: Option<f64>,
    /// All queues share one interrupt, which can be moved; else each has one, which the kernel
    /// manages.
    #[serde(default)]
    pub(crate) movable_interrupt: bool,
    /// Codes of the findings that `nearfar devices` must report for it.
    #[serde(default)]
    pub(crate) expects: Vec<String>,
}

impl Device {
    /// The id of its host bridge.
    pub(crate) fn bridge(&self) -> &str {
        self.at.split('/').next().unwrap_or_default()
    }

    /// The switches above it, from the host bridge down.
    pub(crate) fn switches(&self) -> impl Iterator<Item = &str> {
        self.at.split('/').skip(1)
    }
}

/// Devices that the lab has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeviceKind {
    /// An NVMe disk. All disks read as zeros.
    Nvme,
    /// A network card. All network cards of a machine share one Ethernet segment.
    E1000e,
    /// A USB controller.
    Xhci,
    /// A USB controller with a disk.
    UsbStorage,
    /// A virtio network card.
    VirtioNet,
    /// A network card with a queue for each CPU, up to eight.
    Vmxnet3,
    /// A virtio disk.
    VirtioBlk,
    /// A virtio disk that the lab serves itself, by the node of each request's buffer.
    VhostUserBlk,
    /// A virtio SCSI controller with a disk.
    VirtioScsi,
    /// A SATA controller with a disk.
    Ahci,
    /// A display controller: stands for a GPU.
    Display,
}

impl DeviceKind {
    /// The PCI class that Linux shows.
    pub(crate) fn class(self) -> u32 {
        match self {
            Self::Nvme => 0x01_0802,
            Self::E1000e | Self::VirtioNet | Self::Vmxnet3 => 0x02_0000,
            Self::Xhci | Self::UsbStorage => 0x0c_0330,
            // The class that QEMU gives virtio's SCSI controllers and disks.
            Self::VirtioBlk | Self::VhostUserBlk | Self::VirtioScsi => 0x01_0000,
            Self::Ahci => 0x01_0601,
            Self::Display => 0x03_8000,
        }
    }

    /// The kernel modules that drive it.
    pub(crate) fn modules(self) -> &'static [&'static str] {
        match self {
            Self::Nvme => &["nvme"],
            Self::E1000e => &["e1000e"],
            Self::Xhci => &["xhci_pci"],
            Self::UsbStorage => &["xhci_pci", "usb_storage", "sd_mod"],
            Self::VirtioNet => &["virtio_net"],
            Self::Vmxnet3 => &["vmxnet3"],
            Self::VirtioBlk | Self::VhostUserBlk => &["virtio_blk"],
            Self::VirtioScsi => &["virtio_scsi", "sd_mod"],
            Self::Ahci => &["ahci", "sd_mod"],
            Self::Display => &["bochs"],
        }
    }

    /// Whether it has a disk.
    pub(crate) fn has_disk(self) -> bool {
        !self.has_network() && !matches!(self, Self::Xhci | Self::Display)
    }

    /// Whether it is a network card.
    pub(crate) fn has_network(self) -> bool {
        matches!(self, Self::E1000e | Self::VirtioNet | Self::Vmxnet3)
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
