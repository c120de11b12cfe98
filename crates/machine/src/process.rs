//! Running processes: what the kernel tells in `/proc/PID` about their memory and their threads.
//!
//! A process may end while it is read, may be another user's, or may have no memory of its own (the
//! kernel's threads, and zombies): each of these is a [`MachineError`] of its own. Lines that make
//! no sense are left out and counted. See proc(5), numa(7) and Documentation/filesystems/proc.rst.

mod groups;
mod maps;
mod node_summaries;
mod numa_maps;
mod numa_policy;
mod stat;
mod status;

use nearfar_model::Bytes;

use crate::error::MachineError;
use crate::source::{FileContents, MAX_FILE_SIZE, Source};

pub use groups::{ProcessGroup, cgroup_folder, processes_in_group};
pub use maps::{MapsEntry, parse_maps};
pub use node_summaries::{NodeSummaries, NodeSummary};
pub use numa_maps::{MappingSegment, NumaMapping, NumaMaps};
pub use numa_policy::{NumaMode, NumaPolicy};
pub use stat::TaskStat;
pub use status::TaskStatus;

/// The most that is read of a process's list of mappings. The kernel allows 65,530 mappings unless
/// told otherwise; some databases and games raise that to a million and more.
const MAX_MAPPINGS_SIZE: Bytes = Bytes::mib(512);

/// A process of a machine, by its number.
#[derive(Clone, Copy, Debug)]
pub struct Process<'s> {
    source: &'s Source,
    /// Its number.
    pub pid: u32,
}

/// The numbers of all processes that can be seen, ascending.
pub fn process_ids(source: &Source) -> Vec<u32> {
    source.numbered("/proc", "")
}

impl<'s> Process<'s> {
    /// The process of this number.
    pub fn find(source: &'s Source, pid: u32) -> Result<Self, MachineError> {
        if source.exists(&format!("/proc/{pid}")) {
            return Ok(Self { source, pid });
        }
        let gone = || MachineError::NoSuchProcess { pid, origin: source.origin().to_owned() };
        Err(source.lacks_proc().unwrap_or_else(gone))
    }

    /// Its mappings, with their policies and their pages by node.
    pub fn numa_maps(&self) -> Result<NumaMaps, MachineError> {
        let text = self.text("numa_maps", MAX_MAPPINGS_SIZE).map_err(|error| match error {
            MachineError::ProcessUnreadable { .. }
                if !self.source.exists(&self.path("numa_maps")) =>
            {
                MachineError::NoNumaMaps { pid: self.pid }
            }
            error => error,
        })?;
        Ok(NumaMaps::parse(&text))
    }

    /// Its mappings with their ends, permissions and names, and how many lines made no sense.
    pub fn maps(&self) -> Result<(Vec<MapsEntry>, usize), MachineError> {
        Ok(parse_maps(&self.text("maps", MAX_MAPPINGS_SIZE)?))
    }

    /// Its name, state, parent, and where its first thread ran last.
    pub fn stat(&self) -> Result<TaskStat, MachineError> {
        let text = self.text("stat", MAX_FILE_SIZE)?;
        TaskStat::parse(&text).ok_or_else(|| self.senseless("stat"))
    }

    /// What it may use, whose it is, and what is swapped out.
    pub fn status(&self) -> Result<TaskStatus, MachineError> {
        Ok(TaskStatus::parse(&self.text("status", MAX_FILE_SIZE)?))
    }

    /// The numbers of its threads, ascending. Empty once it has ended.
    pub fn thread_ids(&self) -> Vec<u32> {
        self.source.numbered(&self.path("task"), "")
    }

    /// The processes that its threads started, ascending, with those that ended and were not yet
    /// asked how. Some may be missing when others end meanwhile (proc(5), `children`); none where
    /// the kernel does not tell (without `CONFIG_PROC_CHILDREN`), or when it has ended.
    pub fn children(&self) -> Option<Vec<u32>> {
        let told = |tid: u32| self.source.text(&self.path(&format!("task/{tid}/children")));
        let told: Vec<String> = self.thread_ids().into_iter().filter_map(told).collect();
        let numbers = told
            .iter()
            .flat_map(|told| told.split_whitespace())
            .filter_map(|word| word.parse().ok());
        let mut children: Vec<u32> = numbers.collect();
        children.sort_unstable();
        (!told.is_empty()).then_some(children)
    }

    /// One of its threads; none when that has ended or makes no sense.
    pub fn thread(&self, tid: u32) -> Option<(TaskStat, TaskStatus)> {
        let file = |name: &str| self.source.text(&self.path(&format!("task/{tid}/{name}")));
        Some((TaskStat::parse(&file("stat")?)?, TaskStatus::parse(&file("status")?)))
    }

    /// Its short name: the program's file name up to 15 characters, or what it calls itself.
    pub fn name(&self) -> Option<String> {
        self.source.text(&self.path("comm")).filter(|name| !name.is_empty())
    }

    /// The words it was started with; none for the kernel's threads and for zombies.
    pub fn command(&self) -> Vec<String> {
        let bytes = self.source.read(&self.path("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches('\0');
        if text.is_empty() { Vec::new() } else { text.split('\0').map(str::to_owned).collect() }
    }

    fn path(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.pid)
    }

    /// A file that every process has.
    fn text(&self, file: &str, most: Bytes) -> Result<String, MachineError> {
        match self.source.contents_up_to(&self.path(file), most) {
            FileContents::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            FileContents::Denied => {
                Err(MachineError::NotYourProcess { pid: self.pid, file: self.path(file) })
            }
            FileContents::Absent if self.source.exists(&format!("/proc/{}", self.pid)) => {
                Err(self.senseless(file))
            }
            FileContents::Absent => Err(MachineError::ProcessEnded { pid: self.pid }),
        }
    }

    fn senseless(&self, file: &str) -> MachineError {
        MachineError::ProcessUnreadable { file: self.path(file) }
    }
}

#[cfg(test)]
mod tests;
