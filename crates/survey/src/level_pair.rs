//! Cells with two typical values, for pictures that show both.

use std::collections::BTreeMap;

use nearfar_infer::trials::MIN_RUNS;
use nearfar_model::{CellIndex, Unit};

use crate::two_levels::{LevelSplit, are_beyond_chance};
use crate::{Samples, Survey, Treatment, TreatmentMatrix};

/// Two typical values of a cell instead of one, in the unit of its matrix, the lower first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelPair {
    /// The median of each.
    pub values: [f64; 2],
    /// How many samples each has.
    pub samples: [usize; 2],
}

impl LevelPair {
    fn new(levels: &LevelSplit, unit: Unit) -> Self {
        let values = levels.typical.map(|ns| unit.figure(ns));
        let samples = levels.visits;
        if values[0] <= values[1] {
            return Self { values, samples };
        }
        Self { values: [values[1], values[0]], samples: [samples[1], samples[0]] }
    }
}

impl<T: Treatment> TreatmentMatrix<T> {
    /// Cells with two typical values, by their index; none without samples, and none where chance
    /// alone makes as many.
    pub fn level_pairs(&self, seed: u64) -> BTreeMap<usize, LevelPair> {
        level_pairs(self.samples.as_ref(), &self.places(), T::UNIT, seed)
    }
}

impl Survey {
    /// Cells of the latency matrix with two typical values, by their index, likewise.
    pub fn latency_level_pairs(&self) -> BTreeMap<usize, LevelPair> {
        let cells = self.latency.cells.iter();
        let places: Vec<CellIndex> =
            cells.map(|cell| CellIndex::new(cell.row, cell.column)).collect();
        let (unit, seed) = (self.latency.unit, self.provenance.seed);
        level_pairs(self.samples.as_ref(), &places, unit, seed)
    }
}

fn level_pairs(
    samples: Option<&Samples>,
    places: &[CellIndex],
    unit: Unit,
    seed: u64,
) -> BTreeMap<usize, LevelPair> {
    let mut costs = samples.map(|samples| samples.values(places)).unwrap_or_default();
    costs.retain(|_, costs| costs.len() >= MIN_RUNS);
    let levels = |costs: &Vec<f64>| Some(LevelPair::new(&LevelSplit::new(costs, seed)?, unit));
    let pairs: BTreeMap<usize, LevelPair> =
        costs.iter().filter_map(|(&cell, costs)| Some((cell, levels(costs)?))).collect();
    if are_beyond_chance(pairs.len(), costs.len()) { pairs } else { BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_value_is_first_in_every_unit() {
        let times: Vec<f64> =
            (0..20).map(|k| if k < 8 { 20.0 } else { 40.0 } + 0.01 * f64::from(k)).collect();
        let levels = LevelSplit::new(&times, 1).unwrap();
        let pair = |unit| LevelPair::new(&levels, unit);
        assert_eq!(pair(Unit::Nanoseconds).samples, [8, 12]);
        let rates = pair(Unit::BytesPerSecond);
        assert_eq!(rates.samples, [12, 8]);
        assert!(rates.values[0] < rates.values[1], "{rates:?}");
    }
}
