//! Moves a process's pages to nodes: all at once by migrate_pages(2), then those that stayed one by
//! one by move_pages(2), which reports why.

use nearfar_machine::process::NumaMaps;
use nearfar_machine::{PageSizes, Process, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{PlaceError, migrate_process};
use serde::Serialize;

use super::stayed::{self, UnmovedMemory};
use crate::by_node::{BytesByNode, sizes_of};
use crate::error::ProcessError;
use crate::memory::ProcessMemory;

/// The result of moving a process's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PagesMoved {
    /// Its memory before.
    pub before: BytesByNode,
    /// Its memory now.
    pub after: BytesByNode,
    /// Memory that is on other nodes than the requested ones now.
    #[serde(rename = "elsewhere_bytes")]
    pub elsewhere: Bytes,
    /// The reasons that the kernel reports, the one with the most memory first.
    pub stayed: Vec<UnmovedMemory>,
}

impl PagesMoved {
    /// Memory that moved to the requested nodes. What the process allocated or freed meanwhile does
    /// not count.
    pub fn moved(&self, nodes: &NodeSet) -> Bytes {
        let elsewhere = |sizes: &BytesByNode| sizes.total().0.saturating_sub(sizes.on_any(nodes).0);
        let came = self.after.on_any(nodes).0.saturating_sub(self.before.on_any(nodes).0);
        Bytes(came.min(elsewhere(&self.before).saturating_sub(elsewhere(&self.after))))
    }

    /// Whether none of its own pages stayed.
    pub fn is_complete(&self) -> bool {
        self.stayed.iter().all(|stayed| stayed.is_shared)
    }
}

/// Moves all pages that are on other nodes to these.
pub(super) fn move_to(
    source: &Source,
    process: &Process<'_>,
    nodes: &NodeSet,
) -> Result<PagesMoved, ProcessError> {
    let sizes = PageSizes::read(source);
    let before = by_node(&process.numa_maps()?, sizes);
    let from = before.nodes().difference(nodes);
    if !from.is_empty() {
        match migrate_process(process.pid, &from, nodes) {
            // Some moved before the nodes were full; the others are tried below.
            Ok(_) | Err(PlaceError::NodesFull { .. }) => {}
            Err(refusal) => return Err(explained(process, nodes, refusal)),
        }
    }
    let memory = ProcessMemory::read(source, process.pid)?;
    if memory.by_node().nodes().is_subset(nodes) {
        return Ok(PagesMoved {
            before,
            after: memory.by_node(),
            elsewhere: Bytes(0),
            stayed: Vec::new(),
        });
    }
    let stayed = stayed::retry(&memory, nodes);
    let after = by_node(&process.numa_maps()?, sizes);
    let elsewhere = Bytes(after.total().0.saturating_sub(after.on_any(nodes).0));
    Ok(PagesMoved { before, after, elsewhere, stayed: stayed.into_list(elsewhere) })
}

/// The kernel also returns EPERM for nodes outside the other process's cpuset.
fn explained(process: &Process<'_>, nodes: &NodeSet, refusal: PlaceError) -> ProcessError {
    let allowed = process.status().ok().and_then(|status| status.nodes);
    match (allowed, &refusal) {
        (Some(allowed), PlaceError::NotYourProcess { pid, .. }) if !nodes.is_subset(&allowed) => {
            ProcessError::OutsideCpuset { pid: *pid, nodes: nodes.clone(), allowed }
        }
        _ => refusal.into(),
    }
}

fn by_node(maps: &NumaMaps, sizes: PageSizes) -> BytesByNode {
    maps.mappings.iter().flat_map(|mapping| sizes_of(&mapping.pages, sizes.of(mapping))).collect()
}
