//! What a command is about: one grammar for a process, processes of a name, a control group, a
//! file or a device.
//!
//! Digits are a process ID. A word that is a control group is one, a path with `/` that exists, `.`
//! and `..` are files, and anything else is a name. `pid:`, `name:`, `cgroup:`, `file:` and
//! `device:` before it decide. A word that fits two kinds is refused. Batch jobs and pods always
//! have their prefix.

use std::path::{Path, PathBuf};

use crate::bad_target::{BadTarget, TargetKind};
use crate::error::ProcessError;
use crate::find::{find_processes, has_exact_name};
use crate::job::{self, Pod};
use nearfar_machine::process::{
    ProcessGroup, ProcessList, cgroup_folder, is_in_hierarchy, processes_in_group,
};
use nearfar_machine::{MachineError, NearDevice, Source};

/// Something that a command can be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A process, which may not exist.
    Pid(u32),
    /// All processes of a name, by ID.
    Name(String, Vec<(u32, String)>),
    /// A control group.
    Cgroup(ProcessGroup),
    /// A file or directory, which may not exist after `file:`.
    File(PathBuf),
    /// The processes of a batch job, or of a pod that has no control group here.
    Job(String, Vec<(u32, String)>),
}

impl Target {
    /// Finds what a word names. A name never selects this process.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Target`] for a word that fits no kind or several, else that nothing has the
    /// name.
    pub fn find(source: &Source, word: &str) -> Result<Self, ProcessError> {
        if word.is_empty() {
            return Err(BadTarget::Empty.into());
        }
        if let Some((kind, name)) = explicit(word) {
            return Self::of_kind(source, kind, name);
        }
        if word.bytes().all(|b| b.is_ascii_digit()) {
            return Self::of_kind(source, TargetKind::Pid, word);
        }
        // Else the top of the control groups.
        if matches!(word.trim_end_matches('/'), "." | "..") {
            return Self::of_kind(source, TargetKind::File, word);
        }
        let group = cgroup_folder(source, word);
        let is_below = match &group {
            Ok(group) => word.starts_with(&group.folder),
            Err(MachineError::TopGroup { .. }) => true,
            // The folder of a group that has ended.
            Err(_) => is_in_hierarchy(source, word) && !is_path(source, word),
        };
        let mut kinds = Vec::new();
        if group.is_ok() {
            kinds.push(TargetKind::Cgroup);
        }
        if word.contains('/') {
            if !is_below && is_path(source, word) {
                kinds.push(TargetKind::File);
            }
        } else if has_exact_name(source, word, itself(source)) {
            kinds.push(TargetKind::Name);
        }
        match (kinds[..].as_ref(), group) {
            ([_, _, ..], _) => Err(BadTarget::Ambiguous { word: word.to_owned(), kinds }.into()),
            ([kind], _) => Self::of_kind(source, *kind, word),
            // A path of a hierarchy is no name.
            ([], Err(error @ MachineError::TopGroup { .. })) => Err(error.into()),
            // Opening it has the reason.
            ([], Err(_)) if !is_below && word.starts_with(['/', '.']) => {
                Self::of_kind(source, TargetKind::File, word)
            }
            ([], Err(error)) if word.contains('/') => Err(error.into()),
            ([], _) => Self::of_kind(source, TargetKind::Name, word),
        }
    }

    fn of_kind(source: &Source, kind: TargetKind, word: &str) -> Result<Self, ProcessError> {
        match kind {
            TargetKind::Pid => {
                let is_number = word.bytes().all(|b| b.is_ascii_digit());
                let pid = word.parse().ok().filter(|_| is_number);
                pid.map(Self::Pid).ok_or_else(|| BadTarget::NoNumber(word.to_owned()).into())
            }
            TargetKind::Name => named(source, word),
            TargetKind::Cgroup => Ok(Self::Cgroup(cgroup_folder(source, word)?)),
            TargetKind::File if word.is_empty() => Err(BadTarget::Empty.into()),
            TargetKind::File => Ok(Self::File(word.into())),
            TargetKind::Job | TargetKind::Pod if word.is_empty() => Err(BadTarget::Empty.into()),
            TargetKind::Job => Ok(Self::Job(word.to_owned(), job::processes_of_job(source, word)?)),
            TargetKind::Pod => Ok(match job::pod(source, word)? {
                Pod::Group(group) => Self::Cgroup(group),
                Pod::Processes(found) => Self::Job(word.to_owned(), found),
            }),
            TargetKind::Device => Err(not_taken(word, kind, shown_by_devices(word)).into()),
        }
    }

