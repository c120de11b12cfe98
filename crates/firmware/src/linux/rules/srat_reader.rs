//! The state of reading the SRAT, entry by entry.

use std::collections::BTreeSet;

use nearfar_model::{NodeId, ProximityDomain};

use super::DomainNodes;
use super::MemoryBlock;
use super::PredictionDraft;
use super::evidence::{bare, entry_bytes};
use crate::TableFile;
use crate::acpi::{Affinity, TableEntry};
use crate::linux::prediction_input::PredictionInput;
use crate::linux::{CauseEffect, KernelCause};

#[derive(Debug, Default)]
pub(super) struct SratContents {
    pub(super) domains: DomainNodes,
    /// Nodes with an enabled entry.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// CPUs by ID (APIC ID on x86, UID in the MADT elsewhere), and their nodes.
    pub(super) cpus: Vec<(u64, NodeId)>,
    pub(super) blocks: Vec<MemoryBlock>,
    /// Number of used memory entries.
    pub(super) memory_entries: usize,
    /// "SRAT not used": one entry disables the table.
    pub(super) disabled: bool,
    /// The iteration did not reach the end.
    pub(super) broken: bool,
}

/// The context of the functions that read entries.
pub(super) struct SratReader<'a, 'b> {
    pub(super) input: &'b PredictionInput<'a>,
    pub(super) file: &'a TableFile,
    pub(super) draft: &'b mut PredictionDraft,
}

impl SratReader<'_, '_> {
    /// One entry disables the whole table.
    pub(super) fn disable(
        &mut self,
        reading: &mut SratContents,
        entry: &TableEntry<Affinity>,
        cause: KernelCause,
    ) {
        self.draft.cause(cause.with_evidence([entry_bytes(self.file, entry)]));
        reading.disabled = true;
    }
}

/// The cause for a domain that this kernel does not support.
pub(super) fn too_many(
    input: &PredictionInput<'_>,
    reading: &SratContents,
    domain: ProximityDomain,
    source: &'static str,
) -> KernelCause {
    let what = if domain.0 >= reading.domains.most() {
        format!(
            "an entry has domain {domain}; this kernel supports domains below {}",
            reading.domains.most()
        )
    } else {
        format!("the SRAT has more than {} domains, this kernel's maximum", input.max_nodes)
    };
    bare("too-many-domains", CauseEffect::Numa, what, source).with_versions(
        "the maximum number of domains is set when the kernel is built (CONFIG_NODES_SHIFT)",
    )
}
