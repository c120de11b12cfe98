//! Two sweeps of the same command: two machines, two kernels, two settings of firmware.

mod differs;
mod findings;

use nearfar_infer::changes::{ChangeLimit, LimitExceeded, RatioChange};
use nearfar_infer::trials::compare_unpaired;
use serde::Serialize;

use crate::document::{ConfigurationResult, Sweep, SweepMachine};
use crate::objective::Objective;

pub use differs::SettingDifference;
pub use findings::{ChangedConfigurations, SweepChange};

/// The schema's name.
pub const COMPARE_SCHEMA: &str = "nearfar.compare-sweeps/2";

/// Two sweeps compared.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SweepComparison {
    /// Of this document: [`COMPARE_SCHEMA`].
    pub schema: &'static str,
    /// What each ran, before anything is filled in.
    pub commands: [Vec<String>; 2],
    /// Where the first was made, and the second.
    pub machines: [SweepMachine; 2],
    /// Differences of command, machine, settings and enforcement.
    pub differs: Vec<SettingDifference>,
    /// What both are judged by.
    pub objective: Objective,
    /// Configurations that both have.
    pub configurations: Vec<ComparedConfiguration>,
    /// Those that only one has: of the first, of the second.
    pub only_in: [Vec<String>; 2],
    /// Where the better one changes as jobs grow.
    pub crossings: Vec<Crossing>,
    /// What deserves a sentence, the most important first.
    pub findings: Vec<SweepChange>,
}

/// A configuration in both.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ComparedConfiguration {
    /// Its id; with its number of jobs, where the two were made with different ones.
    pub id: String,
    /// Its placement and variables: what a curve over jobs is of.
    pub curve: String,
    /// How many jobs.
    pub jobs: usize,
    /// The medians.
    pub medians: [Option<f64>; 2],
    /// How many runs failed.
    pub failed: [usize; 2],
    /// The second over the first, in the objective's unit; none where one has too few runs.
    pub apart: Option<RatioChange>,
}

/// Two curves that cross.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Crossing {
    /// The placement and variables.
    pub of: String,
    /// Between these numbers of jobs: differences on both sides are real, and of opposite signs.
    pub between_jobs: [usize; 2],
    /// Which sweep is better with fewer jobs: 1 or 2.
    pub better_with_fewer: u8,
}

/// Why two sweeps cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotCompare {
    /// They are judged by different figures.
    #[error("one is judged by {0} and the other by {1}: compare sweeps of one figure")]
    Objectives(String, String),
    /// They have nothing in common.
    #[error("they have no configuration in common: {0} and {1}")]
    Nothing(String, String),
}

/// The second against the first.
pub fn compare(first: &Sweep, second: &Sweep) -> Result<SweepComparison, CannotCompare> {
    if first.objective != second.objective {
        return Err(CannotCompare::Objectives(first.objective.words(), second.objective.words()));
    }
    let (pairs, only_in) = matched(first, second);
    if pairs.is_empty() {
        let [first, second] = only_in.map(|names| names.join(", "));
        return Err(CannotCompare::Nothing(first, second));
    }
    let objective = &first.objective;
    let configurations = both(&pairs, objective);
    let crossings = crossings(&configurations, objective);
    let other_command = (first.command != second.command).then_some(SweepChange::OtherCommand);
    let findings = findings::of(&configurations, &crossings, objective);
    Ok(SweepComparison {
        schema: COMPARE_SCHEMA,
        commands: [first.command.clone(), second.command.clone()],
        machines: [first.machine.clone(), second.machine.clone()],
        differs: differs::differs(first, second, &pairs),
        objective: objective.clone(),
        findings: other_command.into_iter().chain(findings).collect(),
        only_in,
        crossings,
        configurations,
    })
}

