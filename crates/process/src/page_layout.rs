//! The node of each page of a process, so that pages can be moved elsewhere and back.

use fastrand::Rng;
use nearfar_machine::process::MapsEntry;
use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{
    PlaceError, Residence, move_process_pages, move_shared_process_pages, process_residences,
};
use serde::{Deserialize, Serialize};

use crate::by_node::BytesByNode;
use crate::error::ProcessError;

/// Pages of one system call.
const AT_ONCE: usize = 16 << 10;
/// Runs at most: 100 MB of memory, and of a file.
const MAX_RUNS: usize = 4 << 20;
/// An odd number with which neighbours have seeds that have nothing in common.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
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

/// Which pages are far: see [`PageLayout::dosed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageDose {
    /// The node of the others.
    pub near: NodeId,
    /// The node of this share.
    pub far: NodeId,
    /// From 0 to 1.
    pub share: f64,
    /// The share of all pages that take part.
    pub taking_part: f64,
    /// Memory that goes together, aligned to its size: a huge page.
    pub unit: Bytes,
    /// Of who takes part, and of who is far.
    pub seeds: [u64; 2],
}

/// A part of the address space, and the node that its pages go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedRange {
    /// Its first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// The node.
    pub node: NodeId,
    /// The node of pages that do not take part. `None`: where they are.
    pub others: Option<NodeId>,
}

/// Which pages take part, drawn by units: see [`PageLayout::placed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagesTakingPart {
    /// From 0 to 1.
    pub share: f64,
    /// Memory that goes together, aligned to its size.
    pub unit: Bytes,
    /// Of who takes part.
    pub seed: u64,
}

impl PagesTakingPart {
    /// All pages.
    pub const ALL: Self = Self { share: 1.0, unit: Bytes(1), seed: 0 };
}

