//! `nearfar explain`: why is a program slow?

mod costs;
mod undo;

use std::cell::RefCell;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressFinish};
use nearfar_live::explain::{
    Around, Direction, ExplainDocument, Metric, MetricKind, ObservedProcess, SCHEMA, TrialEvent,
    TrialSettings, chosen_cure, explain, observe, text, trial_refusals, try_cure,
};
use nearfar_machine::process::{NodeSummaries, ProcessCounter};
use nearfar_machine::{
    KernelSwitch, ListContext, MachineError, Process, Source, Topology, node_list,
};
use nearfar_model::NodeSet;
use nearfar_process::Target;
use nearfar_view::terminal::{Interrupt, output, screen};

use super::budget::Budget;
use super::target::TargetArgument;
use crate::progress::{keep_moving, set_style};

/// Explain what remote memory may cost a program, and try a cure.
///
/// Estimates the cost of remote memory from the newest saved survey, as a best and a worst case: no
/// kernel records which pages a program uses. --try moves its pages there and back several times,
/// and reports whether a metric improved. Pages are always put back.
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
  nearfar explain --undo             put pages back after a 'kill -9'
  nearfar explain 4242 --json | jq '.processes[0].cures'

The real cost is between the best and the worst case: --try measures it. Cures are not ranked. \
docs/explain.md has the method.

Exit status: 0 whatever the result; 1 if it could not be found; 2 for wrong usage.")]
pub(crate) struct ExplainCommand {
    #[command(flatten)]
    target: TargetArgument,
    /// Try the first cure that moves pages: move them there and back, and read a metric
    #[arg(long = "try")]
    is_trial: bool,
    /// Read the number that this shell command prints; NEARFAR_PID is the process [default: cycles
    /// per instruction]
    #[arg(long, value_name = "CMD", requires = "is_trial", conflicts_with = "counter")]
    metric: Option<String>,
    /// The metric is a counter: compare its increase per second
    #[arg(long, requires = "metric")]
    rate: bool,
    /// Smaller numbers of --metric are better [default: larger ones]
    #[arg(long, requires = "metric")]
    less_is_better: bool,
    /// Read a counter of the process in /proc, per second [default: none]
    #[arg(long, value_name = "NAME", requires = "is_trial", 
          value_parser = PossibleValuesParser::new(ProcessCounter::ALL.map(ProcessCounter::name)))]
    counter: Option<String>,
    /// Nodes to move pages to, a list as in 'nearfar run -m' [default: those of the
    /// first cure that moves pages]
    #[arg(long, value_name = "NODES", requires = "is_trial", allow_hyphen_values = true)]
    to: Option<String>,
    /// Blocks of a trial: each has both placements, in random order
    #[arg(long, value_name = "N", default_value = "8", requires = "is_trial",
          value_parser = clap::value_parser!(u32).range(3..=1000))]
    blocks: u32,
    /// Time in each placement
    #[arg(long, value_name = "TIME", default_value = "3s", requires = "is_trial")]
    period: Budget,
    /// Also move memory that the process has locked (mlock)
    #[arg(long, requires = "is_trial")]
    move_locked: bool,
    /// Seed of the order of a trial [default: random]
    #[arg(long, value_name = "N", requires = "is_trial")]
    seed: Option<u64>,
    /// Put pages back where a trial that was killed found them
    #[arg(long, conflicts_with_all = ["target", "pid", "is_trial"])]
    undo: bool,
    /// Print JSON (nearfar.explain/2)
    #[arg(long)]
    json: bool,
}

impl ExplainCommand {
    /// Explains, tries and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = Source::live();
        if self.undo {
            return undo::run(&source, self.json);
        }
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
            costs: found.as_ref().map(|(costs, _)| costs),
            balancing: balancing(&source),
        };
        let mut processes: Vec<_> = observed.iter().map(|one| explain(one, &around)).collect();
        processes.sort_by(|one, other| text::most_cost(other).total_cmp(&text::most_cost(one)));
        let mut document = ExplainDocument {
            schema: SCHEMA.to_owned(),
            survey: found.as_ref().map(|(_, survey)| survey.clone()),
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
        let settings = TrialSettings {
            metric: self.chosen_metric(),
            blocks: self.blocks as usize,
            period: self.period.into(),
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..)),
            notes: undo::notes_folder()?,
        };
        let pids: Vec<u32> = document.processes.iter().map(|process| process.pid).collect();
        let progress = TrialProgress::default();
        let report = |event: TrialEvent<'_>| progress.report(event);
        document.trial = Some(try_cure(source, &pids, cure, &settings, interrupt, &report)?);
        Ok(())
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
            TrialEvent::PeriodsEnded => drop(self.0.take()),
            TrialEvent::NotRestored(error) => output::aside(&error.to_string()),
        }
    }
}

fn bar(periods: u64) -> ProgressBar {
    let bar = ProgressBar::new(periods).with_finish(ProgressFinish::AndClear);
    set_style(&bar, "trial {bar:30} {pos}/{len} periods, {eta} left");
    keep_moving(&bar);
    bar
}
