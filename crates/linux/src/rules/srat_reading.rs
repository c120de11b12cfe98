//! What reading the SRAT comes to, entry by entry.

use std::collections::BTreeSet;

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::{Affinity, Entry};
use nearfar_model::{NodeId, ProximityDomain};

use super::block::Block;
use super::domains::Domains;
use super::draft::Draft;
use super::evidence::{bare, entry_bytes};
use crate::cause::{Cause, Effect};
use crate::circumstances::Circumstances;

/// What was read of the SRAT.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) domains: Domains,
    /// Nodes that an enabled entry names.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// CPUs by the id that their entries name (APIC id on x86, the MADT's number elsewhere), and
    /// their nodes.
    pub(super) cpus: Vec<(u64, NodeId)>,
    pub(super) blocks: Vec<Block>,
    /// How many entries about memory were taken.
    pub(super) memory_entries: usize,
    /// "SRAT not used": one entry spoils the table.
    pub(super) disabled: bool,
    /// The walk could not go to the end.
    pub(super) broken: bool,
}

/// What the readers of entries look at.
pub(super) struct Table<'a, 'b> {
    pub(super) circumstances: &'b Circumstances<'a>,
    pub(super) file: &'a TableFile,
    pub(super) draft: &'b mut Draft,
}

impl Table<'_, '_> {
    /// One entry spoils the whole table.
    pub(super) fn spoil(&mut self, reading: &mut Reading, entry: &Entry<Affinity>, cause: Cause) {
        self.draft.cause(cause.shows([entry_bytes(self.file, entry)]));
        reading.disabled = true;
    }
}

/// A domain that this kernel has no room for.
pub(super) fn too_many(
    circumstances: &Circumstances<'_>,
    reading: &Reading,
    domain: ProximityDomain,
    source: &'static str,
) -> Cause {
    let what = if domain.0 >= reading.domains.most() {
        format!(
            "an entry names domain {domain}; this kernel knows domains below {}",
            reading.domains.most()
        )
    } else {
        format!(
            "the SRAT names more than {} domains, for which this kernel has room",
            circumstances.max_nodes
        )
    };
    bare("too-many-domains", Effect::Numa, what, source).versions(
        "how many domains a kernel has room for is set when it is built (CONFIG_NODES_SHIFT)",
    )
}
