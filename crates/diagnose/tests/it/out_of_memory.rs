//! Programs that were killed since their nodes were full.

use nearfar_diagnose::text::text;
use nearfar_diagnose::{Diagnosis, FindingDetail, NodeBinding, Witnesses, diagnose};
use nearfar_firmware::linux::KernelLog;

/// Two kills on a machine of two nodes; the second with 48 GiB free on node 1.
fn log(end: &str) -> String {
    let zones = |free_kib: [u64; 2]| {
        free_kib.iter().enumerate().fold(String::new(), |text, (node, free)| {
            text + &format!(
                "[  712.4] Node {node} Normal free:{free}kB boost:0kB min:67584kB low:84480kB \
                 high:101376kB reserved_highatomic:0KB active_anon:12kB\n"
            )
        })
    };
    format!(
        "[    0.000000] Linux version 6.12.0 (x)\n{}{}[  811.0] {end}\n",
        zones([1, 2])
            + "[  712.5] oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,\
            cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/db,task=old,pid=1,uid=0\n",
        zones([60_000, 50_331_648]),
    )
}

fn diagnosis(end: &str) -> Diagnosis {
    let log = KernelLog::parse(log(end).as_bytes());
    diagnose(&Witnesses::for_tables(Default::default(), log))
}

fn detail(diagnosis: &Diagnosis) -> Option<&FindingDetail> {
    let found = diagnosis.findings.iter().find(|one| one.code == "out-of-memory-on-node")?;
    found.what.as_ref()
}

#[test]
fn a_bound_program_was_killed_while_others_had_memory() {
    let policy = diagnosis(
        "oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,cpuset=user.slice,\
         mems_allowed=0-1,oom_memcg=/a,task_memcg=/system.slice/mysql.service,task=mysqld,pid=812,\
         uid=27",
    );
    let Some(FindingDetail::OutOfMemoryOnNode { program, bound_by, nodes, times, .. }) =
        detail(&policy)
    else {
        panic!("{:?}", policy.findings)
    };
    assert_eq!((program.as_str(), *bound_by, *times), ("mysqld", NodeBinding::MemoryPolicy, 2));
    assert_eq!(nodes.to_string(), "0");
    let shown = text(&policy).plain().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains(
            "Node 0 was full while 48 GiB were free on other nodes: the kernel killed mysqld (pid \
             812), the last of 2 times. A memory policy allows node 0 alone."
        ),
        "{shown}"
    );
}

#[test]
fn a_cpuset_binds_to_its_nodes() {
    let cpuset = diagnosis(
        "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=pod1,mems_allowed=1,\
         global_oom,task_memcg=/pod1,task=java,pid=9,uid=0",
    );
    let Some(FindingDetail::OutOfMemoryOnNode { bound_by, nodes, free_elsewhere_bytes, .. }) =
        detail(&cpuset)
    else {
        panic!("{:?}", cpuset.findings)
    };
    assert_eq!((*bound_by, nodes.to_string().as_str()), (NodeBinding::Cpuset, "1"));
    assert_eq!(*free_elsewhere_bytes, Some(60_000 << 10));
}

/// Without a node that others may use, no binding is to blame.
#[test]
fn full_machines_and_limits_of_groups_are_no_fault_of_a_node() {
    for end in [
        "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,\
         task_memcg=/a,task=b,pid=7,uid=0",
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,\
         oom_memcg=/a,task_memcg=/a,task=b,pid=7,uid=0",
    ] {
        let text = log(end).replace("CONSTRAINT_MEMORY_POLICY", "CONSTRAINT_NONE");
        let log = KernelLog::parse(text.as_bytes());
        let shown = diagnose(&Witnesses::for_tables(Default::default(), log));
        assert_eq!(detail(&shown), None);
    }
}
