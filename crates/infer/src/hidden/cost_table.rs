//! Costs of one process's items, by row and round.

use std::collections::BTreeMap;

use nearfar_model::Sample;

use crate::cell;

/// Logarithms of each item's cost from each row, in one process.
#[derive(Clone, Debug, PartialEq)]
pub struct CostTable {
    /// The measured rows, by index.
    pub(super) rows: Vec<usize>,
    /// The items that were measured from each of these rows, by index.
    pub(super) items: Vec<usize>,
    /// By item and row, in the order of the two above: medians over rounds. For an even number of
    /// rounds, the lower of the two in the middle, since disturbances only add.
    pub(super) logs: Vec<Vec<f64>>,
}

/// The smallest share of items with costs in a used row.
const MIN_SHARE: f64 = 0.5;

impl CostTable {
    /// From a process's samples: a column is an item (a page, or a line). Values that are not
    /// finite and above 0 are skipped. The common change of a row's costs from round to round
    /// (clocks, neighbours) is subtracted.
    pub fn new(samples: &[Sample]) -> Self {
        let mut cells: BTreeMap<(usize, usize), Vec<(u32, f64)>> = BTreeMap::new();
        for sample in samples.iter().filter(|sample| sample.value.is_finite() && sample.value > 0.0)
        {
            let item_and_row = (sample.place.column, sample.place.row);
            cells.entry(item_and_row).or_default().push((sample.round, sample.value.ln()));
        }
        level_rounds(&mut cells);
        let mut costs: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for ((item, row), logs) in cells {
            costs.entry(item).or_default().insert(row, lower_median(logs.iter().map(|log| log.1)));
        }
        let mut by_row: BTreeMap<usize, usize> = BTreeMap::new();
        costs
            .values()
            .flat_map(BTreeMap::keys)
            .for_each(|&row| *by_row.entry(row).or_default() += 1);
        let least = MIN_SHARE * costs.len() as f64;
        let rows: Vec<usize> = by_row
            .into_iter()
            .filter(|(_, items)| *items as f64 >= least)
            .map(|(row, _)| row)
            .collect();
        let whole = |(item, of_item): (usize, BTreeMap<usize, f64>)| {
            let logs: Option<Vec<f64>> = rows.iter().map(|row| of_item.get(row).copied()).collect();
            logs.map(|logs| (item, logs))
        };
        let (items, logs) = costs.into_iter().filter_map(whole).unzip();
        Self { rows, items, logs }
    }

    /// Number of items that were measured from each used row.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Number of used rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The interaction of items and rows: each item's costs minus its mean over rows and each row's
    /// level.
    pub(super) fn turning(&self) -> Vec<Vec<f64>> {
        let levels: Vec<f64> =
            (0..self.rows.len()).map(|row| mean(self.logs.iter().map(|logs| logs[row]))).collect();
        let all = mean(levels.iter().copied());
        let of_item = |logs: &Vec<f64>| {
            let own = mean(logs.iter().copied());
            logs.iter().zip(&levels).map(|(log, level)| log - level - own + all).collect()
        };
        self.logs.iter().map(of_item).collect()
    }

    /// Each item's mean logarithm over rows.
    pub(super) fn level_of_items(&self) -> Vec<f64> {
        self.logs.iter().map(|logs| mean(logs.iter().copied())).collect()
    }

    /// Each row's median logarithm over items, in the order of `rows`.
    pub(super) fn level_of_rows(&self) -> Vec<f64> {
        (0..self.rows.len()).map(|row| median(self.logs.iter().map(|logs| logs[row]))).collect()
    }
}

/// Subtracts the common change of a row's items in a round, relative to their own medians.
fn level_rounds(cells: &mut BTreeMap<(usize, usize), Vec<(u32, f64)>>) {
    let mut deviations: BTreeMap<(usize, u32), Vec<f64>> = BTreeMap::new();
    for ((_, row), logs) in cells.iter() {
        let middle = median(logs.iter().map(|log| log.1));
        for (round, log) in logs {
            deviations.entry((*row, *round)).or_default().push(log - middle);
        }
    }
    let levels: BTreeMap<(usize, u32), f64> = deviations
        .into_iter()
        .map(|(place, of_round)| (place, median(of_round.into_iter())))
        .collect();
    for ((_, row), logs) in cells.iter_mut() {
        logs.iter_mut()
            .for_each(|(round, log)| *log -= levels.get(&(*row, *round)).copied().unwrap_or(0.0));
    }
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    cell::median(values).unwrap_or(0.0)
}

/// The median, or the lower of the two middle values.
fn lower_median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CellIndex;

    use super::*;

    fn sample(item: usize, row: usize, round: u32, ns: f64) -> Sample {
        Sample::new(0, round, CellIndex::new(row, item), ns)
    }

    #[test]
    fn slow_rows_and_pages_have_no_interaction() {
        let cost = |item: usize, row: usize| 80.0 * [1.0, 1.3, 1.1][item] * [1.0, 1.5][row];
        let samples: Vec<_> = (0..12)
            .map(|at| sample(at % 3, at / 3 % 2, at as u32 / 6, cost(at % 3, at / 3 % 2)))
            .collect();
        let sheet = CostTable::new(&samples);
        assert_eq!((sheet.items(), sheet.rows()), (3, 2));
        assert!(sheet.turning().iter().flatten().all(|left| left.abs() < 1e-9), "{sheet:?}");
        let levels = sheet.level_of_rows();
        assert!((levels[1] - levels[0] - 1.5f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn common_round_changes_are_subtracted() {
        let cost =
            |item: usize, round: u32| (80.0 + item as f64) * if round == 1 { 1.2 } else { 1.0 };
        let samples: Vec<_> =
            (0..5).flat_map(|item| (0..2).map(move |round| (item, round))).collect();
        let uneven = samples
            .iter()
            .filter(|place| **place != (0, 1))
            .map(|&(item, round)| sample(item, 0, round, cost(item, round)));
        let sheet = CostTable::new(&uneven.collect::<Vec<_>>());
        let costs: Vec<f64> = sheet.logs.iter().map(|logs| logs[0].exp()).collect();
        assert!(
            costs.windows(2).all(|pair| pair[1] > pair[0] && pair[1] < pair[0] * 1.1),
            "{costs:?}"
        );
    }

    #[test]
    fn a_disturbed_round_of_two_is_ignored() {
        let cost = |item: usize, round: usize| if (item + round) % 5 == 0 { 160.0 } else { 80.0 };
        let places = (0..10).flat_map(|item| (0..2).map(move |round| (item, round)));
        let samples: Vec<_> =
            places.map(|(item, round)| sample(item, 0, round as u32, cost(item, round))).collect();
        let sheet = CostTable::new(&samples);
        assert!(sheet.logs.iter().all(|logs| (logs[0].exp() - 80.0).abs() < 1e-9), "{sheet:?}");
    }

    #[test]
    fn missing_items_and_rows_are_skipped() {
        let samples = [
            sample(0, 0, 0, 80.0),
            sample(0, 1, 0, 90.0),
            sample(1, 0, 0, 80.0),
            sample(2, 0, 0, f64::NAN),
            sample(3, 1, 0, -1.0),
        ];
        let sheet = CostTable::new(&samples);
        assert_eq!((sheet.rows.clone(), sheet.items.clone()), (vec![0, 1], vec![0]));
        assert_eq!(CostTable::new(&[]).items(), 0);
    }
}
