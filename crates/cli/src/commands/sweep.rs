//! `nearfar sweep`: where does a program run best?

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use nearfar_live::explain;
use nearfar_model::NodeId;
use nearfar_sweep::axes::{Jobs, Variable};
use nearfar_sweep::recipe::recipe_text;
use nearfar_sweep::{
    DoseNodes, LimitOptions, Limits, Metric, RunSettings, Sweep as Document, SweepPlacement,
    SystemSetting,
};
use nearfar_view::terminal::error_line;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};
use nearfar_view::text::sections;

use super::budget::{Budget, BudgetOption};
use super::threshold::Threshold;
use crate::output_path::OutputPath;
use crate::sweeping::{Ended, SweepRequest, resume_sweep, run};
use crate::sweeping::{dosed, recipe};
use crate::whole_file::Force;

/// Options that a resumed sweep takes from its file.
const FIXED_BY_THE_FILE: [&str; 22] = [
    "command",
    "recipe",
    "dose",
    "placement",
    "jobs",
    "env",
    "smt",
    "thp",
    "balancing",
    "irq",
    "irq_device",
    "dry_run",
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

/// Options that a recipe's file has.
const FIXED_BY_THE_RECIPE: [&str; 11] = [
    "command",
    "dose",
    "survey",
    "jobs",
    "env",
    "smt",
    "irq",
    "prepare",
    "cleanup",
    "metric",
    "higher_is_better",
];

/// Run a program under many placements, and find the fastest.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar sweep ./solver input.dat
        under this machine's default placements
  nearfar sweep --jobs 1..64/2 --prepare 'make clean' -- make -j{jobs}
        find where more jobs of a build stop paying
  nearfar sweep --placement unbound --placement '-N 0 -m 1' -- ./db-bench
        any options of 'nearfar run' are a placement
  nearfar sweep --metric 'tps=tps = ([0-9.]+)' --higher-is-better \\
        --prepare './reset-db' -- pgbench -j{jobs} -c{jobs} -T 10
  nearfar sweep --dose ./solver input.dat
        what each ns of memory latency costs it (explain FILE --on: elsewhere)
  nearfar sweep --recipe
        list recipes of programs: redis, postgres, nginx, java, ...
  nearfar sweep --recipe redis
        start, load and measure Redis under the placements that suit it
  nearfar sweep --resume sweep.json
        continue an interrupted sweep: shows its commands, and asks

A block runs every configuration once, in random order. Blocks repeat until
each median is known to 1 % (--precision), at most 20 times (--runs).
Differences are against the first placement. {jobs}, {cpus} and {nodes} in the
command, --prepare and --cleanup are replaced by those of the placement.")]
pub(crate) struct SweepCommand {
    /// Placements: unbound, local:N, remote:A/B (CPUs of A, memory of B), preferred:N, interleave,
    /// weighted, spread, packed, one-per-core, one-per-cache, or options of 'nearfar run' in
    /// quotes [default: those that suit this machine].
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    placement: Vec<String>,
    /// Measure what remote memory costs a program that ends: its placements are doses of memory
    /// latency. CPUs of A, far memory on B [default: the first node, the farthest memory].
    #[arg(
        long,
        value_name = "A/B",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = dose_nodes,
        conflicts_with_all = ["placement", "jobs", "env", "smt", "thp", "balancing", "irq"]
    )]
    dose: Option<DoseNodes>,
    /// Measure a known program by its recipe, or a file of that form (docs/recipes/README.md).
    /// Without a value: list recipes. --dry-run prints the recipe [default: a command].
    #[arg(
        long,
        value_name = "NAME|FILE",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = FIXED_BY_THE_RECIPE
    )]
    recipe: Option<String>,
    /// Choose default placements by the latencies in this survey [default: the newest saved survey
    /// of this machine, else firmware's distances].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["placement", "resume"])]
    survey: Option<PathBuf>,
    /// Numbers of jobs: 1,2,4, or 1..8, or 1..64/2 (doubling) [default: the number of CPUs of the
    /// placement].
    #[arg(long, value_name = "LIST")]
    jobs: Option<Jobs>,
    /// Vary an environment variable, e.g. GOGC=50,100 [default: none]
    #[arg(long, value_name = "NAME=VALUES")]
    env: Vec<Variable>,
    /// Vary hardware threads: on,off. Needs --allow-system-changes [default: unchanged]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        value_parser = ["on", "off"],
        requires = "allow_system_changes"
    )]
    smt: Vec<String>,
    /// Vary transparent huge pages: always,madvise,never. Needs --allow-system-changes [default:
    /// unchanged]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        value_parser = ["always", "madvise", "never"],
        requires = "allow_system_changes"
    )]
    thp: Vec<String>,
    /// Vary automatic NUMA balancing: on,off. Needs --allow-system-changes [default: unchanged]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        value_parser = ["on", "off"],
        requires = "allow_system_changes"
    )]
    balancing: Vec<String>,
    /// Vary where a device's interrupts run: near,far. Needs --irq-device and
    /// --allow-system-changes [default: unchanged]
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        value_parser = ["near", "far"],
        requires = "allow_system_changes"
    )]
    irq: Vec<String>,
    /// The device of --irq: NIC0, eth0, nic:eth0, 0000:3b:00.0, /dev/sda [default: none]
    #[arg(long, value_name = "DEVICE", requires = "irq")]
    irq_device: Option<String>,
    /// Allow --smt, --thp, --balancing and --irq to change settings of the whole machine. They are
    /// always restored at the end.
    #[arg(long)]
    allow_system_changes: bool,
    /// Run each configuration exactly N times [default: 6 to 20, until the median is precise].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,
    /// Repeat runs until half of each median's 95 % interval is at most this: 1% or 0.01
    /// [default: 1%].
    #[arg(long, value_name = "SHARE", conflicts_with = "runs")]
    precision: Option<Threshold>,
    #[command(flatten)]
    time: BudgetOption,
    /// Kill a run that takes longer (30s, 5m) [default: no limit].
    #[arg(long, value_name = "TIME")]
    timeout: Option<Budget>,
    /// Uncounted runs of the first placement before all others [default: 1].
    #[arg(long, value_name = "N")]
    warmup: Option<u32>,
    /// Shell command before each run, outside its time [default: none]
    #[arg(long, value_name = "LINE")]
    prepare: Option<String>,
    /// Shell command after each run, outside its time [default: none]
    #[arg(long, value_name = "LINE")]
    cleanup: Option<String>,
    /// Compare a figure that the program prints: NAME=PATTERN with a group for the number, or
    /// NAME=$.path.into.json [default: the run's time].
    #[arg(long, value_name = "NAME=PATTERN")]
    metric: Option<Metric>,
    /// Larger values of the metric are better.
    #[arg(long, requires = "metric")]
    higher_is_better: bool,
    /// Do not sample the nodes of the program's pages while it runs.
    #[arg(long)]
    no_pages: bool,
    /// Do not use cpusets: a program may then change its placement [default: cpusets, if this user
    /// may create control groups].
    #[arg(long)]
    no_cpusets: bool,
    /// Seed of the order of runs [default: random].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Save the document to this file after every run; '-' prints it as JSON, too [default: a file
    /// in nearfar's folder of sweeps].
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Continue the sweep of this file: same command and configurations. --runs, --precision and
    /// --budget replace its limits [default: a new sweep]
    #[arg(long, value_name = "FILE", conflicts_with_all = FIXED_BY_THE_FILE)]
    resume: Option<PathBuf>,
    /// Run the commands of --resume's file without asking
    #[arg(long, requires = "resume")]
    yes: bool,
    /// Print what would run and be set, and run nothing. Needs no root.
    #[arg(long)]
    dry_run: bool,
    /// Print the document as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print each run as a line of CSV.
    #[arg(long)]
    csv: bool,
    /// Command; {jobs}, {cpus} and {nodes} stand for those of a placement [default: with --resume,
    /// the sweep's]
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["resume", "recipe"],
        value_name = "COMMAND",
        value_hint = ValueHint::CommandWithArguments
    )]
    command: Vec<String>,
}

