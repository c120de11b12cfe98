//! Columns that the kernel calls one memory: uniform columns alone do not make that memory uniform.
//!
//! Where NUMA is hidden, all page sets may come from beside the same CPUs. Then columns agree
//! within every row, and rows disagree: the memory is near to some CPUs, or these CPUs are faster.
//! Columns cannot tell which.

use crate::estimate::Estimate;
use crate::numa::Numa;
use crate::remedy::Remedy;
use crate::verdict::NumaVerdict;
use crate::verdict_reason::NumaReason;

/// Takes a "no" back where rows disagree by more than the threshold on what the one memory costs
/// them.
pub fn one_memory_verdict(
    mut verdict: NumaVerdict,
    estimates: &[Vec<Option<Estimate>>],
) -> NumaVerdict {
    let Some(apart) = rows_apart(estimates)
        .filter(|&apart| verdict.numa == Numa::No && apart > verdict.threshold)
    else {
        return verdict;
    };
    verdict.numa = Numa::Undetermined;
    verdict.reasons.push(NumaReason::CpusDiffer { at_least: apart });
    verdict.would_settle = Some(Remedy::OtherPages);
    verdict
}

/// By how much the dearest row lies above the cheapest, as a fraction, by the nearer ends of their
/// 95 % intervals.
fn rows_apart(estimates: &[Vec<Option<Estimate>>]) -> Option<f64> {
    let rows = || {
        estimates.iter().map(|row| row.iter().flatten()).filter(|row| row.clone().next().is_some())
    };
    let lows = rows().map(|row| row.map(|cell| cell.ci95_ns[0]).fold(f64::INFINITY, f64::min));
    let highs = rows().map(|row| row.map(|cell| cell.ci95_ns[1]).fold(0.0, f64::max));
    Some(lows.reduce(f64::max)? / highs.reduce(f64::min)? - 1.0)
}

#[cfg(test)]
mod tests {
    use nearfar_model::{MatrixShape, Sample};

    use super::*;
    use crate::estimate::estimates;
    use crate::sample_matrix::SampleMatrix;
    use crate::tests::simulate::Machine;
    use crate::verdict::{THRESHOLD, verdict};

    /// A uniform machine of four columns, on which every second row's costs are multiplied.
    fn judged(times: f64) -> NumaVerdict {
        let machine = Machine { processes: 12, ..Machine::uniform(2, 4) };
        let factor = |sample: &Sample| if sample.place.row == 1 { times } else { 1.0 };
        let dearer = |sample: Sample| Sample { value: sample.value * factor(&sample), ..sample };
        let samples = machine.samples(1).into_iter().map(dearer);
        let matrix =
            SampleMatrix::new(MatrixShape::new(2, 4), &samples.collect::<Vec<_>>()).unwrap();
        one_memory_verdict(verdict(&matrix, THRESHOLD, 1), &estimates(&matrix, 1))
    }

    #[test]
    fn cpus_that_agree_leave_a_uniform_memory_uniform() {
        assert_eq!(judged(1.0).numa, Numa::No);
        assert_eq!(judged(1.02).numa, Numa::No);
    }

    #[test]
    fn a_memory_that_is_dearer_to_some_cpus_is_not_called_uniform() {
        let hidden = judged(1.5);
        assert_eq!(hidden.numa, Numa::Undetermined);
        let Some(NumaReason::CpusDiffer { at_least }) = hidden.reasons.last() else {
            panic!("{hidden:?}")
        };
        assert!((0.4..0.5).contains(at_least), "{at_least}");
        assert_eq!(hidden.would_settle, Some(Remedy::OtherPages));
    }
}
