//! Running processes: their memory and threads in `/proc/PID`.
//!
//! A process may end while it is read, belong to another user, or have no memory (kernel threads,
//! zombies): each has its own [`MachineError`]. Malformed lines are skipped and counted. See
//! proc(5), numa(7) and Documentation/filesystems/proc.rst.

mod counter;
mod group_name;
mod groups;
mod maps;
mod node_summaries;
mod numa_maps;
mod numa_policy;
mod open_devices;
mod smaps;
mod stat;
mod status;

use std::collections::BTreeMap;

use nearfar_model::Bytes;

use crate::error::MachineError;
use crate::hidden_processes::kernel_has;
use crate::source::{FileContents, MAX_FILE_SIZE, Source};

pub use counter::ProcessCounter;
pub use group_name::{group_name, is_in_hierarchy};
pub use groups::{ProcessGroup, ProcessList, cgroup_folder, groups_named, processes_in_group};
pub use maps::{MapsEntry, parse_maps};
pub use node_summaries::{NodeSummaries, NodeSummary};
pub use numa_maps::{MappingSegment, NumaMapping, NumaMaps};
pub use numa_policy::{NumaMode, NumaPolicy};
pub use open_devices::{NoOpenDevices, OpenDevice, OpenDevices};
pub use stat::TaskStat;
pub use status::TaskStatus;

/// Maximum size of a process's list of mappings. The kernel allows 65,530 mappings by default; some
/// databases and games raise that to a million and more.
const MAX_MAPPINGS_SIZE: Bytes = Bytes::mib(512);
/// As much of the list of mappings as shows the policy of the first thread.
const POLICY_SIZE: Bytes = Bytes::kib(4);

/// A process of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Process<'s> {
    source: &'s Source,
    /// Its process ID.
    pub pid: u32,
}

/// IDs of all visible processes, ascending.
///
/// # References
///
/// proc(5)
pub fn process_ids(source: &Source) -> Vec<u32> {
    source.numbered("/proc", "")
}

impl<'s> Process<'s> {
    /// The process with this ID, which may have ended.
    pub fn known(source: &'s Source, pid: u32) -> Self {
        Self { source, pid }
    }

    /// The process with this ID.
    ///
    /// # Errors
    ///
    /// [`MachineError::NoSuchProcess`], [`MachineError::HiddenProcess`], or the errors of
    /// [`Source::proc_fault`].
    pub fn find(source: &'s Source, pid: u32) -> Result<Self, MachineError> {
        let process = Self { source, pid };
        // A live one is checked first: numbers of another namespace are other processes.
        if !source.is_live() && process.is_visible() {
            return Ok(process);
        }
        if let Some(fault) = source.proc_fault() {
            return Err(fault);
        }
        if process.is_visible() {
            return Ok(process);
        }
        let exists = if source.is_live() { kernel_has(pid) } else { Some(false) };
        // Asked again: a process may begin and end meanwhile.
        if exists == Some(true) && !process.is_visible() && kernel_has(pid) == Some(true) {
            return Err(MachineError::HiddenProcess { pid });
        }
        // The kernel knows those of this namespace, hidden ones included.
        let hidden_by = if exists.is_some() { source.hidden_outside() } else { source.hidden_by() };
        Err(MachineError::NoSuchProcess { pid, origin: source.origin().to_owned(), hidden_by })
    }

    /// Whether the process that was started then still runs; `None` if `/proc` does not show that.
    ///
    /// A zombie does not: its parent may never wait for it. `started` is in the kernel's ticks
    /// since boot: numbers are used again.
    pub fn still_exists(source: &Source, pid: u32, started: u64) -> Option<bool> {
        match Process::find(source, pid).and_then(|process| process.stat()) {
            Ok(stat) => Some(stat.started == Some(started) && !stat.is_dead()),
            Err(error) => error.is_of_ended_process().then_some(false),
        }
    }

    fn is_visible(&self) -> bool {
        self.source.exists(&format!("/proc/{}", self.pid))
    }

    /// How much of its anonymous memory counts as other processes', where pages that several share
    /// after fork(2) count in equal parts.
    ///
    /// # References
    ///
    /// `Pss_Anon` in Documentation/ABI/testing/procfs-smaps_rollup
    pub fn anonymous_elsewhere(&self) -> Option<Bytes> {
        let text = self.source.text(&self.path("smaps_rollup"))?;
        let size = |key: &str| -> Option<Bytes> {
            text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
        };
        let (own, all) = (size("Pss_Anon:")?, size("Anonymous:")?);
        Some(Bytes(all.0.saturating_sub(own.0)))
    }

    /// Its memory in transparent huge pages.
    ///
    /// # References
    ///
    /// `AnonHugePages` in Documentation/filesystems/proc.rst
    pub fn transparent_huge(&self) -> Option<Bytes> {
        let text = self.source.text(&self.path("smaps_rollup"))?;
        let keys = ["AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"];
        let sizes = text.lines().filter_map(|line| {
            let rest = keys.iter().find_map(|key| line.strip_prefix(key))?;
            rest.trim().parse::<Bytes>().ok()
        });
        Some(sizes.sum())
    }

