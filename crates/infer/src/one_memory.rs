//! Columns that the kernel counts as one memory. Uniform columns do not prove that this memory is
//! uniform.
//!
//! Where NUMA is hidden, all page sets may be near the same CPUs. Then columns agree within every
//! row, and rows differ: the memory is near to some CPUs, or these CPUs are faster. Columns cannot
//! distinguish the two.

use crate::estimate::Estimate;
use crate::numa::Numa;
use crate::remedy::Remedy;
use crate::verdict::NumaVerdict;
use crate::verdict_reason::NumaReason;

/// Replaces "no" by "undetermined" where rows differ by more than the threshold on the cost of the
/// one memory.
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

/// The ratio of the slowest row to the fastest, minus 1, by the nearer ends of their 95 %
/// intervals.
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

    /// The verdict on a uniform machine with four columns, on which every second row's costs are
    /// multiplied.
    fn judged(times: f64) -> NumaVerdict {
        let machine = Machine { processes: 12, ..Machine::uniform(2, 4) };
        let factor = |sample: &Sample| if sample.place.row == 1 { times } else { 1.0 };
        let slower = |sample: Sample| Sample { value: sample.value * factor(&sample), ..sample };
        let samples = machine.samples(1).into_iter().map(slower);
        let matrix =
            SampleMatrix::new(MatrixShape::new(2, 4), &samples.collect::<Vec<_>>()).unwrap();
        one_memory_verdict(verdict(&matrix, THRESHOLD, 1), &estimates(&matrix, 1))
    }

    #[test]
    fn agreeing_cpus_keep_the_verdict() {
        assert_eq!(judged(1.0).numa, Numa::No);
        assert_eq!(judged(1.02).numa, Numa::No);
    }

    #[test]
    fn memory_slower_for_some_cpus_is_undetermined() {
        let hidden = judged(1.5);
        assert_eq!(hidden.numa, Numa::Undetermined);
        let Some(NumaReason::CpusDiffer { at_least }) = hidden.reasons.last() else {
            panic!("{hidden:?}")
        };
        assert!((0.4..0.5).contains(at_least), "{at_least}");
        assert_eq!(hidden.would_settle, Some(Remedy::OtherPages));
    }
}
