//! `nearfar top`: memory of nodes, processes and control groups, live.

mod keys;
mod lines;
mod replay;
mod screen;
mod selected;

use std::fs::File;
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use nearfar_live::{NodeLatencies, Observer, RecordingHead, SortKey, Tick, View};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{Process, Source, Topology, user_names};
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};
use nearfar_view::owned_files::{IfExists, WholeFile, open_device};
use nearfar_view::terminal::Interrupt;
use nearfar_view::terminal::exit::WrongUsage;

use crate::output_path::OutputPath;
use lines::Format;

/// Rows without a terminal.
const ROWS: usize = 20;

/// Show memory of nodes and processes, live.
///
/// Each second: what nodes have, and which processes have memory that is remote to their threads.
/// A process's pages are sampled, never walked: the cost does not depend on its size. Without root
/// only own processes are shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar top                           live; F1 has the keys, q quits
  nearfar top --once                    one second, with counters since boot
  nearfar top -u postgres               processes of a user; -p 17,4242: these
  nearfar top --cgroups                 control groups
  nearfar top --record night.jsonl      live, and into a file
  nearfar top --replay night.jsonl      the same again; arrow keys step
  nearfar top --json | jq -c '.processes[0] | [.name, .remote_share.value]'

A page is remote to a thread if it is on another node than the CPU that the thread last ran on. \
Shares assume that every thread uses all pages equally, weighted by its CPU time. Costs assume \
that, too, and are by the newest kept survey of this machine. docs/why/live.md explains all \
columns.")]
pub(crate) struct Top {
    /// Count for one interval, print it with the nodes' counters since boot (numastat, meminfo),
    /// and end
    #[arg(long, conflicts_with = "ticks")]
    once: bool,
    /// End after N intervals [default: never]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    ticks: Option<u64>,
    /// Length of an interval in seconds, 0.1 to 3600
    #[arg(short, long, value_name = "SECONDS", default_value = "1")]
    delay: Delay,
    /// Show control groups
    #[arg(long)]
    cgroups: bool,
    /// Sort by this column; remote is the remote memory in bytes
    #[arg(short, long = "sort", value_name = "COLUMN", default_value = "remote",
          value_parser = PossibleValuesParser::new(SortKey::ALL.map(SortKey::name)))]
    sort: String,
    /// Show only names and command lines that contain TEXT, without case [default: all]
    #[arg(short = 'F', long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// Show only these processes [default: all]
    #[arg(short, long = "pid", value_name = "PID,...", value_delimiter = ',')]
    pids: Vec<u32>,
    /// Show only processes of this user, a name or a number [default: all]
    #[arg(short, long, value_name = "USER", conflicts_with = "replay",
          value_hint = ValueHint::Username)]
    user: Option<String>,
    /// Rows of processes that are printed or recorded [default: 20; on a terminal 200 are recorded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,
    /// Print JSON (nearfar.top/1), a line for each interval.
    #[arg(long)]
    json: bool,
    /// Print figures of nodes as CSV, a line for each node and interval
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Also write all intervals into a new file [default: no file]
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<OutputPath>,
    /// Overwrite the file that --record names
    #[arg(long, requires = "record")]
    force: bool,
    /// Show a recording instead [default: this machine]
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

impl Top {
    /// Shows the machine, or a recording.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut view = View {
            sort: SortKey::parse(&self.sort).unwrap_or_default(),
            filter: self.filter.clone(),
            user: self.user.clone().unwrap_or_default(),
            pids: self.pids.clone(),
            groups: self.cgroups,
            is_replay: self.replay.is_some(),
            ..View::default()
        };
        let format = match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        };
        let ticks = if self.once { Some(1) } else { self.ticks };
        let on_screen =
            format == Format::Text && ticks.is_none() && std::io::stdout().is_terminal();
        let interrupt = Interrupt::listen().context("cannot listen for signals")?;
        if let Some(file) = &self.replay {
            let recording = replay::open(file)?;
            return match on_screen {
                true => screen::replay(recording, view, &interrupt),
                false => lines::replay(recording, &view, ticks, format, &interrupt),
            };
        }
        let delay_s = self.delay.seconds();
        let rows = |usual| self.rows.map_or(usual, |rows| rows as usize);
        let recorded_rows = rows(if on_screen { screen::RECORDED } else { ROWS });
        let record = |file| Recorder::create(file, self.force, delay_s, recorded_rows);
        let file = self.record.as_ref().map(|path| path.only_file("--record", "--json prints"));
        let recorder = file.transpose()?.map(record).transpose()?;
        let source = Source::live();
        self.check(&source)?;
        view.own = Some(std::process::id());
        // In documents its row stands where its figures put it.
        view.own_is_last = format == Format::Text;
        let latencies = newest(&Topology::read(&source)?, &NodeSummaries::read(&source));
        let observer = Observer::new(&source, latencies, self.cgroups)?;
        match on_screen {
            true => screen::live(&source, observer, view, delay_s, recorder, &interrupt),
            false => {
                let printed = lines::Printed { rows: rows(ROWS), ticks, format };
                lines::live(observer, &view, delay_s, recorder, printed, &interrupt)
            }
        }
    }
}

