//! Puts objects near and far, and measures how long that takes.

use nearfar_infer::object_effects::FarShares;
use nearfar_model::{Bytes, NodeId};
use nearfar_process::{
    BytesByNode, MemoryObject, ObjectPart, PageLayout, PagesTakingPart, PlacedRange, UsedMemory,
};

use crate::explain::response::{LEAST_TAKING_PART, REHEARSED};
use crate::explain::subjects::{Moved, Subjects};
use crate::explain::{DoseNodes, ExplainError};

/// Of the memory that takes part, what changes its node from one run to the next, on average: all
/// of it between a run and its mirror, half of it between two of these.
const CHANGING: f64 = 0.75;
/// Runs of a stage at least: three blocks of four rows and their mirrors.
const LEAST_RUNS: f64 = 24.0;
/// Memory that may change its node during a run, as a share of what was placed.
const MOVED: f64 = 0.05;

/// Moves objects, and keeps count.
pub(super) struct ObjectMover<'m, 's> {
    pub(super) subjects: Subjects<'s>,
    pub(super) nodes: &'m DoseNodes,
    pub(super) page: Bytes,
    /// Memory that moves together.
    pub(super) unit: Bytes,
    pub(super) seed: u64,
    /// All that moved so far.
    pub(super) sum: Moved,
    /// Seconds that a byte takes.
    pub(super) per_byte: f64,
    /// Whether pages that do not take part are near: once it is known what moving them takes. Where
    /// the used pages of an object were found does not matter then.
    pub(super) others_are_near: bool,
    /// Where pages are now.
    pub(super) last: Placed,
    /// What was used before the first run.
    pub(super) used: Option<UsedMemory>,
}

/// What puts objects near and far.
pub(super) trait Placer {
    /// Puts each object far or near. `block` draws which of its pages take part.
    fn place(
        &mut self,
        objects: &[MemoryObject],
        is_far: &dyn Fn(usize) -> bool,
        taking_part: f64,
        block: u32,
    ) -> Result<Moved, ExplainError>;

    /// Whether something else has moved them since.
    fn have_moved(&self) -> bool;

    /// The share of an object that was not near as it was found.
    fn remote_share(&self, object: usize, of: &MemoryObject) -> f64;

    /// CPUs that an object keeps busy, if it is a thread.
    fn busy_cpus(&self, _object: usize) -> Option<f64> {
        None
    }

    /// The share of an object that was used lately, where it is known.
    fn used_share(&self, _of: &MemoryObject) -> Option<f64> {
        None
    }

    /// Seconds that moving takes before a run, on average.
    fn moving_s(&self, objects: &[MemoryObject], taking_part: f64) -> f64;
}

/// Where pages were put.
#[derive(Default)]
pub(super) struct Placed {
    moved: Moved,
    layouts: Vec<(u32, PageLayout)>,
    elsewhere: Bytes,
    all: Bytes,
}

impl Placer for ObjectMover<'_, '_> {
    fn place(
        &mut self,
        objects: &[MemoryObject],
        is_far: &dyn Fn(usize) -> bool,
        taking_part: f64,
        block: u32,
    ) -> Result<Moved, ExplainError> {
        let mut placed = Placed::default();
        let seed = self.seed ^ (u64::from(block) << 32);
        let part = PagesTakingPart { share: taking_part, unit: self.unit, seed };
        for at in 0..self.nodes.all.len() {
            let ranges = self.ranges(at, objects, is_far);
            let note = &self.subjects.all[at].note;
            let (pid, layout) = (note.pid, note.layout.placed(&ranges, &part));
            let Some((result, moved)) = self.subjects.carry_out_timed(at, Some(&layout))? else {
                continue;
            };
            placed.moved.add(moved);
            placed.elsewhere = placed.elsewhere + result.elsewhere;
            placed.all = placed.all + result.placed + result.elsewhere;
            placed.layouts.push((pid, layout));
        }
        self.sum.add(placed.moved);
        self.subjects.check_running()?;
        self.last = placed;
        Ok(self.last.moved)
    }

    fn have_moved(&self) -> bool {
        let elsewhere = |(pid, layout): &(u32, PageLayout)| {
            layout.located(*pid).map_or(self.last.all, |found| found.elsewhere)
        };
        let now: Bytes = self.last.layouts.iter().map(elsewhere).sum();
        now.0.saturating_sub(self.last.elsewhere.0) as f64 > MOVED * self.last.all.0 as f64
    }

    fn remote_share(&self, _: usize, object: &MemoryObject) -> f64 {
        let note = |pid: u32| self.subjects.all.iter().find(|subject| subject.note.pid == pid);
        let found = |pid: u32, start: u64, end: u64| {
            note(pid).map(|one| one.note.layout.by_node_within(start, end)).unwrap_or_default()
        };
        self.share(object, found, |node, process| node != process.0)
    }

    fn used_share(&self, object: &MemoryObject) -> Option<f64> {
        self.used.as_ref()?.share_of(object)
    }