    /// Its processes and their names, where these are known.
    ///
    /// # Errors
    ///
    /// [`ProcessError::EmptyGroup`]; [`ProcessError::Target`] for a file.
    pub fn processes(&self, source: &Source) -> Result<Vec<(u32, String)>, ProcessError> {
        match self {
            Self::Pid(pid) => Ok(vec![(*pid, String::new())]),
            Self::Name(_, found) | Self::Job(_, found) => Ok(found.clone()),
            Self::File(path) => {
                let word = path.to_string_lossy().into_owned();
                match is_path(source, &word) {
                    true => Err(not_taken(&word, TargetKind::File, String::new()).into()),
                    false => Err(ProcessError::NoPath { word }),
                }
            }
            Self::Cgroup(group) => {
                let ProcessList { ids, outside } = processes_in_group(source, group);
                if ids.is_empty() {
                    let folder = group.folder.clone();
                    return Err(ProcessError::EmptyGroup { folder, outside });
                }
                Ok(ids.into_iter().map(|pid| (pid, String::new())).collect())
            }
        }
    }
}

/// The path of a further file, which may have the prefix, too.
pub fn file_path(word: &Path) -> PathBuf {
    let prefixed = word.to_str().and_then(explicit);
    match prefixed {
        Some((TargetKind::File, path)) => path.into(),
        _ => word.to_owned(),
    }
}

/// Whether it exists, or is /proc/PID/fd/N of a deleted file, which opens all the same.
fn is_path(source: &Source, word: &str) -> bool {
    source.exists(word) || source.is_live() && Path::new(word).exists()
}

fn not_taken(word: &str, kind: TargetKind, hint: String) -> BadTarget {
    BadTarget::NotTaken { word: word.to_owned(), kind, hint }
}

/// The kind and the name of a word with a prefix.
pub(crate) fn explicit(word: &str) -> Option<(TargetKind, &str)> {
    let (prefix, name) = word.split_once(':')?;
    Some((TargetKind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?, name))
}

fn itself(source: &Source) -> Option<u32> {
    source.is_live().then(std::process::id)
}

fn named(source: &Source, name: &str) -> Result<Target, ProcessError> {
    if name.is_empty() {
        return Err(BadTarget::Empty.into());
    }
    let mut found = find_processes(source, name);
    found.retain(|(pid, _)| Some(*pid) != itself(source));
    if !found.is_empty() {
        return Ok(Target::Name(name.to_owned(), found));
    }
    // Without /proc, no process has a name.
    if let Some(fault) = source.proc_fault() {
        return Err(fault.into());
    }
    if NearDevice::find_all(name, source).is_ok() {
        let hint = shown_by_devices(name);
        return Err(not_taken(name, TargetKind::Device, hint).into());
    }
    let is_file = source.is_live() && Path::new(name).is_file();
    Err(ProcessError::NoName { name: name.to_owned(), hidden_by: source.hidden_by(), is_file })
}

