//! What is not known.

use serde::{Deserialize, Deserializer, Serialize};

/// Something that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum OpenQuestion {
    /// What the kernel's rules could not decide, in the words of nearfar-linux.
    Rule {
        /// What.
        text: String,
    },
    /// What the log lacks, in the words of whoever read it.
    Log {
        /// What.
        text: String,
    },
    /// No table of firmware was there to read.
    NoTable,
    /// A file may be the SRAT, and could not be read.
    UnreadableSrat {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// These are not all tables of a machine: they have neither a SRAT nor a MADT.
    NoSratNoMadt,
    /// The SLIT has several domains, and no SRAT was sent.
    SratNotSent {
        /// The SLIT's domains.
        domains: usize,
    },
    /// The distances: no SLIT was sent.
    SlitNotSent,
    /// Whether there is more than one memory.
    Memories {
        /// Whether the CPU model is known; how many memories it has is not.
        model_known: bool,
        /// Whether the number of packages is known.
        packages_known: bool,
        /// Whether what the kernel calls packages may be clusters of cores.
        may_be_clusters: bool,
    },
    /// There is no sysfs and no log that tells of nodes.
    NoSysfsNoLog,
    /// There is one node, and no log that tells why.
    NoLog,
    /// A sentence of an older document (`nearfar.diagnosis/1`), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}

/// A list; older documents have a sentence, or null.
pub(super) fn list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<OpenQuestion>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Why {
        Sentence(String),
        Questions(Vec<OpenQuestion>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Why::Sentence(sentence)) => vec![OpenQuestion::Sentence(sentence)],
        Some(Why::Questions(questions)) => questions,
    })
}
