//! `nearfar where`: where a running program's memory is, or the page cache of files.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use nearfar_machine::Source;
use nearfar_process::text::where_is::WhereText;
use nearfar_process::text::{killed, page_cache, several, where_csv, where_is};
use nearfar_process::{
    ConditionResult, Holds, PlacementCondition, ProcessError, ProcessMemory, Target,
    UnreadableProcess, WhereDocument, WhereResult, killed_of, read_page_cache,
};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};
use nearfar_view::text::few;

use super::budget::Budget;
use super::target::TargetArgument;
use crate::exit::ConditionHolds;
use crate::input;

/// Show the nodes of a process's memory and of cached files.
///
/// By node and kind of mapping, with the share that is remote to its threads, its open devices, and
/// what to do. Of a file or directory, the cached pages by node; none is read from a disk.
#[derive(Debug, Args)]
#[command(
    name = "where",
    after_help = "\
Examples:
  nearfar where 4242                one process
  nearfar where postgres            all processes of this name, a line each
  nearfar where system.slice/db.service
                                    all processes of a control group
  nearfar where --job 77            a batch job: a line for each rank
  nearfar where --job 77 --fail-if 'remote>5%' --fail-if far-gpu
                                    status 3 if a rank is misplaced
  nearfar where postgres --threads  all of them, with their threads
  nearfar where 4242 --mappings     every mapping with its policy
  nearfar where 4242 --json | jq '.processes[0].remote_share'
  nearfar where postgres --csv      a line for each process and node
  nearfar where ./model.gguf        the page cache of a file, by node
  nearfar where /srv/models --budget 10s
                                    of all files below a directory
  nearfar where /proc/4242/fd/3     of a deleted file that a process has open

A name is exact; if no process has exactly this name, any name that contains it. A word that is \
both a name and a control group is refused: write name:db or cgroup:db. A file needs a '/' or \
'file:' before it.

A program that the kernel killed since its nodes were full is explained, if the kernel's log is \
readable.

A job is one of Slurm, PBS, LSF or Flux: 77, Slurm's step 77.0, a member 77_3 of an array. \
'job:77' is the same as --job 77, and 'pod:UID' or 'pod:NAME' is a Kubernetes pod. Ranks are \
those that srun, mpirun and torchrun set.

Conditions of --fail-if: remote>SHARE and remote>SIZE (own memory that is remote to its threads: \
without programs and libraries; less than 16 MiB does not count), threads-off-node (more than 5 % \
of its CPU time is on other nodes than most of its memory; threads-off-node>SHARE), unbound (it \
may run on several nodes), shared-cpus (bound to CPUs of another rank), far-gpu, far-nic, \
far-acc, far-disk, far-cxl, far-device (an open device is near other CPUs).

Exit status: 0 shown, and no condition holds; 1 failed, or a condition cannot be judged; 2 wrong \
usage; 3 a condition holds.

Memory that several processes share counts once in their total. The page cache of a file is \
visible to its owner, to those who may write it, and to root.

A page is remote to a thread if it is on another node than the CPU that the thread last ran \
on. The kernel does not record which thread uses which page: shares assume that every thread \
uses all pages equally, weighted by its CPU time."
)]
pub(crate) struct Where {
    #[command(flatten)]
    target: TargetArgument,
    /// The processes of a batch job on this machine, by its ID [default: none]
    #[arg(long, value_name = "ID", conflicts_with_all = ["target", "pid"])]
    job: Option<String>,
    /// Exit with status 3 if this holds for a process or rank, e.g. 'remote>5%', far-gpu,
    /// threads-off-node; may be repeated [default: none]
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<PlacementCondition>,
    /// Show every mapping, not only the largest
    #[arg(long)]
    mappings: bool,
    /// Show every thread, not only their number on each node
    #[arg(long)]
    threads: bool,
    /// Of a directory: time limit (5m, 90s, 1h30m); figures are then lower bounds [default: none]
    #[arg(long, value_name = "TIME")]
    budget: Option<Budget>,
    /// Print JSON (nearfar.where/1; of files nearfar.page-cache/1).
    #[arg(long)]
    json: bool,
    /// Print CSV: a line for each process and node, or for each file and node
    #[arg(long, conflicts_with_all = ["json", "mappings", "threads"])]
    csv: bool,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz) [default:
    /// this machine]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
}

