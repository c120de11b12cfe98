//! Programs of a target that the kernel killed since the nodes that they may use were full.

use nearfar_machine::Source;
use nearfar_machine::kernel_log::{NodeBinding, NodeKill, node_kills};
use nearfar_machine::process::{NodeSummaries, group_name};
use nearfar_model::{Bytes, NodeSet};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::bad_target::TargetKind;
use crate::target::{Target, explicit};

/// The length of names that the kernel keeps.
const NAME_BYTES: usize = 15;

/// A process that the kernel killed since nodes were full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct KilledProcess {
    /// Its number.
    pub pid: u64,
    /// Its name.
    pub name: String,
    /// Its control group.
    pub cgroup: String,
    /// Seconds since then. Null on captured machines, and if the log has no times.
    pub ago_s: Option<u64>,
    /// The program whose allocation failed, which may be another one. Null if the log does not
    /// have it.
    pub bound_program: Option<String>,
    /// What allowed no other node.
    pub bound_by: NodeBinding,
    /// The full nodes.
    pub nodes: NodeSet,
    /// Nodes that a cpuset allows and the memory policy does not.
    pub other_nodes: NodeSet,
    /// What these could give then. Null if not in the log.
    pub free_elsewhere_bytes: Option<u64>,
    /// What these have available now. Null if unknown.
    pub available_elsewhere_bytes: Option<u64>,
}

/// Those of a target, in the order of time: by its name, or by its control group. `found` is what
/// the word names now. Where the kernel's log is not readable, there are none.
pub fn killed_of(source: &Source, word: &str, found: Option<&Target>) -> Vec<KilledProcess> {
    if matches!(found, Some(Target::Pid(_) | Target::File(_))) {
        return Vec::new();
    }
    let now = source.is_live().then(now_us);
    let kills = node_kills(source).into_iter();
    let concerning: Vec<NodeKill> =
        kills.filter(|kill| concerns(source, word, found, kill)).collect();
    if concerning.is_empty() {
        return Vec::new();
    }
    let around = NodeSummaries::read_with_available(source);
    concerning.into_iter().map(|kill| KilledProcess::new(kill, now, &around)).collect()
}

fn concerns(source: &Source, word: &str, found: Option<&Target>, kill: &NodeKill) -> bool {
    let is_in = |group: &str| {
        let below = kill.cgroup.strip_prefix(&group_name(source, group));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    match (found, explicit(word)) {
        (Some(Target::Name(name, processes)), _) => {
            is_named(kill, name) || processes.iter().any(|(_, name)| is_named(kill, name))
        }
        (Some(Target::Cgroup(group)), _) => is_in(&group.folder),
        (Some(_), _) => false,
        (None, Some((TargetKind::Name, name))) => is_named(kill, name),
        (None, Some((TargetKind::Cgroup, name))) => is_in(name),
        (None, Some(_)) => false,
        (None, None) => is_named(kill, word) || is_in(word),
    }
}

fn is_named(kill: &NodeKill, name: &str) -> bool {
    !name.is_empty() && kill.program == name.get(..NAME_BYTES).unwrap_or(name)
}

/// The kernel's log has the time since the boot, without the time of sleep.
fn now_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000
}

