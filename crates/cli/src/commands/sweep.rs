//! `nearfar sweep`: where does a program run best?

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use nearfar_machine::KernelSwitch;
use nearfar_sweep::axes::{Jobs, Variable};
use nearfar_sweep::{Asked, Limits, Metric, Placement, Settings, Sweep as Document};
use nearfar_terminal::error_line;
use nearfar_terminal::exit::WrongUsage;
use nearfar_terminal::output;

use super::budget::{Budget, BudgetOption};
use super::threshold::Threshold;
use crate::sweeping::{Ended, Request, go_on, run, some_run_succeeded};
use crate::whole_file::{Force, is_standard_output};

/// What a sweep that goes on has settled when it began.
const SETTLED: [&str; 17] = [
    "command",
    "placement",
    "jobs",
    "env",
    "smt",
    "thp",
    "balancing",
    "timeout",
    "warmup",
    "prepare",
    "cleanup",
    "metric",
    "higher_is_better",
    "no_pages",
    "no_cpusets",
    "seed",
    "output",
];

/// Run a program under many placements, and find the fastest.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar sweep -- ./solver input.dat                       under the placements that this machine \
                        makes worth trying
  nearfar sweep --jobs 1..64/2 --prepare 'make clean' -- make -j{jobs}    where more jobs of a \
                        build stop paying
  nearfar sweep --placement local:0,remote:0/1,interleave -- ./stream
  nearfar sweep --placement unbound --placement '-N 0 -m 1' -- ./db-bench     any options of \
                        'nearfar run'
  nearfar sweep --metric 'tps=tps = ([0-9.]+)' --higher-is-better --prepare './reset-db' -- \
                        pgbench -j{jobs} -c{jobs} -T 10
  nearfar sweep --placement local:0,unbound -- docker run --rm --cpuset-cpus {cpus} --cpuset-mems \
                        {nodes} IMAGE
  nearfar sweep --resume sweep.json                         go on with one that was interrupted

Each block runs every configuration once, in random order; blocks go on until each median is known \
                        to 1 % (--precision), 20 at most (--runs).
The first placement is the one that others are compared with. {jobs}, {cpus} and {nodes} in the \
                        command are filled in.")]
pub(crate) struct Sweep {
    /// Placements: unbound, local:N, remote:A/B (CPUs of A, memory of B), preferred:N, interleave,
    /// weighted, spread, packed, one-per-core, one-per-cache, or options of 'nearfar run' in
    /// quotes. By default those that this machine makes worth trying.
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    placement: Vec<String>,
    /// Choose placements by the latencies in this kept survey. By default by the newest one of
    /// this machine, else by the distances that firmware claims.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["placement", "resume"])]
    survey: Option<PathBuf>,
    /// Numbers of jobs: 1,2,4, or 1..8, or 1..64/2 (each twice the last). By default as many as
    /// the placement has CPUs.
    #[arg(long, value_name = "LIST")]
    jobs: Option<Jobs>,
    /// An environment variable as one more axis: GOGC=50,100.
    #[arg(long, value_name = "NAME=VALUES")]
    env: Vec<Variable>,
    /// Hardware threads as one more axis: on,off. Needs --allow-system-changes.
    #[arg(long, value_name = "VALUES", value_delimiter = ',', value_parser = ["on", "off"], requires = "allow_system_changes")]
    smt: Vec<String>,
    /// Transparent huge pages as one more axis: always,madvise,never. Needs
    /// --allow-system-changes.
    #[arg(long, value_name = "VALUES", value_delimiter = ',', value_parser = ["always", "madvise", "never"], requires = "allow_system_changes")]
    thp: Vec<String>,
    /// Automatic NUMA balancing as one more axis: on,off. Needs --allow-system-changes.
    #[arg(long, value_name = "VALUES", value_delimiter = ',', value_parser = ["on", "off"], requires = "allow_system_changes")]
    balancing: Vec<String>,
    /// Switch settings of the whole machine while the sweep runs. They are put back when it ends,
    /// however it ends.
    #[arg(long)]
    allow_system_changes: bool,
    /// So many runs of each configuration, no more and no fewer. By default 5 to 20, until medians
    /// are known.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,
    /// How well medians shall be known: half of their interval, in percent or as a fraction.
    /// By default 1%.
    #[arg(long, value_name = "SHARE", conflicts_with = "runs")]
    precision: Option<Threshold>,
    #[command(flatten)]
    time: BudgetOption,
    /// End a run that takes longer: 30s, 5m.
    #[arg(long, value_name = "TIME")]
    timeout: Option<Budget>,
    /// Runs of the first placement that do not count, before all others. By default 1.
    #[arg(long, value_name = "N")]
    warmup: Option<u32>,
    /// A line for the shell before each run, outside its time.
    #[arg(long, value_name = "LINE")]
    prepare: Option<String>,
    /// A line for the shell after each run, outside its time.
    #[arg(long, value_name = "LINE")]
    cleanup: Option<String>,
    /// Judge by what the program prints: NAME=PATTERN with a group for the number, or
    /// NAME=$.path.into.json. By default by its time.
    #[arg(long, value_name = "NAME=PATTERN")]
    metric: Option<Metric>,
    /// More of the metric is better.
    #[arg(long, requires = "metric")]
    higher_is_better: bool,
    /// Do not look where the program's pages are while it runs.
    #[arg(long)]
    no_pages: bool,
    /// Hold programs by affinity and memory policy alone, which they can change themselves. By
    /// default by cpusets too, where this user may make control groups.
    #[arg(long)]
    no_cpusets: bool,
    /// Seed of the order of runs.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Keep the document in this file, after every run. By default in nearfar's folder of sweeps;
    /// '-' prints it as JSON, too.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Go on with the sweep in this file: its command, its configurations, its limits where
    /// --runs, --precision or --budget name no others.
    #[arg(long, value_name = "FILE", conflicts_with_all = SETTLED)]
    resume: Option<PathBuf>,
    /// Print the document as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print every run as CSV.
    #[arg(long)]
    csv: bool,
    /// The command; {jobs}, {cpus} and {nodes} are filled in.
    #[arg(last = true, required_unless_present = "resume", value_name = "COMMAND")]
    command: Vec<String>,
}

