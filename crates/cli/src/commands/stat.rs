//! `nearfar stat`: memory use and counters of nodes, and the memory of processes on them.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::Args;
use nearfar_machine::Source;
use nearfar_process::text::stat;
use nearfar_process::{Counters, ProcessError, ProcessSelector, ProcessUse, SelectedProcesses};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use crate::hidden_note::note_hidden;
use crate::input;

/// Show memory use and allocation counters of each node.
///
/// Also shows the memory of processes by node.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar stat                all nodes
  nearfar stat --seconds 5    allocations of the next five seconds
  nearfar stat 4242 postgres  also process 4242, and all with 'postgres'
  nearfar stat --json | jq '.nodes[].memory_bytes.MemFree'

Columns have the kernel's names (numastat, meminfo). 'nearfar where' shows a process by \
mapping and thread; 'nearfar alias' installs numastat, with numactl's tables.")]
pub(crate) struct Stat {
    /// Also show these processes: IDs, or parts of command lines [default: none]
    #[arg(value_name = "PID|PATTERN")]
    processes: Vec<String>,
    /// Count allocations for this time, e.g. 5 or 0.5 [default: since boot]
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<String>,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz) [default:
    /// this machine]
    #[arg(long, value_name = "PATH", conflicts_with = "seconds")]
    root: Option<PathBuf>,
    /// Print JSON (nearfar.numastat/1).
    #[arg(long)]
    json: bool,
}

/// Seconds of counting at most: a day.
const LONGEST: f64 = 86_400.0;

impl Stat {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = match &self.root {
            Some(root) => input::read(root, Source::open)?,
            None => Source::live(),
        };
        let mut counters = self.counters(&source)?;
        let SelectedProcesses { pids, unknown } =
            SelectedProcesses::find(&source, &self.processes)?;
        if let (true, Some(pattern)) = (pids.is_empty(), unknown.first()) {
            return Err(no_match(&source, pattern));
        }
        let is_text =
            |word: &String| matches!(ProcessSelector::parse(word), Ok(ProcessSelector::Text(_)));
        if self.processes.iter().any(is_text) {
            note_hidden(&source);
        }
        counters.processes = ProcessUse::read_all(&source, &pids);
        if self.json {
            output::json(&counters)?;
        } else {
            output::text(&stat::text(&counters))?;
        }
        if let Some(pattern) = unknown.first() {
            return Err(no_match(&source, pattern));
        }
        match counters.processes.iter().filter(|process| process.nodes.is_none()).count() {
            0 => Ok(()),
            1 if counters.processes.len() == 1 => bail!("the process cannot be read: see above"),
            unread => bail!(
                "{unread} of {} processes cannot be read: see above",
                counters.processes.len()
            ),
        }
    }

    fn counters(&self, source: &Source) -> anyhow::Result<Counters> {
        let now = Counters::read(source)?;
        let Some(seconds) = &self.seconds else { return Ok(now) };
        let number = seconds.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
        let wrong = || {
            WrongUsage(format!(
                "--seconds '{seconds}': give a number above 0 and at most {LONGEST}, such as 5 or \
                 0.5"
            ))
        };
        let seconds = number.ok_or_else(wrong)?;
        let start = Instant::now();
        thread::sleep(Duration::from_secs_f64(seconds));
        Ok(Counters::read(source)?.since(&now, start.elapsed().as_secs_f64()))
    }
}

fn no_match(source: &Source, pattern: &str) -> anyhow::Error {
    let text = pattern.to_owned();
    let none = || ProcessError::NoCommandLine { text, hidden_by: source.hidden_by() };
    source.proc_fault().map_or_else(none, ProcessError::from).into()
}
