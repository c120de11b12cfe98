//! Files of `/proc` with more data than readers need.

/// File systems whose mounts are kept: cgroups, huge pages, sysfs and procfs.
const MOUNTS: [&str; 6] = ["cgroup", "cgroup2", "cpuset", "hugetlbfs", "sysfs", "proc"];
/// Lines of a process's status that are kept: its allowed CPUs and nodes.
const STATUS: [&str; 2] = ["Cpus_allowed", "Mems_allowed"];

/// `/proc/mounts` without mounts of disks and networks.
pub(super) fn mounts(text: &str, found: &mut Vec<&'static str>) -> String {
    let matters = |line: &str| line.split(' ').nth(2).is_some_and(|kind| MOUNTS.contains(&kind));
    lines(text, matters, "mounts of disks and networks", found)
}

/// `/proc/self/status` with only the allowed CPUs and nodes.
pub(super) fn status(text: &str, found: &mut Vec<&'static str>) -> String {
    let matters = |line: &str| STATUS.iter().any(|start| line.starts_with(start));
    lines(text, matters, "all but what the process may use", found)
}

/// `/proc/cpuinfo` without the serial number of Arm boards.
pub(super) fn cpuinfo(text: &str, found: &mut Vec<&'static str>) -> String {
    let is_serial = |line: &str| {
        line.split(':').next().is_some_and(|key| key.trim().eq_ignore_ascii_case("serial"))
    };
    lines(text, |line| !is_serial(line), "serial numbers", found)
}

fn lines(
    text: &str,
    matters: impl Fn(&str) -> bool,
    what: &'static str,
    found: &mut Vec<&'static str>,
) -> String {
    let kept: String = text.split_inclusive('\n').filter(|line| matters(line)).collect();
    if kept.len() < text.len() {
        found.push(what);
    }
    kept
}
