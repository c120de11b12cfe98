//! `nearfar where`: where a running program's memory is, or the page cache of files.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use nearfar_machine::Source;
use nearfar_process::text::where_is::WhereText;
use nearfar_process::text::{page_cache, where_is};
use nearfar_process::{
    ProcessDevices, ProcessError, ProcessMemory, Target, UniqueMemory, UnreadableProcess,
    WhereDocument, read_page_cache,
};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};

use super::budget::Budget;
use super::target::TargetArgument;
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
  nearfar where postgres --threads  all of them, with their threads
  nearfar where 4242 --mappings     every mapping with its policy
  nearfar where 4242 --json | jq '.processes[0].remote_share'
  nearfar where ./model.gguf        the page cache of a file, by node
  nearfar where /srv/models --budget 10s
                                    of all files below a directory
  nearfar where /proc/4242/fd/3     of a deleted file that a process has open

A name is exact; if no process has exactly this name, any name that contains it. A word that is \
both a name and a control group is refused: write name:db or cgroup:db. A file needs a '/' or \
'file:' before it.

Memory that several processes share counts once in their total. The page cache of a file is \
visible to its owner, to those who may write it, and to root.

A page is remote to a thread if it is on another node than the CPU that the thread last ran \
on. The kernel does not record which thread uses which page: shares assume that every thread \
uses all pages equally, weighted by its CPU time."
)]
pub(crate) struct Where {
    #[command(flatten)]
    target: TargetArgument,
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
    /// Print CSV, of files: a line for each file and node
    #[arg(long, conflicts_with = "json")]
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
        let target = self.target.find(&source)?;
        if let Target::File(path) = &target {
            return self.show_file(path);
        }
        if self.csv || self.budget.is_some() {
            let why = "--csv and --budget are for files: give a path, such as ./model.gguf";
            return Err(WrongUsage(why.to_owned()).into());
        }
        let (processes, unreadable) = read_processes(&source, target.processes(&source)?)?;
        let is_one = processes.len() == 1 && unreadable.is_empty();
        if !is_one && !self.json && !self.mappings && !self.threads {
            let together = UniqueMemory::count(&source, &processes);
            return Ok(screen::print(&where_is::several(&processes, &together, &unreadable))?);
        }
        let together = self.json.then(|| UniqueMemory::count(&source, &processes));
        let with_devices = |memory| {
            let devices = ProcessDevices::read(&source, &memory);
            (memory, devices)
        };
        let processes: Vec<(ProcessMemory, ProcessDevices)> =
            processes.into_iter().map(with_devices).collect();
        if let Some(together) = together {
            return Ok(output::json(&WhereDocument::new(&processes, together, unreadable))?);
        }
        let shown = WhereText { mappings: self.mappings, threads: self.threads };
        Ok(screen::print(&where_is::each(&processes, &unreadable, shown))?)
    }

    fn show_file(&self, path: &Path) -> anyhow::Result<()> {
        let refused = match self {
            Self { root: Some(_), .. } => Some("--root: a captured machine has no page cache"),
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
                unreadable.push(UnreadableProcess { pid, name, why: error.to_string() });
                first.get_or_insert(error);
            }
        }
    }
    match first.filter(|_| processes.is_empty()) {
        Some(error) => Err(error),
        None => Ok((processes, unreadable)),
    }
}
