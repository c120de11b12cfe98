//! numactl's output on this machine and on a thread, compared with this crate's, field by
//! field. Without numactl this is skipped.

use std::io::{self, Write};
use std::process::Command;
use std::sync::Once;

use nearfar_machine::Source;
use nearfar_model::NodeSet;
use nearfar_place::{Policy, PolicyGuard, allowed_nodes};
use nearfar_process::launch::{Hardware, ThreadPolicy};

/// What numactl prints, started from this thread; none where it is not installed.
fn numactl(option: &str) -> Option<String> {
    static ERRORS: Once = Once::new();
    let Ok(output) = Command::new("numactl").arg(option).output() else {
        ERRORS
            .call_once(|| io::stderr().write_all(b"skipped: numactl is not installed\n").unwrap());
        return None;
    };
    Some(String::from_utf8(output.stdout).unwrap())
}

/// What stands behind `name:` in a line.
fn field<'t>(text: &'t str, name: &str) -> &'t str {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value.unwrap_or_else(|| panic!("no '{name}' in\n{text}")).trim()
}

/// A list with blanks between its numbers.
fn nodes(text: &str) -> NodeSet {
    text.split_whitespace().map(|number| nearfar_model::NodeId(number.parse().unwrap())).collect()
}

#[test]
fn hardware_matches_numactl() {
    let Some(theirs) = numactl("-H") else { return };
    let ours = Hardware::read(&Source::live());
    let ids: NodeSet = ours.nodes.iter().map(|node| node.id).collect();
    assert_eq!(field(&theirs, "available"), format!("{} nodes ({ids})", ids.len()));
    for node in &ours.nodes {
        let cpus: Vec<String> = node.cpus.iter().map(|cpu| cpu.to_string()).collect();
        assert_eq!(field(&theirs, &format!("node {} cpus", node.id)), cpus.join(" "));
        let size = node.memory.unwrap().total.0 >> 20;
        assert_eq!(field(&theirs, &format!("node {} size", node.id)), format!("{size} MB"));
    }
    let table = theirs.split("node distances:\n").nth(1).unwrap();
    let rows: Vec<Vec<u32>> =
        table.lines().skip(1).map(|line| numbers(line.split(':').nth(1).unwrap())).collect();
    assert_eq!(ours.distances.unwrap().rows(), rows);
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
fn thread_policies_match_numactl() {
    let Ok(all) = allowed_nodes() else { return };
    let first = all.first().unwrap();
    for policy in [
        Policy::Default,
        Policy::Preferred(first),
        Policy::Bind(all.clone()),
        Policy::Interleave(all),
    ] {
        let _guard = PolicyGuard::enter(&policy).unwrap();
        let Some(theirs) = numactl("-s") else { return };
        let ours = ThreadPolicy::read(&Source::live());
        assert_eq!(Some(field(&theirs, "policy")), ours.policy);
        let preferred = ours.preferred_node.map_or("current".to_owned(), |node| node.to_string());
        assert_eq!(
            field(&theirs, "preferred node").trim_end_matches(" (interleave next)"),
            preferred
        );
        let cpus: Vec<String> = ours.cpus.iter().map(|cpu| cpu.to_string()).collect();
        assert_eq!(field(&theirs, "physcpubind"), cpus.join(" "));
        assert_eq!(nodes(field(&theirs, "nodebind")), ours.cpu_nodes);
        assert_eq!(nodes(field(&theirs, "cpubind")), ours.cpu_nodes);
        assert_eq!(nodes(field(&theirs, "membind")), ours.memory_nodes);
        assert_eq!(nodes(field(&theirs, "preferred")), ours.policy_nodes);
    }
}