/// Whose pages may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedPages {
    /// Those of this process alone.
    #[default]
    Stay,
    /// Those that several processes map, too: for CAP_SYS_NICE.
    Move,
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
        let ranges = ranges.iter().filter(|range| has_pages(range));
        Self::read_within(pid, page, ranges.map(|range| [range.start, range.end]))
    }

    /// The same, of parts of the address space alone: first addresses, and those after the last.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn read_within(
        pid: u32,
        page: Bytes,
        ranges: impl IntoIterator<Item = [u64; 2]>,
    ) -> Result<Self, ProcessError> {
        let mut layout = Self { page, runs: Vec::new() };
        for [start, end] in ranges {
            let step = usize::try_from(page.0).unwrap_or(usize::MAX);
            let mut addresses = (start..end).step_by(step).peekable();
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

    /// The memory of a part of the address space on each node.
    pub fn by_node_within(&self, start: u64, end: u64) -> BytesByNode {
        let inside = |run: &PageRun| {
            let last = run.start + run.pages * self.page.0;
            let size = last.min(end).saturating_sub(run.start.max(start));
            (size > 0).then_some((run.node, Bytes(size)))
        };
        self.runs.iter().filter_map(inside).collect()
    }

    /// The pages of these ranges, which are in the order of addresses and do not overlap, each on
    /// its range's node, or on that of its others. Pages outside of all ranges are left out.
    #[must_use]
    pub fn placed(&self, ranges: &[PlacedRange], taking_part: &PagesTakingPart) -> Self {
        let mut placed = Self { page: self.page, runs: Vec::new() };
        let unit = taking_part.unit.0.max(self.page.0);
        let (mut left, mut drawn) = (ranges, None);
        for (address, before) in self.pages() {
            while left.first().is_some_and(|range| range.end <= address) {
                left = &left[1..];
            }
            let Some(range) = left.first().filter(|range| range.start <= address) else { continue };
            let at = address / unit;
            let takes_part = match drawn {
                Some((of, takes_part)) if of == at => takes_part,
                _ => draw(taking_part.seed, at) < taking_part.share,
            };
            drawn = Some((at, takes_part));
            placed.push(
                address,
                if takes_part { range.node } else { range.others.unwrap_or(before) },
            );
        }
        placed
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

    /// The same pages at a dose: of those that take part, a share on `far` and the others on
    /// `near`. What does not take part stays. All shares are drawn by `seeds`: first of who takes
    /// part, then of who is far. `unit` of memory go together.
    #[must_use]
    pub fn dosed(&self, dose: &PageDose) -> Self {
        let mut moved = Self { page: self.page, runs: Vec::new() };
        let unit = dose.unit.0.max(self.page.0);
        let (mut of, mut node) = (None, None);
        for (address, before) in self.pages() {
            let at = address / unit;
            if of != Some(at) {
                let takes_part = draw(dose.seeds[0], at) < dose.taking_part;
                let is_far = draw(dose.seeds[1], at) < dose.share;
                of = Some(at);
                node = takes_part.then_some(if is_far { dose.far } else { dose.near });
            }
            moved.push(address, node.unwrap_or(before));
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
        self.carry_out_with(pid, SharedPages::Stay)
    }

    /// The same; pages that several processes map may move, too.
    ///
    /// # Errors
    ///
    /// Those of [`carry_out`](Self::carry_out), and shared pages without CAP_SYS_NICE.
    pub fn carry_out_with(
        &self,
        pid: u32,
        shared: SharedPages,
    ) -> Result<LayoutResult, ProcessError> {
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
                shared.move_pages(pid, &wanted)?;
                process_residences(pid, &addresses)?
            };
            result.add(&batch, &found, self.page);
        }
        Ok(result)
    }
}

impl SharedPages {
    fn move_pages(self, pid: u32, pages: &[(u64, NodeId)]) -> Result<Vec<Residence>, PlaceError> {
        match self {
            Self::Stay => move_process_pages(pid, pages),
            Self::Move => move_shared_process_pages(pid, pages),
        }
    }

    /// Whether this user may move shared pages of a process: a page at address 0 is nowhere, so
    /// that nothing moves.
    pub fn allowed(pid: u32, node: NodeId) -> Self {
        match Self::Move.move_pages(pid, &[(0, node)]) {
            Ok(_) => Self::Move,
            Err(_) => Self::Stay,
        }
    }
}

/// A number from 0 to 1 for a unit of memory.
fn draw(seed: u64, at: u64) -> f64 {
    Rng::with_seed(seed ^ at.wrapping_mul(SPREAD)).f64()
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
    fn doses_are_drawn_by_units() {
        let pages: Vec<(u64, u32)> =
            (0..8192).map(|page| (page, u32::from(page % 2 == 1))).collect();
        let some = layout(&pages);
        let dose = |share: f64, taking_part: f64, unit: Bytes, seed: u64| {
            let (near, far) = (NodeId(0), NodeId(1));
            some.dosed(&PageDose { near, far, share, taking_part, unit, seeds: [7, seed] })
        };
        let far = |layout: &PageLayout| {
            layout.by_node().on(NodeId(1)).0 as f64 / layout.by_node().total().0 as f64
        };
        assert_eq!([far(&dose(0.0, 1.0, PAGE, 1)), far(&dose(1.0, 1.0, PAGE, 1))], [0.0, 1.0]);
        assert!((far(&dose(0.25, 1.0, PAGE, 1)) - 0.25).abs() < 0.03);
        assert_eq!(dose(0.25, 1.0, PAGE, 1), dose(0.25, 1.0, PAGE, 1));
        assert_ne!(dose(0.25, 1.0, PAGE, 1), dose(0.25, 1.0, PAGE, 2), "a fresh subset each time");
        // Half of the pages stay where they are, on both nodes.
        assert!((far(&dose(0.0, 0.5, PAGE, 1)) - 0.25).abs() < 0.03);
        assert_eq!(dose(0.5, 0.0, PAGE, 1), some);
        let huge = dose(0.5, 1.0, Bytes::mib(2), 3);
        assert!(huge.runs.iter().all(|run| run.pages % 512 == 0), "{huge:?}");
    }

    #[test]
    fn ranges_are_placed_and_the_rest_left_out() {
        let some = layout(&[(1, 0), (2, 0), (3, 1), (8, 1), (9, 0)]);
        let range = |start: u64, end: u64, node: u32| PlacedRange {
            start: start * PAGE.0,
            end: end * PAGE.0,
            node: NodeId(node),
            others: None,
        };
        let ranges = [range(0, 2, 5), range(3, 4, 6), range(4, 9, 7), range(9, 20, 5)];
        let placed = some.placed(&ranges, &PagesTakingPart::ALL);
        assert_eq!(placed, layout(&[(1, 5), (3, 6), (8, 7), (9, 5)]));
        let none = PagesTakingPart { share: 0.0, ..PagesTakingPart::ALL };
        assert_eq!(some.placed(&ranges, &none), layout(&[(1, 0), (3, 1), (8, 1), (9, 0)]));
        let near = ranges.map(|range| PlacedRange { others: Some(NodeId(9)), ..range });
        assert_eq!(some.placed(&near, &none), layout(&[(1, 9), (3, 9), (8, 9), (9, 9)]));
        assert_eq!(some.placed(&[], &none), layout(&[]));
        let within = some.by_node_within(2 * PAGE.0, 9 * PAGE.0);
        assert_eq!((within.on(NodeId(0)), within.on(NodeId(1))), (PAGE, Bytes(2 * PAGE.0)));
        let many: Vec<(u64, u32)> = (0..8192).map(|page| (page, 0)).collect();
        let half = PagesTakingPart { share: 0.5, unit: PAGE, seed: 3 };
        let far = layout(&many).placed(&[range(0, 8192, 1)], &half).by_node().on(NodeId(1));
        assert!((far.0 as f64 / (8192.0 * 4096.0) - 0.5).abs() < 0.03, "{far}");
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
