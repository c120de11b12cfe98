//! Missing information.

use nearfar_model::NodeSet;
use serde::{Deserialize, Serialize};

/// A piece of missing information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum OpenQuestion {
    /// A rule of the kernel that could not be decided, as a clause.
    Rule {
        /// The text.
        text: String,
    },
    /// Information that the log lacks, in the words of its reader.
    Log {
        /// The text.
        text: String,
    },
    /// There is no readable table of firmware.
    NoTable,
    /// A file may be the SRAT, and could not be read.
    UnreadableSrat {
        /// The file.
        path: String,
        /// The error.
        why: String,
    },
    /// The tables are incomplete: they have neither a SRAT nor a MADT.
    NoSratNoMadt,
    /// The SLIT has several domains, and no SRAT was sent.
    SratNotSent {
        /// Number of domains in the SLIT.
        domains: usize,
    },
    /// The distances: no SLIT was sent.
    SlitNotSent,
    /// The number of memories.
    Memories {
        /// Whether the CPU model is known, and only its number of memories is not.
        model_known: bool,
        /// Whether the number of packages is known.
        packages_known: bool,
        /// Whether the kernel's packages may be clusters of cores.
        may_be_clusters: bool,
    },
    /// There is no sysfs, and no log that mentions nodes.
    NoSysfsNoLog,
    /// Only outputs of programs were sent, and no firmware table among them.
    TablesNotSent,
    /// Only outputs of programs were sent, and no list of the machine's nodes among them.
    NodesNotSent {
        /// The nodes that these outputs name, in list form; empty where they name none.
        #[schemars(with = "String")]
        named: NodeSet,
    },
    /// There is one node, and no log that explains it.
    NoLog,
}
