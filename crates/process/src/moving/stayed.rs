//! Pages that did not move, and why: each is asked to move once more, alone, and the kernel's answer is kept.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{Residence, move_process_pages, process_residences};
use serde::Serialize;

use crate::mapping::MappingMemory;
use crate::memory::ProcessMemory;

/// Pages asked about at once.
const AT_ONCE: usize = 16 << 10;
/// Pages looked at, at most: address spaces may be all holes.
const MOST_PAGES: u64 = 1 << 18;

/// Memory that stayed for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stayed {
    /// Why, in words.
    pub why: String,
    /// How much.
    pub bytes: Bytes,
    /// Whether it is memory that other processes use too, which is theirs as much.
    #[serde(rename = "shared")]
    pub is_shared: bool,
}

/// Reasons, and how much stayed for each.
#[derive(Debug, Default)]
pub(super) struct Answers {
    reasons: BTreeMap<(String, bool), Bytes>,
    /// Nothing asks any more: the process is gone, or the call is denied.
    silent: Option<String>,
    looked: u64,
}

/// Asks the pages of all mappings that have some elsewhere. Those that move now are no longer behind.
pub(super) fn ask(memory: &ProcessMemory, nodes: &NodeSet) -> Answers {
    let mut answers = Answers::default();
    let Some(target) = roomiest(memory, nodes) else { return answers };
    for mapping in &memory.mappings {
        if !mapping.by_node.nodes().is_subset(nodes) {
            answers.ask_mapping(memory, mapping, nodes, target);
        }
    }
    answers
}

/// The wanted node with most free memory: one page after another goes there.
fn roomiest(memory: &ProcessMemory, nodes: &NodeSet) -> Option<NodeId> {
    let free = |node: &NodeId| memory.around.node(*node).and_then(|node| node.free);
    nodes.iter().max_by_key(free)
}

impl Answers {
    fn ask_mapping(&mut self, memory: &ProcessMemory, mapping: &MappingMemory, nodes: &NodeSet, target: NodeId) {
        let (Some(end), Some(size)) = (mapping.end, mapping.page_size.filter(|size| size.0 > 0)) else { return };
        let pages = (mapping.start..end).step_by(usize::try_from(size.0).unwrap_or(usize::MAX));
        let mut pages = pages.peekable();
        while pages.peek().is_some() && self.looked < MOST_PAGES && self.silent.is_none() {
            let chunk: Vec<u64> = pages.by_ref().take(AT_ONCE).collect();
            self.looked += chunk.len() as u64;
            self.ask_pages(memory.pid, &chunk, mapping, size, nodes, target);
        }
    }

    fn ask_pages(
        &mut self,
        pid: u32,
        pages: &[u64],
        mapping: &MappingMemory,
        size: Bytes,
        nodes: &NodeSet,
        target: NodeId,
    ) {
        let found = match process_residences(pid, pages) {
            Ok(found) => found,
            Err(refusal) => return self.silent = Some(refusal.to_string()),
        };
        let behind = |residence: &Residence| residence.node().is_some_and(|node| !nodes.contains(node));
        let behind: Vec<(u64, NodeId)> =
            pages.iter().zip(&found).filter(|(_, found)| behind(found)).map(|(page, _)| (*page, target)).collect();
        match move_process_pages(pid, &behind) {
            Ok(answers) => answers.iter().for_each(|answer| self.note(answer, mapping, size, nodes)),
            Err(refusal) => self.silent = Some(refusal.to_string()),
        }
    }

    fn note(&mut self, answer: &Residence, mapping: &MappingMemory, size: Bytes, nodes: &NodeSet) {
        let shared = mapping.most_mapped > 1;
        let why = match answer {
            Residence::Node(node) if nodes.contains(*node) => return,
            Residence::Absent => return,
            Residence::Unknown(why) => why.clone(),
            Residence::Node(_) if shared => "other processes map it too: only CAP_SYS_NICE moves it".to_owned(),
            Residence::Node(_) => {
                format!("the kernel left it and does not say why: it is pinned, or nodes {nodes} are full")
            }
        };
        let sum = self.reasons.entry((why, shared)).or_default();
        *sum = *sum + size;
    }

    /// The reasons, the one with most memory first; what was not asked about has one of its own.
    pub(super) fn into_reasons(self, elsewhere: Bytes) -> Vec<Stayed> {
        let stayed = self.reasons.into_iter().map(|((why, is_shared), bytes)| Stayed { why, bytes, is_shared });
        let mut reasons: Vec<Stayed> = stayed.collect();
        let known: Bytes = reasons.iter().map(|reason| reason.bytes).sum();
        if known < elsewhere {
            let why = self.silent.unwrap_or_else(|| "not asked page by page: too many, or new since".to_owned());
            reasons.push(Stayed { why, bytes: Bytes(elsewhere.0 - known.0), is_shared: false });
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.bytes));
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_add_up_to_what_stayed() {
        let mut answers = Answers::default();
        answers.reasons.insert(("busy".into(), false), Bytes::kib(8));
        answers.reasons.insert(("others".into(), true), Bytes::kib(64));
        let reasons = answers.into_reasons(Bytes::kib(80));
        let told: Vec<(&str, u64)> = reasons.iter().map(|reason| (reason.why.as_str(), reason.bytes.0 >> 10)).collect();
        assert_eq!(told, [("others", 64), ("busy", 8), ("not asked page by page: too many, or new since", 8)]);
    }

    #[test]
    fn a_denied_question_is_the_reason_for_what_is_not_known() {
        let answers = Answers { silent: Some("move_pages was refused".into()), ..Answers::default() };
        assert_eq!(answers.into_reasons(Bytes(4096))[0].why, "move_pages was refused");
        assert!(Answers::default().into_reasons(Bytes(0)).is_empty());
    }
}
