//! Statements of witnesses, as figures.

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// One statement of a witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum WitnessStatement {
    /// Firmware: there is no SRAT.
    NoSrat {
        /// The existing tables.
        tables: Vec<String>,
    },
    /// Firmware: the SRAT's file is not a table.
    SratNoTable {
        /// The file.
        path: String,
    },
    /// Firmware: the enabled entries of the SRAT.
    Srat {
        /// Number of domains.
        domains: usize,
        /// Number of CPUs.
        cpus: usize,
        /// Number of memory ranges.
        ranges: usize,
    },
    /// Firmware: other tables about nodes.
    AlsoTables {
        /// The tables' names.
        tables: Vec<String>,
    },
    /// Firmware: the device tree names no node.
    TreeNamesNoNode,
    /// Firmware: the device tree names nodes.
    TreeNames {
        /// Number of nodes.
        nodes: usize,
        /// Whether it has a distance map.
        distances: bool,
    },
    /// Firmware: only root can read the tables.
    AllForRoot,
    /// Firmware: only root can read these tables.
    ForRoot {
        /// The tables' names.
        tables: Vec<String>,
    },
    /// Firmware: there is no table and no device tree.
    NoFirmware,
    /// Processors: the model.
    CpuModel {
        /// The model's name.
        name: String,
    },
    /// Processors: packages in use.
    Packages {
        /// Number of packages.
        packages: usize,
    },
    /// Processors: this is a guest.
    GuestOf {
        /// The hypervisor.
        hypervisor: String,
    },
    /// Processors: they report no hypervisor.
    NoHypervisor,
    /// Processors: there is no information.
    NoCpus,
    /// Memory slots: there is no SMBIOS.
    NoSmbios,
    /// Memory slots: only root can read them.
    SlotsForRoot,
    /// Memory slots: the SMBIOS data is invalid.
    NonsenseSmbios {
        /// The error.
        why: String,
    },
    /// Memory slots: the modules.
    Modules {
        /// Slots with a module.
        filled: usize,
        /// All slots.
        slots: usize,
        /// Total size of the modules.
        bytes: u64,
    },
    /// Memory slots: the sockets.
    Sockets {
        /// Sockets with a processor.
        filled: usize,
        /// All sockets.
        sockets: usize,
    },
    /// Kernel: the options about NUMA on its command line; empty where there are none.
    CommandLine {
        /// The options.
        words: Vec<String>,
    },
    /// Kernel: parameters with a value that is none of those that are known.
    ParametersNotUnderstood {
        /// Their names.
        names: Vec<String>,
    },
    /// Kernel: what is read on a machine, and was not sent with its capture.
    NotSent {
        /// Names of parameters: unknown whether the machine has them.
        parameters: Vec<String>,
        /// Number of kinds of messages and of lines.
        messages: usize,
    },
    /// Kernel: a line of its log.
    LogLine {
        /// The text.
        text: String,
        /// The line's number.
        line: usize,
    },
    /// Kernel: the log of the boot reports no fault.
    NoFault,
    /// Kernel: information that the log lacks, in the words of its reader.
    LogMissing {
        /// The text.
        text: String,
    },
    /// Kernel: there is no command line and no log.
    NoKernel,
    /// Sysfs: there is none.
    NoSysfs,
    /// Any: only outputs of programs were sent, and none of them has it.
    NothingSent,
    /// Sysfs: there is no directory of nodes.
    NoNuma,
    /// Sysfs: no node is online.
    NoNodeOnline,
    /// Sysfs: the only online node.
    OneNode {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
        /// Number of its CPUs; null where it has all.
        cpus: Option<usize>,
        /// Number of online CPUs.
        cpus_online: usize,
        /// Its share of the machine's memory.
        memory: NodeMemoryShare,
        /// Offline nodes, in list form.
        #[schemars(with = "String")]
        offline: NodeSet,
    },
    /// Sysfs: the online nodes.
    Nodes {
        /// The nodes, in list form.
        #[schemars(with = "String")]
        nodes: NodeSet,
    },
    /// Sysfs: the machine's memory.
    Memory {
        /// The size.
        bytes: u64,
    },
}

/// The share of the only node in the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NodeMemoryShare {
    /// All of it.
    All,
    /// A part.
    Part {
        /// The node's memory.
        bytes: u64,
        /// The machine's memory.
        of_bytes: u64,
    },
    /// Unknown.
    Unknown,
}
