//! The limits of a control group: the CPUs and nodes of all its processes, present and future.

use std::fs;

use nearfar_machine::process::ProcessGroup;
use serde::Serialize;

use super::MoveDestination;

/// What was written to a group's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct GroupWrites {
    /// The group.
    pub folder: String,
    /// "cgroup v1" or "cgroup v2".
    pub interface: &'static str,
    /// File by file.
    pub writes: Vec<GroupWrite>,
    /// Why nothing could be written.
    pub why: Option<String>,
}

/// One written file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct GroupWrite {
    /// Which limit.
    pub limit: GroupLimit,
    /// Its path.
    pub file: String,
    /// What was written.
    pub value: String,
    /// Why that failed; `None` if it succeeded.
    pub why: Option<String>,
}

/// A limit of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupLimit {
    /// CPUs its processes may run on.
    Cpus,
    /// Nodes they may allocate from.
    Nodes,
    /// Whether pages move when the nodes change (cgroup v1).
    Migrate,
}

impl GroupWrites {
    /// Whether this limit was set.
    pub(super) fn is_written(&self, limit: GroupLimit) -> bool {
        self.writes.iter().any(|write| write.limit == limit && write.why.is_none())
    }
}

/// Sets the requested limits if the group has the files for them.
pub(super) fn write(group: &ProcessGroup, wanted: &MoveDestination) -> GroupWrites {
    let values = [
        (GroupLimit::Migrate, &group.migrate_file, wanted.nodes.as_ref().map(|_| "1".to_owned())),
        (GroupLimit::Nodes, &group.nodes_file, wanted.nodes.as_ref().map(ToString::to_string)),
        (GroupLimit::Cpus, &group.cpus_file, wanted.cpus.as_ref().map(ToString::to_string)),
    ];
    let one = |(limit, file, value): (GroupLimit, &Option<String>, Option<String>)| {
        let (file, value) = (file.clone()?, value?);
        let why = fs::write(&file, &value).err().map(|error| advice(&error));
        Some(GroupWrite { limit, file, value, why })
    };
    let writes: Vec<GroupWrite> = values.into_iter().filter_map(one).collect();
    let above = group.folder.rsplit_once('/').map_or("", |(above, _)| above);
    let why = writes.is_empty().then(|| {
        format!(
            "the controller 'cpuset' is off in this group: echo +cpuset > \
             {above}/cgroup.subtree_control enables it"
        )
    });
    GroupWrites { folder: group.folder.clone(), interface: group.interface, writes, why }
}

/// What to do about a limit that could not be written.
fn advice(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{error}: only root, or the user that the group is delegated to, may write it")
        }
        ErrorKind::ResourceBusy => {
            format!("{error}: a group below has other CPUs or nodes, or a task needs them")
        }
        ErrorKind::InvalidInput => format!("{error}: the group above does not have all of it"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuSet, NodeSet};

    use super::*;

    fn group(folder: &str, files: bool) -> ProcessGroup {
        let file = |name: &str| files.then(|| format!("{folder}/{name}"));
        ProcessGroup {
            folder: folder.to_owned(),
            interface: "cgroup v2",
            cpus_file: file("cpuset.cpus"),
            nodes_file: file("cpuset.mems"),
            migrate_file: None,
        }
    }

    fn wanted() -> MoveDestination {
        MoveDestination {
            cpus: CpuSet::parse_list("0-1").ok(),
            nodes: NodeSet::parse_list("0,8").ok(),
        }
    }

    #[test]
    fn limits_are_written_as_lists() {
        let folder = std::env::temp_dir().join(format!("nearfar-group-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let writes = write(&group(folder.to_str().unwrap(), true), &wanted());
        assert!(
            writes.is_written(GroupLimit::Cpus)
                && writes.is_written(GroupLimit::Nodes)
                && writes.why.is_none()
        );
        assert_eq!(fs::read_to_string(folder.join("cpuset.mems")).unwrap(), "0,8");
        assert_eq!(fs::read_to_string(folder.join("cpuset.cpus")).unwrap(), "0-1");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn refused_writes_and_absent_controllers_have_reasons() {
        let refused = write(&group("/nowhere/at/all", true), &wanted());
        assert!(
            !refused.is_written(GroupLimit::Cpus)
                && refused.writes.iter().all(|write| write.why.is_some())
        );
        let absent = write(&group("/sys/fs/cgroup/a/b", false), &wanted());
        assert!(absent.why.unwrap().contains("/sys/fs/cgroup/a/cgroup.subtree_control"));
    }
}
