//! What reading the SRAT comes to, entry by entry.

use std::collections::BTreeSet;

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::{Affinity, TableEntry};
use nearfar_model::{NodeId, ProximityDomain};

use super::block::MemoryBlock;
use super::domains::DomainNodes;
use super::draft::PredictionDraft;
use super::evidence::{bare, entry_bytes};
use crate::cause::{CauseEffect, KernelCause};
use crate::prediction_input::PredictionInput;

/// What was read of the SRAT.
#[derive(Debug, Default)]
pub(super) struct SratContents {
    pub(super) domains: DomainNodes,
    /// Nodes that an enabled entry names.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// CPUs by the id that their entries name (APIC id on x86, the MADT's number elsewhere), and
    /// their nodes.
    pub(super) cpus: Vec<(u64, NodeId)>,
    pub(super) blocks: Vec<MemoryBlock>,
    /// How many entries about memory were taken.
    pub(super) memory_entries: usize,
    /// "SRAT not used": one entry spoils the table.
    pub(super) disabled: bool,
    /// The walk could not go to the end.
    pub(super) broken: bool,
}

/// What the readers of entries look at.
pub(super) struct SratReader<'a, 'b> {
    pub(super) input: &'b PredictionInput<'a>,
    pub(super) file: &'a TableFile,
    pub(super) draft: &'b mut PredictionDraft,
}

impl SratReader<'_, '_> {
    /// One entry spoils the whole table.
    pub(super) fn spoil(
        &mut self,
        reading: &mut SratContents,
        entry: &TableEntry<Affinity>,
        cause: KernelCause,
    ) {
        self.draft.cause(cause.shows([entry_bytes(self.file, entry)]));
        reading.disabled = true;
    }
}

/// A domain that this kernel has no room for.
pub(super) fn too_many(
    input: &PredictionInput<'_>,
    reading: &SratContents,
    domain: ProximityDomain,
    source: &'static str,
) -> KernelCause {
    let what = if domain.0 >= reading.domains.most() {
        format!(
            "an entry names domain {domain}; this kernel knows domains below {}",
            reading.domains.most()
        )
    } else {
        format!(
            "the SRAT names more than {} domains, for which this kernel has room",
            input.max_nodes
        )
    };
    bare("too-many-domains", CauseEffect::Numa, what, source).versions(
        "how many domains a kernel has room for is set when it is built (CONFIG_NODES_SHIFT)",
    )
}
