//! The order in which placements are tried.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// Where pages are during a period of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialPlacement {
    /// Where they were.
    AsItWas,
    /// Where the cure puts them.
    Cured,
}

/// Randomised complete blocks: each has both placements, in random order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialPlan {
    /// The placements of each block.
    pub blocks: Vec<[TrialPlacement; 2]>,
}

impl TrialPlan {
    /// As many blocks begin with one placement as with the other, or one more: a metric that grows
    /// or falls steadily then favours neither.
    pub fn new(blocks: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let first_cured = rng.bool();
        let mut orders: Vec<bool> = (0..blocks).map(|at| (at % 2 == 0) == first_cured).collect();
        rng.shuffle(&mut orders);
        let both = [TrialPlacement::Cured, TrialPlacement::AsItWas];
        let order = |cured_first: bool| if cured_first { both } else { [both[1], both[0]] };
        Self { blocks: orders.into_iter().map(order).collect() }
    }
}
