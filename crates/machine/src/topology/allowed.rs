//! What this process may use, as limited by batch systems, containers or `taskset`.

use nearfar_model::{Bytes, CpuSet, Id, IdSet, NodeSet};
use serde::Serialize;

use super::node::Node;
use crate::attribute::Attributes;
use crate::cgroup::{self, CgroupVersion};
use crate::memory_limits;
use crate::source::Source;

const STATUS: &str = "/proc/self/status";

/// The online CPUs and nodes that this process may use.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AllowedResources {
    /// CPUs it may run on.
    pub cpus: CpuSet,
    /// Nodes it may allocate memory from; nodes without memory are excluded.
    pub nodes: NodeSet,
    /// Source of the limits: "/proc/self/status", "cgroup v2 /user.slice", or "nothing limits it".
    pub from: String,
    /// Memory that its cgroups still allow; `None` without a limit.
    #[serde(rename = "memory_left_bytes", skip_serializing_if = "Option::is_none")]
    pub memory_left: Option<Bytes>,
}

/// The process's masks (`Cpus_allowed_list`), and the cgroup's for captures with only that.
pub(super) fn read(read: &Attributes<'_>, online: &CpuSet, nodes: &[Node]) -> AllowedResources {
    let online_nodes: NodeSet =
        nodes.iter().filter(|node| node.may_have_memory()).map(|node| node.id).collect();
    let mut limits = Vec::from_iter(status(read));
    limits.extend(
        cgroup::of(read.source, "cpuset").iter().filter_map(|group| for_group(read, group)),
    );

    let (mut cpus, mut memory, mut from) = (online.clone(), online_nodes.clone(), Vec::new());
    for limit in limits {
        let fewer = (narrowed(&cpus, limit.cpus.as_ref()), narrowed(&memory, limit.nodes.as_ref()));
        if fewer != (cpus.clone(), memory.clone()) {
            (cpus, memory) = fewer;
            from.push(limit.from);
        }
    }
    let from = if from.is_empty() { "nothing limits it".to_owned() } else { from.join(", ") };
    AllowedResources {
        cpus,
        nodes: memory,
        from,
        memory_left: memory_limits::available(read.source),
    }
}

struct CpusetLimit {
    cpus: Option<CpuSet>,
    nodes: Option<NodeSet>,
    from: String,
}

/// The allowed part of a set. A limit that leaves nothing is ignored, since the process runs.
fn narrowed<T: Id>(all: &IdSet<T>, limit: Option<&IdSet<T>>) -> IdSet<T> {
    limit
        .map(|limit| all.intersection(limit))
        .filter(|left| !left.is_empty())
        .unwrap_or_else(|| all.clone())
}

fn status(read: &Attributes<'_>) -> Option<CpusetLimit> {
    let text = read.text(STATUS)?;
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let odd = |error: nearfar_model::SetTextError| read.odd(format!("{STATUS}: {error}"));
    Some(CpusetLimit {
        cpus: value("Cpus_allowed_list")
            .and_then(|list| CpuSet::parse_list(list).map_err(odd).ok()),
        nodes: value("Mems_allowed_list")
            .and_then(|list| NodeSet::parse_list(list).map_err(odd).ok()),
        from: STATUS.to_owned(),
    })
}

/// The nearest non-empty files from the group upwards; empty ones inherit.
fn for_group(read: &Attributes<'_>, group: &cgroup::Cgroup) -> Option<CpusetLimit> {
    let (cpus, mems): (&[&str], &[&str]) = match group.version {
        CgroupVersion::V2 => (&["cpuset.cpus.effective"], &["cpuset.mems.effective"]),
        CgroupVersion::V1 => (
            &["cpuset.effective_cpus", "cpuset.cpus", "cpus"],
            &["cpuset.effective_mems", "cpuset.mems", "mems"],
        ),
    };
    let limit = CpusetLimit {
        cpus: nearest(read, &group.folders, cpus),
        nodes: nearest(read, &group.folders, mems),
        from: format!("{} {}", group.version.name(), group.name),
    };
    (limit.cpus.is_some() || limit.nodes.is_some()).then_some(limit)
}

/// The CPUs of this process's cpuset, if a cgroup has them.
pub(crate) fn cpuset_cpus(source: &Source) -> Option<CpuSet> {
    let read = Attributes::new(source);
    let limits =
        cgroup::of(source, "cpuset").into_iter().filter_map(|group| for_group(&read, &group)?.cpus);
    limits.reduce(|both, one| both.intersection(&one))
}

fn nearest<T: Id>(read: &Attributes<'_>, folders: &[String], names: &[&str]) -> Option<IdSet<T>> {
    let paths =
        folders.iter().flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}")));
    paths.filter_map(|path| read.list(&path)).find(|set| !set.is_empty())
}
