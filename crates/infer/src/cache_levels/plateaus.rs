//! Plateaus: ranges of sizes with constant latency.

use super::Point;
use crate::cell::median;
use crate::isotonic::isotonic as isotonic_levels;

/// The largest rise of a plateau, as a difference of logs.
const RISE: f64 = 0.1;
/// The smallest width of a plateau, in octaves, and its minimum number of points.
const WIDTH: f64 = 0.74;
const FEWEST: usize = 3;
/// Plateaus with a smaller rise between them are one, whose latency increases slowly (by TLB
/// misses).
const MIN_STEP: f64 = 0.22;

/// A range of a curve's points, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plateau {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Plateau {
    /// The median of its points.
    pub(crate) fn log_ns(self, curve: &[Point]) -> f64 {
        median(curve[self.from..=self.to].iter().map(|point| point.log_ns)).unwrap_or(f64::NAN)
    }

    /// Whether only noise follows.
    pub(crate) fn reaches_the_end(self, curve: &[Point]) -> bool {
        let rising = isotonic(curve);
        rising.last().is_some_and(|end| end.log_ns - rising[self.to].log_ns < MIN_STEP)
    }
}

/// Finds plateaus, the widest first, and joins neighbours with nearly equal latency.
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
            Some(last) if rising[plateau.from].log_ns - rising[last.to].log_ns < MIN_STEP => {
                last.to = plateau.to;
            }
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
        if width >= WIDTH && end + 1 - start >= FEWEST && best.is_none_or(|(most, _)| width > most)
        {
            best = Some((width, Plateau { from: start, to: end }));
        }
    }
    best.map(|(_, plateau)| plateau)
}

/// The nearest curve that never decreases.
pub(crate) fn isotonic(curve: &[Point]) -> Vec<Point> {
    let logs: Vec<f64> = curve.iter().map(|point| point.log_ns).collect();
    curve
        .iter()
        .zip(isotonic_levels(&logs))
        .map(|(point, log_ns)| Point { log_ns, ..*point })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(ns: &[f64]) -> Vec<Point> {
        ns.iter()
            .enumerate()
            .map(|(place, ns)| Point { octave: 12.0 + place as f64 / 4.0, log_ns: ns.ln() })
            .collect()
    }

    #[test]
    fn flat_ranges_are_found_and_climbs_are_not() {
        let found =
            plateaus(&curve(&[1.0, 1.01, 1.0, 1.02, 2.0, 4.0, 4.1, 4.0, 4.1, 8.0, 16.0, 32.0]));
        assert_eq!(found, [Plateau { from: 0, to: 3 }, Plateau { from: 5, to: 8 }]);
    }

    /// Measured on a guest: the first TLB misses start at 384 KiB, since the host maps its huge
    /// pages with small ones; its L2 has 2 MiB.
    #[test]
    fn misses_of_a_tlb_do_not_end_a_plateau() {
        let ns = [
            4.35, 4.40, 4.43, 4.43, 4.44, 4.44, 4.44, 4.45, 4.45, 4.47, 4.54, 4.46, 4.71, 5.02,
            5.26, 5.45, 5.62, 5.76, 6.12, 6.47, 8.72, 8.74, 18.70, 23.39, 27.89, 27.28, 28.11,
            28.37, 30.12, 31.89, 33.28, 34.78, 35.68, 36.68, 37.27, 37.88,
        ];
        let found = plateaus(&curve(&ns));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].from == 0 && found[0].to >= 17 && found[1].from <= 25, "{found:?}");
    }

    #[test]
    fn a_slowly_rising_plateau_is_one() {
        let creeping: Vec<f64> = (0..24).map(|place| 50.0 * 1.02f64.powi(place)).collect();
        assert_eq!(plateaus(&curve(&creeping)).len(), 1);
    }
}
