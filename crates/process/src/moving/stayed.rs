//! Pages that did not move, and why: move_pages(2) tries each once more and reports its status.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{PlaceError, Residence, move_process_pages, process_residences};
use serde::Serialize;

use crate::mapping::MappingMemory;
use crate::memory::ProcessMemory;

/// Pages of one call.
const AT_ONCE: usize = 16 << 10;
/// Pages tried at most: sparse mappings may have far more addresses than pages.
const MAX_PAGES: u64 = 1 << 18;

/// Memory that did not move, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UnmovedMemory {
    /// The reason.
    pub why: String,
    /// Size.
    pub bytes: Bytes,
    /// Whether other processes share it.
    #[serde(rename = "shared")]
    pub is_shared: bool,
}

/// Reasons, with the memory that stayed for each.
#[derive(Debug, Default)]
pub(super) struct UnmovedReasons {
    reasons: BTreeMap<(String, bool), Bytes>,
    /// Why the call failed: the process has ended, or the call is denied.
    failure: Option<String>,
    tried: u64,
}

/// A mapping whose pages are tried once more.
struct MappingQuery<'m> {
    pid: u32,
    mapping: &'m MappingMemory,
    /// The size of its pages.
    size: Bytes,
    nodes: &'m NodeSet,
    /// The requested node with the most free memory.
    target: NodeId,
}

/// Tries the pages of all mappings that are not on the requested nodes. Those that move now have no
/// reason.
pub(super) fn retry(memory: &ProcessMemory, nodes: &NodeSet) -> UnmovedReasons {
    let mut reasons = UnmovedReasons::default();
    let Some(target) =
        nodes.iter().max_by_key(|node| memory.around.node(*node).and_then(|node| node.free))
    else {
        return reasons;
    };
    for mapping in
        memory.mappings.iter().filter(|mapping| !mapping.by_node.nodes().is_subset(nodes))
    {
        if let Some(size) = mapping.page_size.filter(|size| size.0 > 0) {
            reasons.retry_mapping(&MappingQuery { pid: memory.pid, mapping, size, nodes, target });
        }
    }
    reasons
}

impl MappingQuery<'_> {
    /// Whether a page is on another node than the requested ones.
    fn is_elsewhere(&self, page: &Residence) -> bool {
        page.node().is_some_and(|node| !self.nodes.contains(node))
    }

    /// Tries to move the pages that are elsewhere, and returns the status of those that still are.
    /// For a transparent huge page, the kernel reports all but the first base page as busy, and
    /// moves them with the first. So a status counts only if the page is still elsewhere.
    fn retry(&self, pages: &[u64]) -> Result<Vec<Residence>, PlaceError> {
        let found = process_residences(self.pid, pages)?;
        let elsewhere = pages.iter().zip(&found).filter(|(_, found)| self.is_elsewhere(found));
        let wanted: Vec<(u64, NodeId)> = elsewhere.map(|(page, _)| (*page, self.target)).collect();
        let statuses = move_process_pages(self.pid, &wanted)?;
        let addresses: Vec<u64> = wanted.iter().map(|(page, _)| *page).collect();
        let now = process_residences(self.pid, &addresses)?;
        Ok(statuses
            .into_iter()
            .zip(&now)
            .filter(|(_, now)| self.is_elsewhere(now))
            .map(|(status, _)| status)
            .collect())
    }

    /// The reason that a page's status gives.
    fn why(&self, status: &Residence) -> String {
        match status {
            Residence::Unknown(why) => why.clone(),
            _ if self.mapping.mapped_by_others => {
                "other processes map it too: only CAP_SYS_NICE moves it".to_owned()
            }
            _ => format!("the kernel gives no reason: pinned, or nodes {} are full", self.nodes),
        }
    }
}

impl UnmovedReasons {
    fn retry_mapping(&mut self, query: &MappingQuery<'_>) {
        let Some(end) = query.mapping.end else { return };
        let step = usize::try_from(query.size.0).unwrap_or(usize::MAX);
        let mut pages = (query.mapping.start..end).step_by(step).peekable();
        while pages.peek().is_some() && self.tried < MAX_PAGES && self.failure.is_none() {
            let batch: Vec<u64> = pages.by_ref().take(AT_ONCE).collect();
            self.tried += batch.len() as u64;
            match query.retry(&batch) {
                Ok(statuses) => statuses.iter().for_each(|status| self.add(query, status)),
                Err(refusal) => self.failure = Some(refusal.to_string()),
            }
        }
    }

    fn add(&mut self, query: &MappingQuery<'_>, status: &Residence) {
        let sum =
            self.reasons.entry((query.why(status), query.mapping.mapped_by_others)).or_default();
        *sum = *sum + query.size;
    }

    /// The reasons, the one with the most memory first; pages that were not tried have their own.
    pub(super) fn into_list(self, elsewhere: Bytes) -> Vec<UnmovedMemory> {
        let stayed = self.reasons.into_iter().map(|((why, is_shared), bytes)| UnmovedMemory {
            why,
            bytes,
            is_shared,
        });
        let mut reasons: Vec<UnmovedMemory> = stayed.collect();
        let known: Bytes = reasons.iter().map(|reason| reason.bytes).sum();
        if known < elsewhere {
            let why = self
                .failure
                .unwrap_or_else(|| "not tried page by page: too many, or new".to_owned());
            reasons.push(UnmovedMemory {
                why,
                bytes: Bytes(elsewhere.0 - known.0),
                is_shared: false,
            });
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.bytes));
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_add_up_to_the_unmoved_memory() {
        let mut unmoved = UnmovedReasons::default();
        unmoved.reasons.insert(("busy".into(), false), Bytes::kib(8));
        unmoved.reasons.insert(("others".into(), true), Bytes::kib(64));
        let reasons = unmoved.into_list(Bytes::kib(80));
        let listed: Vec<(&str, u64)> =
            reasons.iter().map(|reason| (reason.why.as_str(), reason.bytes.0 >> 10)).collect();
        assert_eq!(
            listed,
            [("others", 64), ("busy", 8), ("not tried page by page: too many, or new", 8)]
        );
    }

    #[test]
    fn a_denied_call_is_the_reason_for_the_rest() {
        let failure = Some("move_pages was refused".into());
        let unmoved = UnmovedReasons { failure, ..UnmovedReasons::default() };
        assert_eq!(unmoved.into_list(Bytes(4096))[0].why, "move_pages was refused");
        assert!(UnmovedReasons::default().into_list(Bytes(0)).is_empty());
    }
}
