//! Where a process's next pages are allocated, after it was moved.

use nearfar_machine::Process;
use nearfar_machine::process::{NodeSummaries, NumaMaps, NumaPolicy};
use nearfar_model::{CpuSet, NodeSet};
use serde::Serialize;

use super::MoveDestination;
use super::group::{GroupLimit, GroupWrites};
use crate::threads::Threads;

/// Where next pages are allocated, and what decides it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FuturePages {
    /// What decides.
    #[serde(rename = "way")]
    pub cause: FuturePagesCause,
    /// As a phrase.
    pub text: String,
}

/// What decides where next pages are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FuturePagesCause {
    /// The limit of its control group, which was set now.
    Group,
    /// Its local policy: its CPUs are on the requested nodes.
    FollowsCpus,
    /// Its own policies, which name only requested nodes.
    OwnPolicy,
    /// Its own policies or CPUs, which lead to other nodes and did not change.
    Unchanged,
}

/// What decides for this process; `None` if its policies cannot be read.
pub(super) fn of(
    process: &Process<'_>,
    around: &NodeSummaries,
    wanted: &MoveDestination,
    group: Option<&GroupWrites>,
) -> Option<FuturePages> {
    let nodes =
        wanted.nodes.clone().or_else(|| wanted.cpus.as_ref().map(|cpus| around.nodes_of(cpus)))?;
    if group.is_some_and(|group| group.is_written(GroupLimit::Nodes)) {
        let text = format!("the group's limit: only nodes {nodes}");
        return Some(FuturePages { cause: FuturePagesCause::Group, text });
    }
    let policies = policies(&process.numa_maps().ok()?);
    let cpus = Threads::read(process, around).allowed();
    Some(decide(&policies, &cpus, around, &nodes))
}

fn decide(
    policies: &[NumaPolicy],
    cpus: &CpuSet,
    around: &NodeSummaries,
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
             changed; move its control group, or restart it with 'nearfar run'"
        );
        return FuturePages { cause: FuturePagesCause::Unchanged, text };
    }
    if !has_local {
        let text = format!("its own policies, which name nodes within {nodes}");
        return FuturePages { cause: FuturePagesCause::OwnPolicy, text };
    }
    if !cpus.is_empty() && from.is_subset(nodes) {
        let text = format!(
            "the node of the CPU that touches them: its policy is local, and its CPUs {cpus} are \
             on nodes {from}"
        );
        return FuturePages { cause: FuturePagesCause::FollowsCpus, text };
    }
    let text = format!(
        "unchanged: its policy is local and its CPUs are on nodes {from}; with --cpus {} they come \
         from nodes {nodes}",
        or_none(&around.cpus_of(nodes)),
    );
    FuturePages { cause: FuturePagesCause::Unchanged, text }
}

/// The CPUs, or what to do for nodes without CPUs.
fn or_none(cpus: &CpuSet) -> String {
    if cpus.is_empty() {
        "(those nodes have none: set the limit of a control group)".to_owned()
    } else {
        cpus.to_string()
    }
}

/// The policies of all mappings that get new pages of the process's own.
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

    fn decision(policies: &[&str], cpus: &str, nodes: &str) -> (FuturePagesCause, String) {
        let around = NodeSummaries::read(&Source::from_files([
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
        (future.cause, future.text)
    }

    #[test]
    fn pages_of_a_local_policy_follow_the_cpus() {
        assert_eq!(decision(&["default"], "2-3", "1").0, FuturePagesCause::FollowsCpus);
        assert_eq!(decision(&["local", "bind:1"], "2", "0-1").0, FuturePagesCause::FollowsCpus);
        let (unchanged, text) = decision(&["default"], "0-3", "1");
        assert!(unchanged == FuturePagesCause::Unchanged && text.contains("--cpus 2-3"), "{text}");
        assert!(decision(&["default"], "0-3", "2").1.contains("those nodes have none"));
    }

    #[test]
    fn another_process_s_policy_is_unchanged() {
        let (unchanged, text) = decision(&["default", "bind:0"], "2-3", "1");
        assert!(
            unchanged == FuturePagesCause::Unchanged
                && text.contains("bind:0")
                && text.contains("cannot be changed"),
            "{text}"
        );
        assert_eq!(decision(&["interleave:0-1"], "0-3", "0-1").0, FuturePagesCause::OwnPolicy);
    }
}
