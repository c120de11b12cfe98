//! The policy and binding of a process as `numactl --show` prints them.
//!
//! Where numactl breaks its own lines (local, weighted interleave and balancing leave "preferred
//! node:" without a value and an end), the line is whole here.

use nearfar_model::{Id, IdSet, NodeId};

use crate::launch::ThreadPolicy;

/// What numactl prints for values that the kernel does not report.
const UNKNOWN: &str = "<not available>";

/// All lines.
pub fn text(show: &ThreadPolicy) -> String {
    let cpus = mask("physcpubind", &show.cpus);
    if !show.numa_supported {
        return cpus + "No NUMA support available on this system.\n";
    }
    let policy = show.policy.unwrap_or(UNKNOWN);
    let mut text = format!("policy: {policy}\npreferred node: {}\n", preferred(show));
    if is_interleaved(show) {
        text += &mask("interleavemask", &show.policy_nodes);
        text += &format!("interleavenode: {}\n", number(show.preferred_node));
    }
    text += &cpus;
    text += &mask("cpubind", &show.cpu_nodes);
    text += &mask("nodebind", &show.cpu_nodes);
    text += &mask("membind", &show.memory_nodes);
    text + &mask("preferred", &show.policy_nodes)
}

fn is_interleaved(show: &ThreadPolicy) -> bool {
    matches!(show.policy, Some("interleave" | "weighted-interleave"))
}

fn preferred(show: &ThreadPolicy) -> String {
    let node = number(show.preferred_node);
    match show.policy {
        None => UNKNOWN.to_owned(),
        Some("default" | "local") => "current".to_owned(),
        Some("interleave") => format!("{node} (interleave next)"),
        Some("weighted-interleave") => format!("{node} (weighted interleave next)"),
        Some("preferred-many") => format!("{node} (preferred-many)"),
        Some(_) => node,
    }
}

fn number(node: Option<NodeId>) -> String {
    node.map_or_else(|| UNKNOWN.to_owned(), |node| node.to_string())
}

/// Each id with a blank behind it.
fn mask<T: Id>(name: &str, ids: &IdSet<T>) -> String {
    let ids: String = ids.iter().map(|id| format!("{id} ")).collect();
    format!("{name}: {ids}\n")
}

#[cfg(test)]
mod tests {
    use crate::launch::SHOW_SCHEMA;

    use super::*;

    fn show(policy: Option<&'static str>, nodes: &str, preferred: Option<u32>) -> ThreadPolicy {
        ThreadPolicy {
            schema: SHOW_SCHEMA,
            numa_supported: true,
            policy,
            policy_nodes: nodes.parse().unwrap(),
            balancing: false,
            static_nodes: false,
            relative_nodes: false,
            preferred_node: preferred.map(NodeId),
            cpus: "0-1".parse().unwrap(),
            cpu_nodes: "0".parse().unwrap(),
            memory_nodes: "0,2".parse().unwrap(),
            denied: None,
        }
    }

    const BINDING: &str = "physcpubind: 0 1 \ncpubind: 0 \nnodebind: 0 \nmembind: 0 2 \n";

    #[test]
    fn the_default_is_what_numactl_prints() {
        let expected = format!("policy: default\npreferred node: current\n{BINDING}preferred: \n");
        assert_eq!(text(&show(Some("default"), "", None)), expected);
        let local = text(&show(Some("local"), "", None));
        assert!(
            local.starts_with("policy: local\npreferred node: current\nphyscpubind"),
            "{local}"
        );
    }

    #[test]
    fn interleaving_shows_its_mask_and_its_next_node() {
        let expected = format!(
            "policy: interleave\npreferred node: 2 (interleave next)\ninterleavemask: 0 2 \
             \ninterleavenode: 2\n{BINDING}preferred: 0 2 \n"
        );
        assert_eq!(text(&show(Some("interleave"), "0,2", Some(2))), expected);
    }

    #[test]
    fn denied_values_are_not_invented() {
        let expected = format!(
            "policy: <not available>\npreferred node: <not available>\n{BINDING}preferred: \n"
        );
        assert_eq!(text(&show(None, "", None)), expected);
    }

    #[test]
    fn a_kernel_without_numa_shows_its_cpus() {
        let mut without = show(None, "", None);
        without.numa_supported = false;
        assert_eq!(
            text(&without),
            "physcpubind: 0 1 \nNo NUMA support available on this system.\n"
        );
    }
}
