//! A node of a described machine.

use nearfar_model::{Bytes, CpuSet, NodeId};
use serde::{Deserialize, Deserializer, Serialize};

/// CPUs, memory, or both, that are near each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeDescription {
    /// Its number; Linux takes it over where firmware describes nodes.
    pub(crate) id: NodeId,
    /// Its CPUs, in the kernel's list form ("0-3"). Absent: none, as on a memory expander.
    #[serde(default)]
    pub(crate) cpus: CpuSet,
    /// How much memory it has ("256M"). Absent: none.
    #[serde(default, deserialize_with = "size", rename(serialize = "memory_bytes"))]
    pub(crate) memory: Option<Bytes>,
}

impl NodeDescription {
    /// Whether it has CPUs.
    pub(crate) fn has_cpus(&self) -> bool {
        !self.cpus.is_empty()
    }
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bytes>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}
