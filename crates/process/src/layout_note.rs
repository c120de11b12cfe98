//! A layout in a file: it is restored after a kill, too.

use std::path::{Path, PathBuf};

use nearfar_machine::{Process, Source};
use nearfar_view::owned_files::{Note, NoteError, PrivateFolder};
use serde::{Deserialize, Serialize};

use crate::error::ProcessError;
use crate::page_layout::{LayoutResult, PageLayout, SharedPages};
use crate::thread_cpus::ThreadCpus;

const PREFIX: &str = "layout-";

/// The layout of a process before its pages were moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LayoutNote {
    /// The process.
    pub pid: u32,
    /// When it was started, in the kernel's ticks since boot: numbers of processes are used again.
    started: u64,
    /// Who moves its pages, and puts them back: the writer of this note.
    keeper: u32,
    keeper_started: u64,
    /// Where its pages were.
    pub layout: PageLayout,
    /// Whether pages moved that other processes map, too.
    #[serde(default)]
    moves_shared: bool,
    /// Threads that are bound meanwhile, and where they might run before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    threads: Vec<ThreadCpus>,
}

impl Note for LayoutNote {
    const SCHEMA: &'static str = "nearfar.layout/1";
    const TAKEN: &'static str = "another trial of this process is at work, or was killed: \
                                 'nearfar explain --undo' restores it, or names what is wrong \
                                 with this file";
    const STATE: &'static str = "where its pages are ('nearfar explain')";
}

/// What [`LayoutNote::undo`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutUndone {
    /// Pages are where they were.
    Restored(LayoutResult),
    /// The process has ended: nothing is left to restore.
    Ended,
    /// The trial is still at work, and puts pages back itself. The note stays.
    AtWork,
}

impl LayoutNote {
    /// Whether its process has ended: the number alone may be another's by now.
    pub fn has_ended(&self, source: &Source) -> bool {
        Process::still_exists(source, self.pid, self.started) == Some(false)
    }

    /// Of a process that runs.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn new(
        source: &Source,
        pid: u32,
        layout: PageLayout,
        shared: SharedPages,
    ) -> Result<Self, ProcessError> {
        let moves_shared = shared == SharedPages::Move;
        let started = Process::known(source, pid).stat()?.started.unwrap_or(0);
        let keeper = std::process::id();
        let keeper_started = started_at(source, keeper).unwrap_or(0);
        let threads = Vec::new();
        Ok(Self { pid, started, keeper, keeper_started, layout, moves_shared, threads })
    }

    /// Of a process some of whose threads are bound, and whose pages stay.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn of_threads(
        source: &Source,
        pid: u32,
        threads: Vec<ThreadCpus>,
    ) -> Result<Self, ProcessError> {
        let note = Self::new(source, pid, PageLayout::default(), SharedPages::Stay)?;
        Ok(Self { threads, ..note })
    }

    /// Whether threads are bound meanwhile, and pages stay.
    pub fn is_of_threads(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Whose pages move.
    pub fn shared(&self) -> SharedPages {
        if self.moves_shared { SharedPages::Move } else { SharedPages::Stay }
    }

    fn path(folder: &Path, pid: u32) -> PathBuf {
        folder.join(format!("{PREFIX}{pid}.json"))
    }

    /// Writes it. A note that is there stays: the first state is the one to return to.
    ///
    /// # Errors
    ///
    /// It cannot be written, or there is one of this process already.
    pub fn keep(&self, folder: &Path) -> Result<(), ProcessError> {
        Ok(self.keep_new(&Self::path(folder, self.pid))?)
    }

    /// The notes in a folder; an error for each file that is none. Without the folder there are
    /// none.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn all(folder: &Path) -> Result<Vec<Result<Self, ProcessError>>, ProcessError> {
        let names = PrivateFolder::open(folder)
            .and_then(|folder| folder.map_or(Ok(Vec::new()), |folder| folder.names()))
            .map_err(|error| NoteError::new(folder, &error))?;
        let notes =
            names.into_iter().filter(|name| name.starts_with(PREFIX) && name.ends_with(".json"));
        let read = |name: String| Self::read(&folder.join(name)).map_err(Into::into).transpose();
        Ok(notes.filter_map(read).collect())
    }

    /// Moves pages back, and removes the note.
    ///
    /// # Errors
    ///
    /// Pages cannot be moved. The note stays.
    pub fn undo(&self, source: &Source, folder: &Path) -> Result<LayoutUndone, ProcessError> {
        let is_other = self.keeper != std::process::id();
        let exists = |pid, started, what| {
            Process::still_exists(source, pid, started).ok_or_else(|| {
                let note = Self::path(folder, self.pid);
                ProcessError::HiddenOfNote { note, pid, what }
            })
        };
        if is_other && exists(self.keeper, self.keeper_started, "which moved pages")? {
            return Ok(LayoutUndone::AtWork);
        }
        let has_ended =
            || exists(self.pid, self.started, "whose pages moved").map(|exists| !exists);
        let undone = if has_ended()? {
            LayoutUndone::Ended
        } else {
            match self.restore(source) {
                Ok(result) => LayoutUndone::Restored(result),
                Err(error) if !has_ended()? => return Err(error),
                Err(_) => LayoutUndone::Ended,
            }
        };
        let _ = Self::remove(&Self::path(folder, self.pid));
        Ok(undone)
    }

    /// Numbers of threads that ended may be those of other processes' threads by now.
    fn restore(&self, source: &Source) -> Result<LayoutResult, ProcessError> {
        let present = Process::known(source, self.pid).thread_ids();
        for thread in self.threads.iter().filter(|thread| present.contains(&thread.tid)) {
            thread.give_back()?;
        }
        self.layout.carry_out_with(self.pid, self.shared())
    }
}

