//! What deserves a sentence of two sweeps.

use serde::Serialize;

use super::{ComparedConfiguration, Crossing};
use crate::objective::Objective;

/// What the second sweep is to the first.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SweepChange {
    /// They ran different commands.
    OtherCommand,
    /// No configuration has three runs in both.
    TooFewRuns,
    /// Nothing is beyond chance.
    NoDifference {
        /// Configurations that were compared.
        compared: usize,
        /// How far intervals reach, as a fraction.
        reach: f64,
    },
    /// The second is better in some.
    Better(ChangedConfigurations),
    /// The second is worse in some.
    Worse(ChangedConfigurations),
    /// The better one changes as jobs grow.
    Crossing(Crossing),
}

/// Configurations with a real difference of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ChangedConfigurations {
    /// How many.
    pub count: usize,
    /// Configurations that were compared.
    pub compared: usize,
    /// Which differs most.
    pub most: String,
    /// The second's figure over the first's there, minus 1.
    pub ratio: f64,
}

pub(super) fn of(
    all: &[ComparedConfiguration],
    crossings: &[Crossing],
    objective: &Objective,
) -> Vec<SweepChange> {
    let mut found: Vec<SweepChange> = none_real(all).into_iter().collect();
    found.extend(changed(all, objective, true).map(SweepChange::Better));
    found.extend(changed(all, objective, false).map(SweepChange::Worse));
    found.extend(crossings.iter().cloned().map(SweepChange::Crossing));
    found
}

fn none_real(all: &[ComparedConfiguration]) -> Option<SweepChange> {
    let known: Vec<_> = all.iter().filter_map(|one| one.apart).collect();
    if known.is_empty() {
        return Some(SweepChange::TooFewRuns);
    }
    let reach = known.iter().flat_map(|apart| apart.ci95.map(f64::abs)).fold(0.0, f64::max);
    let differ = known.iter().any(|apart| apart.real);
    (!differ).then_some(SweepChange::NoDifference { compared: known.len(), reach })
}

/// Those that became better (or worse) for real.
fn changed(
    all: &[ComparedConfiguration],
    objective: &Objective,
    is_better: bool,
) -> Option<ChangedConfigurations> {
    let known = all.iter().filter_map(|one| Some((one, one.apart?)));
    let is_meant = |ratio: f64| ((ratio > 0.0) == objective.higher_is_better) == is_better;
    let some = known.clone().filter(|(_, apart)| apart.real && is_meant(apart.ratio));
    let (most, apart) = some.clone().max_by(|a, b| a.1.ratio.abs().total_cmp(&b.1.ratio.abs()))?;
    Some(ChangedConfigurations {
        count: some.count(),
        compared: known.count(),
        most: most.id.clone(),
        ratio: apart.ratio,
    })
}
