//! Which memory matters: what each object of a program's memory costs where it is far.
//!
//! Objects are mappings, files, shared memory and ranges of large ones. In a *run* half of them are
//! far, by a row of a [design](ObjectDesign); the run beside it is its mirror: near is far, and far
//! near. A program's time is modelled as `T = T0 (1 + sum of effect x far share)`, where T0 is its
//! time with all objects near: costs of memory accesses add up. Of a run and its mirror,
//! `(T1 - T2) / (T1 + T2)` is then exactly linear in the objects, and whatever lasts longer than
//! two runs cancels: drift, slow waves, most disturbances.
//!
//! Which of the two is first, and the order of rows, is drawn. So differences are symmetric about
//! what the effects give, whatever the law of the noise, and independent of each other. Objects are
//! named by Holm's procedure at 1 %: of 100 programs without any effect, one gets one at most.

mod design;
mod fit;
mod refine;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::many_tests::holm;
use crate::response::{RESPONSE_FLOOR, ResponseFigure};
use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

use fit::{Fit, product};

pub use design::{DesignRun, MAX_OBJECTS, ObjectDesign};
pub use refine::{cut_next, ranges_of};

/// Blocks at least.
pub const MIN_OBJECT_BLOCKS: u32 = 3;
/// The rate at which any object is named where none has an effect.
const FAMILY_ALPHA: f64 = 0.01;
/// Of the test whether effects add up.
const ADDS_UP_ALPHA: f64 = 0.01;
/// The normal deviate of 99.9 %, two-sided; it bounds one side at 1 of 2,000.
const Z_999: f64 = 3.290_527;
/// Where a smaller share of an object moves, its effect cannot be measured.
pub const LEAST_REACH: f64 = 0.05;

/// A run's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectRun {
    /// Its block.
    pub block: u32,
    /// What was far.
    pub run: DesignRun,
    /// The logarithm of the time for a piece of work, in any unit.
    pub log_time: f64,
}

/// The shares of an object that were far: where it was to be near, and where it was to be far. They
/// differ from 0 and 1 if parts of it do not move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FarShares {
    /// In runs with the object near.
    pub near: f64,
    /// In runs with the object far.
    pub far: f64,
}

impl FarShares {
    /// All of it moves.
    pub const WHOLE: Self = Self { near: 0.0, far: 1.0 };

    /// The share that moves.
    pub fn reach(self) -> f64 {
        self.far - self.near
    }
}

/// Whether an object's place matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectVerdict {
    /// The program takes longer where the object is far.
    Costs,
    /// The program is faster where it is far: bandwidth of two nodes, for example.
    FarIsFaster,
    /// It changes the program's time by less than 2 %, wrong in 1 of 1,000 objects at most.
    DoesNotMatter,
    /// The interval contains both no change and one of 2 %.
    Undetermined,
}

/// What an object costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectEffect {
    /// How much more time the program takes with the object far, as a share of its time with all
    /// objects near: 0.2 is 20 %. Effects of objects add up.
    pub effect: Option<ResponseFigure>,
    /// The largest change that it may make, either way, at 99.9 % confidence.
    pub at_most: Option<f64>,
    /// Whether it is named: no effect at all would give this in one of 100 programs, over all
    /// objects.
    pub is_named: bool,
    /// Whether its place matters.
    pub verdict: ObjectVerdict,
}

/// What objects cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectEffects {
    /// Pairs of runs that count.
    pub pairs: u32,
    /// Blocks with pairs that count.
    pub blocks: u32,
    /// Object by object.
    pub objects: Vec<ObjectEffect>,
    /// The sum of all effects.
    pub sum: Option<ResponseFigure>,
    /// How much more time the program takes with all objects far, measured by these runs alone.
    /// Null where not all of them moves.
    pub all_far: Option<ResponseFigure>,
    /// Whether effects add up to what all far costs, at 99 % confidence. Null where it cannot be
    /// known: the design has as many rows as objects.
    pub adds_up: Option<bool>,
}

