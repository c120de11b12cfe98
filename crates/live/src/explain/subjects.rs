//! Processes whose pages are moved, and put back whatever happens.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, NodeId};
use nearfar_process::{
    LayoutNote, LayoutResult, LayoutUndone, MemoryObject, ObjectPart, PageLayout, PagesTakingPart,
    PlacedRange, SharedPages, ThreadCpus,
};

use crate::explain::ExplainError;
use crate::explain::document::TrialledProcess;

/// Memory in huge pages, as a share of all, from which on pages move by these.
const HUGE: f64 = 0.1;
const HUGE_PAGE: Bytes = Bytes::mib(2);

/// What moving did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    pub(crate) bytes: Bytes,
    pub(crate) seconds: f64,
}

impl Moved {
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes = self.bytes + other.bytes;
        self.seconds += other.seconds;
    }
}

/// A process whose pages are moved.
pub(crate) struct Subject {
    /// Where its pages were.
    pub(crate) note: LayoutNote,
    /// What the first move did.
    pub(crate) first_move: Option<LayoutResult>,
    pub(crate) has_ended: bool,
}

/// Receives an error of putting pages back.
pub(crate) type NotRestored<'r> = &'r dyn Fn(&ExplainError);

/// Some processes. Dropped, their pages are put back.
pub(crate) struct Subjects<'s> {
    source: &'s Source,
    folder: PathBuf,
    pub(crate) all: Vec<Subject>,
    not_restored: NotRestored<'s>,
}

impl<'s> Subjects<'s> {
    /// Records layouts, and keeps a note of each before anything moves.
    pub(crate) fn new(
        source: &'s Source,
        pids: &[u32],
        page: Bytes,
        folder: &Path,
        shared: SharedPages,
        not_restored: NotRestored<'s>,
    ) -> Result<Self, ExplainError> {
        let folder = folder.to_owned();
        let mut subjects = Self { source, folder, all: Vec::new(), not_restored };
        for &pid in pids {
            let before = PageLayout::read(source, pid, page)?;
            let note = LayoutNote::new(source, pid, before, shared)?;
            note.keep(&subjects.folder)?;
            subjects.all.push(Subject { note, first_move: None, has_ended: false });
        }
        Ok(subjects)
    }

    /// Of processes whose threads are bound, and whose pages stay.
    pub(crate) fn of_threads(
        source: &'s Source,
        processes: Vec<(u32, Vec<ThreadCpus>)>,
        folder: &Path,
        not_restored: NotRestored<'s>,
    ) -> Result<Self, ExplainError> {
        let folder = folder.to_owned();
        let mut subjects = Self { source, folder, all: Vec::new(), not_restored };
        for (pid, threads) in processes {
            let note = LayoutNote::of_threads(source, pid, threads)?;
            note.keep(&subjects.folder)?;
            subjects.all.push(Subject { note, first_move: None, has_ended: false });
        }
        Ok(subjects)
    }

    /// Moves the pages of one; without a layout to where they were. `None` if it has ended.
    pub(crate) fn carry_out(
        &mut self,
        at: usize,
        layout: Option<&PageLayout>,
    ) -> Result<Option<LayoutResult>, ExplainError> {
        let subject = &mut self.all[at];
        // Another process may have its number by now.
        subject.has_ended = subject.has_ended || subject.note.has_ended(self.source);
        if subject.has_ended {
            return Ok(None);
        }
        let (pid, shared) = (subject.note.pid, subject.note.shared());
        match layout.unwrap_or(&subject.note.layout).carry_out_with(pid, shared) {
            Ok(result) => {
                subject.first_move = subject.first_move.or(layout.map(|_| result));
                Ok(Some(result))
            }
            Err(_) if subject.note.has_ended(self.source) => {
                subject.has_ended = true;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The same, with how much moved and how long that took.
    pub(crate) fn carry_out_timed(
        &mut self,
        at: usize,
        layout: Option<&PageLayout>,
    ) -> Result<Option<(LayoutResult, Moved)>, ExplainError> {
        let note = &self.all[at].note;
        let began = Instant::now();
        let before = layout.unwrap_or(&note.layout).located(note.pid);
        let looked = began.elapsed().as_secs_f64();
        let Some(result) = self.carry_out(at, layout)? else { return Ok(None) };
        // Pages are looked up thrice: that stops no thread.
        let seconds = (began.elapsed().as_secs_f64() - 3.0 * looked).max(0.0);
        let was_elsewhere = before.map_or(Bytes(0), |before| before.elsewhere);
        let bytes = Bytes(was_elsewhere.0.saturating_sub(result.elsewhere.0));
        Ok(Some((result, Moved { bytes, seconds })))
    }

    /// Where the pages of these objects were, by process.
    pub(crate) fn layouts_of(&self, objects: &[MemoryObject]) -> Vec<PageLayout> {
        let none = PagesTakingPart { share: 0.0, ..PagesTakingPart::ALL };
        let layout = |subject: &Subject| {
            let parts = objects.iter().flat_map(|object| &object.parts);
            let own = parts.filter(|part| part.pid == subject.note.pid);
            let range = |part: &ObjectPart| PlacedRange {
                start: part.start,
                end: part.end,
                node: NodeId(0),
                others: None,
            };
            let mut ranges: Vec<PlacedRange> = own.map(range).collect();
            ranges.sort_by_key(|range| range.start);
            subject.note.layout.placed(&ranges, &none)
        };
        self.all.iter().map(layout).collect()
    }

    /// Memory that moves together: a huge page where there are many.
    pub(crate) fn moved_together(&self, page: Bytes) -> Bytes {
        let (mut all, mut huge) = (Bytes(0), Bytes(0));
        for subject in &self.all {
            let process = Process::known(self.source, subject.note.pid);
            let reserved = process.status().ok().and_then(|status| status.huge).unwrap_or_default();
            all = all + subject.note.layout.by_node().total();
            huge = huge + process.transparent_huge().unwrap_or_default() + reserved;
        }
        if huge.0 as f64 > HUGE * all.0 as f64 { HUGE_PAGE.max(page) } else { page }
    }

    /// # Errors
    ///
    /// All have ended.
    pub(crate) fn check_running(&self) -> Result<(), ExplainError> {
        match self.all.iter().all(|subject| subject.has_ended) {
            true => Err(ExplainError::Ended),
            false => Ok(()),
        }
    }

    /// Puts all pages back, and removes the notes of those that are.
    pub(crate) fn put_back(&mut self) -> Vec<Result<TrialledProcess, ExplainError>> {
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
            let moved = subject.first_move.unwrap_or_default();
            Ok(TrialledProcess {
                pid: subject.note.pid,
                moved_bytes: moved.placed,
                unmoved_bytes: moved.elsewhere,
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
            (self.not_restored)(&error);
        }
    }
}
