//! Two sweeps of the same command: two machines, two kernels, two settings of firmware.

use std::collections::BTreeMap;

use nearfar_infer::changes::{Beyond, Bound};
use nearfar_infer::trials::{Apart, apart};
use serde::Serialize;

use crate::document::{Measured, Sweep, Where};
use crate::objective::Objective;

/// The schema's name.
pub const COMPARE_SCHEMA: &str = "nearfar.compare-sweeps/1";

/// What two sweeps say of each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Of this document: [`COMPARE_SCHEMA`].
    pub schema: &'static str,
    /// Where the first was made, and the second.
    pub machines: [Where; 2],
    /// What both are judged by.
    pub objective: Objective,
    /// Configurations that both have.
    pub configurations: Vec<Both>,
    /// Those that only one has: of the first, of the second.
    pub only_in: [Vec<String>; 2],
    /// Where the better one changes as jobs grow.
    pub crossings: Vec<Crossing>,
    /// The same in words.
    pub words: Vec<String>,
}

/// A configuration in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Both {
    /// Its id.
    pub id: String,
    /// Its placement and variables: what a curve over jobs is of.
    pub curve: String,
    /// How many jobs.
    pub jobs: usize,
    /// The medians.
    pub medians: [Option<f64>; 2],
    /// The second over the first, in the objective's unit; none where one has too few runs.
    pub apart: Option<Apart>,
}

/// Two curves that cross.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crossing {
    /// Of which placement and variables.
    pub of: String,
    /// Between these numbers of jobs: differences on both sides are real, and of opposite signs.
    pub between_jobs: [usize; 2],
    /// Which sweep is better with fewer jobs: 1 or 2.
    pub better_with_fewer: u8,
}

/// A condition names another figure than the one that both are judged by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these sweeps are judged by {0}, and not by '{1}'")]
pub struct OtherFigure(String, String);

impl Comparison {
    /// The configurations that are beyond a bound, and those that may be; of the figure of this name.
    pub fn judge(&self, figure: &str, bound: Bound) -> Result<(Vec<String>, Vec<String>), OtherFigure> {
        if figure != self.objective.name {
            return Err(OtherFigure(self.objective.name.clone(), figure.to_owned()));
        }
        let (mut beyond, mut open) = (Vec::new(), Vec::new());
        for one in &self.configurations {
            let Some(apart) = one.apart else {
                open.push(format!("{} (too few runs)", one.id));
                continue;
            };
            let percent = |ratio: f64| format!("{:+.1} %", 100.0 * ratio);
            let [low, high] = apart.ci95.map(percent);
            match bound.judge(apart.ratio, apart.ci95, apart.real) {
                Beyond::Yes => beyond.push(format!("{} ({})", one.id, percent(apart.ratio))),
                Beyond::Undetermined => open.push(format!("{} ({low} to {high})", one.id)),
                Beyond::No => {}
            }
        }
        open.extend(self.only_in[0].iter().map(|id| format!("{id} (only in the first)")));
        Ok((beyond, open))
    }
}

/// Why two sweeps cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotCompare {
    /// They are judged by different figures.
    #[error("one is judged by {0} and the other by {1}: compare sweeps of one metric")]
    Objectives(String, String),
    /// They have nothing in common.
    #[error("they have no configuration in common: {0} and {1}")]
    Nothing(String, String),
}