/// The effects of objects, from runs; `shares` are those of each object.
pub fn object_effects(
    design: &ObjectDesign,
    runs: &[ObjectRun],
    shares: &[FarShares],
) -> ObjectEffects {
    let pairs = Pairs::new(design, runs);
    let unknown = ObjectEffect {
        effect: None,
        at_most: None,
        is_named: false,
        verdict: ObjectVerdict::Undetermined,
    };
    let none = ObjectEffects {
        pairs: pairs.values.len() as u32,
        blocks: pairs.blocks,
        objects: vec![unknown; shares.len()],
        sum: None,
        all_far: None,
        adds_up: None,
    };
    let is_enough = pairs.blocks >= MIN_OBJECT_BLOCKS
        && shares.len() == design.objects()
        && shares.iter().all(|one| one.reach() >= LEAST_REACH);
    let fit = if is_enough { Fit::new(&pairs.signs, &pairs.values) } else { None };
    let Some(scale) = fit.as_ref().and_then(|fit| Scale::new(fit, shares)) else { return none };
    let fit = scale.fit;
    let t = |at: usize| fit.slopes[at] / fit.error_of(&unit(at, shares.len()));
    let ps: Vec<f64> = (0..shares.len()).map(|at| two_sided_p(t(at), fit.freedom)).collect();
    let named = holm(&ps, FAMILY_ALPHA);
    let are_whole = shares.iter().all(|one| one.reach() > 1.0 - LEAST_REACH);
    let row_0: Vec<usize> = (0..pairs.rows.len()).filter(|at| pairs.rows[*at] == 0).collect();
    ObjectEffects {
        objects: (0..shares.len()).map(|at| scale.effect(at, named[at])).collect(),
        sum: Some(scale.sum()),
        all_far: if are_whole { all_far(&pairs, fit, &row_0) } else { None },
        adds_up: adds_up(design, fit, &row_0),
        ..none
    }
}

fn unit(at: usize, of: usize) -> Vec<f64> {
    (0..of).map(|other| f64::from(u8::from(other == at))).collect()
}

/// What all far costs, by the runs that have it.
fn all_far(pairs: &Pairs, fit: &Fit, row_0: &[usize]) -> Option<ResponseFigure> {
    let count = row_0.len() as f64;
    let mean = row_0.iter().map(|at| pairs.values[*at]).sum::<f64>() / count;
    let reach = as_rare_as(NORMAL_95, fit.freedom) * fit.scatter / count.sqrt();
    let time = |half: f64| (1.0 + half) / (1.0 - half) - 1.0;
    let figure =
        ResponseFigure { value: time(mean), ci95: [time(mean - reach), time(mean + reach)] };
    (count > 0.0 && mean + reach < 1.0).then_some(figure)
}

/// By what the effects leave of the runs with all objects far.
fn adds_up(design: &ObjectDesign, fit: &Fit, row_0: &[usize]) -> Option<bool> {
    let left = 1.0 - design.objects() as f64 / f64::from(design.rows());
    let count = row_0.len() as f64;
    if left < LEAST_REACH || row_0.is_empty() {
        return None;
    }
    let mean = row_0.iter().map(|at| fit.residuals[*at]).sum::<f64>() / count;
    let t = mean / (fit.scatter * (left / count).sqrt()).max(f64::MIN_POSITIVE);
    Some(two_sided_p(t, fit.freedom) > ADDS_UP_ALPHA)
}

/// Runs beside their mirrors.
struct Pairs {
    blocks: u32,
    rows: Vec<u32>,
    signs: Vec<Vec<f64>>,
    /// `(T1 - T2) / (T1 + T2)`.
    values: Vec<f64>,
}

