//! Comparison of CPUs on one memory: do they differ by more than one CPU differs from itself?
//!
//! A difference may be due to memory or to clocks, which is not decided here. The control, one CPU
//! measured repeatedly, shows whether there is a difference at all: without it, drift and noise
//! look like structure.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::detection::ALPHA;
use crate::normal;

const SIMULATIONS: u32 = 19_999;

/// CPUs compared with their control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuDifference {
    /// The slowest CPU over the fastest, minus 1.
    pub spread: f64,
    /// The same for the control.
    pub control_spread: f64,
    /// The probability of such a spread, relative to the control, if CPUs do not differ.
    pub p: f64,
    /// Whether `p` is at most [`ALPHA`].
    pub differs: bool,
}

/// Compares costs by CPU (one value each, in ns, all of one memory) with a control (one CPU,
/// measured repeatedly). `None` with fewer than three values on either side, or with an invalid
/// value.
///
/// A one-sided F test of the variances of logarithms, with a simulated distribution.
pub fn cpu_difference(cpus_ns: &[f64], control_ns: &[f64], seed: u64) -> Option<CpuDifference> {
    let (cpus, control) = (logs(cpus_ns)?, logs(control_ns)?);
    let observed = variance(&cpus) / variance(&control);
    if observed.is_nan() {
        return None;
    }
    let mut rng = Rng::with_seed(seed);
    let mut deviates =
        |count: usize| variance(&(0..count).map(|_| normal(&mut rng)).collect::<Vec<f64>>());
    let reached = (0..SIMULATIONS)
        .filter(|_| deviates(cpus.len()) / deviates(control.len()) >= observed)
        .count();
    let p = (reached + 1) as f64 / f64::from(SIMULATIONS + 1);
    Some(CpuDifference {
        spread: spread(&cpus),
        control_spread: spread(&control),
        p,
        differs: p <= ALPHA,
    })
}

fn logs(costs_ns: &[f64]) -> Option<Vec<f64>> {
    let valid = costs_ns.len() > 2 && costs_ns.iter().all(|ns| ns.is_finite() && *ns > 0.0);
    valid.then(|| costs_ns.iter().map(|ns| ns.ln()).collect())
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

fn spread(logs: &[f64]) -> f64 {
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
    (logs.iter().copied().fold(low, f64::max) - low).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::cases::simulations;

    /// Socionext SC2A11, 24 Cortex-A53 cores: ns per store to a buffer of CPU 0, and the control.
    const SC2A11: [f64; 24] = [
        37.300696, 37.511301, 37.320645, 37.479546, 37.280271, 37.298240, 37.207461, 37.285339,
        36.824337, 36.862199, 36.926653, 36.867224, 37.064979, 37.011814, 37.041438, 37.074635,
        37.414566, 37.373740, 37.375946, 37.423050, 37.292513, 37.323017, 37.154486, 37.190995,
    ];
    const SC2A11_CONTROL: [f64; 24] = [
        36.993787, 36.986646, 37.254620, 37.231557, 37.587849, 37.582042, 37.450369, 37.387533,
        37.487312, 37.452216, 37.501526, 37.556768, 37.139728, 37.283043, 37.169193, 37.389888,
        37.746065, 37.841875, 37.559928, 37.581090, 37.769728, 37.680080, 37.567870, 37.194819,
    ];
    /// Xeon 8163, two sockets, NUMA hidden: ns by CPU 0, 24, 48, 72. The control is the published
    /// uniform setting of the same machine (interleaved by firmware).
    const XEON_8163: [f64; 4] = [100.717, 68.484, 101.070, 68.483];
    const XEON_8163_INTERLEAVED: [f64; 4] = [85.657, 85.741, 85.977, 86.671];

    #[test]
    fn equal_scatter_is_no_difference() {
        let sc2a11 = cpu_difference(&SC2A11, &SC2A11_CONTROL, 1).unwrap();
        assert!(!sc2a11.differs && sc2a11.p > 0.5, "{sc2a11:?}");
        assert!(
            (sc2a11.spread - 0.0187).abs() < 1e-4 && sc2a11.control_spread > sc2a11.spread,
            "{sc2a11:?}"
        );
    }

    #[test]
    fn hidden_nodes_make_cores_differ() {
        let xeon = cpu_difference(&XEON_8163, &XEON_8163_INTERLEAVED, 1).unwrap();
        assert!(xeon.differs && xeon.p < 1e-3, "{xeon:?}");
        assert!((xeon.spread - 0.476).abs() < 1e-3, "{xeon:?}");
    }

    #[test]
    fn too_few_or_invalid_values_give_none() {
        assert_eq!(cpu_difference(&[80.0, 81.0], &[80.0, 81.0, 82.0], 1), None);
        assert_eq!(cpu_difference(&[80.0, 81.0, f64::NAN], &[80.0, 81.0, 82.0], 1), None);
        assert_eq!(cpu_difference(&[80.0; 3], &[80.0; 3], 1), None);
    }

    #[test]
    fn false_alarm_rate_is_below_alpha() {
        let mut rng = Rng::with_seed(5);
        let mut series = |count| {
            (0..count).map(|_| 80.0 * (0.01 * normal(&mut rng)).exp()).collect::<Vec<f64>>()
        };
        let pairs = simulations(34, 200);
        let differs = |seed: &u64| cpu_difference(&series(8), &series(8), *seed).unwrap().differs;
        let alarms = (0..pairs).filter(differs).count() as u64;
        assert!(alarms * 100 <= pairs * 3, "{alarms} of {pairs}");
    }
}
