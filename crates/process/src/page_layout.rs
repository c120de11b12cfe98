//! The node of each page of a process, so that pages can be moved elsewhere and back.

use nearfar_machine::process::MapsEntry;
use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{Residence, move_process_pages, process_residences};
use serde::{Deserialize, Serialize};

use crate::by_node::BytesByNode;
use crate::error::ProcessError;

/// Pages of one system call.
const AT_ONCE: usize = 16 << 10;
/// Runs at most: 100 MB of memory, and of a file.
const MAX_RUNS: usize = 4 << 20;
/// Interleaved memory changes its node at multiples of this, so that no huge page is split.
const INTERLEAVED: u64 = 2 << 20;

/// Consecutive pages on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
struct PageRun {
    start: u64,
    pages: u64,
    node: NodeId,
}

/// The pages of a process in memory, by address, each with its node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageLayout {
    page: Bytes,
    runs: Vec<PageRun>,
}

/// The result of [`PageLayout::carry_out`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayoutResult {
    /// Memory that is where the layout has it.
    pub placed: Bytes,
    /// Memory that is on other nodes: the kernel did not move it.
    pub elsewhere: Bytes,
    /// Memory that the process has freed, or that was swapped out.
    pub gone: Bytes,
}

impl PageLayout {
    /// Where the pages of a process are now. `page` is the base page size.
    ///
    /// # Errors
    ///
    /// The process has ended or belongs to another user, a sandbox denies move_pages(2), or its
    /// pages change nodes so often that they cannot be recorded
    /// ([`ProcessError::TooManyRuns`]).
    pub fn read(source: &Source, pid: u32, page: Bytes) -> Result<Self, ProcessError> {
        let (ranges, _) = Process::known(source, pid).maps()?;
        let mut layout = Self { page, runs: Vec::new() };
        for range in ranges.iter().filter(|range| has_pages(range)) {
            let step = usize::try_from(page.0).unwrap_or(usize::MAX);
            let mut addresses = (range.start..range.end).step_by(step).peekable();
            while addresses.peek().is_some() {
                let batch: Vec<u64> = addresses.by_ref().take(AT_ONCE).collect();
                let found = process_residences(pid, &batch)?;
                layout.extend(&batch, &found);
                if layout.runs.len() > MAX_RUNS {
                    return Err(ProcessError::TooManyRuns { pid });
                }
            }
        }
        Ok(layout)
    }

    fn extend(&mut self, addresses: &[u64], found: &[Residence]) {
        for (address, residence) in addresses.iter().zip(found) {
            if let Some(node) = residence.node() {
                self.push(*address, node);
            }
        }
    }

    /// Adds the next page.
    fn push(&mut self, address: u64, node: NodeId) {
        match self.runs.last_mut() {
            Some(run) if run.node == node && run.start + run.pages * self.page.0 == address => {
                run.pages += 1;
            }
            _ => self.runs.push(PageRun { start: address, pages: 1, node }),
        }
    }

    /// The memory on each node.
    pub fn by_node(&self) -> BytesByNode {
        self.runs.iter().map(|run| (run.node, Bytes(run.pages * self.page.0))).collect()
    }

    fn pages(&self) -> impl Iterator<Item = (u64, NodeId)> + '_ {
        self.runs
            .iter()
            .flat_map(|run| (0..run.pages).map(|at| (run.start + at * self.page.0, run.node)))
    }

    /// The same pages, all on these nodes: interleaved if there are several.
    #[must_use]
    pub fn on_nodes(&self, nodes: &NodeSet) -> Self {
        let nodes: Vec<NodeId> = nodes.iter().collect();
        let mut moved = Self { page: self.page, runs: Vec::new() };
        for (address, before) in self.pages() {
            let turn = (address / INTERLEAVED) as usize % nodes.len().max(1);
            moved.push(address, nodes.get(turn).copied().unwrap_or(before));
        }
        moved
    }

    /// Where the pages of the process are, beside where this layout has them.
    ///
    /// # Errors
    ///
    /// The process has ended or belongs to another user.
    pub fn located(&self, pid: u32) -> Result<LayoutResult, ProcessError> {
        let mut result = LayoutResult::default();
        let mut pages = self.pages().peekable();
        while pages.peek().is_some() {
            let batch: Vec<(u64, NodeId)> = pages.by_ref().take(AT_ONCE).collect();
            let addresses: Vec<u64> = batch.iter().map(|(address, _)| *address).collect();
            result.add(&batch, &process_residences(pid, &addresses)?, self.page);
        }
        Ok(result)
    }

    /// Moves the pages of the process to where this layout has them. Pages that are newer than the
    /// layout stay.
    ///
    /// # Errors
    ///
    /// The process has ended or belongs to another user, or its cpuset excludes a node.
    pub fn carry_out(&self, pid: u32) -> Result<LayoutResult, ProcessError> {
        let mut result = LayoutResult::default();
        let mut pages = self.pages().peekable();
        while pages.peek().is_some() {
            let batch: Vec<(u64, NodeId)> = pages.by_ref().take(AT_ONCE).collect();
            let addresses: Vec<u64> = batch.iter().map(|(address, _)| *address).collect();
            let found = process_residences(pid, &addresses)?;
            let is_elsewhere = |((_, node), found): &(&(u64, NodeId), &Residence)| {
                found.node().is_some_and(|at| at != *node)
            };
            let wanted: Vec<(u64, NodeId)> =
                batch.iter().zip(&found).filter(is_elsewhere).map(|(page, _)| *page).collect();
            let found = if wanted.is_empty() {
                found
            } else {
                // A status is not enough: that of a huge page's rest is "busy" after it moved.
                move_process_pages(pid, &wanted)?;
                process_residences(pid, &addresses)?
            };
            result.add(&batch, &found, self.page);
        }
        Ok(result)
    }
}

