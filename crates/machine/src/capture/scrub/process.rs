//! Files of `/proc` and `/etc` with more data than readers need.

use super::words::{Grammar, Words};
use super::{Removed, Scrub};

/// File systems whose mounts are kept: cgroups, huge pages, sysfs and procfs.
const MOUNTS: [&str; 6] = ["cgroup", "cgroup2", "cpuset", "hugetlbfs", "sysfs", "proc"];
/// Lines of a process's status that are kept: its allowed CPUs and nodes.
const STATUS: [&str; 2] = ["Cpus_allowed", "Mems_allowed"];
/// Flags of CPUs that are read: 64 bits, and a guest.
const FLAGS: [&str; 2] = ["lm", "hypervisor"];
/// Lines of `/proc/cpuinfo` that are read.
const CPU_KEYS: [&str; 21] = [
    "processor",
    "apicid",
    "vendor_id",
    "vendor",
    "cpu family",
    "family",
    "model",
    "model name",
    "cpu model",
    "Model Name",
    "cpu",
    "uarch",
    "flags",
    "isa",
    "arch",
    "CPU implementer",
    "CPU architecture",
    "CPU part",
    "Processor",
    "microcode",
    "platform",
];

impl Scrub {
    /// `/proc/mounts` without mounts of disks and networks.
    pub(super) fn mounts(&self, text: &str, removed: &mut Removed) -> String {
        let matters =
            |line: &&str| line.split(' ').nth(2).is_some_and(|kind| MOUNTS.contains(&kind));
        let kept = lines(text, "other mounts", removed, matters);
        self.text(&kept, Grammar::Numbers, removed)
    }

    /// `/proc/self/cgroup`: "4:cpuset:/job", "0::/user.slice/user-1000.slice".
    pub(super) fn groups(&self, text: &str, removed: &mut Removed) -> String {
        let mut names = 0;
        let line = |line: &str| match line.rsplit_once(':') {
            Some((head, group)) => {
                let head = self.words.text(head, Grammar::Numbers, &mut names);
                format!("{head}:{}", self.words.group(group, &mut names))
            }
            None => self.words.group(line, &mut names),
        };
        let kept = text.lines().map(line).collect::<Vec<_>>().join("\n");
        removed.count("names of groups", names);
        kept + if text.ends_with('\n') { "\n" } else { "" }
    }
}

/// `/proc/self/status` with only the allowed CPUs and nodes.
pub(super) fn status(text: &str, removed: &mut Removed) -> String {
    lines(text, "other lines", removed, |line| STATUS.iter().any(|start| line.starts_with(start)))
}

/// `/proc/stat`: the times of CPUs.
pub(super) fn times(text: &str, removed: &mut Removed) -> String {
    lines(text, "other lines", removed, |line| line.starts_with("cpu"))
}

/// A shell file with options, without its comments.
pub(super) fn options(text: &str, removed: &mut Removed) -> String {
    lines(text, "comments", removed, |line| !line.trim_start().starts_with('#'))
}

/// `/proc/cpuinfo` with the lines that are read.
pub(super) fn cpuinfo(text: &str, words: &Words, removed: &mut Removed) -> String {
    let key = |line: &str| line.split(':').next().unwrap_or(line).trim().to_owned();
    let kept = lines(text, "other lines", removed, |line| {
        let key = key(line);
        key.is_empty() || CPU_KEYS.contains(&key.as_str())
    });
    let mut others = 0;
    let mut line = |line: &str| {
        let Some((head, value)) = line.split_once(':') else { return line.to_owned() };
        let end = if value.ends_with('\n') { "\n" } else { "" };
        let value = match key(line).as_str() {
            "flags" => {
                let flags = value.split_whitespace().filter(|flag| FLAGS.contains(flag));
                format!(" {}{end}", flags.collect::<Vec<_>>().join(" "))
            }
            "isa" => format!(" {}{end}", value.trim().get(..4).unwrap_or_default()),
            _ => value.to_owned(),
        };
        format!("{head}:{}", words.text(&value, Grammar::Models, &mut others))
    };
    let kept = kept.split_inclusive('\n').map(&mut line).collect();
    removed.count("other words", others);
    kept
}

/// "Linux version 6.1.0 (me@myhost) (gcc ..": only the release.
pub(super) fn version(text: &str, words: &Words, removed: &mut Removed) -> String {
    let release = text.strip_prefix("Linux version ").and_then(|text| text.split(' ').next());
    removed.count("other texts", 1);
    let release = words.text(release.unwrap_or_default(), Grammar::Numbers, &mut 0);
    format!("Linux version {release}\n")
}

fn lines(text: &str, what: &str, removed: &mut Removed, matters: impl Fn(&&str) -> bool) -> String {
    let (kept, others): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(matters);
    removed.count(what, others.len());
    kept.concat()
}