impl Where {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = match &self.root {
            Some(root) => input::read(root, Source::open)?,
            None => Source::live(),
        };
        let word = self.job.as_ref().map(|job| format!("job:{job}"));
        let word = word.as_deref().unwrap_or(self.target.word());
        let explained = |error| killed::explained(&source, word, error);
        let target = match self.job {
            Some(_) => Target::find(&source, word),
            None => self.target.find(&source),
        };
        let target = target.map_err(explained)?;
        if let Target::File(path) = &target {
            return self.show_file(path);
        }
        if self.budget.is_some() {
            let why = "--budget is for files: give a path, such as ./model.gguf";
            return Err(WrongUsage(why.to_owned()).into());
        }
        let selected = target.processes(&source).map_err(explained)?;
        let (memories, unreadable) = read_processes(&source, selected).map_err(explained)?;
        let killed = killed_of(&source, word, Some(&target));
        let found = WhereResult::new(&source, memories, unreadable, killed, &self.fail_if);
        self.print(&found)?;
        end(&found.conditions)
    }

    fn print(&self, found: &WhereResult) -> anyhow::Result<()> {
        if self.json {
            output::json(&WhereDocument::new(found))?;
        } else if self.csv {
            let notes = found.unreadable.iter().map(|one| format!("nearfar: {}", one.why));
            notes.for_each(|note| output::aside(&note));
            output::data(&where_csv::csv(found.processes.iter().map(|(memory, _)| memory)))?;
        } else {
            let shown = WhereText { mappings: self.mappings, threads: self.threads };
            let has_details = found.is_one() || self.mappings || self.threads;
            let all = match has_details {
                true => where_is::each(&found.processes, &found.unreadable, shown),
                false => several::screen(found),
            };
            screen::print(&killed::with_killed(all, &found.killed))?;
        }
        Ok(())
    }

    fn show_file(&self, path: &Path) -> anyhow::Result<()> {
        let refused = match self {
            Self { root: Some(_), .. } => Some("--root: a captured machine has no page cache"),
            Self { fail_if, .. } if !fail_if.is_empty() => {
                Some("--fail-if is for processes, and this is a file")
            }
            Self { mappings: true, .. } | Self { threads: true, .. } => {
                Some("--mappings and --threads are for processes, and this is a file")
            }
            _ => None,
        };
        if let Some(why) = refused {
            return Err(WrongUsage(why.to_owned()).into());
        }
        let document = read_page_cache(path, self.budget.map(Into::into))?;
        match (self.json, self.csv) {
            (true, _) => output::json(&document)?,
            (_, true) => {
                let notes = page_cache::notes(&document);
                notes.iter().for_each(|note| output::aside(&format!("nearfar: {note}")));
                output::data(&page_cache::csv(&document))?;
            }
            _ => screen::print(&page_cache::screen(&document))?,
        }
        if document.files_read == 0 && document.not_seen.iter().any(|part| part.why.hides()) {
            bail!("no file of {} could be read", path.display());
        }
        Ok(())
    }
}

/// Fails if a condition holds, or cannot be judged.
fn end(conditions: &[ConditionResult]) -> anyhow::Result<()> {
    let of = |wanted: Holds, verb: &str| {
        let those = conditions.iter().filter(|result| result.holds == wanted);
        let lines =
            those.map(|result| format!("'{}' {verb}: {}", result.condition, few(&result.because)));
        lines.collect::<Vec<_>>().join("; ")
    };
    let (holds, open) = (of(Holds::Yes, "holds"), of(Holds::Undetermined, "cannot be judged"));
    match (holds.is_empty(), open.is_empty()) {
        (false, _) => Err(ConditionHolds(holds).into()),
        (true, false) => bail!("{open}"),
        (true, true) => Ok(()),
    }
}

/// The selected processes, and those of them that cannot be read. Fails if all cannot.
fn read_processes(
    source: &Source,
    selected: Vec<(u32, String)>,
) -> Result<(Vec<ProcessMemory>, Vec<UnreadableProcess>), ProcessError> {
    let (mut processes, mut unreadable, mut first) = (Vec::new(), Vec::new(), None);
    for (pid, name) in selected {
        match ProcessMemory::read(source, pid) {
            Ok(memory) => processes.push(memory),
            Err(error) => {
                let is_zombie = matches!(error, ProcessError::Zombie { .. });
                let has_ended = is_zombie || error.is_of_ended_process();
                unreadable.push(UnreadableProcess { pid, name, why: error.to_string(), has_ended });
                first.get_or_insert(error);
            }
        }
    }
    match first.filter(|_| processes.is_empty()) {
        Some(error) => Err(error),
        None => Ok((processes, unreadable)),
    }
}