impl SweepCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if self.recipe.as_deref() == Some("") {
            return Ok(output::text(&recipe::list())?);
        }
        let precision = self.precision.map(Threshold::share);
        let asked = LimitOptions { runs: self.runs, precision, budget: self.time.time() };
        let is_standard_output = self.output.as_ref().is_some_and(OutputPath::is_standard_output);
        let (json, csv) = (self.json || (is_standard_output && !self.csv), self.csv);
        let (dry_run, recipe) = (self.dry_run, self.recipe.clone());
        let Ended { document, problem } = match &self.resume {
            Some(file) => resume_sweep(file, &asked, self.allow_system_changes, self.yes)?,
            None => run(self.request(Limits::default().with(&asked))?)?,
        };
        if dry_run && !json {
            let recipe = recipe.map(|name| recipe_text(&name)).transpose()?;
            let plan = nearfar_sweep::text::plan(&document);
            return Ok(output::text(&sections([plan, recipe.unwrap_or_default()]))?);
        }
        let printed = print(&document, json, csv);
        match problem {
            Some(problem) => {
                if let Err(error) = printed {
                    output::aside(&format!("nearfar: {}", error_line(error.as_ref())));
                }
                Err(problem)
            }
            None if dry_run => printed,
            None => printed.and_then(|()| Ok(document.check_success()?)),
        }
    }

    fn request(self, limits: Limits) -> anyhow::Result<SweepRequest> {
        let names = self.placement.iter().flat_map(|text| names(text));
        let placements: Vec<SweepPlacement> =
            names.map(str::parse).collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
        let (recipe, may_switch) = (self.recipe, self.allow_system_changes);
        let request = SweepRequest {
            placements,
            dose: self.dose,
            survey: self.survey,
            jobs: self.jobs.map_or_else(Vec::new, |jobs| jobs.0),
            variables: self.env,
            switches: [
                (SystemSetting::Smt, self.smt),
                (SystemSetting::Thp, self.thp),
                (SystemSetting::Balancing, self.balancing),
                (SystemSetting::Irq, self.irq),
            ]
            .into_iter()
            .filter(|(_, values)| !values.is_empty())
            .collect(),
            irq_device: self.irq_device,
            dry_run: self.dry_run,
            command: self.command,
            metric: self.metric,
            higher_is_better: self.higher_is_better,
            settings: RunSettings {
                timeout_s: self.timeout.map(|time| Duration::from(time).as_secs_f64()),
                prepare: self.prepare,
                cleanup: self.cleanup,
                warmup: self.warmup.unwrap_or(1),
                looks_at_pages: !self.no_pages,
                cpusets: !self.no_cpusets,
            },
            limits,
            seed: self.seed,
            output: self.output.and_then(OutputPath::into_file),
            if_exists: self.force.if_exists(),
            recipe: None,
        };
        match recipe {
            Some(name) => recipe::requested(&name, request, may_switch),
            None => Ok(request),
        }
    }
}