impl Top {
    /// Whether the processes and the user are there.
    fn check(&self, source: &Source) -> anyhow::Result<()> {
        for pid in &self.pids {
            Process::find(source, *pid)?;
        }
        let Some(user) = &self.user else { return Ok(()) };
        let is_known = user_names(source).values().any(|name| name == user);
        if is_known || user.parse::<u32>().is_ok() {
            return Ok(());
        }
        let why = format!("there is no user '{user}' in /etc/passwd: give a name or a number");
        Err(WrongUsage(why).into())
    }
}

/// `None` without a survey that has them.
fn newest(topology: &Topology, nodes: &NodeSummaries) -> Option<NodeLatencies> {
    let of = |survey: &Survey| {
        let ids: Vec<NodeId> = nodes.ids().iter().collect();
        let pairs = ids.iter().flat_map(|cpus| ids.iter().map(move |memory| (*cpus, *memory)));
        let known = pairs.filter_map(|(cpus, memory)| {
            Some(((cpus, memory), survey.node_latency(cpus, memory)?.median))
        });
        NodeLatencies::new(survey.provenance.started.clone(), known)
    };
    let (_, survey) = Store::newest_of(topology, |survey| of(survey).is_some())?;
    of(&survey)
}

/// A recording that is written.
struct Recorder {
    file: File,
    path: PathBuf,
    rows: usize,
}

impl Recorder {
    /// Creates the file. An existing one is overwritten by force only.
    fn create(path: &Path, force: bool, delay_s: f64, rows: usize) -> anyhow::Result<Self> {
        let head = RecordingHead::new(env!("CARGO_PKG_VERSION"), delay_s);
        let begin = |mut file: WholeFile| head.write(file.file()).and_then(|()| file.begin());
        let if_exists = if force { IfExists::Replace } else { IfExists::Refuse };
        let device = if force { open_device(path) } else { Ok(None) };
        let opened = match device {
            Ok(Some(mut device)) => head.write(&mut device).map(|()| (device, path.to_owned())),
            Ok(None) => WholeFile::create(path, if_exists).and_then(begin),
            Err(error) => Err(error),
        };
        match opened {
            Ok((file, path)) => Ok(Self { file, path, rows }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let why = format!("{} already exists: --force overwrites it", path.display());
                Err(WrongUsage(why).into())
            }
            Err(error) => Err(error).with_context(|| unwritable(path)),
        }
    }

    fn record(&mut self, tick: &Tick) -> anyhow::Result<()> {
        tick.write_rows(&mut self.file, self.rows).with_context(|| unwritable(&self.path))
    }
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}", path.display())
}

/// Seconds between two readings.
#[derive(Clone, Copy, Debug)]
struct Delay(f64);

impl Delay {
    const fn seconds(self) -> f64 {
        self.0
    }
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
        seconds
            .map(Self)
            .ok_or_else(|| "give seconds from 0.1 to 3600, such as 1 or 0.5".to_owned())
    }
}

/// The next time, a delay after this one. What was missed on a busy machine is not made up: a short
/// interval has no rates.
fn after(time: Instant, delay_s: f64) -> Instant {
    let delay = Duration::from_secs_f64(delay_s);
    let (next, now) = (time + delay, Instant::now());
    if next > now { next } else { now + delay }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_intervals_are_not_made_up() {
        let now = Instant::now();
        assert_eq!(after(now, 3600.0), now + Duration::from_secs(3600));
        let Some(long_ago) = now.checked_sub(Duration::from_secs(5)) else { return };
        assert!(after(long_ago, 1.0) >= now + Duration::from_secs(1));
    }
}
