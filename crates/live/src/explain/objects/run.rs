//! Measures objects: a stage of all of them, then of the ranges of the one that costs most.

use std::time::{Duration, Instant};

use nearfar_infer::object_effects::{
    DesignRun, FarShares, LEAST_REACH, MAX_OBJECTS, MIN_OBJECT_BLOCKS, ObjectDesign, ObjectEffect,
    ObjectRun, cut_next, object_effects, ranges_of,
};
use nearfar_machine::{PageSizes, Source};
use nearfar_model::Bytes;
use nearfar_process::{
    MemoryObject, MovableMemory, ObjectKind, ProcessObjects, SharedPages, UnmovableObject,
    UsedMemory, WhyUnmovable, cut_object, mark_unused,
};
use nearfar_view::terminal::Interrupt;

use crate::explain::balancing;
use crate::explain::metric_reader::MetricReader;
use crate::explain::objects::ObjectsSettings;
use crate::explain::objects::document::{
    MeasuredObject, ObjectPeriod, ObjectsDocument, ObjectsStage,
};
use crate::explain::objects::moving::{ObjectMover, Placed, Placer, changing};
use crate::explain::objects_plan::ObjectsPlan;
use crate::explain::pause::{SETTLING, pause};
use crate::explain::subjects::{Moved, Subjects};
use crate::explain::trial_run::{TrialEvent, TrialReport};
use crate::explain::{Direction, DoseNodes, DroppedDose, ExplainError, MovingCost};

/// Stages at most: all objects, and three that are cut.
const MOST_STAGES: usize = 4;
/// The share of a budget that is spent on all objects, where that is enough for them.
const FIRST_SHARE: f64 = 0.6;

/// How long uses of memory are observed.
const OBSERVED: Duration = Duration::from_secs(2);

/// What a run works on.
pub(super) struct Run<'r> {
    pub(super) settings: &'r ObjectsSettings,
    pub(super) reader: MetricReader<'r>,
    pub(super) interrupt: &'r Interrupt,
    pub(super) report: TrialReport<'r>,
    pub(super) began: Instant,
}

/// A stage, before its runs.
pub(super) struct Stage {
    pub(super) cut: Option<String>,
    pub(super) objects: Vec<MemoryObject>,
    pub(super) shares: Vec<FarShares>,
    pub(super) taking_part: f64,
    pub(super) design: ObjectDesign,
}

/// Measures the objects of these processes. Whatever happens, pages are put back.
///
/// # Errors
///
/// The metric cannot be read, pages cannot be moved or not be put back, moving costs too much, the
/// kernel's balancing cannot be switched off, the processes end, or the user interrupts.
pub fn measure_objects(
    source: &Source,
    nodes: &DoseNodes,
    settings: &ObjectsSettings,
    interrupt: &Interrupt,
    report: TrialReport<'_>,
) -> Result<ObjectsDocument, ExplainError> {
    let pids: Vec<u32> = nodes.all.iter().map(|process| process.pid).collect();
    let reader = MetricReader::new(source, &settings.run.metric, &pids)?;
    let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
    let shared = nodes
        .all
        .first()
        .map_or(SharedPages::Stay, |process| SharedPages::allowed(process.pid, process.far));
    let may_move = MovableMemory { shared, locked: settings.move_locked, huge_pool: false };
    let found = ProcessObjects::read(source, &pids, may_move)?;
    let used = used(source, &pids, interrupt)?;
    let found = match &used {
        Some(used) => found.unused_together(used),
        None => found,
    };
    let ProcessObjects { movable, mut unmovable } = found.at_most(MAX_OBJECTS);
    let begun = ObjectsDocument::begun(&settings.run, &nodes.all);
    let guard = balancing::switched_off(source, settings.run.guard)?;
    let not_restored = |error: &ExplainError| report(TrialEvent::NotRestored(error));
    let notes = &settings.run.notes;
    let subjects = Subjects::new(source, &pids, page, notes, shared, &not_restored)?;
    let unit = subjects.moved_together(page);
    let (seed, sum, per_byte) = (settings.run.seed, Moved::default(), 0.0);
    let (others_are_near, last) = (false, Placed::default());
    let mut mover = ObjectMover {
        subjects,
        nodes,
        page,
        unit,
        seed,
        sum,
        per_byte,
        others_are_near,
        last,
        used,
    };
    let began = Instant::now();
    let run = Run { settings, reader, interrupt, report, began };
    let stages = run.stages(&mut mover, movable, &mut unmovable);
    report(TrialEvent::PeriodsEnded);
    let stages = stages?;
    let elapsed = began.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
    let processes = mover.subjects.put_back().into_iter().collect::<Result<_, _>>()?;
    let moving = MovingCost {
        seconds: mover.sum.seconds,
        share: mover.sum.seconds / elapsed,
        bytes: mover.sum.bytes,
        taking_part: stages.first().map_or(1.0, |stage| stage.taking_part),
        far_memory: far_memory(&stages),
        ..begun.moving
    };
    let (moved_together, balancing_was_off) = (unit, guard.is_some());
    Ok(ObjectsDocument {
        moved_together,
        stages,
        unmovable,
        moving,
        balancing_was_off,
        processes,
        ..begun
    })
}

