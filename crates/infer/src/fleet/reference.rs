//! Machines compared with one that is known to be good.

use super::{FALSE_DISCOVERY_RATE, FleetFigure, FleetOutlier};
use crate::changes::BETWEEN;
use crate::many_tests::adjusted_by_benjamini_hochberg;
use crate::student::{NORMAL_95, two_sided_p};

/// Degrees of freedom beyond which Student's t is the normal distribution.
const MANY: f64 = 1e6;

/// Compares each machine with one reference, cell by cell. `between` is the standard deviation
/// between surveys of an unchanged machine; none for [`BETWEEN`].
pub fn fleet_against_reference(
    reference: &[Option<FleetFigure>],
    machines: &[Vec<Option<FleetFigure>>],
    between: Option<f64>,
    floor: f64,
) -> Vec<FleetOutlier> {
    let between = between.unwrap_or(BETWEEN);
    let mut compared = Vec::new();
    for (machine, figures) in machines.iter().enumerate() {
        for (cell, (figure, golden)) in figures.iter().zip(reference).enumerate() {
            let (Some(figure), Some(golden)) = (figure, golden) else { continue };
            let variance = figure.error.powi(2) + golden.error.powi(2) + 2.0 * between.powi(2);
            compared.push((machine, cell, figure.log - golden.log, variance.sqrt()));
        }
    }
    let ps: Vec<f64> = compared.iter().map(|(.., log, sd)| two_sided_p(log / sd, MANY)).collect();
    let qs = adjusted_by_benjamini_hochberg(&ps);
    type Compared = (usize, usize, f64, f64);
    let outlier = |(&(machine, cell, log, sd), (&p_value, q_value)): (&Compared, (&f64, f64))| {
        let is_outlier = q_value <= FALSE_DISCOVERY_RATE && log.abs() >= floor.ln_1p();
        is_outlier.then(|| FleetOutlier {
            machine,
            cell,
            ratio: log.exp(),
            other_cells: None,
            low: (log - NORMAL_95 * sd).exp(),
            high: (log + NORMAL_95 * sd).exp(),
            p_value,
            q_value,
        })
    };
    compared.iter().zip(ps.iter().zip(qs)).filter_map(outlier).collect()
}
