//! What a witness says, in figures.

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// One thing that a witness says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum WitnessStatement {
    /// Firmware: there is no SRAT.
    NoSrat {
        /// The tables that there are.
        tables: Vec<String>,
    },
    /// Firmware: the SRAT's file is no table.
    SratNoTable {
        /// The file.
        path: String,
    },
    /// Firmware: what the SRAT's enabled entries name.
    Srat {
        /// Domains.
        domains: usize,
        /// CPUs.
        cpus: usize,
        /// Ranges of memory.
        ranges: usize,
    },
    /// Firmware: other tables about nodes.
    AlsoTables {
        /// Their names.
        tables: Vec<String>,
    },
    /// Firmware: the device tree names no node.
    TreeNamesNoNode,
    /// Firmware: the device tree names nodes.
    TreeNames {
        /// How many.
        nodes: usize,
        /// Whether it has a map of distances.
        distances: bool,
    },
    /// Firmware: what the tables say is for root only.
    AllForRoot,
    /// Firmware: these tables are for root only.
    ForRoot {
        /// Their names.
        tables: Vec<String>,
    },
    /// Firmware: there is no table and no device tree.
    NoFirmware,
    /// Processors: what they are called.
    CpuModel {
        /// The name.
        name: String,
    },
    /// Processors: packages in use.
    Packages {
        /// How many.
        packages: usize,
    },
    /// Processors: this is a guest.
    GuestOf {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Processors: no hypervisor is seen.
    NoHypervisor,
    /// Processors: nothing tells of them.
    NoCpus,
    /// Memory slots: there is no SMBIOS.
    NoSmbios,
    /// Memory slots: for root only.
    SlotsForRoot,
    /// Memory slots: what should be SMBIOS is none.
    NonsenseSmbios {
        /// Why.
        why: String,
    },
    /// Memory slots: what they hold.
    Modules {
        /// Slots with a module.
        filled: usize,
        /// All slots.
        slots: usize,
        /// What the modules hold together.
        bytes: u64,
    },
    /// Memory slots: what sockets hold.
    Sockets {
        /// Sockets with a processor.
        filled: usize,
        /// All sockets.
        sockets: usize,
    },
    /// Kernel: the words about NUMA on its command line; none where there are none.
    CommandLine {
        /// The words.
        words: Vec<String>,
    },
    /// Kernel: a line of its log.
    LogLine {
        /// The line.
        text: String,
        /// Its number.
        line: usize,
    },
    /// Kernel: the log of the boot tells of no fault.
    NoFault,
    /// Kernel: what the log lacks, in the words of whoever read it.
    LogMissing {
        /// What.
        text: String,
    },
    /// Kernel: there is no command line and no log.
    NoKernel,
    /// Sysfs: there is none.
    NoSysfs,
    /// Sysfs: no folder of nodes.
    NoNuma,
    /// Sysfs: no node is online.
    NoNodeOnline,
    /// Sysfs: what the only node that is online holds.
    OneNode {
        /// Which.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// Its CPUs; null where it has all.
        cpus: Option<usize>,
        /// CPUs that are online.
        cpus_online: usize,
        /// What it has of the machine's memory.
        memory: NodeMemory,
        /// Nodes that are offline, in list form.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        offline: NodeSet,
    },
    /// Sysfs: the nodes that are online.
    Nodes {
        /// Which, in list form.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        nodes: NodeSet,
    },
    /// Sysfs: the machine's memory.
    Memory {
        /// How much.
        bytes: u64,
    },
    /// A sentence of an older document (`nearfar.diagnosis/1`), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}

/// What the only node has of the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NodeMemory {
    /// All of it.
    All,
    /// A part.
    Part {
        /// What it has.
        bytes: u64,
        /// What the machine has.
        of_bytes: u64,
    },
    /// Not known.
    Unknown,
}