/// What the processes use in a while: no more than a hint which objects are worth a run each.
fn used(
    source: &Source,
    pids: &[u32],
    interrupt: &Interrupt,
) -> Result<Option<UsedMemory>, ExplainError> {
    if !mark_unused(source, pids) {
        return Ok(None);
    }
    pause(OBSERVED, interrupt)?;
    Ok(Some(UsedMemory::read(source, pids)))
}

/// Half of the objects are far at any time.
fn far_memory(stages: &[ObjectsStage]) -> Option<f64> {
    let first = stages.first()?;
    Some(first.sum?.value / 2.0 * first.taking_part)
}

impl Run<'_> {
    fn stages(
        &self,
        mover: &mut ObjectMover<'_, '_>,
        objects: Vec<MemoryObject>,
        unmovable: &mut Vec<UnmovableObject>,
    ) -> Result<Vec<ObjectsStage>, ExplainError> {
        if objects.is_empty() {
            return Err(ExplainError::PagesStay);
        }
        mover.rehearse(&objects)?;
        let first = self.stage(mover, None, objects, unmovable)?;
        let blocks = self.first_blocks(&first.design)?;
        let mut stages = vec![self.measured(mover, &first, blocks)?];
        let mut leaves = stages[0].objects.clone();
        while stages.len() < MOST_STAGES {
            let Some(at) = self.cut_next(&leaves) else { break };
            let cut = leaves.remove(at).object;
            let ranges = cut_object(&cut, ranges_of(cut.bytes, self.settings.range));
            if ranges.len() < 2 {
                continue;
            }
            // All others are near meanwhile.
            mover.place(&first.objects, &|_| false, first.taking_part, 0)?;
            let Ok(stage) = self.stage(mover, Some(cut.name), ranges, unmovable) else { break };
            let Some(blocks) = self.further_blocks(&stage.design) else { break };
            stages.push(self.measured(mover, &stage, blocks)?);
            leaves.extend(stages.iter().last().into_iter().flat_map(|last| last.objects.clone()));
        }
        Ok(stages)
    }

    /// Of what is not cut yet. Small objects together are not one memory.
    fn cut_next(&self, leaves: &[MeasuredObject]) -> Option<usize> {
        let effects: Vec<ObjectEffect> = leaves.iter().map(|leaf| leaf.effect).collect();
        let size = |leaf: &MeasuredObject| match leaf.object.kind {
            ObjectKind::Rest | ObjectKind::SmallAnonymous => Bytes(0),
            _ => leaf.object.bytes,
        };
        let sizes: Vec<Bytes> = leaves.iter().map(size).collect();
        cut_next(&effects, &sizes, self.settings.range)
    }

    /// What moves, and how much of it; objects that stay are no part of the design.
    fn stage(
        &self,
        mover: &mut ObjectMover<'_, '_>,
        cut: Option<String>,
        objects: Vec<MemoryObject>,
        unmovable: &mut Vec<UnmovableObject>,
    ) -> Result<Stage, ExplainError> {
        let period_s = (self.settings.run.period + SETTLING).as_secs_f64();
        let taking_part = mover.taking_part(&objects, self.settings.run.max_cost, period_s)?;
        let reach = mover.reach(&objects, taking_part)?;
        let (mut moving, mut shares) = (Vec::new(), Vec::new());
        for (object, share) in objects.into_iter().zip(reach) {
            if share.reach() >= LEAST_REACH {
                moving.push(object);
                shares.push(share);
            } else {
                let MemoryObject { name, bytes, .. } = object;
                unmovable.push(UnmovableObject { name, bytes, why: WhyUnmovable::Stayed });
            }
        }
        let design = ObjectDesign::new(moving.len()).ok_or(ExplainError::PagesStay)?;
        Ok(Stage { cut, objects: moving, shares, taking_part, design })
    }

    fn one_block(&self, design: &ObjectDesign) -> Duration {
        let run = self.settings.run.period + SETTLING;
        (run * design.runs()).mul_f64(1.0 / (1.0 - self.settings.run.max_cost))
    }

    fn left(&self) -> Option<Duration> {
        let budget = self.settings.run.budget?;
        Some(budget.saturating_sub(self.began.elapsed()))
    }

    pub(super) fn first_blocks(&self, design: &ObjectDesign) -> Result<u32, ExplainError> {
        let Some(left) = self.left() else { return Ok(self.settings.run.blocks) };
        let one = self.one_block(design).as_secs_f64();
        let in_time = |seconds: f64| (seconds / one).clamp(0.0, 1e4) as u32;
        let blocks = in_time(FIRST_SHARE * left.as_secs_f64()).max(MIN_OBJECT_BLOCKS);
        if blocks > in_time(left.as_secs_f64()) {
            let least = one * f64::from(MIN_OBJECT_BLOCKS);
            return Err(ExplainError::SmallBudget { least_s: least.ceil() as u64 + 5 });
        }
        Ok(blocks)
    }

    /// `None` if the time is over.
    fn further_blocks(&self, design: &ObjectDesign) -> Option<u32> {
        let Some(left) = self.left() else { return Some(self.settings.run.blocks) };
        let blocks = (left.as_secs_f64() / self.one_block(design).as_secs_f64()) as u32;
        (blocks >= MIN_OBJECT_BLOCKS).then_some(blocks)
    }

    /// Runs a stage, and judges it.
    pub(super) fn measured(
        &self,
        mover: &mut dyn Placer,
        stage: &Stage,
        blocks: u32,
    ) -> Result<ObjectsStage, ExplainError> {
        let runs = stage.design.runs();
        let all = f64::from(runs * blocks);
        (self.report)(TrialEvent::Planned(&ObjectsPlan {
            cut: stage.cut.clone(),
            objects: stage.objects.len(),
            runs,
            blocks,
            time: self.one_block(&stage.design) * blocks,
            bytes: Bytes((changing(&stage.objects, stage.taking_part).0 as f64 * all) as u64),
            moving_s: mover.moving_s(&stage.objects, stage.taking_part) * all,
            taking_part: stage.taking_part,
        }));
        (self.report)(TrialEvent::Began(u64::from(runs) * u64::from(blocks)));
        let mut periods = Vec::new();
        for block in 0..blocks {
            for run in stage.design.block(block, self.settings.run.seed) {
                periods.push(self.period(mover, stage, block, run)?);
                (self.report)(TrialEvent::Period);
            }
        }
        Ok(self.judged(mover, stage, periods))
    }

    fn period(
        &self,
        mover: &mut dyn Placer,
        stage: &Stage,
        block: u32,
        run: DesignRun,
    ) -> Result<ObjectPeriod, ExplainError> {
        let is_far = |object: usize| stage.design.is_far(run, object);
        let moved = mover.place(&stage.objects, &is_far, stage.taking_part, block)?;
        pause(SETTLING, self.interrupt)?;
        let figure = self.reader.figure(self.settings.run.period, self.interrupt)?;
        let figure = figure.filter(|figure| figure.is_finite() && *figure > 0.0);
        let dropped = match figure {
            None => Some(DroppedDose::NoFigure),
            Some(_) if mover.have_moved() => Some(DroppedDose::PagesMoved),
            Some(_) => None,
        };
        let sign = |object: usize| if is_far(object) { '+' } else { '-' };
        Ok(ObjectPeriod {
            block,
            row: run.row,
            is_mirror: run.is_mirror,
            far: (0..stage.objects.len()).map(sign).collect(),
            figure,
            dropped,
            moved_bytes: moved.bytes,
            moving_s: moved.seconds,
        })
    }

    fn judged(
        &self,
        mover: &dyn Placer,
        stage: &Stage,
        periods: Vec<ObjectPeriod>,
    ) -> ObjectsStage {
        let is_rate = self.settings.run.metric.direction == Direction::MoreIsBetter;
        let counted = periods.iter().filter(|period| period.dropped.is_none());
        let runs: Vec<ObjectRun> = counted
            .filter_map(|period| {
                let log = period.figure?.ln();
                let run = DesignRun { row: period.row, is_mirror: period.is_mirror };
                let log_time = if is_rate { -log } else { log };
                Some(ObjectRun { block: period.block, run, log_time })
            })
            .collect();
        let found = object_effects(&stage.design, &runs, &stage.shares);
        let measured = stage.objects.iter().zip(&stage.shares).zip(&found.objects).enumerate();
        let objects = measured.map(|(at, ((object, shares), effect))| MeasuredObject {
            object: object.clone(),
            busy_cpus: mover.busy_cpus(at),
            used_share: mover.used_share(object),
            remote_share: mover.remote_share(at, object),
            far_shares: *shares,
            effect: *effect,
        });
        ObjectsStage {
            cut: stage.cut.clone(),
            taking_part: stage.taking_part,
            objects: objects.collect(),
            blocks: found.blocks,
            pairs: found.pairs,
            blocks_wanted: found.blocks_wanted(),
            sum: found.sum,
            all_far: found.all_far,
            adds_up: found.adds_up,
            periods,
        }
    }
}
