//! What firmware claims of a drawn machine's memory: nothing, the truth, or a lie.

use fastrand::Rng;

use super::Family;
use super::costs::{DrawnCosts, between};
use crate::machine::NumberMatrix;

/// The least distance of another node: Linux refuses a table with 10 off the diagonal.
const MIN_REMOTE: f64 = 11.0;
const MAX_REMOTE: f64 = 254.0;
/// What a distance has no room for: unreachable.
const UNREACHABLE: u8 = 255;
const LOCAL: u8 = 10;

/// Whether what is claimed is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claimed {
    Nothing,
    /// Costs, rounded as the table has them.
    Truth,
    Lie,
}

impl Claimed {
    /// What machines of a family claim.
    pub(super) fn drawn(rng: &mut Rng, family: Family) -> Self {
        match (family, rng.u8(..6)) {
            (Family::TrueClaims, _) => Self::Truth,
            (Family::Lies, _) | (Family::AllEqual, 0..=2) | (_, 0) => Self::Lie,
            (_, 1..=3) => Self::Truth,
            _ => Self::Nothing,
        }
    }
}

#[derive(Default)]
pub(super) struct DrawnTables {
    pub(super) slit: Option<Vec<Vec<u8>>>,
    pub(super) hmat_ns: Option<NumberMatrix>,
}

/// The tables of a machine.
pub(super) fn tables(rng: &mut Rng, claimed: Claimed, drawn: &DrawnCosts) -> DrawnTables {
    if claimed == Claimed::Nothing {
        return DrawnTables::default();
    }
    let mut slit = true_slit(drawn);
    let mut hmat: NumberMatrix =
        drawn.ns.iter().map(|row| row.iter().map(|ns| ns.round()).collect()).collect();
    let has_hmat = rng.u8(..4) == 0;
    if claimed == Claimed::Lie && has_hmat && rng.bool() {
        let (row, column) = (rng.usize(..hmat.len()), rng.usize(..drawn.nodes));
        hmat[row][column] = (hmat[row][column] * between(rng, 1.8, 3.0)).round();
    } else if claimed == Claimed::Lie {
        lie(rng, &mut slit);
    }
    DrawnTables { slit: Some(slit), hmat_ns: has_hmat.then_some(hmat) }
}

/// Ratios to local, in tenths; those of memory without CPUs as from the other side.
fn true_slit(drawn: &DrawnCosts) -> Vec<Vec<u8>> {
    let claimed = |a: usize, b: usize| {
        let ratio = match (drawn.ns.get(a), drawn.ns.get(b)) {
            (Some(row), _) => row[b] / row[a],
            (None, Some(row)) => row[a] / row[b],
            (None, None) => 2.0,
        };
        let tenths = (10.0 * ratio).round().clamp(MIN_REMOTE, MAX_REMOTE) as u8;
        if a == b { LOCAL } else { tenths }
    };
    (0..drawn.nodes).map(|a| (0..drawn.nodes).map(|b| claimed(a, b)).collect()).collect()
}

/// One of the ways in which tables are false.
fn lie(rng: &mut Rng, slit: &mut [Vec<u8>]) {
    let nodes = slit.len();
    let (a, step) = (rng.usize(..nodes), rng.usize(1..nodes));
    let b = (a + step) % nodes;
    match rng.u8(..6) {
        // One cell, far off either way.
        0 => {
            let far = slit[a][b].saturating_mul(2).min(MAX_REMOTE as u8);
            let is_far = slit[a][b] >= 15;
            slit[a][b] = if is_far && rng.bool() { MIN_REMOTE as u8 } else { far };
        }
        // Both directions of a pair.
        1 => {
            let far = slit[a][b].saturating_mul(2).min(MAX_REMOTE as u8);
            (slit[a][b], slit[b][a]) = (far, far);
        }
        // Two nodes' columns are taken for each other's.
        2 => {
            let others = slit.iter_mut().enumerate().filter(|(at, _)| *at != a && *at != b);
            others.for_each(|(_, row)| row.swap(a, b));
            if nodes == 2 {
                (slit[0][1], slit[1][0]) = (40, 40);
            }
        }
        // The figure that vendors leave as the default.
        3 => fill(slit, 20),
        // All distances are twice as far.
        4 => {
            let off = slit.iter_mut().enumerate().flat_map(|(at, row)| {
                row.iter_mut().enumerate().filter(move |(to, _)| *to != at).map(|(_, cell)| cell)
            });
            off.for_each(|cell| *cell = cell.saturating_mul(2).min(MAX_REMOTE as u8));
        }
        // Unreachable, and reached.
        _ => slit[a][b] = UNREACHABLE,
    }
}

fn fill(slit: &mut [Vec<u8>], figure: u8) {
    for (at, row) in slit.iter_mut().enumerate() {
        row.iter_mut().enumerate().filter(|(to, _)| *to != at).for_each(|(_, cell)| *cell = figure);
    }
}
