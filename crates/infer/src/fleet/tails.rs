//! How far healthy machines of a fleet lie out, beyond a normal distribution.
//!
//! A spread shows the middle of a distribution. Where its tails are heavier than normal ones, the
//! farthest of a hundred healthy machines is many standard deviations off. Few machines do not show
//! how heavy the tails are; the deviations of all their cells together do, more or less. So each
//! shape of tails, from normal ones to those of a Student's t of 3 degrees of freedom, has a
//! probability: what it had before any figure was seen, times the likelihood of these deviations
//! (Bayes). A deviation is as rare as the mean over these shapes shows. Where deviations decide
//! nothing, that is near a Student's t of 7; where they are normal, tails are.
//!
//! The mean of several cells is less often far out than one of them, unless they vary together.
//!
//! Each side of the centers has its own shape. Some machines are sick: any deviation may be one
//! that is not of the shape, so that a sick machine is no evidence of heavy tails. The machine that
//! is compared does not count.

use std::sync::OnceLock;

use crate::student::two_sided_p;

/// A shape of tails: a Student's t.
struct Shape {
    freedom: f64,
    /// Its probability before any figure is seen.
    prior: f64,
    /// Its usual scale, in standard deviations as they are estimated (by simulation).
    scale: f64,
    /// A mean of n cells is as far out more rarely, by n to the power of this: one of them has to
    /// be farther (by simulation; of few degrees of freedom, half of these less one).
    of_mean: f64,
}

const SHAPES: [Shape; 5] = [
    Shape { freedom: 1e4, prior: 0.6, scale: 1.0, of_mean: 0.0 },
    Shape { freedom: 12.0, prior: 0.15, scale: 0.93, of_mean: 1.9 },
    Shape { freedom: 6.0, prior: 0.15, scale: 0.875, of_mean: 1.3 },
    Shape { freedom: 4.0, prior: 0.06, scale: 0.835, of_mean: 1.0 },
    Shape { freedom: 3.0, prior: 0.04, scale: 0.785, of_mean: 0.5 },
];
/// Scales of each shape that are tried, in standard deviations.
const SCALES: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.12, 1.25];
/// How far they are from the usual one: the standard deviation of logarithms.
const SCALES_SPREAD: f64 = 0.1;
const MODELS: usize = SHAPES.len() * SCALES.len();
/// How much the other side counts.
const OTHER_SIDE: f64 = 0.5;
/// The share of deviations that are those of sick machines. They are anywhere up to the farthest,
/// in standard deviations.
const SICK: f64 = 0.001;
const FARTHEST: f64 = 100.0;
/// Likelihoods are those of this many deviations: the first up to `FINE`, then farther apart.
const BINS: usize = 128;
const BIN: f64 = 0.05;

type LogLikelihoods = [f64; MODELS];

/// Of each deviation, a row: the logarithm of its density in each model.
static OF_BINS: OnceLock<Vec<LogLikelihoods>> = OnceLock::new();

/// What deviations of healthy machines show about the tails, below and above the centers.
#[derive(Clone, Copy, Debug)]
pub(super) struct TailEvidence([LogLikelihoods; 2]);

impl Default for TailEvidence {
    fn default() -> Self {
        Self([[0.0; MODELS]; 2])
    }
}

impl TailEvidence {
    /// Adds a deviation, in standard deviations, as this many independent ones; takes it out again
    /// where that is negative.
    pub(super) fn add(&mut self, deviation: f64, times: f64) {
        if !deviation.is_finite() {
            return;
        }
        let of_bins = OF_BINS.get_or_init(|| (0..BINS).map(of_bin).collect());
        let bin = ((deviation.abs().asinh() / BIN) as usize).min(BINS - 1);
        let sums = &mut self.0[usize::from(deviation > 0.0)];
        sums.iter_mut().zip(&of_bins[bin]).for_each(|(sum, log)| *sum += times * log);
    }

    /// Below and above the centers.
    pub(super) fn tails(&self) -> [Tail; 2] {
        let [below, above] = self.0.each_ref().map(ShapeLikelihoods::new);
        [Tail::new(&below, &above), Tail::new(&above, &below)]
    }
}

fn of_bin(bin: usize) -> LogLikelihoods {
    let deviation = ((bin as f64 + 0.5) * BIN).sinh();
    let mut logs = [0.0; MODELS];
    for (shape, Shape { freedom, .. }) in SHAPES.iter().enumerate() {
        for (scale, by) in SCALES.iter().enumerate() {
            let density = 2.0 * density(deviation / by, *freedom) / by;
            let with_sick = (1.0 - SICK) * density + SICK / FARTHEST;
            logs[shape * SCALES.len() + scale] = with_sick.ln();
        }
    }
    logs
}

/// Of Student's t, from its integral: within a thousandth.
fn density(t: f64, freedom: f64) -> f64 {
    let kernel = |t: f64| (-(freedom + 1.0) / 2.0 * (t * t / freedom).ln_1p()).exp();
    // Gamma((f + 1) / 2) / Gamma(f / 2), by its series in 1 / f, is less precise at 3 than this.
    let steps = 4000;
    let angle = std::f64::consts::FRAC_PI_2 / f64::from(steps);
    let area: f64 = (0..steps)
        .map(|step| {
            let tan = ((f64::from(step) + 0.5) * angle).tan();
            kernel(tan) * (1.0 + tan * tan) * angle
        })
        .sum();
    kernel(t) / (2.0 * area)
}

