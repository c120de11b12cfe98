//! Distance classes: memories of one class cost the same.

use nearfar_infer::NodeCosts;
use nearfar_infer::classes::{self, LatencyClass};

use super::{Judged, SAME};

/// Memories that differ by more than this do not cost alike (8 %): classes are merged below 4 %,
/// one after the other.
const APART: f64 = 1.08;

pub(super) fn judge(found: &[LatencyClass], truth: &NodeCosts) -> Judged {
    let mut judged = Judged::new("classes");
    let cells: Vec<(usize, [u32; 2], f64)> = found
        .iter()
        .enumerate()
        .flat_map(|(class, of)| of.cells.iter().map(move |cell| (class, *cell)))
        .filter_map(|(class, cell)| Some((class, cell, truth.cost(cell[0], cell[1])?)))
        .collect();
    let pairs =
        cells.iter().enumerate().flat_map(|(at, a)| cells[at + 1..].iter().map(move |b| (a, b)));
    let (mut split, mut joined) = (Vec::new(), Vec::new());
    for (a, b) in pairs {
        let ratio = (a.2 / b.2).max(b.2 / a.2);
        match a.0 == b.0 {
            true if ratio > APART => joined.push((a.1, b.1, ratio)),
            false if ratio < SAME => split.push((a.1, b.1, ratio)),
            _ => judged.right += 1,
        }
    }
    let example = |pairs: &[([u32; 2], [u32; 2], f64)], what: &str| {
        let (a, b, ratio) = pairs.first()?;
        let named = |[cpus, memory]: [u32; 2]| format!("node {memory} from node {cpus}");
        let (count, more) = (pairs.len(), 100.0 * (ratio - 1.0));
        Some(format!(
            "{count} pairs of memories are {what}: {} and {} differ by {more:.1} %",
            named(*a),
            named(*b)
        ))
    };
    judged.wrong.extend(example(&split, "in two classes"));
    judged.wrong.extend(example(&joined, "in one class"));
    let put_in = classes::classes(truth).map_or(0, |classes| classes.len());
    if found.len() < put_in {
        judged.missed.push(format!("{put_in} classes, {} reported", found.len()));
    }
    judged
}
