//! How does a *program* get its place? What numactl is asked for, from words to system calls.
//!
//! 1. [`LaunchRequest::parse`] reads the words, numactl's in numactl's order, and knows nothing of
//!    the machine.
//! 2. [`LaunchRequest::check`] holds their lists against a machine: a [`Launch`], or one line why
//!    not.
//! 3. [`Placement::apply`] puts it into force for this thread, and so for the program that it
//!    becomes.
//!
//! What there is to choose among is a [`Hardware`]; what this thread has, and a program started by
//! it would get, a [`ThreadPolicy`]. A launch can be explained instead ([`Explanation`]), or
//! translated for another system's ([`Translation`]); where the pages of a started program really
//! are is [`Watched`].
//!
//! ```
//! use nearfar_process::launch::{Dialect, LaunchRequest, LaunchTask};
//! use nearfar_machine::Source;
//!
//! let node = "/sys/devices/system/node";
//! let source = Source::from_files([
//!     (format!("{node}/online"), "0,4"),
//!     (format!("{node}/has_memory"), "0,4"),
//!     (format!("{node}/has_cpu"), "0"),
//!     (format!("{node}/node0/cpulist"), "0-3"),
//!     ("/sys/devices/system/cpu/online".to_owned(), "0-3"),
//! ]);
//! let words = ["-N", "0", "-m", "all", "ls", "-l"].map(Into::into);
//! let request = LaunchRequest::parse(words.into(), Dialect::Numactl)?;
//! assert_eq!(request.task, LaunchTask::Run(vec!["ls".into(), "-l".into()]));
//! let launch = request.check(&source)?;
//! assert_eq!(launch.placement.cpus.unwrap().cpus.to_string(), "0-3");
//! assert_eq!(launch.placement.memory.unwrap().nodes().unwrap().to_string(), "0,4");
//! # Ok::<(), nearfar_process::launch::LaunchError>(())
//! ```
//!
//! Nothing here prints or starts a program. Sentences stand in [`text`].

mod as_system;
mod check;
mod error;
mod near;
mod options;
mod order;
mod placement;
mod request;
mod shared;
mod show;
pub mod size;
pub mod text;
mod weights;
mod words;

use std::path::Path;

use nearfar_machine::{InterleaveWeights, Node, NodeTable, Source};
use nearfar_model::{DistanceMatrix, NodeId};
use nearfar_place::{PlaceError, set_weight};
use serde::Serialize;
use thiserror::Error;

pub use as_system::{ConfigSnippet, System, Translation};
pub use check::Launch;
pub use error::LaunchError;
pub use near::NearPlacement;
pub use options::{Dialect, OptionName, OptionSpelling, ValueKind, options};
pub use placement::{CpuChoice, MemoryChoice, Placement};
pub use request::{LaunchRequest, LaunchTask};
pub use shared::{
    MisplacedStretch, NodeStretch, PolicyStretch, SharedAnswer, SharedName, SharedStep, SharedWork,
};
pub use show::{SHOW_SCHEMA, ThreadPolicy};
pub use text::explanation::{
    CpusExplained, Explanation, KernelFacts, MemoryExplained, MissingFeature, NearClaims,
    NearExplained, NodeMemoryExplained,
};
pub use text::watched::{BytesOnNode, MemoryByNode, Watched};
pub use weights::Weights;

/// The name and version of the document.
pub const HARDWARE_SCHEMA: &str = "nearfar.hardware/1";

/// The nodes of a machine, as a document.
///
/// Nodes without CPUs and nodes without memory are nodes like others; ids have gaps where the
/// kernel's have.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Hardware {
    /// [`HARDWARE_SCHEMA`].
    pub schema: &'static str,
    /// Whether the kernel supports NUMA (`CONFIG_NUMA`). Without it all else is empty.
    pub numa_supported: bool,
    /// The nodes that are online, ascending.
    pub nodes: Vec<Node>,
    /// What firmware claims about distances, where the kernel shows it.
    pub distances: Option<DistanceMatrix>,
    /// Implausible values of the kernel, one line each.
    pub oddities: Vec<String>,
}

impl Hardware {
    /// Reads the nodes of a machine, live or captured.
    pub fn read(source: &Source) -> Self {
        let table = NodeTable::read(source);
        let numa_supported = table.is_some();
        let NodeTable { nodes, distances, oddities } = table.unwrap_or_default();
        Self { schema: HARDWARE_SCHEMA, numa_supported, nodes, distances, oddities }
    }
}

/// Why weights are not set.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// A node has no weight.
    #[error("--weights: node {0} has no weight: 'nearfar run --weights' lists nodes with one")]
    NoWeight(NodeId),
    /// The kernel refused one.
    #[error("--weights {node}={weight}")]
    Refused {
        /// The node.
        node: NodeId,
        /// Its weight.
        weight: u8,
        /// Why not.
        source: PlaceError,
    },
}

impl Weights {
    /// Sets all weights, or none if a node has no weight.
    ///
    /// # Errors
    ///
    /// A node has no weight, or the kernel refuses one.
    pub fn set(&self, source: &Source) -> Result<(), WeightsError> {
        let there = InterleaveWeights::read(source).map(|read| read.weights).unwrap_or_default();
        let missing = self.0.keys().find(|node| !there.is_empty() && !there.contains_key(node));
        if let Some(&node) = missing {
            return Err(WeightsError::NoWeight(node));
        }
        for (&node, &weight) in &self.0 {
            let file = InterleaveWeights::path_of(node);
            set_weight(Path::new(&file), weight).map_err(|source| WeightsError::Refused {
                node,
                weight,
                source,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_only_nodes_are_nodes() {
        let files = [
            ("online", "0,4"),
            ("node0/cpulist", "0-1"),
            ("node0/meminfo", "Node 0 MemTotal: 2048 kB\nNode 0 MemFree: 1024 kB"),
            ("node4/cpulist", ""),
            ("node4/meminfo", "Node 4 MemTotal: 4096 kB\nNode 4 MemFree: 4096 kB"),
        ];
        let source = Source::from_files(
            files.map(|(name, text)| (format!("/sys/devices/system/node/{name}"), text)),
        );
        let document = serde_json::to_value(Hardware::read(&source)).unwrap();
        assert_eq!(document["schema"], HARDWARE_SCHEMA);
        assert_eq!(document["nodes"][1]["id"], 4);
        assert_eq!(document["nodes"][1]["cpus"], "");
        assert_eq!(document["nodes"][1]["memory"]["total_bytes"], 4 << 20);
        assert!(document["distances"].is_null());
    }

    #[test]
    fn a_kernel_without_numa_has_no_nodes() {
        let hardware =
            Hardware::read(&Source::from_files([("/sys/devices/system/cpu/online", "0")]));
        assert!(!hardware.numa_supported && hardware.nodes.is_empty());
    }
}
