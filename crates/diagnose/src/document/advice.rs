//! Advice for findings.

use serde::{Deserialize, Serialize};

use crate::memory_design::MemorySplit;
use crate::vendor::Vendor;

/// What has the kernel's command line on this machine.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum BootConfig {
    /// GRUB: servers and desktops with UEFI or a BIOS.
    #[default]
    Grub,
    /// `cmdline.txt` of a Raspberry Pi.
    RaspberryPi,
    /// U-Boot or another loader of a board with a device tree.
    BoardLoader,
    /// zipl of IBM Z.
    Zipl,
}

/// The advice. A `vendor` selects the names of settings; null where it is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Advice {
    /// The text of `docs/why/diagnosis.md` for the finding's code.
    OfCode,
    /// Remove this option from the kernel's command line.
    TakeOff {
        /// The option.
        option: String,
        /// What has the kernel's command line.
        #[serde(default)]
        boot: BootConfig,
    },
    /// Configure virtual nodes for this guest in the hypervisor.
    VirtualNodes {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Disable interleaving over packages, so that firmware reports nodes.
    ShowNodes {
        /// The machine's vendor.
        vendor: Option<Vendor>,
        /// The setting that also splits a package's memory; null where there is none.
        split: Option<MemorySplit>,
    },
    /// The same, on condition that the machine has several memories, which is unknown.
    ShowNodesIfSeveral {
        /// The machine's vendor.
        vendor: Option<Vendor>,
    },
    /// Split a package's memory.
    SplitPackage {
        /// The machine's vendor.
        vendor: Option<Vendor>,
        /// The setting.
        split: MemorySplit,
    },
    /// Correct the tables that the hypervisor writes.
    HypervisorTables {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Give this guest's nodes memory in the hypervisor.
    VirtualMemory {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Let a guest's nodes follow its packages, caches and cores, in the hypervisor.
    VirtualCells {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Give a guest's device a node in the hypervisor.
    VirtualDevice {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Put modules into sockets without memory, or look for firmware that describes them.
    ModulesOrFirmware,
    /// Leave interleaving over emulated nodes on, or measure whether it pays.
    MeasureInterleaving,
    /// Install a newer BIOS, or report the fault to its vendor.
    NewerFirmware {
        /// The machine's vendor.
        vendor: Option<Vendor>,
    },
    /// Make all memory of the modules available to the kernel.
    AllMemory {
        /// The machine's vendor.
        vendor: Option<Vendor>,
    },
}