    /// Its mappings that are locked in memory: first and last addresses.
    pub fn locked_mappings(&self) -> Vec<[u64; 2]> {
        let is_locked =
            self.status().ok().and_then(|status| status.locked).is_some_and(|size| size.0 > 0);
        let smaps = if is_locked { self.source.text(&self.path("smaps")) } else { None };
        smaps.map(|text| smaps::locked_mappings(&text)).unwrap_or_default()
    }

    /// Marks its pages as unused. False where the kernel does not allow it, and on captured
    /// machines.
    ///
    /// # References
    ///
    /// Documentation/filesystems/proc.rst, `clear_refs`
    pub fn mark_unused(&self) -> bool {
        self.source.is_live()
            && std::fs::write(format!("/proc/{}/clear_refs", self.pid), "1").is_ok()
    }

    /// First and last addresses of its mappings, and the memory that it used since its pages were
    /// marked as unused (`clear_refs`).
    pub fn referenced(&self) -> Vec<([u64; 2], Bytes)> {
        let smaps = self.source.text(&self.path("smaps"));
        smaps.map(|text| smaps::referenced(&text)).unwrap_or_default()
    }

    /// Entries of its page table from this page on; none on captured machines.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/mm/pagemap.rst
    pub fn pagemap(&self, first: u64, pages: usize) -> Option<Vec<u64>> {
        let size = size_of::<u64>();
        let (offset, length) = (first.checked_mul(size as u64)?, pages.checked_mul(size)?);
        match self.source.device(&self.path("pagemap"), offset, length) {
            FileContents::Bytes(bytes) => {
                let words = bytes.chunks_exact(size).filter_map(|word| word.try_into().ok());
                Some(words.map(u64::from_ne_bytes).collect())
            }
            FileContents::Absent | FileContents::Denied => None,
        }
    }

    /// Its mappings, with policies and pages by node.
    ///
    /// # Errors
    ///
    /// [`MachineError::NotYourProcess`], [`MachineError::ProcessEnded`], or
    /// [`MachineError::NoNumaMaps`] if the kernel has no NUMA.
    ///
    /// # References
    ///
    /// numa(7), proc_pid_numa_maps(5)
    pub fn numa_maps(&self) -> Result<NumaMaps, MachineError> {
        let has_none = || {
            let paths = [self.path("numa_maps"), "/proc/self/numa_maps".to_owned()];
            paths.iter().all(|path| !self.source.exists(path))
        };
        let text = self.text("numa_maps", MAX_MAPPINGS_SIZE).map_err(|error| match error {
            MachineError::ProcessUnreadable { .. } if has_none() => {
                MachineError::NoNumaMaps { pid: self.pid }
            }
            error => error,
        })?;
        Ok(NumaMaps::parse(&text))
    }

    /// The memory policy of its first thread, as its first mappings of files show it: those have
    /// none of their own. `None` where it cannot be read.
    ///
    /// Reads the beginning of `numa_maps` only, since the kernel walks the pages of all mappings
    /// that are read, and holds the process's mapping lock meanwhile.
    ///
    /// # References
    ///
    /// numa(7); fs/proc/task_mmu.c: show_numa_map
    pub fn policy(&self) -> Option<NumaPolicy> {
        let text = self.source.beginning(&self.path("numa_maps"), POLICY_SIZE)?;
        let (lines, _) = text.rsplit_once('\n')?;
        let maps = NumaMaps::parse(lines).mappings;
        let first_file = maps.iter().find(|mapping| mapping.file.is_some());
        Some(first_file.or(maps.first())?.policy.clone())
    }

    /// Its mappings with end addresses, sharing and names, and the number of malformed lines.
    ///
    /// # Errors
    ///
    /// [`MachineError::NotYourProcess`] or [`MachineError::ProcessEnded`].
    ///
    /// # References
    ///
    /// proc_pid_maps(5)
    pub fn maps(&self) -> Result<(Vec<MapsEntry>, usize), MachineError> {
        Ok(parse_maps(&self.text("maps", MAX_MAPPINGS_SIZE)?))
    }

    /// Its name, state, parent, CPU time, and the last CPU of its first thread.
    ///
    /// # Errors
    ///
    /// [`MachineError::ProcessEnded`], or [`MachineError::ProcessUnreadable`] if malformed.
    ///
    /// # References
    ///
    /// proc_pid_stat(5)
    pub fn stat(&self) -> Result<TaskStat, MachineError> {
        let text = self.text("stat", MAX_FILE_SIZE)?;
        TaskStat::parse(&text).ok_or_else(|| self.malformed("stat"))
    }

    /// State of one of its threads; `None` if it has ended or is malformed.
    ///
    /// # References
    ///
    /// proc_pid_task(5)
    pub fn thread_stat(&self, tid: u32) -> Option<TaskStat> {
        TaskStat::parse(&self.source.text(&self.path(&format!("task/{tid}/stat")))?)
    }

