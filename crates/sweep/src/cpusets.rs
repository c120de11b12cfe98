//! Cpusets around runs: a program can change its affinity and memory policy, but not its cpuset.
//!
//! A group is made below the sweep's own for each choice of CPUs and nodes, with a thread of the
//! sweep in it ([`CpusetThread`]). Runs are started *by that thread*, and so are born in the group:
//! moving a process may have to wait for an RCU grace period, and that is paid once for each group,
//! not for each run. What is made is named after the sweep ([`Traces`]), so that its guard removes
//! it however the sweep ends, and the next sweep what a guard that was killed itself could not.

mod cpuset_thread;
mod enforcement;
mod traces;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nearfar_machine::CpusetParent;
use nearfar_machine::guard::Leftovers;
use nearfar_model::{CpuSet, NodeSet};

pub(crate) use cpuset_thread::CpusetThread;
pub use enforcement::{CpusetError, Enforcement};
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
}