/// "", "0" or "0/1": as `remote:A/B`.
fn dose_nodes(text: &str) -> Result<DoseNodes, String> {
    let node = |text: &str| match text {
        "" => Ok(None),
        number => match number.parse() {
            Ok(id) => Ok(Some(NodeId(id))),
            Err(_) => Err(format!("'{number}' is no node: write A/B, as 0/1")),
        },
    };
    let (cpus, far) = text.split_once('/').unwrap_or((text, ""));
    Ok(DoseNodes { cpus: node(cpus)?, far: node(far)? })
}

fn wrong(error: &nearfar_sweep::SweepError) -> anyhow::Error {
    WrongUsage(error.to_string()).into()
}

/// Names stand in a list; options of `nearfar run` have commas of their own.
fn names(text: &str) -> Vec<&str> {
    if text.trim_start().starts_with('-') { vec![text] } else { text.split(',').collect() }
}

/// Prints a sweep as text, JSON or CSV.
pub(super) fn print(document: &Document, json: bool, csv: bool) -> anyhow::Result<()> {
    match (json, csv) {
        (true, _) => Ok(output::json(document)?),
        (_, true) => Ok(output::data(&nearfar_sweep::text::csv(document))?),
        _ => match dosed::response_of(document) {
            Some(response) => Ok(screen::print(&explain::text::response_screen(&response))?),
            None => Ok(screen::print(&nearfar_sweep::text::screen(document))?),
        },
    }
}
