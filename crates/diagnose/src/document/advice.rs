//! What to do about a finding.

use serde::{Deserialize, Serialize};

use crate::memory_design::Split;
use crate::vendor::Vendor;

/// What to do. A `vendor` decides what a setting is called; null where nobody names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Advice {
    /// What `docs/diagnosis.md` says of the finding's code.
    OfCode,
    /// Take this word off the kernel's command line.
    TakeOff {
        /// The word.
        option: String,
    },
    /// Let the hypervisor give this guest nodes.
    VirtualNodes {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Let firmware keep memory of packages apart and say so.
    ShowNodes {
        /// Who made the machine.
        vendor: Option<Vendor>,
        /// How a package's memory can be split besides; null where it cannot.
        split: Option<Split>,
    },
    /// The same, only where the machine has several memories, which is not known.
    ShowNodesIfSeveral {
        /// Who made the machine.
        vendor: Option<Vendor>,
    },
    /// Split a package's memory.
    SplitPackage {
        /// Who made the machine.
        vendor: Option<Vendor>,
        /// How.
        split: Split,
    },
    /// Correct the tables that the hypervisor writes.
    HypervisorTables {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Look for a newer BIOS, or write to its vendor.
    NewerFirmware {
        /// Who made the machine.
        vendor: Option<Vendor>,
    },
    /// Let the kernel have all memory of the modules.
    AllMemory {
        /// Who made the machine.
        vendor: Option<Vendor>,
    },
    /// A sentence of an older document (`nearfar.diagnosis/1`), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}
