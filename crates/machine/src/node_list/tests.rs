//! Lists on a machine with nodes 0, 2, 5 and 9: 2 has no memory, 9 no CPUs.

use proptest::prelude::*;

use super::*;
use crate::source::Source;

fn files() -> Vec<(String, String)> {
    let node =
        |name: &str, text: &str| (format!("/sys/devices/system/node/{name}"), text.to_owned());
    let cpu = |name: &str, text: &str| (format!("/sys/devices/system/cpu/{name}"), text.to_owned());
    vec![
        node("online", "0,2,5,9"),
        node("has_memory", "0,5,9"),
        node("has_cpu", "0,2,5"),
        node("node0/cpulist", "0-1"),
        node("node2/cpulist", "2-3"),
        node("node5/cpulist", "4-5"),
        node("node9/cpulist", ""),
        node("node5/net", ""),
        cpu("online", "0-5"),
        cpu("present", "0-7"),
        ("/sys/bus/pci/devices/0000:01:00.0/numa_node".to_owned(), "2".to_owned()),
        ("/sys/bus/pci/devices/0000:02:00.0/numa_node".to_owned(), "5".to_owned()),
    ]
}

/// The machine without limits.
fn machine() -> Source {
    Source::from_files(files())
}

/// The machine in a cpuset with memory and CPUs of nodes 0 and 5.
fn in_a_cpuset() -> Source {
    let more = [
        ("/proc/self/status", "Cpus_allowed_list:\t0-1,4-5\nMems_allowed_list:\t0,5\n"),
        ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
        ("/proc/self/cgroup", "0::/job\n"),
        ("/sys/fs/cgroup/job/cpuset.cpus.effective", "0-1,4-5"),
    ];
    Source::from_files(
        files().into_iter().chain(more.map(|(path, text)| (path.to_owned(), text.to_owned()))),
    )
}

