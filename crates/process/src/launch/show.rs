//! What `numactl --show` shows: where the calling thread may run and takes memory, which is what a
//! program started by it gets.

use nearfar_machine::{ListContext, Source};
use nearfar_model::{CpuSet, NodeId, NodeSet};
use nearfar_place::{PlaceError, Policy, PolicyFlags, affinity, next_interleave_node};
use serde::Serialize;

/// The name and version of the document.
pub const SHOW_SCHEMA: &str = "nearfar.show/1";

/// The policy and binding of the calling thread, as a document.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ThreadPolicy {
    /// [`SHOW_SCHEMA`].
    pub schema: &'static str,
    /// Whether the kernel supports NUMA (`CONFIG_NUMA`). Without it only CPUs are shown.
    pub numa_supported: bool,
    /// The policy's name ("default", "bind", "preferred-many"); none where the kernel, or a
    /// sandbox, does not report it.
    pub policy: Option<&'static str>,
    /// The nodes that the policy names; none for default and local.
    pub policy_nodes: NodeSet,
    /// Whether NUMA balancing moves pages among them.
    pub balancing: bool,
    /// Whether the nodes stay as they are when the cpuset changes.
    pub static_nodes: bool,
    /// Whether the nodes count within the cpuset.
    pub relative_nodes: bool,
    /// The node that the next page is asked of; none where it is that of the CPU which touches it,
    /// or it is unknown.
    pub preferred_node: Option<NodeId>,
    /// The CPUs to run on.
    pub cpus: CpuSet,
    /// The nodes of these CPUs, with memory or without.
    pub cpu_nodes: NodeSet,
    /// The nodes that memory may come from: the policy's where it binds, else the cpuset's.
    pub memory_nodes: NodeSet,
    /// Why the policy is unknown, in one line.
    pub denied: Option<String>,
}

/// The kernel's answers about the calling thread.
struct ThreadFacts {
    policy: Result<(Policy, PolicyFlags), PlaceError>,
    next_interleave_node: Option<NodeId>,
    affinity: Option<CpuSet>,
}

impl ThreadPolicy {
    /// Reads the calling thread's policy. Calls that a sandbox denies leave their fields empty; the
    /// reason is in [`denied`](Self::denied).
    pub fn read(source: &Source) -> Self {
        let facts = ThreadFacts {
            policy: Policy::current_with_flags(),
            next_interleave_node: next_interleave_node().ok().flatten(),
            affinity: affinity().ok(),
        };
        Self::new(facts, source)
    }

    fn new(facts: ThreadFacts, source: &Source) -> Self {
        let context = ListContext::new(source);
        let cpus = facts.affinity.unwrap_or_else(|| context.usable_cpus());
        let has_a_cpu =
            |node: &NodeId| !context.cpus_of(&NodeSet::from_id(*node)).is_disjoint(&cpus);
        let (policy, flags, missing) = match facts.policy {
            Ok((policy, flags)) => (Some(policy), flags, None),
            Err(refusal) => (None, PolicyFlags::default(), Some(refusal)),
        };
        // A kernel without the calls has no policies, whatever sysfs shows (WSL2, some sandboxes).
        let has_calls = !matches!(missing, Some(PlaceError::NotInKernel { .. }));
        let policy_nodes = policy.as_ref().map(Policy::nodes).unwrap_or_default();
        Self {
            schema: SHOW_SCHEMA,
            numa_supported: context.numa_supported() && has_calls,
            policy: policy.as_ref().map(Policy::name),
            balancing: flags.balancing,
            static_nodes: flags.static_nodes,
            relative_nodes: flags.relative_nodes,
            preferred_node: policy
                .as_ref()
                .and_then(|policy| preferred(policy, facts.next_interleave_node)),
            cpu_nodes: context.cpu_nodes().iter().filter(has_a_cpu).collect(),
            memory_nodes: match policy {
                Some(Policy::Bind(nodes)) => nodes,
                _ => context.usable_memory_nodes(),
            },
            policy_nodes,
            cpus,
            denied: missing.map(|refusal| refusal.to_string()),
        }
    }
}

