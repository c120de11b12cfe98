//! Ranges of sizes over which latency does not rise.

use super::Point;
use crate::cell::quantile_of_sorted;
use crate::isotonic::isotonic as isotonic_levels;

/// What a plateau may rise by, as a difference of logs.
const RISE: f64 = 0.08;
/// The least width of a plateau, in octaves, and its fewest points.
const WIDTH: f64 = 0.74;
const FEWEST: usize = 3;
/// Plateaus between which latency rises by less are one, whose latency creeps (more and more misses of the TLB).
const LEAST_STEP: f64 = 0.22;

/// A range of a curve's points, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plateau {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Plateau {
    /// The median of its points.
    pub(crate) fn log_ns(self, curve: &[Point]) -> f64 {
        let mut logs: Vec<f64> = curve[self.from..=self.to].iter().map(|point| point.log_ns).collect();
        logs.sort_by(f64::total_cmp);
        quantile_of_sorted(&logs, 0.5).unwrap_or(f64::NAN)
    }

    /// Whether nothing but noise follows.
    pub(crate) fn reaches_the_end(self, curve: &[Point]) -> bool {
        let rising = isotonic(curve);
        rising.last().is_some_and(|end| end.log_ns - rising[self.to].log_ns < LEAST_STEP)
    }
}

/// Finds plateaus, the widest first, and joins neighbours that hardly differ.
pub(crate) fn plateaus(curve: &[Point]) -> Vec<Plateau> {
    let rising = isotonic(curve);
    let mut found: Vec<Plateau> = Vec::new();
    let mut open = vec![(0, curve.len())];
    while let Some((from, to)) = open.pop() {
        let Some(widest) = widest(curve, &rising, from, to) else { continue };
        open.push((from, widest.from));
        open.push((widest.to + 1, to));
        found.push(widest);
    }
    found.sort_by_key(|plateau| plateau.from);
    let mut joined: Vec<Plateau> = Vec::new();
    for plateau in found {
        match joined.last_mut() {
            Some(last) if rising[plateau.from].log_ns - rising[last.to].log_ns < LEAST_STEP => last.to = plateau.to,
            _ => joined.push(plateau),
        }
    }
    joined
}

fn widest(curve: &[Point], rising: &[Point], from: usize, to: usize) -> Option<Plateau> {
    let mut best: Option<(f64, Plateau)> = None;
    let mut end = from;
    for start in from..to {
        while end + 1 < to && rising[end + 1].log_ns - rising[start].log_ns <= RISE {
            end += 1;
        }
        end = end.max(start);
        let width = curve[end].octave - curve[start].octave;
        if width >= WIDTH && end + 1 - start >= FEWEST && best.is_none_or(|(most, _)| width > most) {
            best = Some((width, Plateau { from: start, to: end }));
        }
    }
    best.map(|(_, plateau)| plateau)
}

/// The nearest curve that never falls.
pub(crate) fn isotonic(curve: &[Point]) -> Vec<Point> {
    let logs: Vec<f64> = curve.iter().map(|point| point.log_ns).collect();
    curve.iter().zip(isotonic_levels(&logs)).map(|(point, log_ns)| Point { log_ns, ..*point }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(ns: &[f64]) -> Vec<Point> {
        ns.iter().enumerate().map(|(place, ns)| Point { octave: 12.0 + place as f64 / 4.0, log_ns: ns.ln() }).collect()
    }

    #[test]
    fn flat_ranges_are_found_and_climbs_are_not() {
        let found = plateaus(&curve(&[1.0, 1.01, 1.0, 1.02, 2.0, 4.0, 4.1, 4.0, 4.1, 8.0, 16.0, 32.0]));
        assert_eq!(found, [Plateau { from: 0, to: 3 }, Plateau { from: 5, to: 8 }]);
    }

    #[test]
    fn a_plateau_that_creeps_is_one() {
        let creeping: Vec<f64> = (0..24).map(|place| 50.0 * 1.02f64.powi(place)).collect();
        assert_eq!(plateaus(&curve(&creeping)).len(), 1);
    }
}
