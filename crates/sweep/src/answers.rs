//! What follows from the runs: who is fastest, who is steadiest, what to use.

use std::collections::BTreeMap;

use nearfar_infer::trials::scaling::Scaling;
use serde::{Deserialize, Serialize};

/// All answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answers {
    /// The configuration with the best median of those that failed least, by its id.
    pub fastest: Option<String>,
    /// Those that cannot be told from it.
    pub as_fast: Vec<String>,
    /// The one with the smallest spread of those that failed least; none where there are too few runs.
    pub steadiest: Option<String>,
    /// How often chance alone makes the steadiest of so many so much steadier than the fastest; than the next steadiest, where it is the fastest itself.
    /// None where there are too few runs.
    pub steadiest_p: Option<f64>,
    /// Those that no other beats in both.
    pub front: Vec<String>,
    /// What differences are taken to: the reference's id.
    pub default: Option<String>,
    /// Each other configuration against the reference.
    pub difference_to_default: BTreeMap<String, Compared>,
    /// Two humps, and what differs between them.
    pub two_humped: Vec<TwoHumped>,
    /// Curves over jobs, one for everything else that is equal.
    pub scaling: Vec<Curve>,
    /// What hardware threads gain, where the sweep switched them on and off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smt: Vec<SmtGain>,
    /// How much of the reference's figures goes up (or down) with the time of the sweep.
    pub drift: Option<Drift>,
    /// The same in words.
    pub words: Vec<String>,
    /// The line to use: of the fastest, where it is faster than some other beyond chance.
    pub run_line: Option<String>,
}

/// A configuration against the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its figure over the reference's, minus 1.
    pub ratio: f64,
    /// 95 % interval of that.
    pub ci95: [f64; 2],
    /// How often chance alone gives as much.
    pub p: f64,
    /// Whether the difference is called real: at a family-wise 5 %.
    pub real: bool,
    /// Blocks that it rests on.
    pub blocks: usize,
}

/// A configuration with two typical figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwoHumped {
    /// Its id.
    pub id: String,
    /// What goes with the humps, the clearest first.
    pub differs: Vec<HumpDifference>,
}

/// A figure that is otherwise in one hump than in the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumpDifference {
    /// Which.
    pub figure: String,
    /// Its mean in the hump with the lower figures, and in the other.
    pub means: [f64; 2],
    /// How often chance alone gives as much.
    pub p: f64,
}

/// A curve over jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its placement, and variables.
    pub of: String,
    /// (jobs, median) in the objective's unit.
    pub points: Vec<(usize, f64)>,
    /// Where it stops paying, and by which law.
    #[serde(flatten)]
    pub scaling: Scaling,
}

/// A trend of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// From the first to the last block, as a fraction.
    pub change: f64,
    /// How often chance alone orders so many runs so well (Kendall).
    pub p: f64,
}

/// Hardware threads on against off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmtGain {
    /// The placement, variables and other settings that both have.
    pub of: String,
    /// How many jobs ran with hardware threads on.
    pub jobs: usize,
    /// How many ran with them off: as many, unless each had one for each of its CPUs.
    pub jobs_off: usize,
    /// The figure with them on over that with them off, minus 1.
    pub ratio: f64,
    /// 95 % interval of that, from differences within blocks.
    pub ci95: [f64; 2],
    /// How often chance alone gives as much.
    pub p: f64,
    /// Whether it is called real: at a family-wise 5 % over all these pairs.
    pub real: bool,
}

/// Spreads that differ as much by chance alone less often than this are told apart.
const SPREADS_APART: f64 = 0.05;

impl Answers {
    /// Whether the steadiest is so beyond chance.
    pub fn is_really_steadiest(&self) -> bool {
        self.steadiest_p.is_some_and(|p| p < SPREADS_APART)
    }
}