/// The node that the next page is asked of.
fn preferred(policy: &Policy, next: Option<NodeId>) -> Option<NodeId> {
    match policy {
        Policy::Default | Policy::Local => None,
        Policy::Preferred(node) => Some(*node),
        Policy::PreferredMany(nodes) | Policy::Bind(nodes) => nodes.first(),
        Policy::Interleave(nodes) | Policy::WeightedInterleave(nodes) => {
            next.or_else(|| nodes.first())
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_place::{allowed_nodes, set_affinity};

    use super::*;

    fn nodes(list: &str) -> NodeSet {
        list.parse().unwrap()
    }

    /// Nodes 0 and 2 with CPUs, 2 without memory, 5 without CPUs.
    fn machine() -> Source {
        let node =
            |name: &str, text: &str| (format!("/sys/devices/system/node/{name}"), text.to_owned());
        Source::from_files([
            node("online", "0,2,5"),
            node("has_memory", "0,5"),
            node("has_cpu", "0,2"),
            node("node0/cpulist", "0-1"),
            node("node2/cpulist", "2-3"),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
        ])
    }

    fn show(policy: Result<(Policy, PolicyFlags), PlaceError>, cpus: &str) -> ThreadPolicy {
        let affinity = Some(cpus.parse().unwrap());
        ThreadPolicy::new(
            ThreadFacts { policy, next_interleave_node: Some(NodeId(5)), affinity },
            &machine(),
        )
    }

    #[test]
    fn a_bound_thread_has_its_policys_nodes() {
        let shown = show(Ok((Policy::Bind(nodes("5")), PolicyFlags::BALANCING)), "2");
        assert_eq!((shown.policy, shown.balancing), (Some("bind"), true));
        assert_eq!((shown.memory_nodes, shown.policy_nodes), (nodes("5"), nodes("5")));
        assert_eq!(shown.preferred_node, Some(NodeId(5)));
        assert_eq!(shown.cpu_nodes, nodes("2"), "a node without memory has CPUs all the same");
    }

    #[test]
    fn other_policies_allow_the_cpusets_memory() {
        let shown = show(Ok((Policy::Interleave(nodes("0,5")), PolicyFlags::default())), "0-3");
        assert_eq!((shown.memory_nodes, shown.preferred_node), (nodes("0,5"), Some(NodeId(5))));
        let shown = show(Ok((Policy::PreferredMany(nodes("5")), PolicyFlags::default())), "0-3");
        assert_eq!((shown.preferred_node, shown.cpu_nodes), (Some(NodeId(5)), nodes("0,2")));
        assert_eq!(show(Ok((Policy::Local, PolicyFlags::default())), "0").preferred_node, None);
    }

    #[test]
    fn denied_calls_are_reported() {
        let shown = show(Err(PlaceError::NotPermitted { call: "get_mempolicy" }), "0");
        assert_eq!((shown.policy, shown.memory_nodes), (None, nodes("0,5")));
        assert!(shown.denied.unwrap().contains("seccomp"));
    }

    #[test]
    fn the_calling_thread_is_shown() {
        let source = Source::live();
        let (cpu, nodes) = (affinity().unwrap().first().unwrap(), allowed_nodes().unwrap());
        let shown = std::thread::scope(|scope| {
            let bound = scope.spawn(|| {
                set_affinity(&CpuSet::from_id(cpu)).unwrap();
                Policy::Bind(nodes.clone()).set_for_thread().unwrap();
                ThreadPolicy::read(&source)
            });
            bound.join().unwrap()
        });
        assert_eq!((shown.cpus, shown.cpu_nodes.len()), (CpuSet::from_id(cpu), 1));
        assert_eq!((shown.policy, shown.denied), (Some("bind"), None));
        assert_eq!((shown.preferred_node, shown.policy_nodes), (nodes.first(), nodes));
    }
}
