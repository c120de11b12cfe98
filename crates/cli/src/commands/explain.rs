//! `nearfar explain`: why is a program slow?

mod costs;
mod forecasting;
mod measured_objects;
mod responding;
mod undo;

pub(super) use forecasting::read_response;
pub(super) use measured_objects::read_objects;

use std::cell::RefCell;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressFinish};
use nearfar_live::explain::{
    Around, CureKind, Direction, ExplainDocument, Metric, MetricKind, ObservedProcess, SCHEMA,
    TrialEvent, TrialSettings, chosen_cure, explain, memory_together, observe, text,
    trial_refusals, try_cure,
};
use nearfar_machine::process::{NodeSummaries, ProcessCounter};
use nearfar_machine::{
    KernelSwitch, ListContext, MachineError, Process, Source, Topology, node_list,
};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_process::{MemoryObject, ProcessObjects, SharedPages, Target};
use nearfar_view::terminal::{Interrupt, output, screen};

use super::budget::Budget;
use super::target::TargetArgument;
use crate::output_path::OutputPath;
use crate::progress::{keep_moving, set_style};
use crate::whole_file::Force;

/// Explain what remote memory costs a program, and try a cure.
///
/// Estimates the cost of remote memory from the newest saved survey, as a best and a worst case: no
/// kernel records which pages a program uses. --try moves its pages there and back several times,
/// and reports whether a metric improved. --response moves random parts of them, and reports what
/// each added nanosecond of latency costs. --objects reports which of its memory that is: files,
/// shared memory, heap, named mappings; --threads, which of its threads. Pages and threads are
/// always put back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar explain 4242               what remote memory may cost, what may help
  nearfar explain system.slice/db.service
                                     all processes of a control group
  nearfar explain 4242 --try         try it, by cycles per instruction (a PMU)
  nearfar explain 4242 --try --counter wchar
                                     by the bytes that it writes a second
  nearfar explain 4242 --try --metric 'cat /run/db/requests' --rate
                                     by a number that a command prints
  nearfar explain 4242 --response -o db.json
                                     what remote memory costs it, by doses
  nearfar explain 4242 --objects --budget 10m -o parts.json
                                     which of its memory matters
  nearfar explain 4242 --threads     which of its threads has to be near
  nearfar explain 4242 --try --object /dev/shm/x --to 0
                                     try to move that alone
  nearfar explain db.json --on survey.json
                                     its time on another machine, by a survey
  nearfar explain db.json --on csit-clx-8280-2020
                                     the same, by a row of 'nearfar atlas'
  nearfar explain --undo             put pages back after a 'kill -9'
  nearfar explain 4242 --json | jq '.processes[0].cures'

The real cost is between the best and the worst case: --response measures it, --try a cure. \
docs/why/explain.md and docs/why/objects.md have the method.

