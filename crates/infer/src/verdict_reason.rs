//! Reasons of a verdict. Fractions relate to the nearest memory's median.

use nearfar_model::{CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

use crate::effect::Effect;
use crate::hidden::{LineReason, PageReason};
use crate::numa::Numa;
use crate::remedy::{Remedy, exceeds};
use crate::sample_matrix::SampleMatrix;

/// Medians of fewer rounds are imprecise.
const FEW_ROUNDS: usize = 10;

/// One reason of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NumaReason {
    /// Latency was not measured.
    NotMeasured,
    /// No row has enough samples of two columns to compare.
    NothingToCompare,
    /// There is only one column: differences between rows may be memory or clocks.
    OneColumn,
    /// Columns differ within rows.
    Detected {
        /// Probability of such a difference if all columns were equal.
        p: f64,
    },
    /// No difference between columns was detected.
    NotDetected {
        /// Probability of such a difference if all columns were equal.
        p: f64,
    },
    /// The largest difference is below the threshold.
    Uniform {
        /// The largest difference.
        effect: f64,
        /// The upper end of its 95 % interval.
        at_most: f64,
        /// The effect that counts as NUMA.
        threshold: f64,
    },
    /// The farthest memory costs a row more than its nearest.
    Differs {
        /// The difference.
        effect: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
        /// The effect that counts as NUMA.
        threshold: f64,
        /// Whether the interval lies above the threshold; otherwise it includes the threshold.
        is_above: bool,
    },
    /// The farthest memory seems to cost more, but processes scatter so much that it may be chance.
    MayDiffer {
        /// The difference.
        effect: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// Differences below this one would not have been detected.
    DetectableFrom {
        /// The upper end of the effect's 95 % interval.
        effect: f64,
    },
    /// Cells were skipped: too few samples, or of one round only.
    CellsLeftOut {
        /// Number of skipped cells.
        left_out: usize,
        /// Number of all cells.
        cells: usize,
    },
    /// Only one process measured: the interval does not include the scatter of fresh processes.
    OneProcess,
    /// Medians and intervals of few rounds are imprecise.
    FewRounds {
        /// Number of rounds.
        rounds: usize,
    },
    /// The same memory costs some CPUs more than others.
    CpusDiffer {
        /// The smallest difference.
        at_least: f64,
    },
    /// A memory's level drifted during the measurement, for instance by the load of another program
    /// on its node.
    MemoryDrifts {
        /// The approximate drift, as a fraction.
        by: f64,
    },
    /// Pages belong to nodes that the system does not show.
    HiddenNodes {
        /// The evidence.
        reason: PageReason,
    },
    /// The system does not show these nodes.
    NotShown,
    /// Not all memory was seen that may be of further nodes: the effect may be larger.
    MemoryNotSeen,
    /// These are pages of several nodes, combined.
    SeveralNodes {
        /// The nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
    },
    /// The search for hidden nodes found none.
    NoHiddenNodes {
        /// The evidence.
        reason: PageReason,
    },
    /// Uniform among the nodes shown: whether others are hidden was not searched.
    HiddenNotSearched,
    /// The result for neighbouring lines.
    Lines {
        /// The evidence.
        reason: LineReason,
    },
    /// A CPU was moved during the measurement, or its speed jumped.
    CpuMoved {
        /// The CPU of the first jump.
        #[schemars(with = "String")]
        cpus: CpuSet,
        /// Jumps.
        jumps: usize,
        /// Number of searched series of costs.
        series: usize,
        /// Median cost before the first jump.
        before_ns: f64,
        /// Median cost after it.
        after_ns: f64,
    },
}

pub(crate) fn effect(numa: Numa, threshold: f64, detected: bool, effect: Effect) -> NumaReason {
    let (ci95, effect_size) = (effect.ci95, effect.effect);
    if numa == Numa::No {
        return NumaReason::Uniform { effect: effect_size, at_most: ci95[1], threshold };
    }
    if detected {
        return NumaReason::Differs {
            effect: effect_size,
            ci95,
            threshold,
            is_above: numa == Numa::Yes,
        };
    }
    if exceeds(effect, threshold) {
        return NumaReason::MayDiffer { effect: effect_size, ci95 };
    }
    NumaReason::DetectableFrom { effect: ci95[1] }
}

/// Reasons to doubt a verdict on these samples.
pub(crate) fn doubts(matrix: &SampleMatrix) -> Vec<NumaReason> {
    let mut doubts = Vec::new();
    let cells = matrix.cells();
    let left_out = cells.iter().filter(|cell| !cell.scatters()).count();
    if left_out > 0 {
        doubts.push(NumaReason::CellsLeftOut { left_out, cells: cells.len() });
    }
    if matrix.processes() < 2 {
        doubts.push(NumaReason::OneProcess);
    }
    if matrix.rounds() < FEW_ROUNDS {
        doubts.push(NumaReason::FewRounds { rounds: matrix.rounds() });
    }
    doubts
}

/// Why nothing can be compared, and what would change that.
pub(crate) fn incomparable(matrix: &SampleMatrix) -> (NumaReason, Remedy) {
    let sampled = matrix.cells().iter().any(|cell| cell.len() > 0);
    if sampled && matrix.columns() == 1 {
        return (NumaReason::OneColumn, Remedy::SecondMemory);
    }
    (NumaReason::NothingToCompare, Remedy::MoreSamples)
}
