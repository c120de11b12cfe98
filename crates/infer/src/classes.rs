//! Distance classes: groups of memories with equal cost.
//!
//! Classes are built by agglomerative clustering: the closest neighbours are merged as long as they
//! differ by less than 4 %, or their gap may be chance. (Fixed gaps in cycles fail with coarse
//! clocks; mixtures of normals find too many classes.) The gap between group means decides, so that
//! single cells between two classes do not join them. Then each distance is assigned to its most
//! likely class.
//!
//! The test allows for the selection of the widest gap (`gaps`). Holm's correction over all gaps is
//! added.

mod gaps;
mod merge;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::distances::{self, CostDistance};
use crate::node_costs::NodeCosts;
use crate::student::{NORMAL_95, as_rare_as};
pub(crate) use merge::ClassBorders;

/// Cells with a larger standard error (as a fraction) are not classified. The small excess allows
/// for rounding.
pub const MAX_ERROR: f64 = 0.01 + 1e-9;

/// Memories with equal cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LatencyClass {
    /// The geometric mean of its cells' costs, in nanoseconds.
    pub cost_ns: f64,
    /// Its 95 % interval, in nanoseconds.
    pub ci95: [f64; 2],
    /// The cells: [node of the CPUs, node of the memory].
    pub cells: Vec<[u32; 2]>,
}

/// Why there are no classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoClasses {
    /// No cell is known.
    Nothing,
    /// A cell is too uncertain.
    TooUncertain {
        /// The node of its CPUs.
        cpus: u32,
        /// The node of its memory.
        memory: u32,
        /// Its standard error, as a fraction; null where it is unknown.
        error: Option<f64>,
    },
}

/// Classes from near to far; an error where the data is insufficient.
pub fn classes(costs: &NodeCosts) -> Result<Vec<LatencyClass>, NoClasses> {
    check(costs)?;
    let distances = distances::all(costs);
    let levels = ClassBorders::new(costs, &distances);
    Ok((0..levels.count())
        .map(|level| class(costs, &distances, &levels, level))
        .filter(|class| !class.cells.is_empty())
        .collect())
}

/// Checks that every known cell is precise enough.
pub(crate) fn check(costs: &NodeCosts) -> Result<(), NoClasses> {
    let (error, [cpus, memory]) = costs.worst_standard_error().ok_or(NoClasses::Nothing)?;
    let known = Some(error).filter(|error| error.is_finite());
    if error > MAX_ERROR {
        Err(NoClasses::TooUncertain { cpus, memory, error: known })
    } else {
        Ok(())
    }
}

/// The boundaries between classes, on the logarithm of cost.
pub(crate) fn levels(costs: &NodeCosts) -> Result<ClassBorders, NoClasses> {
    check(costs)?;
    Ok(ClassBorders::new(costs, &distances::all(costs)))
}

fn class(
    costs: &NodeCosts,
    distances: &[CostDistance],
    levels: &ClassBorders,
    level: usize,
) -> LatencyClass {
    let members = distances.iter().filter(|distance| levels.level(distance.log) == level);
    let mut cells: Vec<usize> =
        members.flat_map(|distance| distance.cells.iter().copied()).collect();
    cells.sort_unstable();
    let mean = |logs: &[f64]| crate::node_costs::mean_of(cells.iter().map(|&cell| logs[cell]));
    let half = costs.scatter(mean).map_or(0.0, |scatter| {
        as_rare_as(NORMAL_95, costs.freedom(scatter)) * scatter.variance().sqrt()
    });
    let log = mean(costs.logs());
    LatencyClass {
        cost_ns: log.exp(),
        ci95: [(log - half).exp(), (log + half).exp()],
        cells: cells.into_iter().map(|cell| costs.nodes_of(cell)).collect(),
    }
}
