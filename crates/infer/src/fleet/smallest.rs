//! What would be an outlier, where there is none: "none" is a statement only with this size.

use serde::{Deserialize, Serialize};

use super::FALSE_DISCOVERY_RATE;
use super::expected::{Expected, FEW_MACHINES, comparisons};
use super::fit::{Compared, FleetFit};
use crate::cell::median;
use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

/// Slowdowns that would be outliers with a probability of 97.5 % or more, as fractions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SmallestSlowdown {
    /// Of any cell.
    pub cell: f64,
    /// Of all cells of any machine.
    pub machine: f64,
}

impl SmallestSlowdown {
    /// Of the first outlier among this many tests; none without any.
    pub(super) fn new(
        fit: &FleetFit<'_>,
        tested: &[usize],
        tests: usize,
        floor: f64,
    ) -> Option<Self> {
        let p = FALSE_DISCOVERY_RATE / tests as f64 / comparisons(fit.levels.len());
        let machines = if fit.levels.len() > FEW_MACHINES { 1 } else { fit.levels.len() };
        let of_machine = |machine: usize| {
            let others = Expected::of(fit, machine);
            let compared: Vec<[Option<Compared>; 2]> =
                tested.iter().map(|&cell| others.slower(machine, cell)).collect();
            let freedoms = compared.iter().flatten().flatten().map(|one| one.freedom);
            let freedom = freedoms.fold(f64::INFINITY, f64::min);
            let deviates = deviate(p, freedom) + as_rare_as(NORMAL_95, freedom);
            let size = |one: Compared| deviates * one.variance.sqrt();
            let cells = compared.iter().map(|two| two.iter().flatten().map(|it| size(*it)));
            let cell = cells.map(|two| two.fold(f64::INFINITY, f64::min)).fold(0.0, f64::max);
            let machine = median(compared.iter().filter_map(|[own, _]| own.map(size)))?;
            Some([cell, machine].map(|log| log.exp_m1().max(floor)))
        };
        let all: Option<Vec<[f64; 2]>> = (0..machines).map(of_machine).collect();
        let all = all.filter(|all| !all.is_empty() && !tested.is_empty())?;
        let largest = |at: usize| all.iter().map(|of| of[at]).fold(0.0, f64::max);
        let [cell, machine] = [largest(0), largest(1)];
        (cell.is_finite() && machine.is_finite()).then_some(Self { cell, machine })
    }
}

/// The deviate of this two-sided probability.
fn deviate(p: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if two_sided_p(middle, freedom) > p { low = middle } else { high = middle }
    }
    high
}
