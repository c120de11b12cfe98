//! `nearfar compare A B`: the differences between two surveys or two sweeps.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;
use nearfar_report::survey_comparison;
use nearfar_survey::compare::{
    ConditionFinding, ConditionResults, FailIf, NoSuchPart, usual_between,
};
use nearfar_survey::document_kind::DocumentKind;
use nearfar_sweep::compare as sweep;
use nearfar_sweep::text::comparison as sweep_comparison;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};

use super::threshold::Threshold;
use crate::exit::ConditionHolds;
use crate::{document_file, input};

/// Compare two saved surveys, or two saved sweeps.
///
/// For example of two machines, two kernels, or two firmware settings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar compare                                 the two newest saved surveys
  nearfar compare 2 5                             numbers of 'nearfar show'
  nearfar compare before.json after.json          significant differences
  nearfar compare before.json after.json --csv    all cells
  nearfar compare good.json new.json --fail-if 'latency>5%'
  nearfar compare old.json new.json --fail-if 'wall_s>2%' --strict

Changes are relative to the first file. Differences are tested at a family-wise error rate of 5 %, \
for surveys in each part.

A --fail-if condition names a part of a survey (latency, bandwidth, loaded, core-to-core, \
caches, interleave), one kernel of it (bandwidth.read<-5%), or the metric of a sweep (wall_s). \
It holds if a significant change is beyond the bound.

Exit status: 0 compared, and no condition holds; 1 failed, or a value that a condition needs \
is missing; 2 wrong usage; 3 a condition holds, or every run of a configuration fails only in \
the second sweep.")]
pub(crate) struct Compare {
    /// The baseline: a file, or a number of 'nearfar show' [default: the second newest saved]
    first: Option<PathBuf>,
    /// The other [default: the newest saved]
    second: Option<PathBuf>,
    /// Exit with status 3 if this holds: PART>PERCENT or PART<-PERCENT, e.g. 'latency>5%'; may be
    /// repeated [default: none]
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<FailIf>,
    /// Exit with status 3 also if noise leaves a condition undetermined
    #[arg(long, requires = "fail_if")]
    strict: bool,
    /// Variation between surveys of an unchanged machine (standard deviation): 2% or 0.02. It
    /// widens the intervals [default: 1%, on virtual machines 2%]
    #[arg(long, value_name = "SHARE")]
    between: Option<Threshold>,
    /// Print JSON (nearfar.compare-surveys/2, compare-sweeps/2).
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all cells of surveys as CSV.
    #[arg(long)]
    csv: bool,
}

impl Compare {
    /// Reads, compares and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let files = document_file::two(self.first.as_deref(), self.second.as_deref())?;
        let (first, second) = (&files.0, &files.1);
        let outcome = match (DocumentKind::from_path(first)?, DocumentKind::from_path(second)?) {
            (DocumentKind::Sweep, DocumentKind::Sweep) => self.sweeps(first, second)?,
            (DocumentKind::Survey, DocumentKind::Survey) => self.surveys(first, second)?,
            (one, other) => {
                let why = format!(
                    "{} is a {} and {} a {}: compare two of the same kind",
                    first.display(),
                    one.name(),
                    second.display(),
                    other.name()
                );
                return Err(WrongUsage(why).into());
            }
        };
        end(&outcome, self.strict)
    }

    fn sweeps(&self, first: &Path, second: &Path) -> anyhow::Result<ConditionResults> {
        if self.csv || self.between.is_some() {
            return Err(WrongUsage(
                "--csv and --between are for surveys, and these are sweeps".to_owned(),
            )
            .into());
        }
        let (first, second) =
            (input::read(first, nearfar_sweep::read)?, input::read(second, nearfar_sweep::read)?);
        let comparison = nearfar_sweep::compare::compare(&first, &second)
            .map_err(|error| WrongUsage(error.to_string()))?;
        let mut outcome = ConditionResults::default();
        for condition in &self.fail_if {
            let judged = comparison.judge(condition.figure(), condition.bound());
            let judged = judged.map_err(|error| WrongUsage(error.to_string()))?;
            let phrases = |all: &[sweep::CheckedConfiguration]| {
                all.iter().map(sweep_comparison::phrase).collect::<Vec<_>>()
            };
            outcome.add(condition, &phrases(&judged.beyond), &phrases(&judged.open));
            outcome.add_missing(condition, &phrases(&judged.absent));
        }
        if self.json {
            output::json(&comparison)?;
        } else {
            screen::print(&sweep_comparison::text(&comparison))?;
        }
        Ok(outcome)
    }

    fn surveys(&self, first: &Path, second: &Path) -> anyhow::Result<ConditionResults> {
        let names = [first, second].map(Path::to_string_lossy);
        let (first, second) =
            (input::read(first, nearfar_survey::read)?, input::read(second, nearfar_survey::read)?);
        let between =
            self.between.map_or_else(|| usual_between(&[&first, &second]), Threshold::share);
        let comparison = nearfar_survey::compare::compare(&first, &second, between)?;
        let mut outcome = ConditionResults::default();
        for condition in &self.fail_if {
            let judged = comparison.judge(&condition.for_survey()).map_err(refusal)?;
            let phrases = |all: &[ConditionFinding]| {
                all.iter().map(survey_comparison::judgement).collect::<Vec<_>>()
            };
            outcome.add(condition, &phrases(&judged.beyond), &phrases(&judged.open));
            outcome.add_missing(condition, &phrases(&judged.absent));
        }
        match (self.json, self.csv) {
            (true, _) => output::json(&comparison)?,
            (_, true) => output::data(&survey_comparison::csv(&comparison))?,
            _ => {
                let names = [names[0].as_ref(), names[1].as_ref()];
                screen::print(&survey_comparison::text(&comparison, names))?;
            }
        }
        Ok(outcome)
    }
}

/// Prints undetermined conditions on stderr, and fails if a condition holds.
fn end(results: &ConditionResults, strict: bool) -> anyhow::Result<()> {
    results.open.iter().for_each(|line| output::aside(&format!("nearfar: {line}")));
    if !results.holds.is_empty() {
        return Err(ConditionHolds(results.holds.join("; ")).into());
    }
    // A condition that cannot be judged has not passed.
    if !results.absent.is_empty() {
        bail!("{}", results.absent.join("; "));
    }
    if strict && !results.open.is_empty() {
        return Err(ConditionHolds("a condition is undetermined (--strict)".to_owned()).into());
    }
    Ok(())
}

/// The error of a condition that cannot be judged; an unknown part is wrong usage.
fn refusal(error: NoSuchPart) -> anyhow::Error {
    match &error {
        NoSuchPart::Unknown(_) => WrongUsage(error.to_string()).into(),
        NoSuchPart::NotCompared(_, why) => anyhow!("{error}: {}", survey_comparison::for_part(why)),
        NoSuchPart::InNeither(_) | NoSuchPart::NoCell(..) => error.into(),
    }
}
