//! Cpusets around runs: a program can change its affinity and memory policy, but not its cpuset.
//!
//! A group is made below the sweep's own for each choice of CPUs and nodes, with a thread of the
//! sweep in it ([`CpusetThread`]). Runs are started *by that thread*, and so are born in the group:
//! moving a process may have to wait for an RCU grace period, and that is paid once for each group,
//! not for each run. What is made is named after the sweep ([`Traces`]), so that its guard removes
//! it however the sweep ends, and the next sweep what a guard that was killed itself could not.

mod traces;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{fs, io, thread};

use nearfar_machine::CpusetParent;
use nearfar_machine::guard::Leftovers;
use nearfar_model::{Bytes, CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

pub use traces::{Traces, remove_left_behind};

/// What a group holds a program to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounds {
    /// The CPUs.
    pub cpus: CpuSet,
    /// The nodes: of a policy that binds, else all that there are.
    pub nodes: NodeSet,
}

/// The groups of a sweep. Their threads end when this is dropped; the folders are [`Traces`].
#[derive(Debug)]
pub struct Cpusets {
    home: CpusetParent,
    traces: Traces,
    cpuset_threads: BTreeMap<Bounds, CpusetThread>,
    made: usize,
}

impl Cpusets {
    /// Makes the first group, to see whether that can be done here. A guard that knows the traces
    /// is at work by then: a kill leaves none.
    pub fn begin(home: CpusetParent, traces: Traces, first: &Bounds) -> Result<Self, CpusetError> {
        if let Some(file) = home.switch.clone() {
            // Lets groups below have cpusets.
            let switched = fs::write(&file, "+cpuset").map_err(|error| error.to_string());
            switched.map_err(|error| CpusetError::NotSwitchedOn { file, error })?;
        }
        let mut cpusets = Self { home, traces, cpuset_threads: BTreeMap::new(), made: 0 };
        match cpusets.cpuset_thread(first).map(drop) {
            Ok(()) => Ok(cpusets),
            Err(why) => {
                cpusets.traces.remove(Duration::ZERO);
                Err(why)
            }
        }
    }

    /// The file into which a thread writes 0 to leave the groups.
    pub(crate) fn outside(&self) -> PathBuf {
        Path::new(&self.home.folder).join(self.home.threads)
    }

    /// "cgroup v1" or "cgroup v2".
    pub fn interface(&self) -> &'static str {
        self.home.interface
    }

    /// The group of these bounds, made anew where something has changed it: version 1 forgets CPUs
    /// that go offline for a while.
    pub(crate) fn cpuset_thread(&mut self, bounds: &Bounds) -> Result<&CpusetThread, CpusetError> {
        if self.cpuset_threads.get(bounds).is_some_and(|cpuset_thread| !cpuset_thread.is_as_made())
        {
            self.cpuset_threads.remove(bounds);
        }
        match self.cpuset_threads.entry(bounds.clone()) {
            Entry::Occupied(cpuset_thread) => Ok(cpuset_thread.into_mut()),
            Entry::Vacant(none) => {
                let folder = self.traces.folder(self.made);
                self.made += 1;
                Ok(none.insert(CpusetThread::make(&self.home, folder, bounds)?))
            }
        }
    }
}

