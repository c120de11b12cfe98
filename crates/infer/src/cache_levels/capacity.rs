//! The capacity of a cache, from the climb between two plateaus.

use super::Point;
use super::plateaus::{Plateau, isotonic};

/// Widths of a step in the log of the size: the scale of a logistic curve. The widest climbs from a
/// tenth to nine tenths over 2.5 octaves.
const WIDTHS: [f64; 5] = [0.02, 0.08, 0.15, 0.25, 0.4];
/// Candidate capacities per octave.
const PER_OCTAVE: f64 = 24.0;
/// Points of either plateau that are fitted with the climb.
const OF_PLATEAU: usize = 3;
/// A climb is not that of one cache if its mean fit error, in logs of latency, exceeds this.
const POOR_FIT: f64 = 0.12;
const MAX_OCTAVES: f64 = 4.0;
/// A plateau ends where latency exceeds it by this much, in logs.
const LEFT: f64 = 0.14;
/// Fits are equivalent if their squared error exceeds the best by no more than this share, or this
/// much.
const AS_GOOD: f64 = 1.1;
const AS_GOOD_SQUARED: f64 = 1e-4;

/// The capacity that a climb shows.
pub(crate) struct Capacity {
    pub(crate) bytes: f64,
    /// The range of equivalent fits.
    pub(crate) bounds: [f64; 2],
    /// Whether latency climbs longer than for one cache, or in another shape.
    pub(crate) climbs: bool,
}

impl Capacity {
    /// The middle of two sizes, given by their logarithms.
    fn between([least, most]: [f64; 2], climbs: bool) -> Self {
        Self {
            bytes: f64::midpoint(least, most).exp2(),
            bounds: [least.exp2(), most.exp2()],
            climbs,
        }
    }
}

/// A climb from one plateau to the next, with the misses that every candidate predicts. Built once,
/// fitted to every resample.
pub(crate) struct Climb {
    plateau: Plateau,
    next: Plateau,
    from: usize,
    to: usize,
    is_long: bool,
    candidates: Vec<Candidate>,
}

/// A capacity, with the share of misses at each size, by shape.
struct Candidate {
    octave: f64,
    shapes: Vec<Vec<f64>>,
}

impl Climb {
    pub(crate) fn new(plateau: Plateau, next: Plateau, curve: &[Point]) -> Self {
        let from = plateau.from.max((plateau.to + 1).saturating_sub(OF_PLATEAU));
        let to = next.to.min(next.from + OF_PLATEAU - 1);
        let octaves: Vec<f64> = curve[from..=to].iter().map(|point| point.octave).collect();
        let (first, last) = (octaves[0], octaves[octaves.len() - 1]);
        let candidate = |step: usize| {
            let octave = first + step as f64 / PER_OCTAVE;
            let of_shape = |misses: &dyn Fn(f64) -> f64| {
                octaves.iter().map(|size| misses(size - octave)).collect()
            };
            let steps =
                WIDTHS.iter().map(|&width| of_shape(&|octaves| step_misses(octaves, width)));
            Candidate { octave, shapes: steps.chain([of_shape(&random_misses)]).collect() }
        };
        let steps = ((last - first) * PER_OCTAVE).ceil() as usize;
        let is_long = curve[next.from].octave - curve[plateau.to].octave > MAX_OCTAVES;
        Self { plateau, next, from, to, is_long, candidates: (0..=steps).map(candidate).collect() }
    }

    /// Fits the climb to the measured curve, or to a resampled one.
    pub(crate) fn fit(&self, curve: &[Point]) -> Capacity {
        let [low, high] = [self.plateau, self.next].map(|plateau| plateau.log_ns(curve).exp());
        let fitted = &curve[self.from..=self.to];
        let squared: Vec<f64> = self
            .candidates
            .iter()
            .map(|candidate| candidate.squared_error(fitted, low, high))
            .collect();
        let best = squared.iter().copied().fold(f64::INFINITY, f64::min);
        if self.is_long || (best / fitted.len() as f64).sqrt() > POOR_FIT {
            return Capacity::between(left(fitted, low.ln()), true);
        }
        let is_good = |squared: f64| squared <= best * AS_GOOD + AS_GOOD_SQUARED;
        let good = self.candidates.iter().zip(&squared).filter(|(_, squared)| is_good(**squared));
        let octaves: Vec<f64> = good.map(|(candidate, _)| candidate.octave).collect();
        // All positions of a step between two sizes fit equally well: take the middle.
        Capacity::between([octaves[0], octaves[octaves.len() - 1]], false)
    }
}

impl Candidate {
    /// The smallest sum, over shapes, of squared errors of log latency.
    fn squared_error(&self, curve: &[Point], low: f64, high: f64) -> f64 {
        let of_shape = |misses: &Vec<f64>| {
            let error =
                |(misses, point): (&f64, &Point)| (low + (high - low) * misses).ln() - point.log_ns;
            misses.iter().zip(curve).map(|pair| error(pair).powi(2)).sum::<f64>()
        };
        self.shapes.iter().map(of_shape).fold(f64::INFINITY, f64::min)
    }
}

/// Misses at this many octaves above the capacity of a cache with LRU replacement, smoothed by
/// uneven sets.
fn step_misses(octaves: f64, width: f64) -> f64 {
    1.0 / (1.0 + (-octaves * std::f64::consts::LN_2 / width).exp())
}

/// Misses of a cache with random replacement under a cyclic chase: `m = 1 - exp(-m size /
/// capacity)`.
pub(super) fn random_misses(octaves: f64) -> f64 {
    if octaves <= 0.0 {
        return 0.0;
    }
    let ratio = octaves.exp2();
    // From above, so that it converges to the nonzero root.
    let (mut misses, mut before) = (1.0, 2.0);
    while before - misses > 1e-4 {
        before = misses;
        misses = -(-misses * ratio).exp_m1();
    }
    misses
}

/// The end of a plateau: between these two logarithms of sizes.
fn left(curve: &[Point], plateau: f64) -> [f64; 2] {
    let rising = isotonic(curve);
    let beyond =
        rising.iter().position(|point| point.log_ns > plateau + LEFT).unwrap_or(rising.len() - 1);
    [beyond.saturating_sub(1), beyond].map(|place| rising[place].octave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_rise_from_none_to_all() {
        for octaves in [-2.0, -0.5, 0.01, 0.5, 1.0, 4.0] {
            assert!(random_misses(octaves) <= random_misses(octaves + 0.2));
            assert!(step_misses(octaves, 0.1) <= step_misses(octaves + 0.2, 0.1));
        }
        assert_eq!(random_misses(-0.1), 0.0);
        assert!((random_misses(1.0) - 0.7968).abs() < 1e-3 && random_misses(5.0) > 0.999);
        assert!((step_misses(0.0, 0.4) - 0.5).abs() < 1e-12);
    }
}
