//! The cgroup in which this process could create cpusets, which bind programs to CPUs and nodes.
//!
//! Version 1 has one hierarchy for the controller `cpuset`. In version 2 the controller must be
//! delegated to the process's group; then *threaded* groups below it suffice
//! (Documentation/admin-guide/cgroup-v2.rst), and the process can stay in its group.

use thiserror::Error;

use crate::cgroup::{self, Cgroup, CgroupVersion};
use crate::source::Source;

/// A group in which cpusets can be created, if its files are writable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpusetParent {
    /// "cgroup v1" or "cgroup v2".
    pub interface: &'static str,
    /// The group of this process: `/sys/fs/cgroup/cpuset/job`.
    pub folder: String,
    /// Name of a child group's file with its CPUs.
    pub cpus: &'static str,
    /// Name of a child group's file with its nodes.
    pub nodes: &'static str,
    /// Name of a child group's file into which a thread writes 0 to join.
    pub threads: &'static str,
    /// Version 2: path of the file that enables the controller for child groups, if it is disabled.
    pub switch: Option<String>,
    /// Version 2: name of a child group's file that takes "threaded".
    pub kind: Option<&'static str>,
}

/// Why there is no such group.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoCpusets {
    /// No cpuset hierarchy is mounted.
    #[error("no control groups with cpusets are mounted")]
    NotMounted,
    /// The group is invisible, as in containers.
    #[error("the control group of this process ({group}) is not visible here")]
    Hidden {
        /// Its name.
        group: String,
    },
    /// Version 2 without a delegated controller.
    #[error(
        "the controller 'cpuset' is not delegated to the control group {group} (with systemd, use \
         'systemd-run --scope -p Delegate=cpuset')"
    )]
    NotDelegated {
        /// Its name.
        group: String,
    },
}

impl CpusetParent {
    /// The group of this process, in the hierarchy with the controller.
    ///
    /// # Errors
    ///
    /// [`NoCpusets`] with the reason.
    ///
    /// # References
    ///
    /// cgroups(7), cpuset(7); Documentation/admin-guide/cgroup-v2.rst
    pub fn find(source: &Source) -> Result<Self, NoCpusets> {
        let groups = cgroup::of(source, "cpuset");
        let found: Vec<Result<Self, NoCpusets>> =
            groups.iter().map(|group| for_group(source, group)).collect();
        // Only one hierarchy has the controller; ignore errors of the others.
        let usable = found.iter().find(|one| one.is_ok()).or_else(|| found.last());
        usable.cloned().unwrap_or(Err(NoCpusets::NotMounted))
    }
}

fn for_group(source: &Source, group: &Cgroup) -> Result<CpusetParent, NoCpusets> {
    let name = group.name.clone();
    let in_tree = group.folders.first().cloned();
    let mut folders = in_tree.into_iter().chain(mounted_folder(source, group));
    let Some(folder) = folders.find(|folder| is_own(source, folder)) else {
        return Err(NoCpusets::Hidden { group: name });
    };
    match group.version {
        CgroupVersion::V1 => Ok(for_version_1(source, &folder)),
        CgroupVersion::V2 => {
            for_version_2(source, &folder).ok_or(NoCpusets::NotDelegated { group: name })
        }
    }
}

/// The group's folder where only a part of the hierarchy is mounted: containers with version 1 have
/// a mount of their own group, whose name is still that of the host.
///
/// # References
///
/// proc_pid_mountinfo(5): field 4 is the mount's root, field 5 the mount point
fn mounted_folder(source: &Source, group: &Cgroup) -> Option<String> {
    let point = group.folders.last()?;
    let mounts = source.text("/proc/self/mountinfo")?;
    let root = mounts.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(3);
        let root = fields.next()?;
        (fields.next()? == point).then_some(root)
    })?;
    let rest = group.name.strip_prefix(root)?;
    (root != "/" && (rest.is_empty() || rest.starts_with('/'))).then(|| format!("{point}{rest}"))
}

/// Whether the folder is this process's group; in a container the same name may be another one.
fn is_own(source: &Source, folder: &str) -> bool {
    !folder.contains("/..")
        && ["tasks", "cgroup.procs"].iter().any(|file| source.exists(&format!("{folder}/{file}")))
}

fn for_version_1(source: &Source, folder: &str) -> CpusetParent {
    // In 2.6.12 names have no prefix.
    let (cpus, nodes) = match source.exists(&format!("{folder}/cpuset.cpus")) {
        true => ("cpuset.cpus", "cpuset.mems"),
        false => ("cpus", "mems"),
    };
    CpusetParent {
        interface: CgroupVersion::V1.name(),
        folder: folder.to_owned(),
        cpus,
        nodes,
        threads: "tasks",
        switch: None,
        kind: None,
    }
}

