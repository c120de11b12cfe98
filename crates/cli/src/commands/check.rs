//! `nearfar check`: is this machine as it was, or as it should be?

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nearfar_machine::{Environment, Source, Topology};
use nearfar_probe::{LayoutRequest, ProbeSpec, RowKind};
use nearfar_report::health::{HealthReport, HealthStyle, refusal};
use nearfar_survey::health::{check, other_machine, target_error, usual_between};
use nearfar_survey::measure::{LatencySettings, MeasureError, Measurement, Scope};
use nearfar_survey::{MachineSummary, Mode, Options, Store, Survey};
use nearfar_view::terminal::{error_line, output};

use super::budget::Budget;
use super::measuring::worker;
use super::threshold::Threshold;
use crate::exit::Reported;
use crate::input;
use crate::progress::Bar;

/// Check in seconds whether memory is as slow as in a reference.
///
/// The reference is a document, else the newest saved survey of this machine, else published
/// figures of its CPU model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar check                        against the newest saved survey
  nearfar check --reference good.json  against a healthy machine of this kind
  nearfar check --as nagios            a plugin's line and exit status
  nearfar check --as nhc               for Node Health Check
  nearfar check --json | jq .status

A cell is worse if its change is significant and its 95 % interval is beyond 3 % (--fail-if). The \
check is ok if the interval of every cell excludes 3 %, else undetermined. A reference of another \
machine is refused.

Exit status: 0 ok; 1 undetermined or failed; 2 wrong usage; 3 worse. With --as nagios: 0 OK, \
1 WARNING, 2 CRITICAL (20 % worse or more), 3 UNKNOWN (undetermined or failed).")]
pub(crate) struct CheckCommand {
    /// Survey of this machine, or of one that should be alike [default: the newest saved survey of
    /// this machine, else published figures]
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Program that reads the line [default: none]
    #[arg(long = "as", value_name = "PROGRAM", conflicts_with = "json")]
    style: Option<Style>,
    /// Slowdown that is a fault: 3% or 0.03
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    fail_if: Threshold,
    /// Time limit (5s, 1m). The check ends earlier if it is precise enough for --fail-if
    #[arg(long, value_name = "TIME", default_value = "10s")]
    budget: Budget,
    /// Variation between latencies of an unchanged machine (standard deviation): 1% or 0.01. It
    /// widens the intervals [default: 0.4%, on virtual machines 0.8%]
    #[arg(long, value_name = "SHARE")]
    between: Option<Threshold>,
    /// Seed of all random choices [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print JSON (nearfar.check/1)
    #[arg(long)]
    json: bool,
}

/// A program that runs checks.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    /// Node Health Check
    Nhc,
    /// Nagios, Icinga
    Nagios,
    /// A unit of systemd: the journal's levels
    Systemd,
}

/// What a machine is checked against.
enum Reference {
    Document(String, Box<Survey>),
    Atlas,
}

impl CheckCommand {
    /// Measures, and prints a line.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let style = match self.style {
            None => HealthStyle::Plain,
            Some(Style::Nhc) => HealthStyle::Nhc,
            Some(Style::Nagios) => HealthStyle::Nagios,
            Some(Style::Systemd) => HealthStyle::Systemd,
        };
        // From here on, Ctrl-C ends the measurement cleanly.
        let mut bar = Bar::new()?;
        let report = self.report(&mut bar);
        if bar.is_interrupted() {
            return Err(MeasureError::Interrupted.into());
        }
        let report = report.unwrap_or_else(|error| {
            HealthReport::failed(self.against(), error_line(error.as_ref()))
        });
        if self.json {
            output::json(&report)?;
        } else if let Some(line) = report.line(style) {
            output::text(&line)?;
        }
        match report.exit_status(style) {
            0 => Ok(()),
            status => Err(Reported(status).into()),
        }
    }

    fn against(&self) -> String {
        self.reference.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string())
    }

    fn report(&self, bar: &mut Bar) -> anyhow::Result<HealthReport> {
        let source = Source::live();
        let topology = Topology::read(&source)?;
        let here = MachineSummary::new(&topology, &Environment::read(&source));
        match self.reference(&topology)? {
            Reference::Atlas => {
                let now = self.measure(bar, &Options::default())?;
                let beside = nearfar_report::atlas::beside(&now);
                Ok(HealthReport::from_atlas(beside).of_verdict(&now.verdict))
            }
            Reference::Document(name, reference) => {
                let differences = other_machine(&reference.machine, &here);
                if !differences.is_empty() {
                    return Ok(HealthReport::failed(name, refusal(&differences)));
                }
                let now = self.measure(bar, &reference.provenance.options)?;
                let between =
                    self.between.map_or_else(|| usual_between(&reference, &now), Threshold::share);
                let found = check(&reference, &now, self.fail_if.share(), between)?;
                Ok(HealthReport::from_check(name, found).of_verdict(&now.verdict))
            }
        }
    }

    fn reference(&self, topology: &Topology) -> anyhow::Result<Reference> {
        if let Some(path) = &self.reference {
            let survey = input::read(path, nearfar_survey::read)?;
            return Ok(Reference::Document(path.display().to_string(), survey.into()));
        }
        Ok(match Store::newest_of(topology, |survey| !survey.latency.cells.is_empty()) {
            Some((path, survey)) => Reference::Document(path.display().to_string(), survey.into()),
            None => Reference::Atlas,
        })
    }

    /// Latency with the reference's rows, CPUs and nodes.
    fn measure(&self, bar: &mut Bar, options: &Options) -> anyhow::Result<Survey> {
        let rows = [RowKind::Core, RowKind::Group, RowKind::Node]
            .into_iter()
            .find(|kind| kind.name() == options.rows)
            .unwrap_or_default();
        let (cpus, nodes) = (options.cpus.clone(), options.nodes.clone());
        let scope = Scope {
            mode: Mode::Quick,
            wanted: LayoutRequest { rows, cpus, nodes },
            budget: Some(Duration::from(self.budget)),
            seed: self.seed,
        };
        let target_error = Some(target_error(self.fail_if.share()));
        let settings = LatencySettings { probe: ProbeSpec::page(), target_error };
        Ok(Measurement::new(scope, settings)?.run(&worker, bar)?)
    }
}
