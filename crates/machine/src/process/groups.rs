//! The processes in a control group, and the files with its CPUs and nodes.

use crate::cgroup::{self, CgroupVersion};
use crate::error::MachineError;
use crate::source::Source;

/// Maximum depth of child groups.
const MAX_DEPTH: usize = 32;

/// A control group with processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessGroup {
    /// Its folder: `/sys/fs/cgroup/user.slice/job`.
    pub folder: String,
    /// "cgroup v1" or "cgroup v2".
    pub interface: &'static str,
    /// Path of the file with its CPUs; `None` without the controller `cpuset`.
    pub cpus_file: Option<String>,
    /// Path of the file with its nodes.
    pub nodes_file: Option<String>,
    /// Path of the file that enables page migration to new nodes (version 1); version 2 always
    /// migrates.
    pub migrate_file: Option<String>,
}

/// The control group that the user named by its path, or by its name in the hierarchy
/// (`user.slice/job`). The root group is refused: it has all processes of the machine.
///
/// # Errors
///
/// [`MachineError::NoSuchGroup`] or [`MachineError::TopGroup`].
///
/// # References
///
/// cgroups(7), cpuset(7)
pub fn cgroup_folder(source: &Source, name: &str) -> Result<ProcessGroup, MachineError> {
    let hierarchies = cgroup::hierarchies(source, "cpuset");
    let wanted = name.trim_end_matches('/');
    let named =
        hierarchies.iter().map(|(version, point)| match wanted.strip_prefix(point.as_str()) {
            Some(below) if below.is_empty() || below.starts_with('/') => {
                (*version, wanted.to_owned())
            }
            _ => (*version, format!("{point}/{}", wanted.trim_start_matches('/'))),
        });
    let mut there = named.filter(|(_, folder)| is_group(source, folder));
    let is_top =
        |folder: &str| hierarchies.iter().any(|(_, point)| folder.trim_end_matches('/') == point);
    let (version, folder) =
        there.next().ok_or_else(|| MachineError::NoSuchGroup { name: name.to_owned() })?;
    if is_top(&folder) {
        return Err(MachineError::TopGroup { folder });
    }
    Ok(group(source, version, folder))
}

fn group(source: &Source, version: CgroupVersion, folder: String) -> ProcessGroup {
    let file = |name: &str| Some(format!("{folder}/{name}")).filter(|path| source.exists(path));
    let follow = file("cpuset.memory_migrate")
        .or_else(|| file("memory_migrate"))
        .filter(|_| version == CgroupVersion::V1);
    ProcessGroup {
        interface: version.name(),
        cpus_file: file("cpuset.cpus").or_else(|| file("cpus")),
        nodes_file: file("cpuset.mems").or_else(|| file("mems")),
        migrate_file: follow,
        folder,
    }
}

/// The control groups whose own name matches, in all hierarchies; not those below them.
pub fn groups_named(source: &Source, matches: impl Fn(&str) -> bool) -> Vec<ProcessGroup> {
    let mut folders = cgroup::mount_points(source);
    let (mut found, mut depth) = (Vec::new(), 0);
    while !folders.is_empty() && depth <= MAX_DEPTH {
        let mut below = Vec::new();
        for (version, folder) in folders {
            for name in source.list(&folder) {
                let path = format!("{folder}/{name}");
                if !is_group(source, &path) {
                    continue;
                }
                match matches(&name) {
                    true => found.push(group(source, version, path)),
                    false => below.push((version, path)),
                }
            }
        }
        folders = below;
        depth += 1;
    }
    found
}

/// Processes that were named together: by a group, or by one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessList {
    /// Their IDs.
    pub ids: Vec<u32>,
    /// Number of processes outside of this PID namespace, which have no ID in it.
    pub outside: usize,
}

/// The processes in a group and its child groups, by ID, ascending.
///
/// # References
///
/// Documentation/admin-guide/cgroup-v2.rst (`cgroup.procs`)
pub fn processes_in_group(source: &Source, group: &ProcessGroup) -> ProcessList {
    let mut listed = Vec::new();
    collect(source, &group.folder, MAX_DEPTH, &mut listed);
    let mut ids: Vec<u32> = listed.iter().copied().filter(|pid| *pid > 0).collect();
    let outside = listed.len() - ids.len();
    ids.sort_unstable();
    ids.dedup();
    ProcessList { ids, outside }
}

fn collect(source: &Source, folder: &str, depth: usize, processes: &mut Vec<u32>) {
    let text = source.text(&format!("{folder}/cgroup.procs")).unwrap_or_default();
    processes.extend(text.lines().filter_map(|line| line.trim().parse::<u32>().ok()));
    if depth == 0 {
        return;
    }
    for name in source.list(folder) {
        let below = format!("{folder}/{name}");
        if is_group(source, &below) {
            collect(source, &below, depth - 1, processes);
        }
    }
}

fn is_group(source: &Source, folder: &str) -> bool {
    !folder.contains("/../")
        && !folder.ends_with("/..")
        && source.exists(&format!("{folder}/cgroup.procs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::from_files([
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/sys/fs/cgroup/cgroup.procs", "1\n"),
            ("/sys/fs/cgroup/job/cgroup.procs", "30\n20\n0\nx\n"),
            ("/sys/fs/cgroup/job/cpuset.cpus", ""),
            ("/sys/fs/cgroup/job/cpuset.mems", ""),
            ("/sys/fs/cgroup/job/step/cgroup.procs", "25\n20\n"),
            ("/sys/fs/cgroup/plain/cgroup.procs", ""),
        ])
    }

    #[test]
    fn group_is_found_by_path_and_by_name() {
        let source = source();
        for name in ["/sys/fs/cgroup/job", "/sys/fs/cgroup/job/", "job", "/job"] {
            let group = cgroup_folder(&source, name).unwrap();
            assert_eq!(
                (group.folder.as_str(), group.interface),
                ("/sys/fs/cgroup/job", "cgroup v2")
            );
            assert_eq!(group.nodes_file.as_deref(), Some("/sys/fs/cgroup/job/cpuset.mems"));
            let ProcessList { ids, outside } = processes_in_group(&source, &group);
            assert_eq!((&ids[..], outside), (&[20, 25, 30][..], 1));
        }
    }

    #[test]
    fn group_without_the_controller_has_no_files() {
        let group = cgroup_folder(&source(), "plain").unwrap();
        assert_eq!((group.cpus_file, group.nodes_file, group.migrate_file), (None, None, None));
    }

    #[test]
    fn groups_are_found_by_their_own_name() {
        let named = |wanted: &str| -> Vec<String> {
            let found = groups_named(&source(), |name| name == wanted);
            found.into_iter().map(|group| group.folder).collect()
        };
        assert_eq!(named("step"), ["/sys/fs/cgroup/job/step"]);
        assert_eq!(named("job"), ["/sys/fs/cgroup/job"]);
        assert!(named("cgroup.procs").is_empty());
    }

    #[test]
    fn unknown_groups_and_escaping_paths_are_errors() {
        for name in ["absent", "job/../../../etc", "job/.."] {
            let error = cgroup_folder(&source(), name).unwrap_err();
            assert!(error.to_string().contains("no control group"), "{error}");
        }
    }

    #[test]
    fn root_group_is_refused() {
        for name in ["", "/", "//", "/sys/fs/cgroup", "/sys/fs/cgroup/"] {
            let error = cgroup_folder(&source(), name).unwrap_err();
            assert!(matches!(error, MachineError::TopGroup { .. }), "{name}: {error}");
        }
    }
}
