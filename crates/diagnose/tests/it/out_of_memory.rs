//! Programs that were killed since an allocation could use some nodes only, and these were full.

use nearfar_diagnose::text::text;
use nearfar_diagnose::{Diagnosis, FindingDetail, NodeBinding, Witnesses, diagnose};
use nearfar_firmware::linux::KernelLog;

const BOOT: &str = "[    0.000000] Linux version 6.12.0 (x)\n";
/// Of sysrq-m before: no part of a report of the killer.
const EARLIER: &str = "[  500.1] Node 1 Normal free:99000000kB boost:0kB min:67584kB low:84480kB\n";
const INVOKED: &str = "[  712.4] java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n";
/// Reports show the nodes of the failed allocation alone.
const NODE_0: &str = "[  712.4] Node 0 Normal free:60000kB boost:0kB min:67584kB low:84480kB\n";
const NODE_1: &str = "[  712.4] Node 1 Normal free:50399232kB boost:0kB min:67584kB low:84480kB\n";

fn kill(constraint: &str, nodemask: &str, allowed: &str) -> String {
    format!(
        "[  712.5] oom-kill:constraint=CONSTRAINT_{constraint},nodemask={nodemask},cpuset=/,\
         mems_allowed={allowed},global_oom,task_memcg=/system.slice/db.service,task=mysqld,\
         pid=812,uid=27\n"
    )
}

fn diagnosis(lines: &[&str]) -> Diagnosis {
    let log = KernelLog::parse((BOOT.to_owned() + &lines.concat()).as_bytes());
    diagnose(&Witnesses::for_tables(Default::default(), log))
}

fn detail(diagnosis: &Diagnosis) -> Option<&FindingDetail> {
    let found = diagnosis.findings.iter().find(|one| one.code == "out-of-memory-on-node")?;
    found.what.as_ref()
}

fn words(diagnosis: &Diagnosis) -> String {
    text(diagnosis).plain().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_bound_program_and_the_killed_one_may_differ() {
    let found = diagnosis(&[EARLIER, INVOKED, NODE_0, &kill("MEMORY_POLICY", "0", "0-1")]);
    let shown = words(&found);
    assert!(
        shown.contains(
            "Node 0 was full, and java may use node 0 alone, by its memory policy: the kernel \
             killed mysqld (pid 812). The log does not show what node 1 had free."
        ),
        "{shown}"
    );
    assert!(!shown.contains("no fault in its log"), "{shown}");
    let without = words(&diagnosis(&[NODE_0, &kill("MEMORY_POLICY", "0", "0-1")]));
    assert!(without.contains("and a program may use node 0 alone"), "{without}");
}

#[test]
fn free_memory_elsewhere_is_of_this_report_and_above_the_watermark() {
    let lines = [EARLIER, INVOKED, NODE_0, NODE_1, &kill("MEMORY_POLICY", "0", "0-1")];
    let shown = words(&diagnosis(&lines));
    assert!(shown.contains("48 GiB were free on node 1."), "{shown}");
}

#[test]
fn a_cpuset_binds_to_its_nodes_and_a_policy_within_it_does_not_matter() {
    for (constraint, nodemask, allowed) in
        [("CPUSET", "(null)", "1"), ("MEMORY_POLICY", "0-1", "1"), ("MEMORY_POLICY", "1", "1")]
    {
        let found = diagnosis(&[INVOKED, &kill(constraint, nodemask, allowed)]);
        let Some(FindingDetail::OutOfMemoryOnNode { bound_by, nodes, other_nodes, .. }) =
            detail(&found)
        else {
            panic!("{:?}", found.findings)
        };
        assert_eq!((*bound_by, nodes.to_string().as_str()), (NodeBinding::Cpuset, "1"));
        assert!(other_nodes.is_empty());
    }
}

#[test]
fn kills_with_the_same_binding_are_counted() {
    let (policy, cpuset) = (kill("MEMORY_POLICY", "0,2", "0-3"), kill("CPUSET", "(null)", "1"));
    let found = diagnosis(&[&policy, &cpuset, &policy, &policy]);
    let Some(FindingDetail::OutOfMemoryOnNode { nodes, other_nodes, times, .. }) = detail(&found)
    else {
        panic!("{:?}", found.findings)
    };
    assert_eq!(
        (nodes.to_string(), other_nodes.to_string(), *times),
        ("0,2".into(), "1,3".into(), 3)
    );
    assert!(words(&found).contains("It is the last of at least 3 such kills."));
}

/// No node is to blame, or the line is not whole.
#[test]
fn other_kills_are_no_fault_of_a_node() {
    let cut = kill("MEMORY_POLICY", "0", "0-1").replace("2,uid=27", "");
    let odd = kill("MEMORY_POLICY", "0", "0-1").replace("mysqld", "a,pid=77");
    for line in [
        kill("NONE", "(null)", "0-1"),
        kill("MEMCG", "(null)", "0-1"),
        kill("MEMORY_POLICY", "(null)", "0-1"),
        kill("MEMORY_POLICY", "3-1", "0-1"),
        kill("CPUSET", "(null)", ""),
        cut,
        odd,
    ] {
        let found = diagnosis(&[INVOKED, NODE_0, &line]);
        assert_eq!(detail(&found), None, "{line}");
    }
}