    /// The user whose rights it has; `None` if it has ended, or in a captured machine.
    ///
    /// # References
    ///
    /// proc_pid(5)
    pub fn owner(&self) -> Option<u32> {
        self.source.owner(&format!("/proc/{}", self.pid))
    }

    /// Its allowed CPUs and nodes, and its resident and swapped memory.
    ///
    /// # Errors
    ///
    /// [`MachineError::ProcessEnded`] or [`MachineError::ProcessUnreadable`].
    ///
    /// # References
    ///
    /// proc_pid_status(5)
    pub fn status(&self) -> Result<TaskStatus, MachineError> {
        Ok(TaskStatus::parse(&self.text("status", MAX_FILE_SIZE)?))
    }

    /// IDs of its threads, ascending; empty if it has ended.
    ///
    /// # References
    ///
    /// proc_pid_task(5)
    pub fn thread_ids(&self) -> Vec<u32> {
        self.source.numbered(&self.path("task"), "")
    }

    /// IDs of its child processes, zombies included, ascending. The list may be incomplete if
    /// others end meanwhile (proc(5), `children`). `None` without `CONFIG_PROC_CHILDREN`, or if it
    /// has ended.
    ///
    /// # References
    ///
    /// proc_tid_children(5)
    pub fn children(&self) -> Option<Vec<u32>> {
        let files: Vec<String> = self
            .thread_ids()
            .into_iter()
            .filter_map(|tid| self.source.text(&self.path(&format!("task/{tid}/children"))))
            .collect();
        let numbers = files
            .iter()
            .flat_map(|text| text.split_whitespace())
            .filter_map(|word| word.parse().ok());
        let mut children: Vec<u32> = numbers.collect();
        children.sort_unstable();
        (!files.is_empty()).then_some(children)
    }

    /// One of its threads; `None` if it has ended or is malformed.
    ///
    /// # References
    ///
    /// proc_pid_task(5)
    pub fn thread(&self, tid: u32) -> Option<(TaskStat, TaskStatus)> {
        let file = |name: &str| self.source.text(&self.path(&format!("task/{tid}/{name}")));
        Some((TaskStat::parse(&file("stat")?)?, TaskStatus::parse(&file("status")?)))
    }

    /// Its name: the program's file name, cut to 15 characters, or as set by prctl(2).
    ///
    /// # References
    ///
    /// proc_pid_comm(5)
    pub fn name(&self) -> Option<String> {
        self.source.text(&self.path("comm")).filter(|name| !name.is_empty())
    }

    /// The name of one of its threads; `None` if it has ended.
    ///
    /// # References
    ///
    /// proc_pid_comm(5)
    pub fn thread_name(&self, tid: u32) -> Option<String> {
        let name = self.source.text(&self.path(&format!("task/{tid}/comm")));
        name.filter(|name| !name.is_empty())
    }

    /// Its command line; empty for kernel threads and zombies.
    ///
    /// # References
    ///
    /// proc_pid_cmdline(5)
    pub fn command(&self) -> Vec<String> {
        let bytes = self.source.read(&self.path("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches('\0');
        if text.is_empty() { Vec::new() } else { text.split('\0').map(str::to_owned).collect() }
    }

    /// Those of these environment variables that it began with; `None` if they may not be read. A
    /// program's other variables may be secrets, and are not kept.
    ///
    /// # References
    ///
    /// proc_pid_environ(5)
    pub fn variables<'n>(&self, wanted: &[&'n str]) -> Option<BTreeMap<&'n str, String>> {
        let bytes = self.source.read(&self.path("environ"))?;
        let value = |name: &&'n str| {
            let mut lines = bytes.split(|byte| *byte == 0);
            let value =
                lines.find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
            value.map(|value| (*name, String::from_utf8_lossy(value).into_owned()))
        };
        Some(wanted.iter().filter_map(value).collect())
    }

    /// Its control group in each hierarchy, below the mount point.
    ///
    /// # References
    ///
    /// cgroups(7)
    pub fn control_groups(&self) -> Vec<String> {
        let text = self.source.text(&self.path("cgroup")).unwrap_or_default();
        text.lines().filter_map(|line| Some(line.splitn(3, ':').nth(2)?.to_owned())).collect()
    }

    fn path(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.pid)
    }

    /// Reads a file that every process has.
    fn text(&self, file: &str, most: Bytes) -> Result<String, MachineError> {
        match self.source.contents_up_to(&self.path(file), most) {
            FileContents::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            FileContents::Denied => {
                let is_root = self.source.is_live() && rustix::process::geteuid().is_root();
                Err(MachineError::NotYourProcess { pid: self.pid, file: self.path(file), is_root })
            }
            FileContents::Absent if self.is_visible() => Err(self.malformed(file)),
            FileContents::Absent => Err(MachineError::ProcessEnded { pid: self.pid }),
        }
    }

    fn malformed(&self, file: &str) -> MachineError {
        MachineError::ProcessUnreadable { file: self.path(file) }
    }
}

#[cfg(test)]
mod tests;
