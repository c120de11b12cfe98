//! Pages that did not move, and why: each is asked to move once more, alone, and the kernel's
//! answer is kept.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{PlaceError, Residence, move_process_pages, process_residences};
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

/// A mapping whose pages are asked.
struct Asked<'m> {
    pid: u32,
    mapping: &'m MappingMemory,
    /// The size of its pages.
    size: Bytes,
    /// Where they should be.
    nodes: &'m NodeSet,
    /// The one of these nodes with most free memory: one page after another goes there.
    target: NodeId,
}

/// Asks the pages of all mappings that have some elsewhere. Those that move now are no longer
/// behind.
pub(super) fn ask(memory: &ProcessMemory, nodes: &NodeSet) -> Answers {
    let mut answers = Answers::default();
    let free = |node: &NodeId| memory.around.node(*node).and_then(|node| node.free);
    let Some(target) = nodes.iter().max_by_key(free) else { return answers };
    for mapping in
        memory.mappings.iter().filter(|mapping| !mapping.by_node.nodes().is_subset(nodes))
    {
        if let Some(size) = mapping.page_size.filter(|size| size.0 > 0) {
            answers.ask_mapping(&Asked { pid: memory.pid, mapping, size, nodes, target });
        }
    }
    answers
}

impl Asked<'_> {
    /// Whether a page is on another node than the wanted ones.
    fn is_behind(&self, page: &Residence) -> bool {
        page.node().is_some_and(|node| !self.nodes.contains(node))
    }

    /// Asks pages that are elsewhere to move, and gives the answers of those that are elsewhere
    /// still. The kernel calls all but the first base page of a transparent huge page busy, and
    /// moves them with the first: so its answers count only after a second look.
    fn ask(&self, pages: &[u64]) -> Result<Vec<Residence>, PlaceError> {
        let found = process_residences(self.pid, pages)?;
        let elsewhere = pages.iter().zip(&found).filter(|(_, found)| self.is_behind(found));
        let behind: Vec<(u64, NodeId)> = elsewhere.map(|(page, _)| (*page, self.target)).collect();
        let answers = move_process_pages(self.pid, &behind)?;
        let addresses: Vec<u64> = behind.iter().map(|(page, _)| *page).collect();
        let now = process_residences(self.pid, &addresses)?;
        Ok(answers
            .into_iter()
            .zip(&now)
            .filter(|(_, now)| self.is_behind(now))
            .map(|(answer, _)| answer)
            .collect())
    }

    /// What an answer means.
    fn why(&self, answer: &Residence) -> String {
        match answer {
            Residence::Unknown(why) => why.clone(),
            _ if self.mapping.mapped_by_others => {
                "other processes map it too: only CAP_SYS_NICE moves it".to_owned()
            }
            _ => format!(
                "the kernel left it and does not say why: it is pinned, or nodes {} are full",
                self.nodes
            ),
        }
    }
}

impl Answers {
    fn ask_mapping(&mut self, asked: &Asked<'_>) {
        let Some(end) = asked.mapping.end else { return };
        let step = usize::try_from(asked.size.0).unwrap_or(usize::MAX);
        let mut pages = (asked.mapping.start..end).step_by(step).peekable();
        while pages.peek().is_some() && self.looked < MOST_PAGES && self.silent.is_none() {
            let some: Vec<u64> = pages.by_ref().take(AT_ONCE).collect();
            self.looked += some.len() as u64;
            match asked.ask(&some) {
                Ok(answers) => answers.iter().for_each(|answer| self.note(asked, answer)),
                Err(refusal) => self.silent = Some(refusal.to_string()),
            }
        }
    }

    fn note(&mut self, asked: &Asked<'_>, answer: &Residence) {
        let sum =
            self.reasons.entry((asked.why(answer), asked.mapping.mapped_by_others)).or_default();
        *sum = *sum + asked.size;
    }

    /// The reasons, the one with most memory first; what was not asked about has one of its own.
    pub(super) fn into_reasons(self, elsewhere: Bytes) -> Vec<Stayed> {
        let stayed = self.reasons.into_iter().map(|((why, is_shared), bytes)| Stayed {
            why,
            bytes,
            is_shared,
        });
        let mut reasons: Vec<Stayed> = stayed.collect();
        let known: Bytes = reasons.iter().map(|reason| reason.bytes).sum();
        if known < elsewhere {
            let why = self
                .silent
                .unwrap_or_else(|| "not asked page by page: too many, or new since".to_owned());
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
        let told: Vec<(&str, u64)> =
            reasons.iter().map(|reason| (reason.why.as_str(), reason.bytes.0 >> 10)).collect();
        assert_eq!(
            told,
            [("others", 64), ("busy", 8), ("not asked page by page: too many, or new since", 8)]
        );
    }

    #[test]
    fn a_denied_question_is_the_reason_for_what_is_not_known() {
        let answers =
            Answers { silent: Some("move_pages was refused".into()), ..Answers::default() };
        assert_eq!(answers.into_reasons(Bytes(4096))[0].why, "move_pages was refused");
        assert!(Answers::default().into_reasons(Bytes(0)).is_empty());
    }
}