impl Pairs {
    /// Runs whose mirror is missing count for nothing.
    fn new(design: &ObjectDesign, runs: &[ObjectRun]) -> Self {
        let mut halves: BTreeMap<(u32, u32), [Option<f64>; 2]> = BTreeMap::new();
        for one in runs {
            let pair = halves.entry((one.block, one.run.row)).or_default();
            pair[usize::from(one.run.is_mirror)] = Some(one.log_time);
        }
        let mut pairs = Self { blocks: 0, rows: vec![], signs: vec![], values: vec![] };
        let mut last = None;
        for ((block, row), [run, mirror]) in halves {
            let Some((run, mirror)) = run.zip(mirror) else { continue };
            pairs.blocks += u32::from(last.replace(block) != Some(block));
            pairs.rows.push(row);
            pairs.signs.push(design.signs(row));
            pairs.values.push(((run - mirror) / 2.0).tanh());
        }
        pairs
    }
}

/// From slopes to effects: `effect = u slope / (1 - sum of v x slope)`, with `u = 2 / reach` and
/// `v = u x mean far share`.
struct Scale<'f> {
    fit: &'f Fit,
    u: Vec<f64>,
    v: Vec<f64>,
    /// The time with all objects near, as a share of the mean.
    near: f64,
}

impl<'f> Scale<'f> {
    fn new(fit: &'f Fit, shares: &[FarShares]) -> Option<Self> {
        let u: Vec<f64> = shares.iter().map(|one| 2.0 / one.reach()).collect();
        let mean = |one: &FarShares| f64::midpoint(one.near, one.far);
        let v: Vec<f64> = u.iter().zip(shares).map(|(u, one)| u * mean(one)).collect();
        let near = 1.0 - product(&v, &fit.slopes);
        (near > LEAST_REACH).then_some(Self { fit, u, v, near })
    }

    /// The sum of effects with these weights, with the error of its linear part.
    fn weighted(&self, weights: &[f64]) -> (f64, f64) {
        let parts: Vec<f64> = self.u.iter().zip(weights).map(|(u, weight)| u * weight).collect();
        let value = product(&parts, &self.fit.slopes) / self.near;
        let gradient = parts.iter().zip(&self.v).map(|(part, v)| (part + value * v) / self.near);
        (value, self.fit.error_of(&gradient.collect::<Vec<f64>>()))
    }

    fn figure(&self, (value, error): (f64, f64), normal: f64) -> ResponseFigure {
        let reach = as_rare_as(normal, self.fit.freedom) * error;
        ResponseFigure { value, ci95: [value - reach, value + reach] }
    }

    fn sum(&self) -> ResponseFigure {
        self.figure(self.weighted(&vec![1.0; self.u.len()]), NORMAL_95)
    }

    fn effect(&self, at: usize, is_named: bool) -> ObjectEffect {
        let found = self.weighted(&unit(at, self.u.len()));
        let effect = self.figure(found, NORMAL_95);
        let [low, high] = self.figure(found, Z_999).ci95;
        let at_most = low.abs().max(high.abs());
        let verdict = if at_most < RESPONSE_FLOOR {
            ObjectVerdict::DoesNotMatter
        } else if is_named && effect.value > 0.0 {
            ObjectVerdict::Costs
        } else if is_named {
            ObjectVerdict::FarIsFaster
        } else {
            ObjectVerdict::Undetermined
        };
        ObjectEffect { effect: Some(effect), at_most: Some(at_most), is_named, verdict }
    }
}

impl ObjectEffects {
    /// Blocks with which all verdicts would be more likely, where some are undetermined.
    pub fn blocks_wanted(&self) -> Option<u32> {
        let open = self.objects.iter().filter(|one| one.verdict == ObjectVerdict::Undetermined);
        let half = |one: &ObjectEffect| {
            one.effect.map(|effect| (effect.ci95[1] - effect.ci95[0]) / 2.0 * Z_999 / NORMAL_95)
        };
        let widest = open.filter_map(half).max_by(f64::total_cmp)?;
        let more = (widest / (0.8 * RESPONSE_FLOOR)).powi(2) * f64::from(self.blocks);
        more.is_finite().then(|| more.ceil().clamp(f64::from(self.blocks) + 1.0, 1e6) as u32)
    }
}
