//! Tries a cure: moves pages there and back while a metric is read, and puts them back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_process::{LayoutNote, LayoutResult, LayoutUndone, PageLayout};
use nearfar_view::terminal::Interrupt;

use crate::explain::CureKind;
use crate::explain::ExplainError;
use crate::explain::Metric;
use crate::explain::Obstacle;
use crate::explain::document::{ExplainedProcess, TrialDocument, TrialledProcess};
use crate::explain::metric_reader::MetricReader;
use crate::explain::obstacles::obstacles;
use crate::explain::pause::pause;
use crate::explain::text::obstacle;
use crate::explain::trial::TrialRecord;
use crate::explain::{Around, ObservedProcess};
use crate::explain::{TrialPlacement, TrialPlan};

/// After pages have moved, the program runs this long before the metric counts: its caches fill.
const SETTLING: Duration = Duration::from_millis(300);
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
}

/// What happens in a trial, for a user who waits.
#[derive(Clone, Copy, Debug)]
pub enum TrialEvent<'e> {
    /// It begins, with this many periods.
    Began(u64),
    /// A period is over.
    Period,
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

/// A process under trial.
struct Subject {
    /// Where its pages were.
    note: LayoutNote,
    cured: PageLayout,
    /// What the first move to the cure did.
    moved: Bytes,
    unmoved: Bytes,
    /// Memory that stays elsewhere in either placement, as it did at first.
    stays: [Bytes; 2],
    has_ended: bool,
}

/// The processes under trial. Dropped, their pages are put back.
struct Subjects<'s> {
    source: &'s Source,
    folder: PathBuf,
    all: Vec<Subject>,
    report: TrialReport<'s>,
}

impl<'s> Subjects<'s> {
    /// Records layouts, and keeps a note of each before anything moves.
    fn new(
        source: &'s Source,
        pids: &[u32],
        nodes: &NodeSet,
        folder: &Path,
        report: TrialReport<'s>,
    ) -> Result<Self, ExplainError> {
        let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
        let mut subjects = Self { source, folder: folder.to_owned(), all: Vec::new(), report };
        for &pid in pids {
            let before = PageLayout::read(source, pid, page)?;
            let cured = before.on_nodes(nodes);
            let note = LayoutNote::new(source, pid, before)?;
            note.keep(&subjects.folder)?;
            let (moved, unmoved, stays) = (Bytes(0), Bytes(0), [Bytes(0); 2]);
            subjects.all.push(Subject { note, cured, moved, unmoved, stays, has_ended: false });
        }
        Ok(subjects)
    }

    /// Moves all pages to a placement. Processes that have ended are marked.
    fn place(&mut self, placement: TrialPlacement) -> Result<(), ExplainError> {
        for subject in self.all.iter_mut().filter(|subject| !subject.has_ended) {
            // Another process may have its number by now.
            subject.has_ended = subject.note.has_ended(self.source);
            if subject.has_ended {
                continue;
            }
            match subject.layout(placement).carry_out(subject.note.pid) {
                Ok(result) => subject.moved_to(placement, result),
                Err(_) if subject.note.has_ended(self.source) => subject.has_ended = true,
                Err(error) => return Err(error.into()),
            }
        }
        match self.all.iter().all(|subject| subject.has_ended) {
            true => Err(ExplainError::Ended),
            false => Ok(()),
        }
    }

    /// Whether more memory is elsewhere than the kernel had left there at first.
    fn have_moved(&self, placement: TrialPlacement) -> bool {
        self.all.iter().filter(|subject| !subject.has_ended).any(|subject| {
            let Ok(now) = subject.layout(placement).located(subject.note.pid) else { return true };
            let more = now.elsewhere.0.saturating_sub(subject.stays[index(placement)].0);
            more as f64 > MOVED * (now.placed + now.elsewhere).0 as f64
        })
    }

    /// Puts all pages back, and removes the notes of those that are.
    fn put_back(&mut self) -> Vec<Result<TrialledProcess, ExplainError>> {
        let results = self.all.drain(..).map(|subject| {
            let undone = subject.note.undo(self.source, &self.folder);
            let (result, has_ended) = match undone {
                Ok(LayoutUndone::Restored(result)) => (result, false),
                Ok(LayoutUndone::Ended) => (LayoutResult::default(), true),
                Ok(LayoutUndone::AtWork) => (LayoutResult::default(), false),
                Err(error) => {
                    return Err(ExplainError::NotRestored { pid: subject.note.pid, error });
                }
            };
            Ok(TrialledProcess {
                pid: subject.note.pid,
                moved_bytes: subject.moved,
                unmoved_bytes: subject.unmoved,
                restored_bytes: result.placed,
                unrestored_bytes: result.elsewhere,
                has_ended,
            })
        });
        results.collect()
    }
}

impl Drop for Subjects<'_> {
    fn drop(&mut self) {
        for error in self.put_back().into_iter().filter_map(Result::err) {
            (self.report)(TrialEvent::NotRestored(&error));
        }
    }
}

impl Subject {
    fn layout(&self, placement: TrialPlacement) -> &PageLayout {
        match placement {
            TrialPlacement::AsItWas => &self.note.layout,
            TrialPlacement::Cured => &self.cured,
        }
    }

    fn moved_to(&mut self, placement: TrialPlacement, result: LayoutResult) {
        if placement == TrialPlacement::Cured && self.moved == Bytes(0) {
            (self.moved, self.unmoved) = (result.placed, result.elsewhere);
        }
        self.stays[index(placement)] = result.elsewhere;
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
    let mut subjects = Subjects::new(source, pids, &nodes, &settings.notes, report)?;
    let record = periods(&mut subjects, &reader, settings, interrupt);
    report(TrialEvent::PeriodsEnded);
    let record = record?;
    let processes = subjects.put_back().into_iter().collect::<Result<_, _>>()?;
    let (change, verdict) = record.result(settings.metric.direction);
    Ok(TrialDocument {
        cure,
        metric: settings.metric.clone(),
        period_s: settings.period.as_secs_f64(),
        periods: record.periods,
        change,
        verdict,
        processes,
    })
}

fn periods(
    subjects: &mut Subjects<'_>,
    reader: &MetricReader<'_>,
    settings: &TrialSettings,
    interrupt: &Interrupt,
) -> Result<TrialRecord, ExplainError> {
    let plan = TrialPlan::new(settings.blocks, settings.seed);
    (subjects.report)(TrialEvent::Began(settings.blocks as u64 * 2));
    // Moving may split huge pages: both placements are measured after pages have moved.
    subjects.place(TrialPlacement::Cured)?;
    subjects.place(TrialPlacement::AsItWas)?;
    let mut record = TrialRecord::default();
    for (block, both) in plan.blocks.iter().enumerate() {
        for &placement in both {
            subjects.place(placement)?;
            pause(SETTLING, interrupt)?;
            let figure = reader.figure(settings.period, interrupt)?;
            record.add(block, placement, figure, subjects.have_moved(placement));
            (subjects.report)(TrialEvent::Period);
        }
    }
    Ok(record)
}