fn both(pairs: &[MatchedConfiguration<'_>], objective: &Objective) -> Vec<ComparedConfiguration> {
    let costs = |one: &ConfigurationResult| -> Vec<f64> {
        let figures = one.configuration.runs.iter().filter_map(|run| objective.figure(run));
        figures.map(|figure| objective.turned(figure)).collect()
    };
    let runs: Vec<(Vec<f64>, Vec<f64>)> =
        pairs.iter().map(|pair| (costs(pair.first), costs(pair.second))).collect();
    let turned = |one: RatioChange| RatioChange {
        ratio: objective.ratio(one.ratio),
        ci95: objective.ratios(one.ci95),
        ..one
    };
    let both =
        |(pair, apart): (&MatchedConfiguration<'_>, Option<RatioChange>)| ComparedConfiguration {
            id: pair.name.clone(),
            curve: pair.first.configuration.curve(),
            jobs: pair.first.configuration.jobs,
            medians: [pair.first.median, pair.second.median],
            failed: [pair.first.failed, pair.second.failed],
            apart: apart.map(turned),
        };
    pairs.iter().zip(compare_unpaired(&runs)).map(both).collect()
}

/// Neighbouring real differences of opposite signs.
fn crossings(all: &[ComparedConfiguration], objective: &Objective) -> Vec<Crossing> {
    let mut curves: Vec<&str> = Vec::new();
    for one in all.iter().filter(|one| one.apart.is_some()) {
        if !curves.contains(&one.curve.as_str()) {
            curves.push(&one.curve);
        }
    }
    let mut found = Vec::new();
    for curve in curves {
        let real = |one: &ComparedConfiguration| {
            Some((one.jobs, one.apart.filter(|apart| apart.real)?.ratio))
        };
        let mut real: Vec<(usize, f64)> =
            all.iter().filter(|one| one.curve == curve).filter_map(real).collect();
        real.sort_by_key(|(jobs, _)| *jobs);
        for pair in real.windows(2).filter(|pair| pair[0].1.signum() != pair[1].1.signum()) {
            let second_is_better = (pair[0].1 < 0.0) != objective.higher_is_better;
            found.push(Crossing {
                of: curve.to_owned(),
                between_jobs: [pair[0].0, pair[1].0],
                better_with_fewer: if second_is_better { 2 } else { 1 },
            });
        }
    }
    found
}

/// A configuration of both, under a unique name.
struct MatchedConfiguration<'s> {
    name: String,
    first: &'s ConfigurationResult,
    second: &'s ConfigurationResult,
}

/// Those that both have, in the first's order, and the names of those that only one has.
fn matched<'s>(
    first: &'s Sweep,
    second: &'s Sweep,
) -> (Vec<MatchedConfiguration<'s>>, [Vec<String>; 2]) {
    let names = MatchBy::new(first, second);
    let twin = |one: &ConfigurationResult, of: &'s Sweep| {
        of.configurations.iter().find(|other| names.is_same(one, other))
    };
    let pair = |one: &'s ConfigurationResult| {
        Some(MatchedConfiguration { name: names.name(one), first: one, second: twin(one, second)? })
    };
    let alone = |all: &Sweep, others: &'s Sweep| {
        let alone =
            all.configurations.iter().filter(|configuration| twin(configuration, others).is_none());
        alone.map(|alone| names.name(alone)).collect::<Vec<_>>()
    };
    let both = first.configurations.iter().filter_map(pair).collect();
    (both, [alone(first, second), alone(second, first)])
}

/// Ids leave out a number of jobs that all configurations share: the other sweep may have been made
/// with another one.
#[derive(Clone, Copy)]
enum MatchBy {
    /// Both have the default number of jobs: as many as there are CPUs is the same on both
    /// machines.
    Ids,
    /// Both named the same numbers.
    IdsAndJobs,
    /// They named different numbers.
    WithJobs,
}

impl MatchBy {
    fn new(first: &Sweep, second: &Sweep) -> Self {
        match (
            first.axes.jobs.is_empty() && second.axes.jobs.is_empty(),
            first.axes.jobs == second.axes.jobs,
        ) {
            (true, _) => Self::Ids,
            (false, true) => Self::IdsAndJobs,
            (false, false) => Self::WithJobs,
        }
    }