/// `None` without the controller.
fn for_version_2(source: &Source, folder: &str) -> Option<CpusetParent> {
    let names_it = |file: &str| {
        let text = source.text(&format!("{folder}/{file}")).unwrap_or_default();
        text.split_whitespace().any(|controller| controller == "cpuset")
    };
    let is_on = names_it("cgroup.subtree_control");
    (is_on || names_it("cgroup.controllers")).then(|| CpusetParent {
        interface: CgroupVersion::V2.name(),
        folder: folder.to_owned(),
        cpus: "cpuset.cpus",
        nodes: "cpuset.mems",
        threads: "cgroup.threads",
        switch: (!is_on).then(|| format!("{folder}/cgroup.subtree_control")),
        kind: Some("cgroup.type"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup \
                        /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n";

    #[test]
    fn version_1_with_the_controller() {
        let source = Source::from_files([
            ("/proc/mounts", BOTH),
            ("/proc/self/cgroup", "3:cpuset:/job\n0::/\n"),
            ("/sys/fs/cgroup/unified/cgroup.procs", "1\n"),
            ("/sys/fs/cgroup/unified/cgroup.controllers", "\n"),
            ("/sys/fs/cgroup/cpuset/job/tasks", "1\n"),
            ("/sys/fs/cgroup/cpuset/job/cpuset.cpus", "0-3\n"),
        ]);
        let home = CpusetParent::find(&source).unwrap();
        assert_eq!(
            (home.interface, home.folder.as_str()),
            ("cgroup v1", "/sys/fs/cgroup/cpuset/job")
        );
        assert_eq!(
            (home.cpus, home.threads, home.switch, home.kind),
            ("cpuset.cpus", "tasks", None, None)
        );
    }

    #[test]
    fn a_container_has_a_mount_of_its_own_group() {
        let of = |root: &str| {
            let info =
                format!("30 25 0:26 {root} /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n");
            CpusetParent::find(&Source::from_files([
                ("/proc/mounts", "cgroup /sys/fs/cgroup/cpuset cgroup ro,cpuset 0 0\n"),
                ("/proc/self/cgroup", "3:cpuset:/pods/one\n"),
                ("/proc/self/mountinfo", &info),
                ("/sys/fs/cgroup/cpuset/tasks", "1\n"),
                ("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-3\n"),
            ]))
        };
        assert_eq!(of("/pods/one").unwrap().folder, "/sys/fs/cgroup/cpuset");
        for other in ["/", "/pods/other", "/pods/on"] {
            let hidden = NoCpusets::Hidden { group: "/pods/one".to_owned() };
            assert_eq!(of(other), Err(hidden), "{other}");
        }
    }

    #[test]
    fn version_1_as_batch_systems_mount_it() {
        let source = Source::from_files([
            ("/proc/mounts", "none /dev/cpuset cpuset rw 0 0\n"),
            ("/proc/self/cpuset", "/batch\n"),
            ("/dev/cpuset/batch/tasks", "1\n"),
            ("/dev/cpuset/batch/cpus", "0-3\n"),
        ]);
        let home = CpusetParent::find(&source).unwrap();
        assert_eq!(
            (home.folder.as_str(), home.cpus, home.nodes),
            ("/dev/cpuset/batch", "cpus", "mems")
        );
    }

    fn version_2(controllers: &str, subtree: &str) -> Result<CpusetParent, NoCpusets> {
        let folder = "/sys/fs/cgroup/user.slice/s.scope";
        CpusetParent::find(&Source::from_files([
            ("/proc/mounts".to_owned(), "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/proc/self/cgroup".to_owned(), "0::/user.slice/s.scope\n"),
            (format!("{folder}/cgroup.procs"), "1\n"),
            (format!("{folder}/cgroup.controllers"), controllers),
            (format!("{folder}/cgroup.subtree_control"), subtree),
        ]))
    }

    #[test]
    fn version_2_with_delegated_controller() {
        let home = version_2("cpuset cpu memory pids", "memory").unwrap();
        assert_eq!(
            home.switch.as_deref(),
            Some("/sys/fs/cgroup/user.slice/s.scope/cgroup.subtree_control")
        );
        assert_eq!(
            (home.interface, home.kind, home.threads),
            ("cgroup v2", Some("cgroup.type"), "cgroup.threads")
        );
        assert_eq!(version_2("cpuset", "cpuset").unwrap().switch, None);
    }

    #[test]
    fn missing_parts_are_named() {
        let error = version_2("memory pids", "").unwrap_err().to_string();
        assert!(
            error.contains("not delegated to the control group /user.slice/s.scope"),
            "{error}"
        );
        let hidden = Source::from_files([
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/proc/self/cgroup", "0::/../host/job\n"),
            ("/sys/fs/cgroup/cgroup.procs", "1\n"),
        ]);
        let error = CpusetParent::find(&hidden).unwrap_err();
        assert_eq!(error, NoCpusets::Hidden { group: "/../host/job".to_owned() });
        assert_eq!(
            CpusetParent::find(&Source::from_files([("/x", "")])),
            Err(NoCpusets::NotMounted)
        );
    }
}
