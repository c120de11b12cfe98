//! The memory of named services by node: one figure for a service and node, whatever number of
//! processes it has.
//!
//! Reading a process's pages holds its mapping lock, so a service is read the less often, the more
//! that costs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use nearfar_machine::{MachineError, Source};
use nearfar_model::{Bytes, NodeId};
use nearfar_process::{ProcessError, ProcessMemory, Target, UniqueMemory, remote_share_of_all};
use thiserror::Error;

use crate::cpu_clock::cpu_seconds;
use crate::pace::Pace;

/// Services at most: each has a series for each node.
pub const MAX_TARGETS: usize = 64;
/// The share of a CPU that reading all services takes at most.
const SHARE: f64 = 0.01;

/// Why services cannot be read.
#[derive(Debug, Error)]
pub enum TargetListError {
    /// Too many.
    #[error("{0} targets, more than {MAX_TARGETS}: each has a series for each node")]
    TooMany(usize),
    /// A word that is neither a process, nor a name, nor a control group.
    #[error(transparent)]
    Bad(ProcessError),
}

/// Services, by the words that name them.
pub struct TargetReader {
    began: Instant,
    targets: Vec<NamedTarget>,
}

struct NamedTarget {
    word: String,
    pace: Pace,
    /// The last reading, and when it began.
    last: Option<(f64, TargetReading)>,
}

/// A service at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TargetReading {
    /// Its processes; 0 while it does not run.
    pub(crate) processes: usize,
    /// Those of them that cannot be read.
    pub(crate) unreadable: usize,
    /// The memory of the others, each page once.
    pub(crate) memory: Vec<(NodeId, Bytes)>,
    /// Their threads.
    pub(crate) threads: Vec<(NodeId, usize)>,
    /// The share of their memory that is remote to their threads.
    pub(crate) remote_share: Option<f64>,
}

impl TargetReader {
    /// Takes these words, each once. What they name need not exist.
    ///
    /// # Errors
    ///
    /// [`TargetListError`]
    pub fn new(source: &Source, words: &[String]) -> Result<Self, TargetListError> {
        let words: BTreeSet<&String> = words.iter().collect();
        if words.len() > MAX_TARGETS {
            return Err(TargetListError::TooMany(words.len()));
        }
        for word in &words {
            find(source, word).map_err(TargetListError::Bad)?;
        }
        let target =
            |word: &String| NamedTarget { word: word.clone(), pace: Pace::default(), last: None };
        Ok(Self { began: Instant::now(), targets: words.into_iter().map(target).collect() })
    }

    /// Reads what is due. Returns each service with its reading and that reading's age in seconds;
    /// no reading where it cannot be known, such as for a name that has become ambiguous.
    pub(crate) fn read(&mut self, source: &Source) -> Vec<(&str, f64, Option<&TargetReading>)> {
        let share = SHARE / self.targets.len().max(1) as f64;
        let began = self.began;
        let now = || began.elapsed().as_secs_f64();
        for target in &mut self.targets {
            if target.pace.is_due(now()) {
                let (at, before) = (now(), cpu_seconds());
                target.last =
                    find(source, &target.word).ok().map(|found| (at, read(source, found)));
                target.pace.spent(at, cpu_seconds() - before, share);
            }
        }
        let shown = |target: &'_ NamedTarget| {
            target.last.as_ref().map_or(0.0, |(at, _)| (now() - at).max(0.0))
        };
        let all = self.targets.iter();
        all.map(|one| (one.word.as_str(), shown(one), one.last.as_ref().map(|(_, it)| it)))
            .collect()
    }
}