impl Sweep {
    /// Runs and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let precision = self.precision.map(Threshold::share);
        let asked = Asked { runs: self.runs, precision, budget: self.time.time() };
        let is_standard_output = self.output.as_deref().is_some_and(is_standard_output);
        let (json, csv) = (self.json || (is_standard_output && !self.csv), self.csv);
        let Ended { document, problem } = match &self.resume {
            Some(file) => go_on(file, &asked, self.allow_system_changes)?,
            None => run(self.request(Limits::default().with(&asked))?)?,
        };
        let printed = print(&document, json, csv);
        match problem {
            Some(problem) => {
                if let Err(error) = printed {
                    output::aside(&format!("nearfar: {}", error_line(error.as_ref())));
                }
                Err(problem)
            }
            None => printed.and_then(|()| some_run_succeeded(&document)),
        }
    }

    fn request(self, limits: Limits) -> anyhow::Result<Request> {
        let names = self.placement.iter().flat_map(|text| names(text));
        let placements: Vec<Placement> =
            names.map(str::parse).collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
        Ok(Request {
            placements,
            survey: self.survey,
            jobs: self.jobs.map_or_else(Vec::new, |jobs| jobs.0),
            variables: self.env,
            switches: [
                (KernelSwitch::Smt, self.smt),
                (KernelSwitch::Thp, self.thp),
                (KernelSwitch::Balancing, self.balancing),
            ]
            .into_iter()
            .filter(|(_, values)| !values.is_empty())
            .collect(),
            command: self.command,
            metric: self.metric,
            higher_is_better: self.higher_is_better,
            settings: Settings {
                timeout_s: self.timeout.map(|time| Duration::from(time).as_secs_f64()),
                prepare: self.prepare,
                cleanup: self.cleanup,
                warmup: self.warmup.unwrap_or(1),
                looks_at_pages: !self.no_pages,
                cpusets: !self.no_cpusets,
            },
            limits,
            seed: self.seed,
            output: self.output.filter(|path| !is_standard_output(path)),
            if_exists: self.force.if_exists(),
        })
    }
}

fn wrong(error: &nearfar_sweep::SweepError) -> anyhow::Error {
    WrongUsage(error.to_string()).into()
}

/// Names stand in a list; options of `nearfar run` have commas of their own.
fn names(text: &str) -> Vec<&str> {
    match text.trim_start().starts_with('-') {
        true => vec![text],
        false => text.split(',').collect(),
    }
}

fn print(document: &Document, json: bool, csv: bool) -> anyhow::Result<()> {
    match (json, csv) {
        (true, _) => Ok(output::json(document)?),
        (_, true) => Ok(output::text(&nearfar_report::sweep::csv(document))?),
        _ => Ok(output::text(&nearfar_report::sweep::text(document))?),
    }
}
