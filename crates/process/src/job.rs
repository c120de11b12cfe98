//! The processes of a batch job or a pod on this machine.
//!
//! A job's processes are those in its control group (`job_ID` of Slurm), and those that began with
//! the job's ID in their environment, as batch systems set it. Other users' environments are
//! readable to root alone.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::process::{ProcessGroup, groups_named, process_ids, processes_in_group};
use nearfar_machine::{Process, Source};

use crate::error::ProcessError;

/// Variables with a job's ID: Slurm's, PBS's, LSF's and Flux's.
const JOB_IDS: [&str; 5] = ["SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"];
const STEP: &str = "SLURM_STEP_ID";
const ARRAY: [&str; 2] = ["SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"];
/// Slurm's own process in a job's control group.
const DAEMON: &str = "slurmstepd";
/// A container of a Kubernetes pod has the pod's name as its host's name, and this variable.
const POD_NAME: &str = "HOSTNAME";
const IN_A_POD: &str = "KUBERNETES_SERVICE_HOST";

/// The processes of a job, by ID: `77`; one step of Slurm's: `77.0`; one job of an array: `77_3`.
///
/// # Errors
///
/// [`ProcessError::NoJob`].
///
/// # References
///
/// srun(1), "OUTPUT ENVIRONMENT VARIABLES"; <https://slurm.schedmd.com/cgroups.html>
pub(crate) fn processes_of_job(
    source: &Source,
    id: &str,
) -> Result<Vec<(u32, String)>, ProcessError> {
    let (job, step) = match id.split_once('.') {
        Some((job, step)) if step.bytes().all(|b| b.is_ascii_digit()) => (job, Some(step)),
        _ => (id, None),
    };
    let folders = groups_named(source, |name| name.strip_prefix("job_") == Some(job));
    let of_step = folders.into_iter().map(|mut group| {
        group.folder += &step.map_or_else(String::new, |step| format!("/step_{step}"));
        group
    });
    let grouped: Vec<u32> =
        of_step.flat_map(|group| processes_in_group(source, &group).ids).collect();
    let is_of_job = |variables: &BTreeMap<&str, String>| {
        let has = |name: &str, wanted: &str| variables.get(name).is_some_and(|is| is == wanted);
        // PBS adds its server: "77.server".
        let is_id = |name: &&str| {
            variables.get(name).is_some_and(|is| {
                is == id || is == job || is.split_once('.').is_some_and(|(number, _)| number == id)
            })
        };
        match (id.split_once('_'), step) {
            (Some((array, task)), _) => has(ARRAY[0], array) && has(ARRAY[1], task),
            (None, Some(step)) => JOB_IDS.iter().any(is_id) && has(STEP, step),
            (None, None) => JOB_IDS.iter().any(is_id),
        }
    };
    let wanted = [&JOB_IDS[..], &[STEP], &ARRAY].concat();
    found(source, grouped, &wanted, is_of_job)
        .map_err(|unread| ProcessError::NoJob { id: id.to_owned(), unread })
}

/// The control group of a pod, by its UID; else its processes by its name.
///
/// # Errors
///
/// [`ProcessError::NoPod`].
///
/// # References
///
/// <https://kubernetes.io/docs/concepts/architecture/cgroups/>
pub(crate) fn pod(source: &Source, word: &str) -> Result<Pod, ProcessError> {
    // systemd's slices have '_' in place of '-': kubepods-burstable-pod1234_5678.slice.
    let with_slice = format!("pod{}.slice", word.replace('-', "_"));
    let plain = format!("pod{word}");
    let is_pod = |name: &str| {
        name == plain
            || name
                .strip_suffix(&with_slice)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('-'))
    };
    if let Some(group) = groups_named(source, is_pod).into_iter().next() {
        return Ok(Pod::Group(group));
    }
    let is_named = |variables: &BTreeMap<&str, String>| {
        variables.contains_key(IN_A_POD) && variables.get(POD_NAME).is_some_and(|name| name == word)
    };
    found(source, Vec::new(), &[POD_NAME, IN_A_POD], is_named)
        .map(Pod::Processes)
        .map_err(|unread| ProcessError::NoPod { word: word.to_owned(), unread })
}

/// What a pod is on this machine.
pub(crate) enum Pod {
    Group(ProcessGroup),
    Processes(Vec<(u32, String)>),
}

/// These processes and those whose variables match, with their names, but for this one; without
/// any, the number of processes whose variables could not be read.
fn found(
    source: &Source,
    grouped: Vec<u32>,
    wanted: &[&str],
    matches: impl Fn(&BTreeMap<&str, String>) -> bool,
) -> Result<Vec<(u32, String)>, usize> {
    let mut found: BTreeSet<u32> = grouped.into_iter().collect();
    let mut unread = 0;
    for pid in process_ids(source) {
        let process = Process::known(source, pid);
        match process.variables(wanted) {
            Some(variables) if matches(&variables) => drop(found.insert(pid)),
            Some(_) => {}
            // Kernel threads have none.
            None => unread += usize::from(!process.command().is_empty()),
        }
    }
    let itself = source.is_live().then(std::process::id);
    let named = found.into_iter().filter(|pid| Some(*pid) != itself).map(|pid| {
        let name = Process::known(source, pid).name().unwrap_or_default();
        (pid, name)
    });
    let processes: Vec<_> = named.filter(|(_, name)| name != DAEMON).collect();
    if processes.is_empty() { Err(unread) } else { Ok(processes) }
}
