//! Advice for findings.

use serde::{Deserialize, Serialize};

use crate::memory_design::MemorySplit;
use crate::vendor::Vendor;

/// The advice. A `vendor` selects the names of settings; null where it is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Advice {
    /// The text of `docs/diagnosis.md` for the finding's code.
    OfCode,
    /// Remove this option from the kernel's command line.
    TakeOff {
        /// The option.
        option: String,
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
    /// A sentence of an older document (`nearfar.diagnosis/1`), unchanged.
    #[serde(untagged)]
    Sentence(String),
}