Exit status: 0 whatever the result; 1 if it could not be found; 2 for wrong usage.")]
pub(crate) struct ExplainCommand {
    #[command(flatten)]
    target: TargetArgument,
    /// Try the first cure that moves pages: move them there and back, and read a metric
    #[arg(long = "try", group = EXPERIMENT)]
    is_trial: bool,
    /// Measure what remote memory costs: move random shares of its pages to a far node (0, 25, 50,
    /// 75, 100 %), and read a metric
    #[arg(long = "response", groups = [EXPERIMENT, DOSES])]
    is_response: bool,
    /// Measure which of its memory matters: files, shared memory, heap, named mappings, and ranges
    /// of those that cost something
    #[arg(long = "objects", groups = [EXPERIMENT, DOSES])]
    is_objects: bool,
    /// Measure which of its threads matters: run each on CPUs of the near and of the far node
    #[arg(long = "threads", groups = [EXPERIMENT, DOSES])]
    is_threads: bool,
    /// No object is cut into ranges smaller than this
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64M",
        requires = "is_objects",
        conflicts_with = "is_threads"
    )]
    range: Bytes,
    /// Try to move only this object of its memory: a name, or addresses [default: all memory]
    #[arg(long, value_name = "NAME", requires = "is_trial")]
    object: Option<String>,
    /// Forecast for a machine: a survey, or words of a row of 'nearfar atlas'. TARGET is then a
    /// file of --response -o [default: none]
    #[arg(long, value_name = "MACHINE", conflicts_with = EXPERIMENT)]
    on: Option<String>,
    /// Forecast for CPUs of this node of that machine [default: the mean over its nodes]
    #[arg(long, value_name = "N", requires = "on")]
    node: Option<u32>,
    /// Read the number that this shell command prints; NEARFAR_PID is the process [default: cycles
    /// per instruction]
    #[arg(long, value_name = "CMD", requires = EXPERIMENT, conflicts_with = "counter")]
    metric: Option<String>,
    /// The metric is a counter: compare its increase per second
    #[arg(long, requires = "metric")]
    rate: bool,
    /// Smaller numbers of --metric are better [default: larger ones]
    #[arg(long, requires = "metric")]
    less_is_better: bool,
    /// Read a counter of the process in /proc, per second [default: none]
    #[arg(long, value_name = "NAME", requires = EXPERIMENT, 
          value_parser = PossibleValuesParser::new(ProcessCounter::ALL.map(ProcessCounter::name)))]
    counter: Option<String>,
    /// Nodes to move pages to, a list as in 'nearfar run -m' [default: those of the first cure that
    /// moves pages; of --response the farthest node]
    #[arg(long, value_name = "NODES", requires = EXPERIMENT, allow_hyphen_values = true)]
    to: Option<String>,
    /// Blocks: each has both placements, all doses, or all runs of objects, in random order
    /// [default: 8; with --objects or --threads 4]
    #[arg(long, value_name = "N", requires = EXPERIMENT,
          value_parser = clap::value_parser!(u32).range(3..=1000))]
    blocks: Option<u32>,
    /// Time in each placement, at each dose, or of each run
    #[arg(long, value_name = "TIME", default_value = "3s", requires = EXPERIMENT)]
    period: Budget,
    /// Also move memory that the process has locked (mlock)
    #[arg(long, requires = EXPERIMENT, conflicts_with = "is_threads")]
    move_locked: bool,
    /// Seed of the order, and of doses [default: random]
    #[arg(long, value_name = "N", requires = EXPERIMENT)]
    seed: Option<u64>,
    /// Begin blocks of doses or of runs until this time is over [default: --blocks]
    #[arg(long, value_name = "TIME", requires = DOSES, conflicts_with = "blocks")]
    budget: Option<Budget>,
    /// The share of the program's time that moving its pages may take: of larger programs, fewer
    /// pages take part
    #[arg(long, value_name = "PERCENT", default_value = "3%", requires = DOSES,
          conflicts_with = "is_threads", value_parser = responding::cost)]
    max_cost: f64,
    /// Save the result to this file; '-' prints it as JSON [default: none]
    #[arg(short, long, value_name = "FILE", requires = DOSES)]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Print the periods of a response, or the costs of objects, as CSV
    #[arg(long, requires = DOSES, conflicts_with = "json")]
    csv: bool,
    /// Put pages and threads back where a trial that was killed found them
    #[arg(long, conflicts_with_all = ["target", "pid", EXPERIMENT, "on"])]
    undo: bool,
    /// Print JSON (nearfar.explain/2, nearfar.response/1, nearfar.objects/1, nearfar.forecast/1)
    #[arg(long)]
    json: bool,
}

/// Options that move pages.
const EXPERIMENT: &str = "experiment";
/// Those that move parts of memory.
const DOSES: &str = "doses";
/// Blocks of both placements, or of all doses.
const BLOCKS: u32 = 8;
/// Blocks of objects, which have more runs.
const OBJECT_BLOCKS: u32 = 4;