/// When a process was started; `None` if it has ended.
fn started_at(source: &Source, pid: u32) -> Option<u64> {
    Process::known(source, pid).stat().ok()?.started
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearfar_model::{Bytes, CpuSet};

    use super::*;

    fn own() -> LayoutNote {
        let (source, pid) = (Source::live(), std::process::id());
        let layout = PageLayout::read(&source, pid, Bytes(4096)).unwrap();
        LayoutNote::new(&source, pid, layout, SharedPages::Stay).unwrap()
    }

    #[test]
    fn notes_are_undone_once() {
        let run = tempfile::tempdir().unwrap();
        let folder = run.path().join("nearfar");
        assert_eq!(LayoutNote::all(&folder).unwrap().len(), 0);
        let note = own();
        note.keep(&folder).unwrap();
        let again = note.keep(&folder).unwrap_err().to_string();
        assert!(again.contains("nearfar explain --undo"), "{again}");
        let kept = LayoutNote::all(&folder).unwrap().remove(0).unwrap();
        assert_eq!(kept, note);
        let undone = kept.undo(&Source::live(), &folder).unwrap();
        let LayoutUndone::Restored(result) = undone else { panic!("{undone:?}") };
        assert!(result.placed > Bytes::mib(1) && result.elsewhere == Bytes(0), "{result:?}");
        assert_eq!(LayoutNote::all(&folder).unwrap().len(), 0);
    }

    #[test]
    fn threads_may_run_where_they_might_again() {
        let folder = tempfile::tempdir().unwrap();
        let (source, pid) = (Source::live(), std::process::id());
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (send, tid) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            send.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            let _ = stopped.recv();
        });
        let before = ThreadCpus::read(tid.recv().unwrap()).unwrap();
        let first = CpuSet::from_id(before.cpus.iter().next().unwrap());
        let note = LayoutNote::of_threads(&source, pid, vec![before.clone()]).unwrap();
        note.keep(folder.path()).unwrap();
        assert_eq!(before.bind(&first).unwrap(), Some(first.clone()));
        assert!(before.is_on(&first));
        let kept = LayoutNote::all(folder.path()).unwrap().remove(0).unwrap();
        kept.undo(&source, folder.path()).unwrap();
        assert!(before.is_on(&before.cpus));
        drop(stop);
        thread.join().unwrap();
        assert_eq!(before.bind(&first).unwrap(), None);
        assert!(!before.is_on(&first));
    }

    #[test]
    fn a_number_that_was_used_again_is_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let mut note = own();
        note.started += 1;
        note.keep(folder.path()).unwrap();
        assert_eq!(note.undo(&Source::live(), folder.path()).unwrap(), LayoutUndone::Ended);
        assert_eq!(LayoutNote::all(folder.path()).unwrap().len(), 0);
    }

    #[test]
    fn a_trial_at_work_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::live();
        let parent = std::os::unix::process::parent_id();
        let note = LayoutNote {
            keeper: parent,
            keeper_started: started_at(&source, parent).unwrap(),
            ..own()
        };
        note.keep(folder.path()).unwrap();
        assert_eq!(note.undo(&source, folder.path()).unwrap(), LayoutUndone::AtWork);
        assert_eq!(LayoutNote::all(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn damaged_notes_are_errors_with_their_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("layout-7.json"), "{\"schema\"").unwrap();
        let error = LayoutNote::all(folder.path()).unwrap().remove(0).unwrap_err().to_string();
        assert!(error.contains("layout-7.json"), "{error}");
    }
}
