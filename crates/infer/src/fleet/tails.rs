//! How far healthy machines of a fleet lie out, beyond a normal distribution.
//!
//! A spread shows the middle of a distribution. Where its tails are heavier than normal ones, the
//! farthest of a hundred healthy machines is many standard deviations off. So the outer machines of
//! all cells together are compared with the inner ones, on each side: their ratio gives the degrees
//! of freedom of a Student's t that has such tails. The outermost may be outliers, and do not
//! count.

use crate::student::{as_rare_as, normal_quantile};

/// The outermost machines of each side that do not count: this many, or this share.
const OUTERMOST: usize = 2;
const OUTERMOST_SHARE: f64 = 0.005;
/// The ratio of outer to inner machines varies by this, over the square root of their number.
const BY_CHANCE: f64 = 0.3;
/// No tails are heavier.
const MIN_FREEDOM: f64 = 2.5;
/// Tails that are no heavier than normal ones.
const NORMAL: f64 = 1e4;

/// One side of the centers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    /// The scale of the inner machines, in the cell's standard deviations.
    pub(super) scale: f64,
    pub(super) freedom: f64,
}

/// Below and above the centers: of ascending deviations of each cell, and its standard deviation.
pub(super) fn tails(cells: &[(&[f64], f64)]) -> [Option<Tail>; 2] {
    [false, true].map(|is_above| {
        let (mut inner, mut outer, mut outer_machines) = (0.0, 0.0, 0.0);
        let mut count = 0.0_f64;
        for &(deviations, sd) in cells.iter().filter(|(_, sd)| *sd > 0.0) {
            let machines = deviations.len();
            let left_out = OUTERMOST.max((OUTERMOST_SHARE * machines as f64) as usize);
            let at = |rank: usize| {
                let share = (rank as f64 + 0.625) / (machines as f64 + 0.25);
                let value =
                    if is_above { deviations[machines - 1 - rank] } else { -deviations[rank] };
                value / sd / normal_quantile(1.0 - share)
            };
            let ranks = left_out..left_out + left_out.max(3);
            if machines < 4 * ranks.end {
                continue;
            }
            let ranked = ranks.len() as f64;
            outer += ranks.map(at).sum::<f64>() / ranked;
            let middle = machines / 6..machines / 3;
            let of_middle = middle.len() as f64;
            inner += middle.map(at).sum::<f64>() / of_middle;
            let share = (left_out as f64 + 0.625) / (machines as f64 + 0.25);
            outer_machines += normal_quantile(1.0 - share);
            count += 1.0;
        }
        if count == 0.0 || inner <= 0.0 {
            return None;
        }
        let ratio = outer / inner - BY_CHANCE / (3.0 * count).sqrt();
        let freedom = freedom_of(ratio, outer_machines / count);
        Some(Tail { scale: inner / count, freedom })
    })
}

/// Where a Student's t lies this many times as far out as a normal deviate.
fn freedom_of(ratio: f64, deviate: f64) -> f64 {
    let (mut low, mut high) = (MIN_FREEDOM, NORMAL);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if as_rare_as(deviate, middle) / deviate > ratio { low = middle } else { high = middle }
    }
    high
}