impl KilledProcess {
    fn new(kill: NodeKill, now_us: Option<u64>, around: &NodeSummaries) -> Self {
        let others = kill.other_nodes.iter().map(|node| around.node(node)?.available);
        let available = others.sum::<Option<Bytes>>().filter(|_| !kill.other_nodes.is_empty());
        let ago_us = now_us.zip(kill.at_us).and_then(|(now, at)| now.checked_sub(at));
        Self {
            pid: kill.pid,
            name: kill.program,
            cgroup: kill.cgroup,
            ago_s: ago_us.map(|ago| ago / 1_000_000),
            bound_program: kill.bound_program,
            bound_by: kill.bound_by,
            nodes: kill.nodes,
            other_nodes: kill.other_nodes,
            free_elsewhere_bytes: kill.free_elsewhere_bytes,
            available_elsewhere_bytes: available.map(|bytes| bytes.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::killed::explained;

    const LOG: &str = "\
[    0.000000] Linux version 6.12.0 (x)
[  712.4] postgres invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0
[  712.4] Node 0 Normal free:60000kB boost:0kB min:67584kB low:84480kB
[  712.4] Node 1 Normal free:50399232kB boost:0kB min:67584kB low:84480kB
[  712.5] oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,cpuset=/,mems_allowed=0-1,\
global_oom,task_memcg=/system.slice/db.service/main,task=postgres,pid=812,uid=27
[  800.5] oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=box,mems_allowed=1,\
global_oom,task_memcg=/box,task=a-very-long-nam,pid=900,uid=27
[  900.5] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,\
oom_memcg=/full,task_memcg=/full,task=worker,pid=7,uid=27
";

    fn source() -> Source {
        Source::from_files([
            ("/dmesg", LOG),
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/sys/fs/cgroup/cgroup.procs", "1\n"),
            ("/sys/fs/cgroup/box/cgroup.procs", ""),
            ("/sys/fs/cgroup/system.slice/cgroup.procs", "9\n"),
            ("/proc/9/comm", "postgres"),
            ("/proc/9/cmdline", "postgres\0"),
        ])
    }

    /// What the command ends with.
    fn error(word: &str) -> String {
        let source = source();
        let found = Target::find(&source, word).and_then(|found| found.processes(&source));
        explained(&source, word, found.unwrap_err()).to_string()
    }

    #[test]
    fn a_target_without_processes_has_the_reason() {
        let full = "no process of 'system.slice/db.service' is left: the kernel killed postgres \
                    (process 812): node 0 was full while 48 GiB were free on node 1; bound by its \
                    memory policy";
        assert_eq!(error("system.slice/db.service"), full);
        for word in ["cgroup:system.slice/db.service", "/sys/fs/cgroup/system.slice/db.service/"] {
            assert_eq!(error(word), full.replace("system.slice/db.service", word), "{word}");
        }
        for word in ["box", "cgroup:box", "name:a-very-long-name-indeed", "a-very-long-name-indeed"]
        {
            let why = "the kernel killed a-very-long-nam (process 900): node 1 was full; bound by \
                       the cpuset of a program";
            assert_eq!(error(word), format!("no process of '{word}' is left: {why}"));
        }
    }

    #[test]
    fn other_targets_have_none() {
        for word in ["full", "worker", "name:db.service", "db", "system.slice/db", "cgroup:worker"]
        {
            assert!(!error(word).contains("killed"), "{word}");
        }
    }

    #[test]
    fn a_target_with_processes_has_its_kills() {
        let source = source();
        let of = |word: &str| {
            let target = Target::find(&source, word).unwrap();
            killed_of(&source, word, Some(&target))
        };
        for word in ["postgres", "post", "system.slice"] {
            let killed = of(word);
            assert_eq!((killed.len(), killed[0].pid, killed[0].ago_s), (1, 812, None), "{word}");
        }
        assert!(of("9").is_empty());
    }

    /// Most reports show the full node alone.
    #[test]
    fn what_is_available_now_stands_for_what_the_log_lacks() {
        let log: String = LOG
            .lines()
            .filter(|line| !line.contains("Node 1 "))
            .fold(String::new(), |log, line| log + line + "\n");
        let node = "/sys/devices/system/node";
        let with = |zones: &str| {
            let source = Source::from_files([
                ("/dmesg".to_owned(), log.clone()),
                (format!("{node}/online"), "0-1".to_owned()),
                (format!("{node}/node0/meminfo"), "Node 0 MemTotal: 4000 kB\n".to_owned()),
                (format!("{node}/node1/meminfo"), "Node 1 MemTotal: 4000 kB\n".to_owned()),
                ("/proc/zoneinfo".to_owned(), zones.to_owned()),
            ]);
            let error = Target::find(&source, "postgres").unwrap_err();
            explained(&source, "postgres", error).to_string()
        };
        let zones = "Node 0, zone Normal\n pages free 9\n managed 1000\nNode 1, zone Normal\n \
                     pages free 256\n managed 1000\n";
        let shown = with(zones);
        let wanted = "node 0 was full; the log does not show what node 1 had free (1 MiB available \
                      now); bound by its memory policy";
        assert!(shown.ends_with(wanted), "{shown}");
        assert!(!with("").contains("now"), "{}", with(""));
    }

    #[test]
    fn times_are_ages() {
        let kill = node_kills(&source()).remove(0);
        let around = NodeSummaries::default();
        let ago = |now| KilledProcess::new(kill.clone(), Some(now), &around).ago_s;
        assert_eq!((ago(892_600_000), ago(5)), (Some(180), None));
    }
}