impl LayoutResult {
    fn add(&mut self, wanted: &[(u64, NodeId)], found: &[Residence], page: Bytes) {
        for ((_, node), found) in wanted.iter().zip(found) {
            let sum = match found.node() {
                Some(at) if at == *node => &mut self.placed,
                Some(_) => &mut self.elsewhere,
                None => &mut self.gone,
            };
            *sum = *sum + page;
        }
    }
}

/// The page of system calls at the end of the address space is the kernel's.
fn has_pages(range: &MapsEntry) -> bool {
    range.accessible && range.start >> 63 == 0
}

#[cfg(test)]
mod tests {
    use nearfar_place::{Memory, allowed_nodes};

    use super::*;

    const PAGE: Bytes = Bytes(4096);

    fn layout(pages: &[(u64, u32)]) -> PageLayout {
        let mut layout = PageLayout { page: PAGE, runs: Vec::new() };
        pages.iter().for_each(|&(page, node)| layout.push(page * PAGE.0, NodeId(node)));
        layout
    }

    #[test]
    fn consecutive_pages_of_a_node_are_a_run() {
        let some = layout(&[(1, 0), (2, 0), (3, 1), (5, 1), (6, 0)]);
        assert_eq!(some.runs.len(), 4);
        assert_eq!(some.by_node().on(NodeId(0)), Bytes(3 * 4096));
        let pages: Vec<(u64, u32)> = some.pages().map(|(at, node)| (at / 4096, node.0)).collect();
        assert_eq!(pages, [(1, 0), (2, 0), (3, 1), (5, 1), (6, 0)]);
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(serde_json::from_str::<PageLayout>(&text).unwrap(), some);
    }

    #[test]
    fn pages_are_laid_out_anew() {
        let some = layout(&[(0, 0), (1, 1), (512, 1), (1024, 1)]);
        let one = some.on_nodes(&NodeSet::from_id(NodeId(2)));
        assert_eq!(one.by_node().on(NodeId(2)), Bytes(4 * 4096));
        let both = some.on_nodes(&NodeSet::from_iter([NodeId(0), NodeId(1)]));
        assert_eq!(both, layout(&[(0, 0), (1, 0), (512, 1), (1024, 0)]));
        assert_eq!(some.on_nodes(&NodeSet::new()), some);
    }

    #[test]
    fn a_process_is_where_it_was_after_its_own_layout() {
        let memory = Memory::local(Bytes::mib(8)).unwrap();
        memory.touch().unwrap();
        let pid = std::process::id();
        let layout = PageLayout::read(&Source::live(), pid, PAGE).unwrap();
        assert!(layout.by_node().total() >= Bytes::mib(8));
        let allowed = allowed_nodes().unwrap();
        assert!(layout.by_node().iter().any(|(node, _)| allowed.contains(node)));
        let result = layout.carry_out(pid).unwrap();
        assert!(result.placed >= Bytes::mib(8), "{result:?}");
        assert_eq!(result.elsewhere, Bytes(0));
        drop(memory);
    }

    #[test]
    fn an_ended_process_is_an_error() {
        let error = PageLayout::read(&Source::live(), 4_194_305, PAGE).unwrap_err().to_string();
        assert!(error.contains("4194305"), "{error}");
    }
}
