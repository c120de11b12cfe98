//! Clusters of items, by repeated cuts into parts.

use super::cost_table::{CostTable, mean};
use super::cut::cut;

/// The largest number of hidden nodes.
const MOST: usize = 16;

/// The clusters of one process's items.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// Indexes of the items of each cluster, ascending; clusters by their first item. One cluster
    /// without a cut.
    pub groups: Vec<Vec<usize>>,
    /// The measured rows, by index.
    pub rows: Vec<usize>,
    /// Mean logarithm of each cluster's cost from each of these rows.
    pub centres: Vec<Vec<f64>>,
    /// The p-value of the least distinct clusters; 1 without a cut.
    pub p: f64,
}

/// Clusters a process's items by the part of their costs that differs between rows.
pub fn clusters(sheet: &CostTable, seed: u64) -> Clustering {
    let points = sheet.turning();
    let mut whole: Vec<Vec<usize>> = vec![(0..points.len()).collect()];
    let mut done: Vec<Vec<usize>> = Vec::new();
    let mut p: f64 = 0.0;
    while let Some(group) = whole.pop() {
        let group_points: Vec<Vec<f64>> = group.iter().map(|&at| points[at].clone()).collect();
        let found =
            cut(&group_points, seed).filter(|cut| done.len() + whole.len() + cut.parts <= MOST);
        match found {
            None => done.push(group),
            Some(cut) => {
                p = p.max(cut.p);
                let members = |part: usize| {
                    group
                        .iter()
                        .zip(&cut.of)
                        .filter(|(_, of)| **of == part)
                        .map(|(at, _)| *at)
                        .collect()
                };
                whole.extend((0..cut.parts).map(members));
            }
        }
    }
    done.sort();
    let centre = |group: &Vec<usize>| -> Vec<f64> {
        (0..sheet.rows.len()).map(|row| mean(group.iter().map(|&at| sheet.logs[at][row]))).collect()
    };
    Clustering {
        centres: done.iter().map(centre).collect(),
        p: if done.len() > 1 { p } else { 1.0 },
        groups: done
            .into_iter()
            .map(|group| group.into_iter().map(|at| sheet.items[at]).collect())
            .collect(),
        rows: sheet.rows.clone(),
    }
}