    fn moving_s(&self, objects: &[MemoryObject], taking_part: f64) -> f64 {
        self.per_byte * changing(objects, taking_part).0 as f64
    }
}

impl ObjectMover<'_, '_> {
    fn ranges(
        &self,
        at: usize,
        objects: &[MemoryObject],
        is_far: &dyn Fn(usize) -> bool,
    ) -> Vec<PlacedRange> {
        let process = &self.nodes.all[at];
        let mut ranges = Vec::new();
        for (which, object) in objects.iter().enumerate() {
            let node = if is_far(which) { process.far } else { process.near };
            let parts = object.parts.iter().filter(|part| part.pid == process.pid);
            let others = self.others_are_near.then_some(process.near);
            let range =
                |part: &ObjectPart| PlacedRange { start: part.start, end: part.end, node, others };
            ranges.extend(parts.map(range));
        }
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    /// Moves some memory there and back: how long a byte takes.
    pub(super) fn rehearse(&mut self, objects: &[MemoryObject]) -> Result<(), ExplainError> {
        let taking_part = (REHEARSED.0 as f64 / all(objects).0.max(1) as f64).min(1.0);
        self.place(objects, &|_| false, taking_part, 0)?;
        let mut sum = Moved::default();
        for is_far in [true, false] {
            sum.add(self.place(objects, &|_| is_far, taking_part, 0)?);
        }
        if sum.bytes.0 == 0 {
            return Err(ExplainError::PagesStay);
        }
        self.per_byte = sum.seconds / sum.bytes.0 as f64;
        self.others_are_near = true;
        Ok(())
    }

    /// The share of pages that take part, so that moving takes at most `max_cost` of the time.
    ///
    /// # Errors
    ///
    /// It is too small.
    pub(super) fn taking_part(
        &self,
        objects: &[MemoryObject],
        max_cost: f64,
        period_s: f64,
    ) -> Result<f64, ExplainError> {
        let needed = self.moving_s(objects, 1.0);
        // Those that do not take part become near once, in as many runs as there are at least.
        let once = self.per_byte * all(objects).0 as f64 / LEAST_RUNS;
        let allowed = max_cost / (1.0 - max_cost) * period_s;
        let allowed = if needed > allowed { allowed - once } else { allowed };
        let taking_part = (allowed / needed.max(1e-9)).min(1.0);
        if taking_part < LEAST_TAKING_PART {
            let wanted = LEAST_TAKING_PART * needed + once;
            let period_s = (wanted * (1.0 - max_cost) / max_cost).ceil() as u64;
            return Err(ExplainError::MovingCosts { max_cost, period_s });
        }
        Ok(taking_part)
    }

    /// The shares of objects that are far, where all are near, and where all are far.
    pub(super) fn reach(
        &mut self,
        objects: &[MemoryObject],
        taking_part: f64,
    ) -> Result<Vec<FarShares>, ExplainError> {
        let mut ends = Vec::new();
        // Moving may split huge pages: all runs are measured after all pages have moved.
        for is_far in [true, false] {
            self.place(objects, &|_| is_far, taking_part, 0)?;
            ends.push(objects.iter().map(|object| self.far_share(object)).collect::<Vec<f64>>());
        }
        let both = ends[0].iter().zip(&ends[1]);
        Ok(both.map(|(far, near)| FarShares { near: *near, far: *far }).collect())
    }

    fn far_share(&self, object: &MemoryObject) -> f64 {
        let now = |pid: u32, range: [u64; 2]| {
            let layout = PageLayout::read_within(pid, self.page, [range]);
            layout.map(|layout| layout.by_node()).unwrap_or_default()
        };
        self.share(
            object,
            |pid, start, end| now(pid, [start, end]),
            |node, process| node == process.1,
        )
    }

    /// The share of its memory on some nodes: `counts` has the node, and the near and the far one
    /// of the process.
    fn share(
        &self,
        object: &MemoryObject,
        by_node: impl Fn(u32, u64, u64) -> BytesByNode,
        counts: impl Fn(NodeId, (NodeId, NodeId)) -> bool,
    ) -> f64 {
        let (mut some, mut all) = (0, 0);
        for part in &object.parts {
            let process = self.nodes.all.iter().find(|process| process.pid == part.pid);
            let Some(process) = process else { continue };
            for (node, bytes) in by_node(part.pid, part.start, part.end).iter() {
                all += bytes.0;
                some += if counts(node, (process.near, process.far)) { bytes.0 } else { 0 };
            }
        }
        some as f64 / all.max(1) as f64
    }
}

/// What moves before a run, on average.
pub(super) fn changing(objects: &[MemoryObject], taking_part: f64) -> Bytes {
    Bytes((CHANGING * taking_part * all(objects).0 as f64) as u64)
}

fn all(objects: &[MemoryObject]) -> Bytes {
    objects.iter().map(|object| object.bytes).sum()
}
