//! Where a process's next pages come from, after it was moved.

use nearfar_machine::Process;
use nearfar_machine::process::{Neighbourhood, NumaMaps, NumaPolicy};
use nearfar_model::{CpuSet, NodeSet};
use serde::Serialize;

use super::Wanted;
use super::group::{GroupWrites, Limit};
use crate::threads::Threads;

/// Where next pages come from, and what decides that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FuturePages {
    /// What decides.
    pub way: Way,
    /// In words.
    pub text: String,
}

/// What decides where next pages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The limit of its control group, which was set.
    Group,
    /// The node of the CPU that touches them, and those CPUs are where they were wanted.
    FollowsCpus,
    /// Its own policies, which name the nodes that were wanted.
    OwnPolicy,
    /// Its own policies or CPUs, which were not and cannot be made to name those nodes.
    Unchanged,
}

/// What decides for this process; none where the kernel does not tell its policies.
pub(super) fn of(
    process: &Process<'_>,
    around: &Neighbourhood,
    wanted: &Wanted,
    group: Option<&GroupWrites>,
) -> Option<FuturePages> {
    let nodes =
        wanted.nodes.clone().or_else(|| wanted.cpus.as_ref().map(|cpus| around.nodes_of(cpus)))?;
    if group.is_some_and(|group| group.is_written(Limit::Nodes)) {
        let text = format!("the group's limit: only nodes {nodes}");
        return Some(FuturePages { way: Way::Group, text });
    }
    let policies = policies(&process.numa_maps().ok()?);
    let cpus = Threads::read(process, around).allowed();
    Some(decide(&policies, &cpus, around, &nodes))
}

fn decide(
    policies: &[NumaPolicy],
    cpus: &CpuSet,
    around: &Neighbourhood,
    nodes: &NodeSet,
) -> FuturePages {
    let foreign: Vec<&NumaPolicy> = policies
        .iter()
        .filter(|policy| !policy.is_local() && !policy.nodes().is_subset(nodes))
        .collect();
    let has_local = policies.iter().any(NumaPolicy::is_local);
    let from = around.nodes_of(cpus);
    if let Some(policy) = foreign.first() {
        let text = format!(
            "unchanged: its own policy is {policy}, and another process's policy cannot be \
             changed; move its control group, or start it again with 'nearfar run'"
        );
        return FuturePages { way: Way::Unchanged, text };
    }
    if !has_local {
        let text = format!("its own policies, which name nodes within {nodes}");
        return FuturePages { way: Way::OwnPolicy, text };
    }
    if !cpus.is_empty() && from.is_subset(nodes) {
        let text = format!(
            "the node of the CPU that touches them: its policy is local, and its CPUs {cpus} are \
             on nodes {from}"
        );
        return FuturePages { way: Way::FollowsCpus, text };
    }
    let text = format!(
        "unchanged: its policy is local and its CPUs are on nodes {from}; --cpus {} as well would \
         bring them to nodes {nodes}",
        or_none(&around.cpus_of(nodes)),
    );
    FuturePages { way: Way::Unchanged, text }
}

/// Nodes without CPUs have none to follow.
fn or_none(cpus: &CpuSet) -> String {
    if cpus.is_empty() {
        "(those nodes have none: a control group's limit)".to_owned()
    } else {
        cpus.to_string()
    }
}

/// The policies of all mappings that next pages of the program's own come to.
fn policies(maps: &NumaMaps) -> Vec<NumaPolicy> {
    let mut policies: Vec<NumaPolicy> = Vec::new();
    for mapping in maps.mappings.iter().filter(|mapping| mapping.file.is_none() || mapping.huge) {
        if !policies.contains(&mapping.policy) {
            policies.push(mapping.policy.clone());
        }
    }
    policies
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn way(policies: &[&str], cpus: &str, nodes: &str) -> (Way, String) {
        let around = Neighbourhood::read(&Source::from_files([
            ("/sys/devices/system/node/online", "0-2"),
            ("/sys/devices/system/node/node0/cpulist", "0-1"),
            ("/sys/devices/system/node/node1/cpulist", "2-3"),
        ]));
        let policies: Vec<NumaPolicy> =
            policies.iter().map(|text| NumaPolicy::parse(text)).collect();
        let future = decide(
            &policies,
            &CpuSet::parse_list(cpus).unwrap(),
            &around,
            &NodeSet::parse_list(nodes).unwrap(),
        );
        (future.way, future.text)
    }

    #[test]
    fn local_pages_follow_cpus_and_nothing_else_follows() {
        assert_eq!(way(&["default"], "2-3", "1").0, Way::FollowsCpus);
        assert_eq!(way(&["local", "bind:1"], "2", "0-1").0, Way::FollowsCpus);
        let (unchanged, text) = way(&["default"], "0-3", "1");
        assert!(unchanged == Way::Unchanged && text.contains("--cpus 2-3"), "{text}");
        assert!(way(&["default"], "0-3", "2").1.contains("those nodes have none"));
    }

    #[test]
    fn a_policy_of_its_own_cannot_be_changed_from_outside() {
        let (unchanged, text) = way(&["default", "bind:0"], "2-3", "1");
        assert!(
            unchanged == Way::Unchanged
                && text.contains("bind:0")
                && text.contains("cannot be changed"),
            "{text}"
        );
        assert_eq!(way(&["interleave:0-1"], "0-3", "0-1").0, Way::OwnPolicy);
    }
}
