//! `nearfar where`: where a running program's memory is.

use std::path::PathBuf;

use clap::Args;
use nearfar_machine::Source;
use nearfar_process::text::where_is;
use nearfar_process::text::where_is::WhereText;
use nearfar_process::{
    ProcessDevices, ProcessError, ProcessMemory, UnreadableProcess, WhereDocument,
};
use nearfar_view::terminal::{output, screen};

use super::target::TargetArgument;
use crate::input;

/// Show the nodes of a process's memory, and its open devices.
///
/// By node and kind of mapping, with the share that is remote to its threads, and what to do.
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

A name is exact; if no process has exactly this name, any name that contains it. A word that is \
both a name and a control group is refused: write name:db or cgroup:db.

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
    /// Print JSON (nearfar.where/1).
    #[arg(long)]
    json: bool,
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
        let (processes, unreadable) =
            read_processes(&source, self.target.find(&source)?.processes(&source)?)?;
        let is_one = processes.len() == 1 && unreadable.is_empty();
        if !is_one && !self.json && !self.mappings && !self.threads {
            return Ok(screen::print(&where_is::several(&processes, &unreadable))?);
        }
        let with_devices = |memory| {
            let devices = ProcessDevices::read(&source, &memory);
            (memory, devices)
        };
        let processes: Vec<(ProcessMemory, ProcessDevices)> =
            processes.into_iter().map(with_devices).collect();
        if self.json {
            return Ok(output::json(&WhereDocument::new(&processes, unreadable))?);
        }
        let shown = WhereText { mappings: self.mappings, threads: self.threads };
        Ok(screen::print(&where_is::each(&processes, &unreadable, shown))?)
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
