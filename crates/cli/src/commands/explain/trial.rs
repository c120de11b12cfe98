//! Tries a cure: moves pages there and back while a metric is read, and puts them back.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use nearfar_live::explain::text::obstacle;
use nearfar_live::explain::{
    Around, CureKind, ExplainedProcess, Metric, ObservedProcess, Obstacle, TrialDocument,
    TrialPlacement, TrialPlan, TrialRecord, TrialledProcess, obstacles,
};
use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_process::{LayoutNote, LayoutResult, LayoutUndone, PageLayout, ProcessError};
use nearfar_view::terminal::{Interrupt, output};

use super::metric_reader::MetricReader;
use super::pause::pause;
use super::undo::notes_folder;

/// After pages have moved, the program runs this long before the metric counts: its caches fill.
const SETTLING: Duration = Duration::from_millis(300);
/// Memory that may be elsewhere at the end of a period, as a share of all.
const MOVED: f64 = 0.05;

/// What was asked for.
pub(super) struct TrialSettings {
    pub(super) metric: Metric,
    pub(super) blocks: usize,
    pub(super) period: Duration,
    pub(super) seed: u64,
}

/// The cure to try: pages to the named nodes, else the first listed one that moves pages.
pub(super) fn chosen(
    processes: &[ExplainedProcess],
    to: Option<NodeSet>,
) -> anyhow::Result<CureKind> {
    if let Some(nodes) = to {
        let only = nodes.iter().next().filter(|_| nodes.len() == 1);
        return Ok(only.map_or(CureKind::Interleave { nodes }, |node| CureKind::MovePages { node }));
    }
    let cures = processes.iter().flat_map(|process| &process.cures);
    let moving = cures.map(|cure| &cure.kind).find(|kind| kind.page_nodes().is_some());
    match moving {
        Some(kind) => Ok(kind.clone()),
        None => bail!(
            "no cure moves pages, so there is nothing to try: 'nearfar explain' without --try has \
             the reasons; --to NODES tries others"
        ),
    }
}

/// Why pages are not moved to where this cure has them, a sentence each.
pub(super) fn refusals(
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
}

impl<'s> Subjects<'s> {
    /// Records layouts, and keeps a note of each before anything moves.
    fn new(source: &'s Source, pids: &[u32], nodes: &NodeSet) -> anyhow::Result<Self> {
        let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
        let mut subjects = Self { source, folder: notes_folder()?, all: Vec::new() };
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
    fn place(&mut self, placement: TrialPlacement) -> anyhow::Result<()> {
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
            true => bail!("the process ended during the trial: there is no result"),
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
    fn put_back(&mut self) -> Vec<(TrialledProcess, Option<ProcessError>)> {
        let results = self.all.drain(..).map(|subject| {
            let undone = subject.note.undo(self.source, &self.folder);
            let (result, has_ended) = match &undone {
                Ok(LayoutUndone::Restored(result)) => (*result, false),
                Ok(LayoutUndone::Ended) => (LayoutResult::default(), true),
                Ok(LayoutUndone::AtWork) | Err(_) => (LayoutResult::default(), false),
            };
            let process = TrialledProcess {
                pid: subject.note.pid,
                moved_bytes: subject.moved,
                unmoved_bytes: subject.unmoved,
                restored_bytes: result.placed,
                unrestored_bytes: result.elsewhere,
                has_ended,
            };
            (process, undone.err())
        });
        results.collect()
    }
}

impl Drop for Subjects<'_> {
    fn drop(&mut self) {
        for (process, error) in self.put_back() {
            if let Some(error) = error {
                output::aside(&not_put_back(process.pid, &error));
            }
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

fn not_put_back(pid: u32, error: &ProcessError) -> String {
    format!(
        "pages of process {pid} could not be put back: {error}; 'nearfar explain --undo' tries it \
         again"
    )
}

/// Tries a cure. Whatever happens, pages are put back.
pub(super) fn run(
    source: &Source,
    pids: &[u32],
    cure: CureKind,
    settings: &TrialSettings,
    interrupt: &Interrupt,
) -> anyhow::Result<TrialDocument> {
    let reader = MetricReader::new(source, &settings.metric, pids)?;
    let mut subjects = Subjects::new(source, pids, &cure.page_nodes().unwrap_or_default())?;
    let record = periods(&mut subjects, &reader, settings, interrupt)?;
    let mut processes = Vec::new();
    for (process, error) in subjects.put_back() {
        if let Some(error) = error {
            bail!(not_put_back(process.pid, &error));
        }
        processes.push(process);
    }
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
) -> anyhow::Result<TrialRecord> {
    let plan = TrialPlan::new(settings.blocks, settings.seed);
    let bar = bar(settings.blocks as u64 * 2);
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
            bar.inc(1);
        }
    }
    Ok(record)
}

fn bar(periods: u64) -> ProgressBar {
    let bar = ProgressBar::new(periods).with_finish(ProgressFinish::AndClear);
    if let Ok(style) =
        ProgressStyle::with_template("trial {bar:30} {pos}/{len} periods, {eta} left")
    {
        bar.set_style(style);
    }
    crate::progress::keep_moving(&bar);
    bar
}
