//! Tries a cure: moves pages there and back while a metric is read, and puts them back.

use std::path::PathBuf;
use std::time::Duration;

use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_process::{
    LayoutNote, MemoryObject, PageLayout, PagesTakingPart, PlacedRange, SharedPages,
};
use nearfar_view::terminal::Interrupt;

use crate::explain::CureKind;
use crate::explain::ExplainError;
use crate::explain::Metric;
use crate::explain::Obstacle;
use crate::explain::document::{ExplainedProcess, TrialDocument};
use crate::explain::metric_reader::MetricReader;
use crate::explain::objects_plan::ObjectsPlan;
use crate::explain::obstacles::obstacles;
use crate::explain::pause::{SETTLING, pause};
use crate::explain::subjects::Subjects;
use crate::explain::text::obstacle;
use crate::explain::trial::TrialRecord;
use crate::explain::{Around, ObservedProcess};
use crate::explain::{TrialPlacement, TrialPlan};

/// Memory that may be elsewhere at the end of a period, as a share of all.
const MOVED: f64 = 0.05;

/// What was asked for.
#[derive(Clone, Debug)]
pub struct TrialSettings {
    /// What is read.
    pub metric: Metric,
    /// Blocks: each has both placements.
    pub blocks: usize,
    /// Time in each placement.
    pub period: Duration,
    /// Seed of the order.
    pub seed: u64,
    /// Folder of notes that have where pages were.
    pub notes: PathBuf,
    /// The only object that moves.
    pub object: Option<MemoryObject>,
}

/// What happens in a trial, for a user who waits.
#[derive(Clone, Copy, Debug)]
pub enum TrialEvent<'e> {
    /// It begins, with this many periods.
    Began(u64),
    /// A period is over.
    Period,
    /// What measuring objects will take, before it begins.
    Planned(&'e ObjectsPlan),
    /// No further period follows: pages are put back.
    PeriodsEnded,
    /// Pages of a process are not where they were.
    NotRestored(&'e ExplainError),
}

/// Receives the events of a trial.
pub type TrialReport<'r> = &'r dyn Fn(TrialEvent<'_>);

/// The cure to try: pages to the named nodes, else the first listed one that moves pages.
///
/// # Errors
///
/// No cure moves pages.
pub fn chosen_cure(
    processes: &[ExplainedProcess],
    to: Option<NodeSet>,
) -> Result<CureKind, ExplainError> {
    if let Some(nodes) = to {
        let only = nodes.iter().next().filter(|_| nodes.len() == 1);
        return Ok(only.map_or(CureKind::Interleave { nodes }, |node| CureKind::MovePages { node }));
    }
    let cures = processes.iter().flat_map(|process| &process.cures);
    let moving = cures.map(|cure| &cure.kind).find(|kind| kind.page_nodes().is_some());
    moving.cloned().ok_or(ExplainError::NoMovingCure)
}

/// Why pages are not moved to where this cure has them, a sentence each.
pub fn trial_refusals(
    observed: &[ObservedProcess],
    around: &Around<'_>,
    cure: &CureKind,
    move_locked: bool,
) -> Vec<String> {
    let nodes = cure.page_nodes();
    let mut all = Vec::new();
    for process in observed {
        let mut found = obstacles(process, around, nodes.as_ref());
        found.retain(|one| {
            let is_allowed = move_locked && matches!(one, Obstacle::LockedMemory { .. });
            one.forbids_trial() && !is_allowed
        });
        all.extend(found.iter().map(|one| obstacle(process.pid, one)));
    }
    all
}

/// The processes under trial, and where a cure has their pages.
struct Placements<'s> {
    subjects: Subjects<'s>,
    cured: Vec<PageLayout>,
    /// Memory that stays elsewhere in either placement, as it did at first.
    stays: Vec<[Bytes; 2]>,
    report: TrialReport<'s>,
}

impl Placements<'_> {
    /// Moves all pages to a placement.
    fn place(&mut self, placement: TrialPlacement) -> Result<(), ExplainError> {
        for (at, cured) in self.cured.iter().enumerate() {
            let layout = (placement == TrialPlacement::Cured).then_some(cured);
            if let Some(result) = self.subjects.carry_out(at, layout)? {
                self.stays[at][index(placement)] = result.elsewhere;
            }
        }
        self.subjects.check_running()
    }

    /// Whether more memory is elsewhere than the kernel had left there at first.
    fn have_moved(&self, placement: TrialPlacement) -> bool {
        let all = self.subjects.all.iter().zip(&self.cured).zip(&self.stays);
        all.filter(|((subject, _), _)| !subject.has_ended).any(|((subject, cured), stays)| {
            let layout = match placement {
                TrialPlacement::AsItWas => &subject.note.layout,
                TrialPlacement::Cured => cured,
            };
            let Ok(now) = layout.located(subject.note.pid) else { return true };
            let more = now.elsewhere.0.saturating_sub(stays[index(placement)].0);
            more as f64 > MOVED * (now.placed + now.elsewhere).0 as f64
        })
    }
}