/// What programs cannot change. Affinity and memory policy are always set, but programs can
/// change those.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Enforcement {
    /// "cgroup v1" or "cgroup v2": cpusets were around every run. Null where there were no
    /// cpusets.
    pub cpusets: Option<String>,
    /// Why there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<CpusetError>,
    /// Whether an earlier part of the sweep, before it was resumed, was enforced differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// Why there are no cpusets around runs. Each `error` is the kernel's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CpusetError {
    /// Disabled by `--no-cpusets`.
    Unwanted,
    /// No control group for them is available.
    NoHome {
        /// What it lacks.
        error: String,
    },
    /// The controller cannot be switched on.
    NotSwitchedOn {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be made.
    NotMade {
        /// Its folder.
        folder: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be bound.
    NotBound {
        /// The file that does it.
        file: String,
        /// What it shall hold.
        value: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be entered.
    NotEntered {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// The thread that starts programs in a group cannot be started.
    NoThread {
        /// Why not.
        error: String,
    },
    /// That thread ended.
    ThreadEnded,
}

impl CpusetError {
    fn not_made(folder: &Path, error: &io::Error) -> Self {
        Self::NotMade { folder: folder.display().to_string(), error: error.to_string() }
    }

    fn not_bound(file: &Path, value: String, error: &io::Error) -> Self {
        Self::NotBound { file: file.display().to_string(), value, error: error.to_string() }
    }

    fn not_entered(file: &Path, error: &io::Error) -> Self {
        Self::NotEntered { file: file.display().to_string(), error: error.to_string() }
    }
}

impl Enforcement {
    /// Cpusets of this interface, or why there are none.
    pub fn from_cpusets(cpusets: Result<&str, CpusetError>) -> Self {
        match cpusets {
            Ok(interface) => Self { cpusets: Some(interface.to_owned()), ..Self::default() },
            Err(why) => Self { why_not: Some(why), ..Self::default() },
        }
    }

    /// The same, as it goes on from what an earlier part had.
    #[must_use]
    pub fn after(self, earlier: Option<&Self>) -> Self {
        let changed =
            earlier.is_some_and(|earlier| earlier.changed || earlier.cpusets != self.cpusets);
        Self { changed, ..self }
    }
}

/// The longest list of CPUs that the kernel prints.
const MAX_BYTES: Bytes = Bytes::mib(1);

/// What to start, and where the result goes.
type StartRequest = (Command, Sender<io::Result<Child>>);

/// A group, and the thread in it.
#[derive(Debug)]
pub(crate) struct CpusetThread {
    folder: PathBuf,
    cpus_file: PathBuf,
    cpus: CpuSet,
    orders: Option<Sender<StartRequest>>,
    thread: Option<JoinHandle<()>>,
}

impl CpusetThread {
    /// Makes the group, and waits until the thread is in it.
    fn make(home: &CpusetParent, folder: PathBuf, bounds: &Bounds) -> Result<Self, CpusetError> {
        fs::create_dir(&folder).map_err(|error| CpusetError::not_made(&folder, &error))?;
        let made = bind(home, &folder, bounds).and_then(|()| enter(folder.join(home.threads)));
        let (orders, thread) = made.inspect_err(|_| {
            let _ = fs::remove_dir(&folder);
        })?;
        let cpus_file = folder.join(home.cpus);
        Ok(Self {
            folder,
            cpus_file,
            cpus: bounds.cpus.clone(),
            orders: Some(orders),
            thread: Some(thread),
        })
    }

    /// Starts a program in the group.
    pub(crate) fn start(&self, command: Command) -> io::Result<Child> {
        let gone = || io::Error::other("the thread in the cpuset is gone");
        let (sender, receiver) = channel();
        self.orders.as_ref().ok_or_else(gone)?.send((command, sender)).map_err(|_| gone())?;
        receiver.recv().map_err(|_| gone())?
    }

    /// Whether the group still has its CPUs.
    fn is_as_made(&self) -> bool {
        let text = nearfar_view::input::read_entry(&self.cpus_file, MAX_BYTES).unwrap_or_default();
        CpuSet::parse_list(String::from_utf8_lossy(&text).trim())
            .is_ok_and(|cpus| cpus == self.cpus)
    }
}

impl Drop for CpusetThread {
    fn drop(&mut self) {
        drop(self.orders.take());
        let _ = self.thread.take().map(JoinHandle::join);
        // What is still in use is removed with the sweep's other traces.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Bounds first: version 1 lets no thread into a group that has none.
fn bind(home: &CpusetParent, folder: &Path, bounds: &Bounds) -> Result<(), CpusetError> {
    let kind = home.kind.map(|file| (file, "threaded".to_owned()));
    let files = [(home.cpus, bounds.cpus.to_string()), (home.nodes, bounds.nodes.to_string())];
    for (file, value) in kind.into_iter().chain(files) {
        let path = folder.join(file);
        fs::write(&path, &value).map_err(|error| CpusetError::not_bound(&path, value, &error))?;
    }
    Ok(())
}

/// A thread that enters the group, and then starts programs on request.
fn enter(threads: PathBuf) -> Result<(Sender<StartRequest>, JoinHandle<()>), CpusetError> {
    let (orders, ordered): (Sender<StartRequest>, Receiver<StartRequest>) = channel();
    let (sender, entered_receiver) = channel();
    let thread = thread::Builder::new().spawn(move || {
        // 0 is the writing thread.
        let entered =
            fs::write(&threads, "0").map_err(|error| CpusetError::not_entered(&threads, &error));
        let is_in = entered.is_ok();
        let _ = sender.send(entered);
        if !is_in {
            return;
        }
        for (mut command, sender) in ordered {
            let _ = sender.send(command.spawn());
        }
    });
    let thread = thread.map_err(|error| CpusetError::NoThread { error: error.to_string() })?;
    entered_receiver.recv().unwrap_or(Err(CpusetError::ThreadEnded))?;
    Ok((orders, thread))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A group of version 2 as the kernel would show it, in a folder.
    fn version_2(folder: &Path) -> CpusetParent {
        let folder = folder.display();
        CpusetParent {
            interface: "cgroup v2",
            folder: folder.to_string(),
            cpus: "cpuset.cpus",
            nodes: "cpuset.mems",
            threads: "cgroup.threads",
            switch: Some(format!("{folder}/cgroup.subtree_control")),
            kind: Some("cgroup.type"),
        }
    }

    fn begin(home: CpusetParent, first: &Bounds) -> Result<Cpusets, CpusetError> {
        let traces = Traces::new(&home, "7-9".to_owned());
        Cpusets::begin(home, traces, first)
    }

    fn bounds(cpus: &str, nodes: &str) -> Bounds {
        Bounds {
            cpus: CpuSet::parse_list(cpus).unwrap(),
            nodes: NodeSet::parse_list(nodes).unwrap(),
        }
    }

    #[test]
    fn cgroup_v2_groups_are_bound_and_entered() {
        let tree = tempfile::tempdir().unwrap();
        let text = |file: &str| fs::read_to_string(tree.path().join(file)).unwrap_or_default();
        let first = bounds("0-1", "0-1");
        let mut cpusets = begin(version_2(tree.path()), &first).unwrap();
        assert_eq!(text("cgroup.subtree_control"), "+cpuset");
        let second = bounds("1", "0");
        let status = cpusets
            .cpuset_thread(&second)
            .unwrap()
            .start(Command::new("true"))
            .unwrap()
            .wait()
            .unwrap();
        assert!(status.success());
        for (number, cpus, nodes) in [(0, "0-1", "0-1"), (1, "1", "0")] {
            let found = ["cgroup.type", "cpuset.cpus", "cpuset.mems", "cgroup.threads"]
                .map(|file| text(&format!("nearfar-sweep-7-9-{number}/{file}")));
            assert_eq!(found, ["threaded", cpus, nodes, "0"]);
        }
        assert_eq!(
            cpusets.traces.switched_on.as_deref(),
            Some(tree.path().join("cgroup.subtree_control").as_path())
        );
    }

    #[test]
    fn groups_are_reused_unless_cpus_are_lost() {
        let tree = tempfile::tempdir().unwrap();
        let all = bounds("0-1", "0");
        let mut cpusets = begin(version_2(tree.path()), &all).unwrap();
        cpusets.cpuset_thread(&all).unwrap();
        assert!(!tree.path().join("nearfar-sweep-7-9-1").exists());
        fs::write(tree.path().join("nearfar-sweep-7-9-0/cpuset.cpus"), "0\n").unwrap();
        cpusets.cpuset_thread(&all).unwrap();
        assert!(tree.path().join("nearfar-sweep-7-9-1").exists());
    }

    #[test]
    fn unwritable_files_are_named() {
        let tree = tempfile::tempdir().unwrap();
        let gone = tree.path().join("gone");
        let why = begin(version_2(&gone), &bounds("0", "0")).unwrap_err();
        let CpusetError::NotSwitchedOn { file, error } = why else { panic!("{why:?}") };
        assert!(
            file.ends_with("/cgroup.subtree_control") && error.contains("No such file"),
            "{file}: {error}"
        );
        let without = CpusetParent { switch: None, ..version_2(&gone) };
        let why = begin(without, &bounds("0", "0")).unwrap_err();
        let CpusetError::NotMade { folder, .. } = why else { panic!("{why:?}") };
        assert!(folder.ends_with("/gone/nearfar-sweep-7-9-0"), "{folder}");
    }

    #[test]
    fn changed_enforcement_is_recorded() {
        let (had, lacking) = (
            Enforcement::from_cpusets(Ok("cgroup v1")),
            Enforcement::from_cpusets(Err(CpusetError::Unwanted)),
        );
        assert!(!had.clone().after(None).changed && !had.clone().after(Some(&had)).changed);
        let changed = lacking.clone().after(Some(&had));
        assert!(changed.changed);
        assert!(lacking.after(Some(&changed)).changed, "it stays reported");
    }
}
