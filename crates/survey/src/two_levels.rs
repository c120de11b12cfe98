//! Bandwidth with two typical values in place of one: the median tells the more frequent, and a program meets the other, too.
//!
//! A hypervisor can make them that runs two CPUs now on cores of one chip, whose link to memory they share, now on cores of two; so can a
//! neighbour that comes and goes. Two CPUs of a guest on a Zen 3 wrote past their caches with 22.5 GB/s at one visit and 43 at the next.

use nearfar_infer::trials::{Humps, humps};

use crate::bandwidth::{Bandwidth, Streaming};
use crate::part::place;
use crate::{Cell, Machine, Treatment, Warning};

/// Levels nearer than this to each other change nobody's mind.
const APART: f64 = 1.1;
/// A level has one of so many visits at least, and so many in all: fewer are a disturbance.
const SHARE: usize = 5;
const FEWEST: usize = 3;
/// Of so many cells one may have two levels by chance.
const BY_CHANCE: usize = 50;

/// What is told when cells have two levels: of the one whose levels are furthest apart, and how many there are.
pub(crate) fn warning(bandwidth: &Bandwidth, machine: &Machine, seed: u64) -> Option<Warning> {
    let cells = &bandwidth.part.matrix.cells;
    let of_cell = |cell| Some((cell, levels(&figures(bandwidth, cell)?, seed)?));
    let found: Vec<(&Cell<Streaming>, Humps)> = cells.iter().filter_map(of_cell).collect();
    let (cell, widest) = found.iter().max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
    if found.len() <= cells.len() / BY_CHANCE {
        return None;
    }
    let [low, high] = widest.centers.map(|rate| format!("{:.1}", rate / 1e9));
    let [at_low, at_high] = widest.runs;
    let matrix = &bandwidth.part.matrix;
    let text = format!(
        "{} of {} cells of bandwidth {} two levels, and the median tells only the more frequent: {} of {} thread{} from {} to {} moved {low} GB/s \
         at {at_low} visits and {high} at {at_high}.",
        found.len(),
        cells.len(),
        if found.len() == 1 { "has" } else { "have" },
        cell.treatment.kernel,
        cell.treatment.threads,
        if cell.treatment.threads == 1 { "" } else { "s" },
        matrix.rows[cell.row].label,
        matrix.columns[cell.column].label,
    );
    let remedy = match machine.hypervisor {
        Some(_) if cell.treatment.threads > 1 => {
            "have the host pin each virtual CPU to a core (it may run them now on one chip, now on two), or look for a neighbour that comes and goes"
        }
        Some(_) => "look for a neighbour that comes and goes: a dedicated host has none",
        None => "look for a program that comes and goes, and for clocks that change",
    };
    Some(Warning::new("two-levels", text, Some(remedy)).of("bandwidth"))
}

/// What a cell's visits moved, in bytes a second.
fn figures(bandwidth: &Bandwidth, cell: &Cell<Streaming>) -> Option<Vec<f64>> {
    let treatments = &bandwidth.part.treatments;
    let treatment = treatments.iter().position(|known| *known == cell.treatment)?;
    let samples = bandwidth.part.samples.as_ref()?.at(cell.row, place(cell.column, treatments.len(), treatment));
    Some(samples.iter().map(|sample| Streaming::figure(sample.ns)).collect())
}

fn levels(figures: &[f64], seed: u64) -> Option<Humps> {
    let mut ascending = figures.to_vec();
    ascending.sort_by(f64::total_cmp);
    let fewest = (ascending.len() / SHARE).max(FEWEST);
    // Most cells need no closer look: with so many visits left out on either side, both levels would be left.
    let inner = [fewest.checked_sub(1)?, ascending.len().checked_sub(fewest)?].map(|at| ascending.get(at).copied());
    let [Some(low), Some(high)] = inner else { return None };
    let is_level = |humps: &Humps| ratio(humps) >= APART && humps.runs.iter().all(|runs| *runs >= fewest);
    (high >= low * APART).then(|| humps(figures, seed)).flatten().filter(is_level)
}

fn ratio(humps: &Humps) -> f64 {
    humps.centers[1] / humps.centers[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_a_tenth_apart_are_told_and_scatter_is_not() {
        let two: Vec<f64> =
            (0..15).map(|visit| if visit % 3 == 0 { 43.0 } else { 22.5 } + 0.1 * f64::from(visit)).collect();
        let found = levels(&two, 1).unwrap();
        assert_eq!(found.runs, [10, 5]);
        let scattered: Vec<f64> = (0..15).map(|visit| 30.0 + 0.7 * f64::from(visit * 4 % 15)).collect();
        assert_eq!(levels(&scattered, 1), None);
        let near: Vec<f64> = two.iter().map(|rate| 30.0 + rate / 20.0).collect();
        assert_eq!(levels(&near, 1), None, "two levels, but close to one another");
        assert_eq!(levels(&[], 1), None);
    }

    #[test]
    fn a_few_disturbed_visits_are_no_level() {
        let visits = |disturbed: u32| -> Vec<f64> {
            (0..30).map(|visit| if visit < disturbed { 20.0 } else { 40.0 } + 0.1 * f64::from(visit)).collect()
        };
        assert_eq!(levels(&visits(2), 1), None);
        assert_eq!(levels(&visits(5), 1), None);
        assert_eq!(levels(&visits(6), 1).unwrap().runs, [6, 24]);
    }
}
