//! Which kind of pages each row is near, if any.
//!
//! The cheapest kind is the nearest only with a gap to the next one. And it may not be near at all:
//! where the row's own memory was not seen, the nearest kind belongs to a neighbour. A row that is
//! nearest to the same kind as another one, and farther from it, is not in that kind's node: a slow
//! CPU is slower to all kinds alike.

use super::Contrasts;
use super::cost_table::median;
use super::cut::MIN_GAP;
use super::page_kinds::PageKinds;

/// The smallest distance, as a logarithm, of a row's nearest kind to the next one (2 %), beyond its
/// error.
const MIN_NEARER: f64 = 0.02;
/// A row whose nearest kind costs it more by this (a logarithm: 15 %) than the nearest kinds of
/// other rows cost them is slow, or its own memory was not seen.
const DISTANT: f64 = 0.14;

/// The place of a row among kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// Near this kind.
    Near(usize),
    /// Nearest to this kind, and far enough to doubt that it is near: slow CPUs, or memory that was
    /// not seen.
    Doubtful(usize),
    /// Near none: equally far from the nearest two kinds, or farther from the nearest than the rows
    /// that are near it.
    None,
    /// The nearest two kinds differ by less than their error.
    Undetermined,
    /// Not measured.
    Unmeasured,
}

/// How much larger than the resolution the smallest gap of near rows has to be.
const CLEARER: f64 = 1.5;
/// The largest resolution, as a logarithm (5 %), that is fine enough where no row is near a kind.
const FINE: f64 = 0.05;

/// The place of each row of `rows`.
pub(super) fn nearness(kinds: &PageKinds, contrasts: &Contrasts<'_>, rows: usize) -> Vec<Nearness> {
    let measured = kinds.pooled.rows.len();
    let nearest: Vec<Result<usize, Nearness>> =
        (0..measured).map(|row| nearest(kinds, contrasts, row)).collect();
    let is_farther = |row: usize, kind: usize| {
        let rivals = (0..measured).filter(|other| nearest[*other] == Ok(kind));
        let farther = rivals.map(|other| farther(kinds, kind, row, other)).fold(0.0, f64::max);
        let others = (0..kinds.count()).filter(|other| *other != kind);
        let half = others.map(|other| contrasts.half(kind, other)).fold(0.0, f64::max);
        farther > MIN_GAP.max(half)
    };
    let gap = |(row, kind): (usize, &Result<usize, Nearness>)| {
        let kind = kind.ok().filter(|kind| !is_farther(row, *kind))?;
        let others = (0..kinds.count()).filter(|other| *other != kind);
        others.map(|other| contrasts.between(row, kind, other)).reduce(f64::min)
    };
    // A kind may be of several nodes, and the row's own may be among them.
    let is_blurred = match nearest.iter().enumerate().filter_map(gap).reduce(f64::min) {
        Some(gap) => CLEARER * kinds.resolution() >= gap,
        None => kinds.resolution() > FINE,
    };
    let cost =
        |row: usize| kinds.centres.iter().map(|centre| centre[row]).fold(f64::INFINITY, f64::min);
    let least = (0..measured).map(cost).fold(f64::INFINITY, f64::min);
    // Few pages of the row's own node, hardly nearer than the rest of a kind, are not taken out.
    let may_hold_own = |row: usize| {
        (0..kinds.count())
            .any(|kind| kinds.centres[kind][row] - least < kinds.least_nearer(row, kind))
    };
    let none = |row: usize| {
        let is_open = is_blurred || kinds.has_strays[row] || may_hold_own(row);
        if is_open { Nearness::Undetermined } else { Nearness::None }
    };
    // The cost of the fastest row of a kind's node: others may be slow CPUs beside it.
    let fastest = |kind: usize| {
        let own = (0..measured).filter(|row| nearest[*row] == Ok(kind) && !is_farther(*row, kind));
        own.map(cost).fold(f64::INFINITY, f64::min)
    };
    let place = |row: usize| match nearest[row] {
        Err(Nearness::None) => none(row),
        Err(place) => place,
        Ok(kind) => {
            if is_farther(row, kind) {
                none(row)
            } else if fastest(kind) - least > DISTANT {
                Nearness::Doubtful(kind)
            } else {
                Nearness::Near(kind)
            }
        }
    };
    let at = |row: usize| {
        let at = kinds.pooled.rows.iter().position(|known| *known == row);
        at.map_or(Nearness::Unmeasured, place)
    };
    (0..rows).map(at).collect()
}

/// The nearest kind, with a gap to the next one.
fn nearest(kinds: &PageKinds, contrasts: &Contrasts<'_>, row: usize) -> Result<usize, Nearness> {
    let mut order: Vec<usize> = (0..kinds.count()).collect();
    order.sort_by(|a, b| kinds.centres[*a][row].total_cmp(&kinds.centres[*b][row]));
    let [first, second, ..] = order[..] else { return Err(Nearness::Undetermined) };
    let (gap, half) = (contrasts.between(row, first, second), contrasts.half(first, second));
    if gap - half >= MIN_NEARER {
        Ok(first)
    } else if gap < MIN_GAP {
        Err(Nearness::None)
    } else {
        Err(Nearness::Undetermined)
    }
}

/// How much farther a row is from its nearest kind than another row with the same nearest kind, as
/// a logarithm; beyond what it is from all kinds.
fn farther(kinds: &PageKinds, kind: usize, row: usize, other: usize) -> f64 {
    let more = |kind: usize| kinds.centres[kind][row] - kinds.centres[kind][other];
    let others = (0..kinds.count()).filter(|other| *other != kind);
    more(kind) - median(others.map(more))
}