/// The second against the first.
pub fn compare(first: &Sweep, second: &Sweep) -> Result<Comparison, CannotCompare> {
    if first.objective != second.objective {
        let name = |sweep: &Sweep| sweep.objective.name.clone();
        return Err(CannotCompare::Objectives(name(first), name(second)));
    }
    let objective = &first.objective;
    let known: BTreeMap<&str, &Measured> = second.configurations.iter().map(|one| (id(one), one)).collect();
    let both: Vec<(&Measured, &Measured)> =
        first.configurations.iter().filter_map(|one| Some((one, *known.get(id(one))?))).collect();
    if both.is_empty() {
        return Err(CannotCompare::Nothing(ids(first).join(", "), ids(second).join(", ")));
    }
    let costs = |one: &Measured| -> Vec<f64> {
        let figures = one.configuration.runs.iter().filter_map(|run| objective.figure(run));
        figures.map(|figure| objective.turned(figure)).collect()
    };
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = both.iter().map(|(a, b)| (costs(a), costs(b))).collect();
    let apart = apart(&pairs)
        .into_iter()
        .map(|one| one.map(|one| Apart { ratio: objective.ratio(one.ratio), ci95: objective.ratios(one.ci95), ..one }));
    let configurations: Vec<Both> = both
        .iter()
        .zip(apart)
        .map(|((a, b), apart)| Both {
            id: id(a).to_owned(),
            curve: a.configuration.curve(),
            jobs: a.configuration.jobs,
            medians: [a.median, b.median],
            apart,
        })
        .collect();
    let missing = |of: &Sweep, from: &Sweep| {
        let known = ids(from);
        ids(of).into_iter().filter(|one| !known.contains(one)).collect::<Vec<_>>()
    };
    let crossings = crossings(&configurations, objective);
    Ok(Comparison {
        schema: COMPARE_SCHEMA,
        machines: [first.machine.clone(), second.machine.clone()],
        objective: objective.clone(),
        words: words(&configurations, &crossings, objective),
        only_in: [missing(first, second), missing(second, first)],
        crossings,
        configurations,
    })
}

fn id(one: &Measured) -> &str {
    &one.configuration.id
}

fn ids(sweep: &Sweep) -> Vec<String> {
    sweep.configurations.iter().map(|one| id(one).to_owned()).collect()
}

/// Neighbouring real differences of opposite signs.
fn crossings(all: &[Both], objective: &Objective) -> Vec<Crossing> {
    let mut curves: Vec<&str> = all.iter().map(|one| one.curve.as_str()).collect();
    curves.dedup();
    let mut found = Vec::new();
    for curve in curves {
        let mut real: Vec<(usize, f64)> = all
            .iter()
            .filter(|one| one.curve == curve)
            .filter_map(|one| Some((one.jobs, one.apart.filter(|apart| apart.real)?.ratio)))
            .collect();
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
    found.dedup();
    found
}

fn words(all: &[Both], crossings: &[Crossing], objective: &Objective) -> Vec<String> {
    let real: Vec<&Both> = all.iter().filter(|one| one.apart.is_some_and(|apart| apart.real)).collect();
    let mut said = Vec::new();
    let told = all.iter().filter(|one| one.apart.is_some()).count();
    if told == 0 {
        said.push("No configuration has three runs in both: nothing can be told.".to_owned());
    } else if real.is_empty() {
        let largest = all
            .iter()
            .filter_map(|one| one.apart)
            .map(|apart| apart.ci95[0].abs().max(apart.ci95[1].abs()))
            .fold(0.0, f64::max);
        said.push(format!(
            "No difference: none of {told} is beyond chance, and none can be larger than {:.1} %.",
            100.0 * largest
        ));
    }
    let ratio = |one: &Both| one.apart.map_or(0.0, |apart| apart.ratio);
    let is_better = |one: &Both| (ratio(one) > 0.0) == objective.higher_is_better;
    for (better, word) in [(true, objective.better()), (false, objective.worse())] {
        let some: Vec<&&Both> = real.iter().filter(|one| is_better(one) == better).collect();
        let Some(most) = some.iter().max_by(|a, b| ratio(a).abs().total_cmp(&ratio(b).abs())) else { continue };
        said.push(format!(
            "The second is {word} in {} of {told}, most of all {} ({:+.1} %).",
            some.len(),
            most.id,
            100.0 * ratio(most)
        ));
    }
    for crossing in crossings {
        let [fewer, more] = crossing.between_jobs;
        let (with_fewer, with_more) =
            if crossing.better_with_fewer == 1 { ("first", "second") } else { ("second", "first") };
        said.push(format!(
            "{}: the {with_fewer} is better up to {fewer} jobs, the {with_more} from {more} on.",
            crossing.of
        ));
    }
    said
}
