use std::ffi::OsString;

use nearfar_model::NodeId;
use nearfar_place::Policy;

use super::*;
use crate::launch::options::Dialect;

/// Nodes 0 and 4 with CPUs, 7 without CPUs, 9 without memory; the cpuset has CPUs 0-3 and nodes 0,
/// 4 and 7.
fn machine() -> Source {
    let node = "/sys/devices/system/node";
    Source::from_files([
        ("/proc/self/status".to_owned(), "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0,4,7\n"),
        ("/sys/devices/system/cpu/online".to_owned(), "0-5"),
        ("/sys/devices/system/cpu/present".to_owned(), "0-5"),
        (format!("{node}/online"), "0,4,7,9-10"),
        (format!("{node}/has_memory"), "0,4,7,10"),
        (format!("{node}/has_cpu"), "0,4,9"),
        (format!("{node}/node0/cpulist"), "0-1"),
        (format!("{node}/node4/cpulist"), "2-3"),
        (format!("{node}/node7/cpulist"), ""),
        (format!("{node}/node9/cpulist"), "4-5"),
        (format!("{node}/node10/cpulist"), ""),
    ])
}

fn checked(line: &str) -> Result<Launch, LaunchError> {
    let words = line.split_whitespace().map(OsString::from).collect();
    LaunchRequest::parse(words, Dialect::Run).unwrap().check(&machine())
}

fn policy(line: &str) -> Policy {
    checked(line).unwrap().placement.memory.unwrap().policy
}

fn nodes(list: &str) -> NodeSet {
    NodeSet::parse_list(list).unwrap()
}

#[test]
fn each_option_is_its_policy() {
    assert_eq!(policy("-m 0,7 x"), Policy::Bind(nodes("0,7")));
    assert_eq!(policy("-p 4 x"), Policy::Preferred(NodeId(4)));
    assert_eq!(policy("-P 4,7 x"), Policy::PreferredMany(nodes("4,7")));
    assert_eq!(policy("-i all x"), Policy::Interleave(nodes("0,4,7")));
    assert_eq!(policy("-w 0,4 x"), Policy::WeightedInterleave(nodes("0,4")));
    assert_eq!((policy("-l x"), policy("--default x")), (Policy::Local, Policy::Default));
}

#[test]
fn inverting_leaves_gaps_in_node_ids_alone() {
    assert_eq!(policy("-m !0 x"), Policy::Bind(nodes("4,7")));
}

#[test]
fn same_repeats_the_list_before() {
    let launch = checked("-N 4 -m same x").unwrap();
    assert_eq!(launch.placement.memory.unwrap().policy, Policy::Bind(nodes("4")));
    assert!(
        checked("-m same x").unwrap_err().to_string().starts_with("--membind: node list 'same'")
    );
}

#[test]
fn the_last_choice_of_cpus_counts() {
    let cpus = checked("-C 0 -N 4 x").unwrap().placement.cpus.unwrap();
    assert_eq!((cpus.cpus.to_string().as_str(), cpus.nodes), ("2-3", Some(nodes("4"))));
    assert_eq!(checked("-c 4 -C 1 x").unwrap().placement.cpus.unwrap().cpus.to_string(), "1");
}

#[test]
fn a_node_without_cpus_is_refused_in_one_clear_line() {
    let refusal = checked("-N 7 x").unwrap_err().to_string();
    assert!(refusal.starts_with("--cpunodebind: node list '7': node 7 has no CPUs"), "{refusal}");
}

#[test]
fn nodes_without_memory_outside_the_cpuset_or_absent_are_refused_by_name() {
    for (line, why) in [
        ("-m 9 x", "has no memory"),
        ("-m 10 x", "outside"),
        ("-m 3 x", "does not exist"),
        ("-C 4 x", "outside"),
    ] {
        let refusal = checked(line).unwrap_err().to_string();
        assert!(refusal.contains(why) && !refusal.contains('\n'), "{line}: {refusal}");
    }
}

#[test]
fn all_ignores_the_cpuset_in_the_lists_that_follow() {
    assert_eq!(policy("-a -m all x"), Policy::Bind(nodes("0,4,7,10")));
    assert_eq!(checked("-a -C 5 x").unwrap().placement.cpus.unwrap().cpus.to_string(), "5");
    assert_eq!(checked("-a -N 9 x").unwrap().placement.cpus.unwrap().cpus.to_string(), "4-5");
}

#[test]
fn balancing_needs_membind() {
    for line in ["-m 0,4 -b x", "-b -m 0,4 x"] {
        let launch = checked(line).unwrap();
        assert!(
            launch.placement.memory.unwrap().flags.balancing && launch.warnings.is_empty(),
            "{line}"
        );
    }
    let launch = checked("-b -i 0,4 x").unwrap();
    assert!(!launch.placement.memory.unwrap().flags.balancing);
    assert!(launch.warnings[0].contains("--balancing"));
}

#[test]
fn strict_is_for_shared_memory() {
    assert!(checked("-t -m 0 x").unwrap().warnings[0].contains("--strict"));
}

#[test]
fn preferred_takes_one_node() {
    let refusal = checked("-p 0,4 x").unwrap_err().to_string();
    assert_eq!(
        refusal,
        "--preferred takes one node, not 0,4: --preferred-many takes several (Linux 5.15)"
    );
}

#[test]
fn shared_memory_gets_its_policy() {
    for (option, policy) in [
        ("-w", Policy::WeightedInterleave(nodes("0,4"))),
        ("-P", Policy::PreferredMany(nodes("0,4"))),
        ("-i", Policy::Interleave(nodes("0,4"))),
    ] {
        let launch = checked(&format!(
            "--length 8k --offset 4k --file /dev/shm/x --strict {option} 0,4 --touch --dump"
        ))
        .unwrap();
        assert_eq!(launch.placement, Placement::default());
        let [
            SharedStep::Attach { what, part },
            SharedStep::Policy { policy: set, strict: true, .. },
            SharedStep::Touch,
            SharedStep::Dump,
        ] = &launch.shared[..]
        else {
            panic!("{:?}", launch.shared)
        };
        assert_eq!((what, set), (&SharedName::File("/dev/shm/x".into()), &policy));
        assert_eq!((part.length.unwrap().0, part.offset.0, part.mode), (8192, 4096, 0o600));
    }
}

#[test]
fn strict_applies_to_later_steps() {
    let launch = checked("--file /dev/shm/x -m 0 --strict").unwrap();
    assert!(matches!(launch.shared[1], SharedStep::Policy { strict: false, .. }));
}

#[test]
fn a_kernel_without_numa_still_binds_cpus() {
    let source = Source::from_files([
        ("/sys/devices/system/cpu/online", "0-1"),
        ("/sys/devices/system/cpu/present", "0-1"),
    ]);
    let check = |line: &str| {
        LaunchRequest::parse(line.split_whitespace().map(OsString::from).collect(), Dialect::Run)
            .unwrap()
            .check(&source)
    };
    assert!(matches!(check("-m 0 x"), Err(LaunchError::NoNuma { .. })));
    let bare = Source::from_files([("/etc/hostname", "x")]);
    let words = ["-m", "0", "x"].map(OsString::from).to_vec();
    let refused = LaunchRequest::parse(words, Dialect::Run).unwrap().check(&bare);
    assert!(matches!(refused, Err(LaunchError::NoSysfs { .. })), "a bare chroot has no sysfs");
    assert_eq!(check("-C 1 x").unwrap().placement.cpus.unwrap().cpus.to_string(), "1");
}
