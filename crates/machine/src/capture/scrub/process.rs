//! Files of `/proc` that say more than readers need.

/// Kinds of file systems whose mounts matter: limits on CPUs and memory, and huge pages.
const MOUNTS: [&str; 6] = ["cgroup", "cgroup2", "cpuset", "hugetlbfs", "sysfs", "proc"];
/// What begins the lines of a process's status that matter: what it may use.
const STATUS: [&str; 2] = ["Cpus_allowed", "Mems_allowed"];

/// `/proc/mounts` without mounts of disks and networks.
pub(super) fn mounts(text: &str, found: &mut Vec<&'static str>) -> String {
    let matters = |line: &str| line.split(' ').nth(2).is_some_and(|kind| MOUNTS.contains(&kind));
    lines(text, matters, "mounts of disks and networks", found)
}

/// `/proc/self/status`: what the process may use, not who it is.
pub(super) fn status(text: &str, found: &mut Vec<&'static str>) -> String {
    let matters = |line: &str| STATUS.iter().any(|start| line.starts_with(start));
    lines(text, matters, "all but what the process may use", found)
}

/// `/proc/cpuinfo` without the serial number that boards of Arm show there.
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
