//! Clusters of items: cut into parts, and each part again, until nothing is left to cut.

use super::cost_table::{CostTable, mean};
use super::cut::cut;

/// No machine hides more nodes than this.
const MOST: usize = 16;

/// What one process's items fall into.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// Indexes of the items of each cluster, ascending; clusters by their first item. One cluster
    /// where nothing was cut.
    pub groups: Vec<Vec<usize>>,
    /// Rows that were measured, by their index.
    pub rows: Vec<usize>,
    /// Mean logarithm of the cost of each cluster from each of these rows.
    pub centres: Vec<Vec<f64>>,
    /// How often chance makes clusters as distinct as the least distinct of these. 1 where nothing
    /// was cut.
    pub p: f64,
}

/// Clusters a process's items by what turns round between rows.
pub fn clusters(sheet: &CostTable, seed: u64) -> Clustering {
    let points = sheet.turning();
    let mut whole: Vec<Vec<usize>> = vec![(0..points.len()).collect()];
    let mut done: Vec<Vec<usize>> = Vec::new();
    let mut p: f64 = 0.0;
    while let Some(group) = whole.pop() {
        let of_group: Vec<Vec<f64>> = group.iter().map(|&at| points[at].clone()).collect();
        let found = cut(&of_group, seed).filter(|cut| done.len() + whole.len() + cut.parts <= MOST);
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