fn index(placement: TrialPlacement) -> usize {
    usize::from(placement == TrialPlacement::Cured)
}

/// Tries a cure. Whatever happens, pages are put back.
///
/// # Errors
///
/// The metric cannot be read, pages cannot be moved or not be put back, the processes end, or the
/// user interrupts.
pub fn try_cure(
    source: &Source,
    pids: &[u32],
    cure: CureKind,
    settings: &TrialSettings,
    interrupt: &Interrupt,
    report: TrialReport<'_>,
) -> Result<TrialDocument, ExplainError> {
    let reader = MetricReader::new(source, &settings.metric, pids)?;
    let nodes = cure.page_nodes().unwrap_or_default();
    let not_restored = |error: &ExplainError| report(TrialEvent::NotRestored(error));
    let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
    let shared = match (&settings.object, pids.first(), nodes.iter().next()) {
        (Some(_), Some(pid), Some(node)) => SharedPages::allowed(*pid, node),
        _ => SharedPages::Stay,
    };
    let subjects = Subjects::new(source, pids, page, &settings.notes, shared, &not_restored)?;
    let whole = |note: &LayoutNote| note.layout.on_nodes(&nodes);
    let cured: Vec<PageLayout> = match &settings.object {
        None => subjects.all.iter().map(|subject| whole(&subject.note)).collect(),
        Some(object) => {
            let part = |note: &LayoutNote| part_of(note, object).on_nodes(&nodes);
            subjects.all.iter().map(|subject| part(&subject.note)).collect()
        }
    };
    let stays = vec![[Bytes(0); 2]; cured.len()];
    let mut placements = Placements { subjects, cured, stays, report };
    let record = periods(&mut placements, &reader, settings, interrupt);
    report(TrialEvent::PeriodsEnded);
    let record = record?;
    let processes = placements.subjects.put_back().into_iter().collect::<Result<_, _>>()?;
    let (change, verdict) = record.result(settings.metric.direction);
    Ok(TrialDocument {
        cure,
        object: settings.object.as_ref().map(|object| object.name.clone()),
        metric: settings.metric.clone(),
        period_s: settings.period.as_secs_f64(),
        periods: record.periods,
        change,
        verdict,
        processes,
    })
}

/// The pages of an object, where they are.
fn part_of(note: &LayoutNote, object: &MemoryObject) -> PageLayout {
    let parts = object.parts.iter().filter(|part| part.pid == note.pid);
    let ranges = parts.map(|part| {
        let by_node = note.layout.by_node_within(part.start, part.end);
        let node = by_node.iter().next().map_or(NodeId(0), |(node, _)| node);
        PlacedRange { start: part.start, end: part.end, node, others: None }
    });
    note.layout.placed(&ranges.collect::<Vec<_>>(), &PagesTakingPart::ALL)
}

fn periods(
    placements: &mut Placements<'_>,
    reader: &MetricReader<'_>,
    settings: &TrialSettings,
    interrupt: &Interrupt,
) -> Result<TrialRecord, ExplainError> {
    let plan = TrialPlan::new(settings.blocks, settings.seed);
    (placements.report)(TrialEvent::Began(settings.blocks as u64 * 2));
    // Moving may split huge pages: both placements are measured after pages have moved.
    placements.place(TrialPlacement::Cured)?;
    placements.place(TrialPlacement::AsItWas)?;
    let mut record = TrialRecord::default();
    for (block, both) in plan.blocks.iter().enumerate() {
        for &placement in both {
            placements.place(placement)?;
            pause(SETTLING, interrupt)?;
            let figure = reader.figure(settings.period, interrupt)?;
            record.add(block, placement, figure, placements.have_moved(placement));
            (placements.report)(TrialEvent::Period);
        }
    }
    Ok(record)
}
