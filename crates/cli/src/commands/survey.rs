//! `nearfar survey`: is this machine NUMA?

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::bail;
use clap::{ArgGroup, Args};
use nearfar_model::{Instrument, format_duration};
use nearfar_survey::Store;
use nearfar_survey::measure::{IoRequestedTarget, IoSettings, Measurement, OTHERS, SurveySettings};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::document_options::{DocumentView, SaveTarget};
use super::effort;
use super::measuring::{MeasuringOptions, worker};
use super::probe_options::ProbeOptions;
use super::selection::Selection;
use super::threshold::Threshold;
use crate::named_value::NamedValue;
use crate::progress::Bar;

/// Measure memory latency of every node: is this machine NUMA?
///
/// Measures from every CPU group to every node. The verdict is yes, no or undetermined.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar survey                         0.5 % standard error, up to a minute
  nearfar survey --quick                 1 % standard error, in 5 seconds
  nearfar survey --thorough --budget 5m  all instruments, in five minutes
  nearfar survey --only bandwidth,loaded  these, and latency
  nearfar survey --rows core --nodes 0   from every core to node 0
  nearfar survey --threshold 10%         NUMA means 10 % slower or more
  nearfar survey -o before.json          save here; nearfar show before.json
  nearfar survey --host $(hostname) -o a.json   for 'nearfar fleet'
  nearfar survey --json | jq .verdict

The survey is saved in $XDG_DATA_HOME/nearfar (~/.local/share/nearfar) unless -o names a file. \
Ctrl-C prints and saves the instruments that are finished.")]
pub(crate) struct SurveyCommand {
    /// Faster, less precise: 1 % standard error, at most 25 rounds, no search for hidden nodes (but
    /// with --budget) [default: 0.5 %]
    #[arg(long)]
    quick: bool,
    /// Measure with all instruments, in minutes; latency to 0.25 % standard error
    #[arg(long)]
    thorough: bool,
    /// Measure latency and these only: hidden, bandwidth, core-to-core, loaded, caches, interleave
    /// [default: latency, page sizes and, on one node without --quick, hidden]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true,
        value_parser = NamedValue { parse: other, names: others }, conflicts_with = "thorough")]
    only: Vec<Instrument>,
    /// Print the survey, and do not save it
    #[arg(long, conflicts_with = "output")]
    no_save: bool,
    #[command(flatten)]
    probe: ProbeOptions,
    #[command(flatten)]
    selection: Selection,
    /// Smallest latency difference that is reported as NUMA: 5% or 0.05
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    threshold: Threshold,
    /// Measure this file's disk or this disk, too, read only; several times for several
    /// [default: no disk]
    #[arg(long, value_name = "TARGET")]
    io: Vec<PathBuf>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl SurveyCommand {
    /// Measures, prints and saves.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // clap does not require an option that another one of the command line excludes.
        if !self.io.is_empty() && !self.thorough {
            let why = "--io needs --thorough: other surveys measure no disks ('nearfar io' does)";
            bail!(WrongUsage(why.to_owned()));
        }
        let probe = self.probe.spec()?;
        self.selection.check_for(probe.kind)?;
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let threshold = self.threshold.share();
        let target = |path: &PathBuf| IoRequestedTarget {
            path: path.clone(),
            is_made: false,
            interrupt_places: vec![],
            interrupts_why: None,
        };
        let targets: Vec<IoRequestedTarget> = self.io.iter().map(target).collect();
        let io = (!targets.is_empty()).then(|| IoSettings::usual(targets));
        let others = match self.thorough {
            true => Some(OTHERS.to_vec()),
            false => Some(self.only.clone()).filter(|only| !only.is_empty()),
        };
        let settings = SurveySettings { probe, threshold, others, io };
        // From here on, Ctrl-C ends the measurement cleanly.
        let mut bar = Bar::new()?;
        let measurement = Measurement::survey(scope, settings)?;
        let save_target = self.save_target(&measurement)?;
        if self.thorough && self.measuring.budget().is_none() && io::stderr().is_terminal() {
            let about = format_duration(measurement.expected());
            output::status(&format!(
                "all instruments take about {about} on a quiet machine; --budget 5m limits that"
            ));
        }
        let survey = measurement.run(&worker, &mut bar)?;
        self.measuring.document.finish(save_target, survey, DocumentView::Survey)
    }

    /// Opened before anything is measured, so that an unwritable folder fails at once. If the
    /// default folder cannot be written, the survey is only printed.
    fn save_target(&self, measurement: &Measurement) -> anyhow::Result<SaveTarget> {
        if let Some(save_target) = self.measuring.document.save_target()? {
            return Ok(save_target);
        }
        if self.no_save {
            return Ok(SaveTarget::Nowhere);
        }
        let in_store = Store::from_user().and_then(|store| store.destination(&measurement.name()));
        Ok(match in_store {
            Ok(destination) => SaveTarget::File(Box::new(destination)),
            Err(error) => {
                output::aside(&format!("the survey will be printed, but not saved: {error}"));
                SaveTarget::Unavailable(error)
            }
        })
    }
}

fn others() -> Vec<&'static str> {
    OTHERS.iter().map(|part| part.name()).collect()
}

/// An instrument of `--only`.
fn other(name: &str) -> Result<Instrument, String> {
    let all = || [Instrument::Latency].into_iter().chain(OTHERS);
    all().find(|one| one.name() == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(Instrument::name).collect();
        format!("there is no instrument '{name}' in a survey: choose of {}", names.join(", "))
    })
}