    fn is_same(self, one: &ConfigurationResult, other: &ConfigurationResult) -> bool {
        let (one, other) = (&one.configuration, &other.configuration);
        match self {
            Self::Ids => one.id == other.id,
            Self::IdsAndJobs | Self::WithJobs => {
                one.jobs == other.jobs && one.curve() == other.curve()
            }
        }
    }

    fn name(self, one: &ConfigurationResult) -> String {
        let one = &one.configuration;
        match self {
            Self::Ids | Self::IdsAndJobs => one.id.clone(),
            Self::WithJobs => one.name(Some(one.jobs)),
        }
    }
}

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundCheck {
    /// What is beyond: it holds.
    pub beyond: Vec<CheckedConfiguration>,
    /// What may be beyond: the interval does not decide.
    pub open: Vec<CheckedConfiguration>,
    /// What cannot be judged at all: one of the two has no figure of it.
    pub absent: Vec<CheckedConfiguration>,
}

/// How far a configuration reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedConfiguration {
    /// Which.
    pub id: String,
    /// How far.
    pub reach: CheckedChange,
}

/// How far the second is from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CheckedChange {
    /// So far: the second over the first, minus 1.
    Ratio(f64),
    /// Somewhere in the 95 % interval of that.
    Interval([f64; 2]),
    /// There are too few runs to decide.
    TooFewRuns,
    /// Only the first has the configuration.
    OnlyInFirst,
    /// Every run of the second failed.
    SecondFails,
    /// The second has no run of it.
    SecondNeverRan,
    /// The first has no run that succeeded.
    FirstFails,
    /// Neither has a run that succeeded.
    BothFail,
}

/// A condition names another figure than the one that both are judged by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these sweeps are judged by {0}, and not by '{1}'")]
pub struct WrongObjective(String, String);

impl SweepComparison {
    /// Whether the figure of this name is beyond a bound in any configuration. A configuration that
    /// fails always since the second is.
    pub fn judge(&self, figure: &str, bound: ChangeLimit) -> Result<BoundCheck, WrongObjective> {
        if figure != self.objective.name {
            return Err(WrongObjective(self.objective.name.clone(), figure.to_owned()));
        }
        let mut judged = BoundCheck::default();
        self.configurations.iter().for_each(|configuration| judged.check(configuration, bound));
        let alone = |id: &String| CheckedConfiguration {
            id: id.clone(),
            reach: CheckedChange::OnlyInFirst,
        };
        judged.absent.extend(self.only_in[0].iter().map(alone));
        if !judged.beyond.is_empty()
            || self.configurations.iter().any(|configuration| configuration.apart.is_some())
        {
            return Ok(judged);
        }
        // Nothing at all was judged: that is no success.
        judged.absent.append(&mut judged.open);
        Ok(judged)
    }
}

impl BoundCheck {
    fn check(&mut self, one: &ComparedConfiguration, bound: ChangeLimit) {
        let (list, reach) = match one.medians {
            [Some(_), Some(_)] => return self.check_figures(one, bound),
            [Some(_), None] if one.failed[1] > 0 => (&mut self.beyond, CheckedChange::SecondFails),
            [Some(_), None] => (&mut self.absent, CheckedChange::SecondNeverRan),
            [None, Some(_)] => (&mut self.absent, CheckedChange::FirstFails),
            [None, None] => (&mut self.open, CheckedChange::BothFail),
        };
        list.push(CheckedConfiguration { id: one.id.clone(), reach });
    }

    fn check_figures(&mut self, one: &ComparedConfiguration, bound: ChangeLimit) {
        let beyond = one.apart.map(|apart| (bound.judge(&apart), apart));
        let (list, reach) = match beyond {
            None => (&mut self.open, CheckedChange::TooFewRuns),
            Some((LimitExceeded::Yes, apart)) => {
                (&mut self.beyond, CheckedChange::Ratio(apart.ratio))
            }
            Some((LimitExceeded::Undetermined, apart)) => {
                (&mut self.open, CheckedChange::Interval(apart.ci95))
            }
            Some((LimitExceeded::No, _)) => return,
        };
        list.push(CheckedConfiguration { id: one.id.clone(), reach });
    }
}