type Parse<T> = fn(&str, &ListContext<'_>) -> Result<T, MachineError>;

fn ask<T: ToString>(parse: Parse<T>, source: &Source, text: &str) -> String {
    match parse(text, &ListContext::new(source)) {
        Ok(set) => set.to_string(),
        Err(why) => why.to_string(),
    }
}

fn memory(text: &str) -> String {
    ask(node_list, &machine(), text)
}

#[test]
fn numbers_ranges_and_all_are_existing_nodes() {
    for (text, expected) in [
        ("0", "0"),
        ("5,0", "0,5"),
        ("0-9", "0,5,9"),
        ("all", "0,5,9"),
        ("all,0", "0,5,9"),
        ("0x5", "5"),
        ("00", "0"),
        (" 0 , 5 ", "0,5"),
    ] {
        assert_eq!(memory(text), expected, "{text}");
    }
}

#[test]
fn inverted_list_uses_existing_nodes() {
    assert_eq!(memory("!0"), "5,9");
    assert_eq!(memory("!5-9"), "0");
    assert_eq!(memory("!2"), "0,5,9", "what could not be taken may be left out");
    assert_eq!(memory("!all"), "node list '!all': nothing is left of nodes 0,5,9");
    assert_eq!(
        memory("!3"),
        "node list '!3': node 3 does not exist: this machine has nodes 0,2,5,9"
    );
}

#[test]
fn relative_numbers_count_through_usable_nodes() {
    assert_eq!(memory("+0"), "0");
    assert_eq!(memory("+1-2"), "5,9");
    assert_eq!(memory("!+0"), "5,9");
    assert_eq!(memory("+all"), "0,5,9");
    assert_eq!(memory("+3"), "node list '+3': +3 is beyond nodes 0,5,9, which are counted from +0");
    assert_eq!(ask(node_list, &in_a_cpuset(), "+1"), "5");
}

#[test]
fn node_without_memory_is_only_for_cpus() {
    assert_eq!(memory("2"), "node list '2': node 2 has no memory: nodes 0,5,9 have");
    assert_eq!(memory("0-2"), "node list '0-2': node 2 has no memory: nodes 0,5,9 have");
    assert_eq!(ask(cpu_node_list, &machine(), "2"), "2");
    assert_eq!(ask(cpu_node_list, &machine(), "all"), "0,2,5");
}

#[test]
fn node_without_cpus_adds_none() {
    for (list, nodes) in [("5,9", "5"), ("5-9", "5"), ("all,9", "0,2,5"), ("!9", "0,2,5")] {
        assert_eq!(ask(cpu_node_list, &machine(), list), nodes, "{list}");
    }
}

#[test]
fn node_without_cpus_is_only_for_memory() {
    assert_eq!(memory("9"), "9");
    let message = ask(cpu_node_list, &machine(), "9");
    assert_eq!(
        message,
        "node list '9': node 9 has no CPUs to run on, only memory: nodes 0,2,5 have CPUs"
    );
}

#[test]
fn a_cpuset_narrows_lists_unless_it_is_ignored() {
    let source = in_a_cpuset();
    assert_eq!(ask(node_list, &source, "all"), "0,5");
    assert_eq!(ask(cpu_node_list, &source, "all"), "0,5");
    let message = "node list '9': node 9 is outside this process's cpuset, which has nodes 0,5; -a \
                ignores the cpuset";
    assert_eq!(ask(node_list, &source, "9"), message);
    assert!(ask(cpu_node_list, &source, "2").contains("node 2 is outside this process's cpuset"));
    let mut context = ListContext::new(&source);
    context.ignore_cpuset = true;
    assert_eq!(node_list("all", &context).unwrap().to_string(), "0,5,9");
    assert_eq!(cpu_node_list("!0", &context).unwrap().to_string(), "2,5");
    assert_eq!(cpu_list("all", &context).unwrap().to_string(), "0-5");
}

#[test]
fn affinity_alone_does_not_bound_the_cpus_of_nodes() {
    let taskset = (
        "/proc/self/status".to_owned(),
        "Cpus_allowed_list:\t0\nMems_allowed_list:\t0,5,9\n".to_owned(),
    );
    let source = Source::from_files(files().into_iter().chain([taskset]));
    assert_eq!(ask(cpu_node_list, &source, "5"), "5");
    assert_eq!(ask(cpu_list, &source, "all"), "0");
}

#[test]
fn cpu_list_errors_distinguish_the_reasons() {
    let cpus = |text| ask(cpu_list, &machine(), text);
    assert_eq!(cpus("0-3,5"), "0-3,5");
    assert_eq!(cpus("!0"), "1-5");
    assert_eq!(cpus("6"), "CPU list '6': CPU 6 is offline: CPUs 0-5 are online");
    assert_eq!(cpus("64"), "CPU list '64': CPU 64 does not exist: this machine has CPUs 0-7");
    assert_eq!(
        cpus("same"),
        "CPU list 'same': 'same' repeats a list of nodes, and this is one of CPUs"
    );
    let message =
        "CPU list '2': CPU 2 is outside CPUs 0-1,4-5, which this process may use; -a ignores that";
    assert_eq!(ask(cpu_list, &in_a_cpuset(), "2"), message);
    assert_eq!(ask(cpu_list, &in_a_cpuset(), "+2-3"), "4-5");
}

/// Eight CPUs, 3 and 5 offline, 7 outside the cpuset: list, IDs, what is left out.
fn with_rule(ranges: RangeRule, list: &str) -> (String, String) {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let source = Source::from_files([
        file("/sys/devices/system/cpu/online", "0-2,4,6-7"),
        file("/sys/devices/system/cpu/present", "0-7"),
        file("/proc/self/status", "Cpus_allowed_list:\t0-6\n"),
    ]);
    let context = ListContext::new(&source).with_ranges(ranges);
    let shown = match cpu_list(list, &context) {
        Ok(cpus) => cpus.to_string(),
        Err(why) => why.to_string(),
    };
    let left_out = context.take_left_out().into_iter().map(|one| one.ids);
    (shown, left_out.collect::<Vec<_>>().join("; "))
}

#[test]
fn ranges_leave_out_what_cannot_be_had_with_a_note() {
    for (list, shown, left_out) in [
        ("0-2", "0-2", ""),
        ("0-3", "0-2", "CPUs 3"),
        ("0-5", "0-2,4", "CPUs 3,5"),
        ("0-7", "0-2,4,6", "CPUs 3,5,7"),
        ("5-6", "6", "CPUs 5"),
        ("+0-3", "0-2,4", ""),
        ("0-2,4", "0-2,4", ""),
    ] {
        let expected = (shown.to_owned(), left_out.to_owned());
        assert_eq!(with_rule(RangeRule::LeaveOut, list), expected, "{list}");
    }
    for (list, why) in [
        ("3", "CPU 3 is offline"),
        ("0-63", "CPU 63 does not exist"),
        ("7", "CPU 7 is outside"),
        ("3-3", "CPU 3 is offline"),
    ] {
        let (shown, left_out) = with_rule(RangeRule::LeaveOut, list);
        assert!(shown.contains(why) && left_out.is_empty(), "{list}: {shown}");
    }
}

/// What numactl 2.0.16 does, and 2.0.19.
#[test]
fn numactls_ranges_are_those_of_numactl() {
    for (list, shown, left_out) in [
        ("0-3", "0-2", "CPUs 3"),
        ("0-5", "0-2,4", "CPUs 3,5"),
        ("0-4", "0-2,4", "CPUs 3"),
        ("+0-3", "0-2", "CPUs 3"),
        ("+0-4", "0-2,4", "CPUs 3"),
    ] {
        let expected = (shown.to_owned(), left_out.to_owned());
        assert_eq!(with_rule(RangeRule::Numactl, list), expected, "{list}");
    }
    for (list, why) in [("0-7", "CPU 7 is outside"), ("0-8", "CPU 8 does not exist")] {
        assert!(with_rule(RangeRule::Numactl, list).0.contains(why), "{list}");
    }
}

#[test]
fn same_repeats_the_last_list() {
    let source = machine();
    let mut context = ListContext::new(&source);
    let message = node_list("same", &context).unwrap_err().to_string();
    assert_eq!(
        message,
        "node list 'same': 'same' repeats the last list of nodes, and there is none before it"
    );
    context.last = Some(cpu_node_list("2,5", &context).unwrap());
    assert_eq!(cpu_node_list("same", &context).unwrap().to_string(), "2,5");
    assert!(node_list("same", &context).unwrap_err().to_string().contains("node 2 has no memory"));
}

#[test]
fn device_means_its_node() {
    assert_eq!(memory("pci:2:0"), "5");
    assert_eq!(memory("0,pci:2:0"), "0,5");
    assert_eq!(memory("!pci:2:0"), "0,9");
    let message = memory("pci:1:0");
    assert_eq!(
        message,
        "node list 'pci:1:0': pci:0000:01:00.0: node 2 has no memory: nodes 0,5,9 have"
    );
    let message =
        "node list 'netdev:eth7': there is no network device 'eth7': /sys/class/net has none";
    assert_eq!(memory("netdev:eth7"), message);
    assert_eq!(ask(cpu_list, &machine(), "pci:1:0"), "2-3");
    assert_eq!(ask(cpu_node_list, &machine(), "pci:1:0"), "2");
}

#[test]
fn kernel_without_numa_is_an_error() {
    let source = Source::from_files([("/sys/devices/system/cpu/online", "0-1")]);
    let message = ask(node_list, &source, "0");
    assert_eq!(message, "node list '0': this kernel has no nodes (CONFIG_NUMA is off)");
    assert_eq!(ask(cpu_list, &source, "1"), "1");
}

#[test]
fn old_kernels_are_read_node_by_node() {
    let node =
        |name: &str, text: &str| (format!("/sys/devices/system/node/{name}"), text.to_owned());
    let source = Source::from_files([
        node("node0/cpulist", "0"),
        node("node0/meminfo", "Node 0 MemTotal: 10 kB"),
        node("node3/cpulist", ""),
        node("node3/meminfo", "Node 3 MemTotal:       0 kB"),
    ]);
    assert_eq!(ask(node_list, &source, "all"), "0");
    assert_eq!(ask(cpu_node_list, &source, "all"), "0");
    assert!(ask(node_list, &source, "3").contains("node 3 has no memory"));
}

#[test]
fn only_five_files_are_read() {
    let source = in_a_cpuset_of_all();
    let context = ListContext::new(&source);
    let nodes = cpu_node_list("0", &context).unwrap();
    assert_eq!(context.cpus_of(&nodes).to_string(), "0-1");
    assert_eq!(node_list("0", &context).unwrap().to_string(), "0");
    let read: Vec<String> = source.recorded().into_keys().collect();
    assert_eq!(
        read,
        [
            "/proc/self/status",
            "/sys/devices/system/cpu/online",
            "/sys/devices/system/node/has_cpu",
            "/sys/devices/system/node/has_memory",
            "/sys/devices/system/node/node0/cpulist",
        ]
    );
}

/// The machine without limits, recording what is read.
fn in_a_cpuset_of_all() -> Source {
    let status = (
        "/proc/self/status".to_owned(),
        "Cpus_allowed_list:\t0-5\nMems_allowed_list:\t0,5,9\n".to_owned(),
    );
    Source::from_files(files().into_iter().chain([status])).recorder()
}

#[test]
fn live_machine_lists_its_nodes() {
    let live = Source::live();
    let context = ListContext::new(&live);
    if !context.numa_supported() {
        return;
    }
    let all = node_list("all", &context).unwrap();
    assert!(all.is_subset(context.online_nodes()) && !all.is_empty());
    assert_eq!(node_list(&all.to_string(), &context).unwrap(), all);
}

proptest! {
    #[test]
    fn list_and_inverted_list_are_all_nodes(mask in 1u32..7) {
        let source = machine();
        let context = ListContext::new(&source);
        let bits = ["0", "5", "9"].into_iter().zip(0..);
        let named: Vec<&str> =
            bits.filter(|(_, bit)| mask >> bit & 1 == 1).map(|(name, _)| name).collect();
        let text = named.join(",");
        let list = node_list(&text, &context).unwrap();
        let rest = node_list(&format!("!{text}"), &context).unwrap();
        prop_assert!(list.is_disjoint(&rest));
        prop_assert_eq!(list.union(&rest), context.usable_memory_nodes());
    }

    #[test]
    fn any_accepted_list_is_usable(text in "[!+]{0,2}[0-9x,\\-alsme]{0,12}") {
        let source = in_a_cpuset();
        let context = ListContext::new(&source);
        if let Ok(nodes) = node_list(&text, &context) {
            prop_assert!(!nodes.is_empty() && nodes.is_subset(&context.usable_memory_nodes()));
        }
        if let Ok(cpus) = cpu_list(&text, &context) {
            prop_assert!(!cpus.is_empty() && cpus.is_subset(&context.usable_cpus()));
        }
    }
}

#[test]
fn commas_in_paths_depend_on_existing_files() {
    let text = "file:/data/a,0";
    let refused = |files: Vec<(String, String)>| ask(node_list, &Source::from_files(files), text);
    assert!(refused(files()).starts_with(&format!("node list '{text}': file:/data/a: ")));
    let with_it = [files(), vec![("/data/a,0".to_owned(), String::new())]].concat();
    assert!(
        refused(with_it).starts_with(&format!("node list '{text}': its file system is not in"))
    );
}
