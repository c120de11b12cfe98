//! What is so, where a finding's code does not say it all.

use serde::{Deserialize, Serialize};

/// What is so, with its figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FindingDetail {
    /// What the kernel's rules say, in the words of nearfar-linux.
    Rule {
        /// A clause.
        clause: String,
    },
    /// Everything is in one domain: a guest's; what its host has is not known.
    OneDomainOfGuest,
    /// Everything is in one domain; whether there is more than one memory is not known.
    OneDomainOfUnknown,
    /// Everything is in one domain, and this CPU's memory can be split into more.
    OneDomainToSplit,
    /// Everything is in one domain.
    OneDomain,
    /// Everything is in one domain, and there is more than one memory.
    OneDomainOfSeveral,
    /// Nodes are made up by numa=fake=, and say nothing about memory.
    NodesMadeUp,
    /// The tables make other nodes than the kernel has.
    NodesDiffer {
        /// How many the tables make.
        tables: usize,
        /// How many the kernel has.
        kernel: usize,
    },
    /// The tables make nodes, and the kernel's log found none.
    LogFoundNone {
        /// How many the tables make.
        tables: usize,
    },
    /// Sockets without a memory module.
    EmptySockets {
        /// Their names.
        sockets: Vec<String>,
    },
    /// Sockets with unequal memory.
    UnequalSockets {
        /// The least that one has.
        least_bytes: u64,
        /// The most.
        most_bytes: u64,
    },
    /// Channels of a socket with unequal memory.
    UnequalChannels {
        /// The socket; null where the board names none.
        socket: Option<String>,
        /// By how much two differ.
        by_bytes: u64,
    },
    /// Channels without a module.
    EmptyChannels {
        /// How many.
        empty: usize,
        /// Of how many.
        channels: usize,
    },
    /// The kernel has less memory than the modules hold.
    MemoryLeftOut {
        /// What the modules hold.
        modules_bytes: u64,
        /// What the kernel has.
        kernel_bytes: u64,
    },
    /// A sentence of an older document (`nearfar.diagnosis/1`), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}
