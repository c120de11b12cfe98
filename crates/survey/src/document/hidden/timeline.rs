//! Whether a CPU was moved while pages were looked at.

use std::collections::BTreeMap;

use nearfar_infer::NumaReason;
use nearfar_infer::hidden::level_shifts;
use nearfar_model::{CpuId, CpuSet};
use serde::{Deserialize, Serialize};

use super::HiddenSamples;
use crate::MatrixRow;

/// One page of each process, accessed from each row again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageTimeline {
    /// Series of costs that were searched: one a process and row.
    pub series: usize,
    /// Samples in all of them.
    pub samples: usize,
    /// Where costs jumped.
    pub jumps: Vec<Jump>,
}

/// A jump of what one page costs one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Jump {
    /// The process.
    pub process: u32,
    /// Index of the row.
    pub row: usize,
    /// The CPU.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The round in which it came.
    pub round: u32,
    /// Median cost before, in nanoseconds.
    pub before_ns: f64,
    /// Median cost after.
    pub after_ns: f64,
    /// How often chance makes such a jump.
    pub p: f64,
}

/// How often there may be a false jump, over all series.
const ALPHA: f64 = 0.01;

/// Round, CPU and nanoseconds of a sample.
type TimedSample = (u32, CpuId, f64);

impl PageTimeline {
    pub(super) fn new(samples: &HiddenSamples, rows: &[MatrixRow], seed: u64) -> Self {
        let mut series: BTreeMap<(u32, usize), Vec<TimedSample>> = BTreeMap::new();
        for sample in samples.reference.each().filter(|sample| sample.place.row < rows.len()) {
            let cost = (sample.round, sample.cpu, sample.value);
            series.entry((sample.process, sample.place.row)).or_default().push(cost);
        }
        let alpha = ALPHA / series.len().max(1) as f64;
        let mut timeline = Self { series: series.len(), ..Self::default() };
        for (((process, row), costs), number) in series.into_iter().zip(0..) {
            timeline.samples += costs.len();
            let ns: Vec<f64> = costs.iter().map(|cost| cost.2).collect();
            let jump = |change: nearfar_infer::hidden::LevelShift| {
                let (round, cpu, _) = costs[change.at.min(costs.len() - 1)];
                Jump {
                    process,
                    row,
                    cpus: CpuSet::from_id(cpu),
                    round,
                    before_ns: change.before_ns,
                    after_ns: change.after_ns,
                    p: change.p,
                }
            };
            timeline
                .jumps
                .extend(level_shifts(&ns, alpha, seed.wrapping_add(number)).into_iter().map(jump));
        }
        timeline
    }

    /// What it means for the verdict, where there were jumps.
    pub(super) fn reason(&self) -> Option<NumaReason> {
        let first = self.jumps.first()?;
        Some(NumaReason::CpuMoved {
            cpus: first.cpus.clone(),
            jumps: self.jumps.len(),
            series: self.series,
            before_ns: first.before_ns,
            after_ns: first.after_ns,
        })
    }
}