fn shown_by_devices(word: &str) -> String {
    format!(": 'nearfar devices {word}' shows where it is")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source() -> Source {
        Source::from_files([
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/sys/fs/cgroup/cgroup.procs", "1\n"),
            ("/sys/fs/cgroup/job/cgroup.procs", "7\n"),
            ("/sys/fs/cgroup/db/cgroup.procs", ""),
            ("/sys/fs/cgroup/a/b/cgroup.procs", "9\n"),
            ("/proc/7/comm", "worker"),
            ("/proc/7/cmdline", "worker\0"),
            ("/proc/9/comm", "db"),
            ("/proc/9/cmdline", "/usr/bin/db\0"),
            ("/sys/fs/cgroup/a-very-long-name-indeed/cgroup.procs", "9\n"),
            ("/proc/12/comm", "a-very-long-nam"),
            ("/proc/12/cmdline", "/opt/a-very-long-name-indeed\0"),
            ("/proc/11/comm", "42"),
            ("/proc/11/cmdline", "42\0"),
            ("/proc/11/environ", "HOSTNAME=web-0\0KUBERNETES_SERVICE_HOST=10.0.0.1\0"),
            ("/proc/7/environ", "SLURM_JOB_ID=77\0SLURM_STEP_ID=0\0"),
            ("/proc/12/environ", "PBS_JOBID=77.server\0"),
            ("/proc/9/environ", "SLURM_JOB_ID=80\0SLURM_ARRAY_JOB_ID=79\0SLURM_ARRAY_TASK_ID=3\0"),
            ("/sys/fs/cgroup/stepd.scope/cgroup.procs", ""),
            ("/sys/fs/cgroup/stepd.scope/job_81/cgroup.procs", ""),
            ("/sys/fs/cgroup/stepd.scope/job_81/step_0/cgroup.procs", "9\n13\n"),
            ("/sys/fs/cgroup/stepd.scope/job_81/step_1/cgroup.procs", "7\n"),
            ("/proc/13/comm", "slurmstepd"),
            ("/sys/fs/cgroup/kubepods.slice/cgroup.procs", ""),
            ("/sys/fs/cgroup/kubepods.slice/kubepods-pod12_ab.slice/cgroup.procs", "12\n"),
            ("/data/x", ""),
        ])
    }

    fn found(word: &str) -> Result<Vec<u32>, String> {
        let source = source();
        let processes = Target::find(&source, word).and_then(|found| found.processes(&source));
        processes
            .map(|found| found.into_iter().map(|(pid, _)| pid).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_kind_is_found_with_and_without_its_prefix() {
        for (word, pids) in [
            ("7", vec![7]),
            ("pid:7", vec![7]),
            ("worker", vec![7]),
            ("work", vec![7]),
            ("name:worker", vec![7]),
            ("name:42", vec![11]),
            ("job", vec![7]),
            ("cgroup:job", vec![7]),
            ("/sys/fs/cgroup/job", vec![7]),
            ("a/b", vec![9]),
            ("name:db", vec![9]),
            ("job:77", vec![7, 12]),
            ("job:77.0", vec![7]),
            ("job:79_3", vec![9]),
            ("job:81", vec![7, 9]),
            ("job:81.1", vec![7]),
            ("pod:12-ab", vec![12]),
            ("pod:web-0", vec![11]),
        ] {
            assert_eq!(found(word), Ok(pids), "{word}");
        }
    }

    #[test]
    fn what_fits_two_kinds_is_refused() {
        assert_eq!(
            found("db").unwrap_err(),
            "'db' is a control group and the name of a process: write cgroup:db or name:db"
        );
        let long = found("a-very-long-name-indeed").unwrap_err();
        assert!(long.contains("is a control group and the name of a process"), "{long}");
        assert!(found("cgroup:db").unwrap_err().starts_with("no process is in /sys/fs/cgroup/db"));
    }

    #[test]
    fn refusals_name_the_word_and_what_to_give() {
        for (word, why) in [
            ("", "'' is no process"),
            ("name:", "'' is no process"),
            ("99999999999", "'99999999999' is not a process ID"),
            ("pid:x", "'x' is not a process ID"),
            ("/data/x", "'/data/x' is a file, and this command takes a process"),
            ("file:x", "'x' is neither a file nor a control group"),
            ("file:", "'' is no process"),
            ("job:78", "no process of job '78' is on this machine"),
            ("job:", "'' is no process"),
            ("pod:2-ab", "no pod of UID or name '2-ab' is on this machine"),
            ("device:eth0", "'nearfar devices eth0' shows where it is"),
            ("absent", "no process and no control group has the name 'absent'"),
            ("a/absent", "no control group 'a/absent'"),
            ("/no/file", "'/no/file' is neither a file nor a control group"),
            ("./none", "'./none' is neither a file nor a control group"),
            ("/", "is the group of all processes"),
        ] {
            let error = found(word).unwrap_err();
            assert!(error.contains(why) && !error.contains('\n'), "{word}: {error}");
        }
    }

    #[test]
    fn files_are_named_by_a_path_or_a_prefix() {
        for (word, path) in [("/data/x", "/data/x"), ("file:x", "x"), ("..", ".."), ("./", "./")] {
            assert_eq!(Target::find(&source(), word).unwrap(), Target::File(path.into()));
        }
        for word in ["7", "worker", "job"] {
            assert!(!matches!(Target::find(&source(), word), Ok(Target::File(_))), "{word}");
        }
        let error = Target::find(&Source::live(), "Cargo.toml").unwrap_err().to_string();
        assert!(error.ends_with("the file of this name is './Cargo.toml'"), "{error}");
    }

    proptest! {
        #[test]
        fn no_word_panics(
            word in "((pid|name|cgroup|file|device|job|pod)?:?[0-9a-zä./:, ]{0,8}){0,2}",
        ) {
            let _ = found(&word);
        }
    }
}
