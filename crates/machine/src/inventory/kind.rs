//! What a device is.

use serde::{Deserialize, Serialize};

use crate::attribute::Attributes;
use crate::pci::{self, PciAddress};
use crate::source::Source;

/// Kinds of devices, in the order of their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A GPU: 3D controllers, and VGA controllers of vendors who make GPUs.
    Gpu,
    /// A co-processor or processing accelerator.
    Accelerator,
    /// A network card, RDMA included.
    Network,
    /// A controller of disks, or a disk without one.
    Disk,
    /// CXL memory.
    Cxl,
    /// Memory that is used as a device, not as a node's (DAX).
    Dax,
    /// A USB controller.
    Usb,
    /// A screen's controller that computes nothing, as a BMC has.
    Display,
    /// A bridge.
    Bridge,
    /// Anything else.
    Other,
}

/// Vendors whose VGA controllers are GPUs: AMD, NVIDIA, Intel.
const GPU_VENDORS: [u16; 3] = [0x1002, 0x10de, 0x8086];
/// Vendors of BMCs and their screens: ASPEED, Matrox, SMI, Emulex, XGI, Huawei,
/// Nuvoton, Cirrus Logic. QEMU (1234) is none of them: its controller is the lab's GPU.
const SCREEN_VENDORS: [u16; 8] = [0x1a03, 0x102b, 0x126f, 0x19a2, 0x18ca, 0x19e5, 0x1050, 0x1013];

impl DeviceKind {
    /// The kind of a PCI function by its class; `None` if there is no function at this address.
    pub fn of_function(source: &Source, address: PciAddress) -> Option<Self> {
        let found = pci::function(&Attributes::new(source), &address.to_string())?;
        Some(Self::for_class(found.function.class?, found.function.vendor))
    }

    /// The kind by PCI class, else by the names that drivers gave it: some paravirtual devices have
    /// no class of their own.
    pub(crate) fn of(class: Option<u32>, vendor: Option<u16>, by_name: Option<Self>) -> Self {
        let kind = class.map_or(Self::Other, |class| Self::for_class(class, vendor));
        match kind {
            Self::Other | Self::Bridge => by_name.unwrap_or(kind),
            known => known,
        }
    }

    /// The kind by base class and subclass (PCI Code and ID Assignment Specification 1.16).
    fn for_class(class: u32, vendor: Option<u16>) -> Self {
        match (class >> 16, class >> 8 & 0xff) {
            (0x01, _) => Self::Disk,
            (0x02, _) | (0x0c, 0x06) => Self::Network,
            (0x03, 0x00) if !vendor.is_some_and(|vendor| GPU_VENDORS.contains(&vendor)) => {
                Self::Display
            }
            // Controllers without VGA: most are GPUs, of more vendors than a list has.
            (0x03, 0x80) if vendor.is_some_and(|vendor| SCREEN_VENDORS.contains(&vendor)) => {
                Self::Display
            }
            (0x03, _) => Self::Gpu,
            // AMD's GPUs without a screen.
            (0x12, _) if vendor == Some(0x1002) => Self::Gpu,
            (0x05, 0x02) => Self::Cxl,
            (0x06, _) => Self::Bridge,
            (0x0b, 0x40) | (0x12, _) => Self::Accelerator,
            (0x0c, 0x03) => Self::Usb,
            _ => Self::Other,
        }
    }

    /// Whether it is listed without a request for all functions.
    pub fn is_usual(self) -> bool {
        !matches!(self, Self::Bridge | Self::Other)
    }

    /// The kind that users write before a name: `gpu:0`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Accelerator => "acc",
            Self::Network => "nic",
            Self::Disk => "disk",
            Self::Cxl => "cxl",
            Self::Dax => "dax",
            Self::Usb => "usb",
            Self::Display => "vga",
            Self::Bridge => "bridge",
            Self::Other => "pci",
        }
    }

    /// A listed kind by its word or label, in any letters.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let listed = [
            Self::Gpu,
            Self::Accelerator,
            Self::Network,
            Self::Disk,
            Self::Cxl,
            Self::Dax,
            Self::Usb,
            Self::Display,
        ];
        listed.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word))
    }

    /// The prefix of labels, as `nvidia-smi topo -m` has them: `GPU0`, `NIC0`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Gpu => "GPU",
            Self::Accelerator => "ACC",
            Self::Network => "NIC",
            Self::Disk => "DISK",
            Self::Cxl => "CXL",
            Self::Dax => "DAX",
            Self::Usb => "USB",
            Self::Display => "VGA",
            Self::Bridge => "BRIDGE",
            Self::Other => "PCI",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_decide_whether_a_display_controller_is_a_gpu() {
        let kind = |class, vendor| DeviceKind::of(Some(class), Some(vendor), None);
        for (vendor, vga, other) in [
            (0x1002, DeviceKind::Gpu, DeviceKind::Gpu),
            // An unknown vendor.
            (0x1d94, DeviceKind::Display, DeviceKind::Gpu),
            (0x1a03, DeviceKind::Display, DeviceKind::Display),
            (0x102b, DeviceKind::Display, DeviceKind::Display),
        ] {
            assert_eq!((kind(0x03_00_00, vendor), kind(0x03_80_00, vendor)), (vga, other));
            assert_eq!(kind(0x03_02_00, vendor), DeviceKind::Gpu);
        }
    }
}