impl ExplainCommand {
    /// Explains, tries and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = Source::live();
        if self.undo {
            return undo::run(&source, self.json);
        }
        if let Some(machine) = &self.on {
            return forecasting::run(self.target.word(), machine, self.node.map(NodeId), self.json);
        }
        responding::check_output(&self)?;
        let pids = processes(&source, &self.target)?;
        let nodes = NodeSummaries::read(&source);
        if nodes.nodes.is_empty() {
            return Err(MachineError::NoNodes { origin: source.origin().to_owned() }.into());
        }
        let interrupt = Interrupt::listen().context("cannot listen for signals")?;
        let (observed, unreadable) = observe(&source, &pids, &nodes, &interrupt)?;
        let topology = Topology::read(&source)?;
        let found = costs::find(&topology, &nodes);
        let around = Around {
            nodes: &nodes,
            costs: found.as_ref().map(|found| &found.costs),
            balancing: balancing(&source),
        };
        if self.is_response {
            let measured = responding::measured(&self, &source, &observed, &around, &interrupt);
            return responding::finish(&self, &source, measured?, found);
        }
        if self.is_objects || self.is_threads {
            let measured =
                measured_objects::measured(&self, &source, &observed, &around, &interrupt);
            return measured_objects::finish(&self, &source, measured?, found);
        }
        let mut processes: Vec<_> = observed.iter().map(|one| explain(one, &around)).collect();
        processes.sort_by(|one, other| text::most_cost(other).total_cmp(&text::most_cost(one)));
        let readable: Vec<u32> = observed.iter().map(|process| process.pid).collect();
        let mut document = ExplainDocument {
            schema: SCHEMA.to_owned(),
            survey: found.as_ref().map(|found| found.survey.clone()),
            together: memory_together(&source, &readable),
            processes,
            unreadable,
            trial: None,
        };
        if self.is_trial {
            self.try_cure(&source, &mut document, &observed, &around, &interrupt)?;
        }
        if self.json {
            output::json(&document)?;
        } else {
            screen::print(&text::screen(&document))?;
        }
        Ok(())
    }

    fn try_cure(
        &self,
        source: &Source,
        document: &mut ExplainDocument,
        observed: &[ObservedProcess],
        around: &Around<'_>,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let cure = chosen_cure(&document.processes, self.nodes(source)?)?;
        let refused = trial_refusals(observed, around, &cure, self.move_locked);
        if let Some(why) = refused.first() {
            bail!("no page was moved: {why}");
        }
        let pids: Vec<u32> = document.processes.iter().map(|process| process.pid).collect();
        let settings = TrialSettings {
            metric: self.chosen_metric(),
            blocks: self.blocks.unwrap_or(BLOCKS) as usize,
            period: self.period.into(),
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..)),
            notes: undo::notes_folder()?,
            object: self.tried_object(source, &pids, &cure)?,
        };
        let progress = TrialProgress::default();
        let report = |event: TrialEvent<'_>| progress.report(event);
        document.trial = Some(try_cure(source, &pids, cure, &settings, interrupt, &report)?);
        Ok(())
    }

    /// The object that a trial is about.
    fn tried_object(
        &self,
        source: &Source,
        pids: &[u32],
        cure: &CureKind,
    ) -> anyhow::Result<Option<MemoryObject>> {
        let Some(word) = &self.object else { return Ok(None) };
        let node = cure.page_nodes().and_then(|nodes| nodes.iter().next());
        let shared = match (pids.first(), node) {
            (Some(pid), Some(node)) => SharedPages::allowed(*pid, node),
            _ => SharedPages::Stay,
        };
        Ok(Some(ProcessObjects::named(source, pids, word, shared)?))
    }

    fn nodes(&self, source: &Source) -> anyhow::Result<Option<NodeSet>> {
        Ok(self.to.as_ref().map(|list| node_list(list, &ListContext::new(source))).transpose()?)
    }

    fn chosen_metric(&self) -> Metric {
        let direction = match self.less_is_better {
            true => Direction::LessIsBetter,
            false => Direction::MoreIsBetter,
        };
        match (&self.metric, &self.counter) {
            (Some(command), _) => Metric {
                name: command.clone(),
                kind: MetricKind::Command,
                direction,
                is_counter: self.rate,
            },
            (None, Some(counter)) => Metric {
                name: counter.clone(),
                kind: MetricKind::Counter,
                direction,
                is_counter: true,
            },
            (None, None) => Metric {
                name: "cycles per instruction".to_owned(),
                kind: MetricKind::Cpi,
                direction: Direction::LessIsBetter,
                is_counter: false,
            },
        }
    }
}

/// Whether the kernel moves pages by itself; `None` if it cannot.
fn balancing(source: &Source) -> Option<bool> {
    KernelSwitch::Balancing.current(source).map(|value| value == "on")
}

/// Processes at most: of larger groups, sampling takes minutes.
const MOST: usize = 1000;

/// All processes of the target.
fn processes(source: &Source, target: &TargetArgument) -> anyhow::Result<Vec<u32>> {
    let found = target.find(source)?;
    if let Target::Pid(pid) = found {
        Process::find(source, pid)?;
    }
    let processes = found.processes(source)?;
    if processes.len() > MOST {
        bail!(
            "{} processes are '{}', more than {MOST}: name a smaller group",
            processes.len(),
            target.word()
        );
    }
    Ok(processes.into_iter().map(|(pid, _)| pid).collect())
}

/// A bar over its periods, while they run.
#[derive(Default)]
struct TrialProgress(RefCell<Option<ProgressBar>>);

impl TrialProgress {
    fn report(&self, event: TrialEvent<'_>) {
        match event {
            TrialEvent::Began(periods) => *self.0.borrow_mut() = Some(bar(periods)),
            TrialEvent::Period => self.0.borrow().iter().for_each(|bar| bar.inc(1)),
            TrialEvent::Planned(plan) => output::status(&text::objects_plan(plan)),
            TrialEvent::PeriodsEnded => drop(self.0.take()),
            TrialEvent::NotRestored(error) => output::aside(&error.to_string()),
        }
    }
}

fn bar(periods: u64) -> ProgressBar {
    let bar = ProgressBar::new(periods).with_finish(ProgressFinish::AndClear);
    set_style(&bar, "measuring {bar:30} {pos}/{len} periods, {eta} left");
    keep_moving(&bar);
    bar
}
