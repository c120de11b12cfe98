//! Two sweeps of the same command: two machines, two kernels, two settings of firmware.

mod differs;
mod findings;
mod judge;
mod matching;

use nearfar_infer::changes::RatioChange;
use nearfar_infer::trials::compare_unpaired;
use serde::Serialize;

use crate::document::{ConfigurationResult, Sweep, SweepMachine};
use crate::objective::Objective;
pub use differs::SettingDifference;
pub use findings::{ChangedConfigurations, SweepChange};
pub use judge::{BoundCheck, CheckedChange, CheckedConfiguration, WrongObjective};
use matching::{MatchedConfiguration, matched};

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
