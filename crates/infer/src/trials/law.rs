//! Scaling laws, fitted to medians.
//!
//! Both give the time of `n` jobs, relative to the ideal `T1 / n`, as a sum of terms that do not
//! scale: `n T(n) = a + b (n-1) + c n (n-1)`. With `c = 0` that is Amdahl's law (*AFIPS* 1967) with
//! the serial share `b / a`. With `c` it is the Universal Scalability Law (Gunther, *Guerrilla
//! Capacity Planning*, 2007, chapter 4), which has a minimum of time where jobs synchronise with
//! each other.

use serde::{Deserialize, Serialize};

/// The largest relative error of a fitting law.
const FITS: f64 = 0.05;
/// The minimum number of points beyond the number of parameters: an exact fit proves nothing.
const SPARE_POINTS: usize = 1;
/// The law with more parameters must have a smaller error than this share of the other's.
const WORTH_IT: f64 = 0.7;

/// The kind of law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawKind {
    /// A share of the work is serial.
    Amdahl,
    /// In addition, jobs wait for each other, in proportion to their number.
    UniversalScalability,
}

/// A fitted law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Law {
    /// The kind.
    pub kind: LawKind,
    /// The time of one job, in the figure's unit.
    pub one_job: f64,
    /// The serial share, or contention (sigma), as a fraction.
    pub serial: f64,
    /// The cost of each pair of jobs (kappa), as a fraction of one job's time; 0 for Amdahl.
    pub crosstalk: f64,
    /// The largest relative error of a point.
    pub worst_miss: f64,
    /// The number of jobs with the shortest time; null for Amdahl.
    pub peak_jobs: Option<f64>,
}

impl Law {
    /// The best law for (jobs, time), if one fits.
    pub fn fitted(points: &[(f64, f64)]) -> Option<Self> {
        let amdahl = Self::new(points, LawKind::Amdahl);
        let universal = Self::new(points, LawKind::UniversalScalability);
        let best = match (amdahl, universal) {
            (Some(short), Some(long)) if long.worst_miss < WORTH_IT * short.worst_miss => {
                Some(long)
            }
            (short, long) => short.or(long),
        };
        best.filter(|law| law.worst_miss <= FITS)
    }

    /// The time of this number of jobs.
    pub fn time(&self, jobs: f64) -> f64 {
        let more = jobs - 1.0;
        self.one_job * (1.0 + self.serial * more + self.crosstalk * jobs * more) / jobs
    }

    fn new(points: &[(f64, f64)], kind: LawKind) -> Option<Self> {
        let terms: &[fn(f64) -> f64] = match kind {
            LawKind::Amdahl => &[|_| 1.0, |n| n - 1.0],
            LawKind::UniversalScalability => &[|_| 1.0, |n| n - 1.0, |n| n * (n - 1.0)],
        };
        if points.len() < terms.len() + SPARE_POINTS {
            return None;
        }
        // Relative errors count: each equation is divided by its value.
        let equations: Vec<Vec<f64>> = points
            .iter()
            .map(|(n, time)| terms.iter().map(|term| term(*n) / (n * time)).collect())
            .collect();
        let solved = least_squares(&equations)?;
        let (one_job, rest) = solved.split_first().filter(|(one_job, _)| **one_job > 0.0)?;
        // No law is superlinear: negative shares are zero.
        let share = |at: usize| rest.get(at).map_or(0.0, |value| (value / one_job).max(0.0));
        let (serial, crosstalk) = (share(0), share(1));
        let peak_jobs = (crosstalk > 0.0).then(|| ((1.0 - serial).max(0.0) / crosstalk).sqrt());
        let law = Self { kind, one_job: *one_job, serial, crosstalk, worst_miss: 0.0, peak_jobs };
        let miss = |(n, time): &(f64, f64)| (law.time(*n) / time - 1.0).abs();
        Some(Self { worst_miss: points.iter().map(miss).fold(0.0, f64::max), ..law })
    }
}

/// The least squares solution for equations with the value 1, by the normal equations and Gauss;
/// none where it is not unique.
fn least_squares(equations: &[Vec<f64>]) -> Option<Vec<f64>> {
    let count = equations.first()?.len();
    let product = |a: usize, b: usize| equations.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let right = |a: usize| equations.iter().map(|row| row[a]).sum::<f64>();
    let mut system: Vec<Vec<f64>> =
        (0..count).map(|a| (0..count).map(|b| product(a, b)).chain([right(a)]).collect()).collect();
    for column in 0..count {
        let pivot = (column..count)
            .max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        system.swap(column, pivot);
        let row = system[column].clone();
        if row[column].abs() < 1e-12 * (product(column, column) + f64::MIN_POSITIVE) {
            return None;
        }
        for other in (0..count).filter(|&other| other != column) {
            let factor = system[other][column] / row[column];
            system[other].iter_mut().zip(&row).for_each(|(cell, own)| *cell -= factor * own);
        }
    }
    Some((0..count).map(|at| system[at][count] / system[at][at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(serial: f64, crosstalk: f64) -> impl Fn(u32) -> (f64, f64) {
        let kind = LawKind::UniversalScalability;
        let law = Law { kind, one_job: 60.0, serial, crosstalk, worst_miss: 0.0, peak_jobs: None };
        move |jobs| (f64::from(jobs), law.time(f64::from(jobs)))
    }

    #[test]
    fn a_serial_share_is_amdahls() {
        let points: Vec<(f64, f64)> = [1, 2, 4, 8, 16].map(law(0.1, 0.0)).to_vec();
        let found = Law::fitted(&points).unwrap();
        assert_eq!(found.kind, LawKind::Amdahl);
        assert!(
            (found.serial - 0.1).abs() < 1e-6 && (found.one_job - 60.0).abs() < 1e-6,
            "{found:?}"
        );
    }

    #[test]
    fn slowdown_follows_the_universal_law() {
        let points: Vec<(f64, f64)> = [1, 2, 4, 8, 16, 32, 64].map(law(0.02, 0.0005)).to_vec();
        let found = Law::fitted(&points).unwrap();
        assert_eq!(found.kind, LawKind::UniversalScalability);
        assert!(
            (found.serial - 0.02).abs() < 1e-6 && (found.crosstalk - 0.0005).abs() < 1e-8,
            "{found:?}"
        );
        assert!((found.peak_jobs.unwrap() - (0.98f64 / 0.0005).sqrt()).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn noise_and_exact_fits_have_no_law() {
        assert_eq!(Law::fitted(&[(1.0, 10.0), (2.0, 5.0)]), None);
        assert_eq!(Law::fitted(&[(1.0, 10.0), (2.0, 20.0), (3.0, 4.0), (4.0, 17.0)]), None);
        assert_eq!(Law::fitted(&[(2.0, 10.0); 5]), None);
    }
}