/// Of one side: of each shape the logarithm of its likelihood, and its scale.
struct ShapeLikelihoods {
    logs: [f64; SHAPES.len()],
    scales: [f64; SHAPES.len()],
}

impl ShapeLikelihoods {
    fn new(models: &LogLikelihoods) -> Self {
        let of_shape = |at: usize| -> (f64, f64) {
            let of_scales = &models[at * SCALES.len()..][..SCALES.len()];
            let largest = of_scales.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights = of_scales.iter().zip(SCALES).map(|(log, by)| {
                let from_usual = (by / SHAPES[at].scale).ln() / SCALES_SPREAD;
                ((log - largest) - from_usual.powi(2) / 2.0).exp()
            });
            let (sum, scaled) = weights
                .zip(SCALES)
                .fold((0.0, 0.0), |(sum, scaled), (it, by)| (sum + it, scaled + it * by));
            (largest + sum.ln(), scaled / sum)
        };
        let shapes: [(f64, f64); SHAPES.len()] = std::array::from_fn(of_shape);
        Self { logs: shapes.map(|shape| shape.0), scales: shapes.map(|shape| shape.1) }
    }
}

/// One side of the centers: of each shape its probability and its scale, in the cell's standard
/// deviations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail([(f64, f64); SHAPES.len()]);

impl Tail {
    /// Of this side. The other side is a witness of half the weight: most tails are alike.
    fn new(own: &ShapeLikelihoods, other: &ShapeLikelihoods) -> Self {
        let logs: [f64; SHAPES.len()] =
            std::array::from_fn(|at| own.logs[at] + OTHER_SIDE * other.logs[at]);
        let largest = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let weights = std::array::from_fn(|at| SHAPES[at].prior * (logs[at] - largest).exp());
        let weights: [f64; SHAPES.len()] = weights;
        let all: f64 = weights.iter().sum();
        Self(std::array::from_fn(|at| (weights[at] / all, own.scales[at])))
    }

    /// That of a mean of this many independent cells.
    pub(super) fn of_mean(&self, cells: f64) -> Self {
        let of_shape = |at: usize| {
            let (weight, scale) = self.0[at];
            (weight * cells.powf(-SHAPES[at].of_mean), scale)
        };
        Self(std::array::from_fn(of_shape))
    }

    /// The probability of a larger deviation, in standard deviations whose estimate has these
    /// degrees of freedom.
    pub(super) fn two_sided_p(&self, deviation: f64, freedom: f64) -> f64 {
        let shapes = self.0.iter().zip(&SHAPES);
        let of_shape = |((weight, scale), shape): (&(f64, f64), &Shape)| {
            weight * two_sided_p(deviation / scale, shape.freedom.min(freedom))
        };
        shapes.map(of_shape).sum()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::normal::normal;

    fn tails(deviations: impl IntoIterator<Item = f64>) -> [Tail; 2] {
        let mut evidence = TailEvidence::default();
        deviations.into_iter().for_each(|it| evidence.add(it, 1.0));
        evidence.tails()
    }

    fn student(rng: &mut Rng, freedom: i32) -> f64 {
        let squares: f64 = (0..freedom).map(|_| normal(rng).powi(2)).sum();
        normal(rng) / (squares / f64::from(freedom)).sqrt()
    }

    #[test]
    fn densities_are_those_of_student() {
        let of_3 = 2.0 / (std::f64::consts::PI * 3.0_f64.sqrt());
        assert!((density(0.0, 3.0) / of_3 - 1.0).abs() < 1e-3);
        assert!((density(1.0, 1e4) - 0.241_97).abs() < 1e-3);
    }

    #[test]
    fn without_deviations_tails_are_near_those_of_seven_degrees() {
        for tail in tails([]) {
            let p = tail.two_sided_p(8.0, 1e6);
            assert!(two_sided_p(8.0, 8.0) < p && p < two_sided_p(8.0, 5.0), "{p}");
        }
    }

    #[test]
    fn deviations_show_the_tails() {
        let rng = &mut Rng::with_seed(1);
        let of_normal = tails((0..1000).map(|_| normal(rng)));
        let of_3 = tails((0..1000).map(|_| student(rng, 3)));
        for (light, heavy) in of_normal.iter().zip(&of_3) {
            let [light, heavy] = [light, heavy].map(|tail| tail.two_sided_p(8.0, 1e6));
            assert!(light < 1e-5 && heavy > 1e-3, "{light} {heavy}");
        }
    }

    /// Sick machines among normal ones are no heavy tail, and what is taken out does not count.
    #[test]
    fn a_few_sick_machines_are_not_the_tail() {
        let rng = &mut Rng::with_seed(2);
        let healthy: Vec<f64> = (0..1000).map(|_| normal(rng)).collect();
        let [_, without] = tails(healthy.iter().copied());
        let [_, with] = tails(healthy.iter().copied().chain([12.0, 20.0, 30.0]));
        let p = |tail: &Tail| tail.two_sided_p(8.0, 1e6);
        assert!(p(&with) < 30.0 * p(&without) && p(&with) < 1e-5, "{}", p(&with));
        let mut evidence = TailEvidence::default();
        [1.0, -1.0].into_iter().for_each(|times| evidence.add(5.0, times));
        assert!((p(&evidence.tails()[1]) - p(&tails([])[1])).abs() < 1e-12);
    }
}
