//! `nearfar survey`: the main job.

use std::io::{self, IsTerminal};

use clap::{ArgGroup, Args};
use nearfar_measure::{Measurement, SurveySettings};
use nearfar_model::format_duration;
use nearfar_survey::Store;
use nearfar_terminal::output;

use super::document_options::{Place, Shown};
use super::effort;
use super::measuring::{MeasuringOptions, worker};
use super::probe_options::ProbeOptions;
use super::selection::Selection;
use super::threshold::Threshold;
use crate::progress::Bar;

/// Measure memory latency of every node: is this machine NUMA?
///
/// From every CPU group to every node, with a verdict: yes, no or undetermined.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar survey                         to 0.5 % standard error: seconds to a minute
  nearfar survey --quick                 to 1 %, in seconds
  nearfar survey --thorough --budget 5m  all instruments in five minutes; time goes where figures are least certain
  nearfar survey --rows core --nodes 0   every core's cost to node 0
  nearfar survey --threshold 10%         what counts as NUMA
  nearfar survey -o before.json          keep it there; 'nearfar show before.json' shows it again
  nearfar survey --json | jq '.verdict'

Kept in $XDG_DATA_HOME/nearfar (~/.local/share/nearfar) unless -o names a file.
Ctrl-C prints and keeps the instruments that are done.")]
pub(crate) struct Survey {
    /// Less precise and faster: 1 % standard error, at most 25 rounds.
    #[arg(long)]
    quick: bool,
    /// All instruments, in minutes: latency to 0.25 % standard error (at most 240 rounds), then
    /// bandwidth, latency under load, core to core, caches and interleaving as each measures by
    /// itself.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    probe: ProbeOptions,
    #[command(flatten)]
    selection: Selection,
    /// The effect that matters, as a fraction or in percent: from there on memory is NUMA.
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    threshold: Threshold,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl Survey {
    /// Measures, prints, keeps.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let probe = self.probe.spec()?;
        self.selection.check_for(probe.kind)?;
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let threshold = self.threshold.share();
        let settings = SurveySettings { probe, threshold, all_instruments: self.thorough };
        // From here on Ctrl-C ends it in order.
        let mut bar = Bar::new()?;
        let measurement = Measurement::survey(scope, settings)?;
        let place = self.place(&measurement)?;
        if self.thorough && self.measuring.budget().is_none() && io::stderr().is_terminal() {
            let about = format_duration(measurement.expected());
            output::aside(&format!(
                "all instruments take about {about} on a quiet machine; --budget 5m limits that"
            ));
        }
        let survey = measurement.run(worker, &mut bar)?;
        self.measuring.document.finish(place, survey, Shown::Survey)
    }

    /// Opened before anything is measured: an unwritable folder that was named shows at once. A
    /// survey whose usual place cannot be had is printed.
    fn place(&self, measurement: &Measurement) -> anyhow::Result<Place> {
        if let Some(place) = self.measuring.document.place()? {
            return Ok(place);
        }
        let in_store = Store::of_user().and_then(|store| store.destination(&measurement.name()));
        Ok(match in_store {
            Ok(destination) => Place::File(Box::new(destination)),
            Err(error) => {
                output::aside(&format!("the survey is going to be printed only: {error}"));
                Place::Unavailable(error)
            }
        })
    }
}