/// The processes of a word; none if nothing has the name now.
fn find(source: &Source, word: &str) -> Result<Vec<u32>, ProcessError> {
    match Target::find(source, word).and_then(|target| target.processes(source)) {
        Ok(processes) => Ok(processes.into_iter().map(|(pid, _)| pid).collect()),
        Err(
            ProcessError::NoName { .. }
            | ProcessError::EmptyGroup { .. }
            | ProcessError::Machine(MachineError::NoSuchGroup { .. }),
        ) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn read(source: &Source, pids: Vec<u32>) -> TargetReading {
    let (mut processes, mut unreadable) = (Vec::new(), 0);
    for pid in pids {
        match ProcessMemory::read(source, pid) {
            Ok(memory) => processes.push(memory),
            Err(error) if error.is_of_ended_process() => {}
            Err(_) => unreadable += 1,
        }
    }
    let mut threads = BTreeMap::<NodeId, usize>::new();
    for on in processes.iter().flat_map(|memory| memory.threads.by_node()) {
        *threads.entry(on.node).or_default() += on.threads;
    }
    TargetReading {
        processes: processes.len() + unreadable,
        unreadable,
        memory: UniqueMemory::count(source, &processes).by_node.iter().collect(),
        threads: threads.into_iter().collect(),
        remote_share: remote_share_of_all(&processes),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_view::text::exposition::Exposition;

    use super::*;
    use crate::metrics;

    /// Two processes of a service in a group; both map a segment.
    fn source() -> Source {
        let maps = "7f00000000-7f00004000 rw-s 00000000 00:01 42 /dev/shm/pool\n7f10000000-\
                    7f10001000 rw-p 00000000 00:00 0 \n";
        let numa_maps = "7f00000000 default file=/dev/shm/pool mapped=4 mapmax=2 N0=4 \
                         kernelpagesize_kB=4\n7f10000000 default anon=1 N1=1 kernelpagesize_kB=4\n";
        let stat = |pid: u32| format!("{pid} (db) R 1 0 0 0 0 0 0 0 0 0 9 0 {}1", "0 ".repeat(23));
        let mut files = vec![
            ("/sys/devices/system/node/online".to_owned(), "0-1".to_owned()),
            ("/sys/devices/system/node/node0/cpulist".to_owned(), "0-1".to_owned()),
            ("/sys/devices/system/node/node1/cpulist".to_owned(), "2-3".to_owned()),
            ("/proc/mounts".to_owned(), "c /sys/fs/cgroup cgroup2 rw 0 0\n".to_owned()),
            ("/sys/fs/cgroup/cgroup.procs".to_owned(), "1\n".to_owned()),
            ("/sys/fs/cgroup/box/cgroup.procs".to_owned(), "7\n8\n".to_owned()),
            ("/sys/fs/cgroup/both/cgroup.procs".to_owned(), String::new()),
            ("/proc/9/comm".to_owned(), "both".to_owned()),
            ("/proc/9/cmdline".to_owned(), "both\0".to_owned()),
        ];
        for pid in [7, 8] {
            files.extend([
                (format!("/proc/{pid}/comm"), "db".to_owned()),
                (format!("/proc/{pid}/cmdline"), "db\0".to_owned()),
                (format!("/proc/{pid}/maps"), maps.to_owned()),
                (format!("/proc/{pid}/numa_maps"), numa_maps.to_owned()),
                (format!("/proc/{pid}/task/{pid}/stat"), stat(pid)),
                (format!("/proc/{pid}/task/{pid}/status"), "Cpus_allowed_list: 0\n".to_owned()),
            ]);
        }
        Source::from_files(files)
    }

    fn exported(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut reader = TargetReader::new(&source(), &words).map_err(|error| error.to_string())?;
        let mut out = Exposition::default();
        metrics::add_targets(&mut out, &mut reader, &source());
        Ok(out.into_text())
    }

    #[test]
    fn a_service_has_a_series_for_each_node_and_none_for_a_process() {
        let text = exported(&["db", "cgroup:box", "absent", "a/absent", "db"]).unwrap();
        for target in ["db", "cgroup:box"] {
            for line in [
                format!("nearfar_target_processes{{target=\"{target}\"}} 2"),
                format!("nearfar_target_unreadable_processes{{target=\"{target}\"}} 0"),
                format!("nearfar_target_memory_bytes{{target=\"{target}\",node=\"0\"}} 16384"),
                format!("nearfar_target_memory_bytes{{target=\"{target}\",node=\"1\"}} 8192"),
                format!("nearfar_target_threads{{target=\"{target}\",node=\"0\"}} 2"),
                format!("nearfar_target_remote_ratio{{target=\"{target}\"}} 0.1999"),
            ] {
                assert!(text.lines().any(|found| found.starts_with(&line)), "{line} in\n{text}");
            }
        }
        for absent in ["absent", "a/absent"] {
            let lines: Vec<&str> =
                text.lines().filter(|line| line.contains(&format!("\"{absent}\""))).collect();
            let wanted = [
                format!("nearfar_target_processes{{target=\"{absent}\"}} 0"),
                format!("nearfar_target_unreadable_processes{{target=\"{absent}\"}} 0"),
            ];
            assert_eq!(lines[..2], wanted, "{text}");
            assert_eq!(lines.len(), 3, "{text}");
        }
        assert!(!text.contains("pid"), "{text}");
    }

    #[test]
    fn words_that_name_nothing_that_can_be_read_are_refused() {
        for (word, why) in [
            ("", "'' is no process"),
            ("both", "write cgroup:both or name:both"),
            ("/proc/9/comm", "is a file"),
            ("/sys/fs/cgroup", "is the group of all processes"),
            ("pid:x", "not a process ID"),
        ] {
            let error = exported(&["db", word]).unwrap_err();
            assert!(error.contains(why), "{word}: {error}");
        }
        let many: Vec<String> = (0..65).map(|number| format!("a{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(exported(&many).unwrap_err().starts_with("65 targets, more than 64"));
        assert!(exported(&many[1..]).is_ok());
    }
}
