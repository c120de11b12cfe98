//! Cache lines that firmware interleaves over nodes: each CPU has a fingerprint of slow lines.
//!
//! Repeated measurements of a CPU agree on the slow lines: the correlation of two halves
//! (*reliability*) shows whether there is structure. Two CPUs in one place agree (+1). CPUs in
//! opposite places disagree (-1), since lines near to one are far from the other. A processor's own
//! lines differ as well, by the distance of their cache slice, in another way for each core. So
//! disagreement alone does not prove nodes: the lines must also form two kinds.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::clusters::{Clustering, clusters};
use super::cost_table::{CostTable, mean, median};
use super::over_processes::{agreement, enough};
use super::ranks::{correlation, unit_ranks};

/// The result for lines.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LineFinding {
    /// Neighbouring lines are in different nodes: placement has no effect.
    Interleaved,
    /// Lines have equal costs for all CPUs.
    Alike,
    /// The data is insufficient.
    #[default]
    Undetermined,
}

/// One reason of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum LineReason {
    /// No line could be measured.
    NoLines,
    /// There is only one group of CPUs, so that nothing can be compared.
    OneRow,
    /// Fewer than two processes measured lines from two groups of CPUs.
    FewProcesses,
    /// No two groups of CPUs have lines with differing costs.
    NothingToCompare,
    /// Neighbouring lines are of several kinds, each near to other CPUs.
    Interleaved {
        /// Number of kinds.
        kinds: usize,
        /// The ratio of their costs, minus 1.
        apart: f64,
        /// The smallest rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// Lines have different costs for different CPUs, and are not of distinct kinds.
    NoKinds {
        /// The smallest rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// The same lines are slow for all CPUs.
    SlowToAll {
        /// The smallest rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// No line is slower than others, for any CPU.
    AllAlike {
        /// The largest rank correlation of a group's lines with their repeated measurement.
        correlation: f64,
    },
}

/// The result for lines, with its basis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineStatement {
    /// "interleaved", "alike" or "undetermined".
    pub finding: LineFinding,
    /// By row: rank correlation of a fingerprint with its repeated measurement. Null where it was
    /// not measured.
    pub reliability: Vec<Option<f64>>,
    /// The two rows whose fingerprints agree least.
    pub opposite_rows: Option<[usize; 2]>,
    /// Their rank correlation.
    pub correlation: Option<f64>,
    /// The p-value of this correlation.
    pub p: Option<f64>,
    /// Kinds of lines.
    pub kinds: usize,
    /// The largest ratio of two kinds' costs for one row, minus 1 (a fraction).
    pub effect: Option<f64>,
    /// The reasons.
    pub reasons: Vec<LineReason>,
}

/// One process's lines, measured twice.
pub struct LineHalves {
    /// The first half.
    pub first: CostTable,
    /// The second half.
    pub second: CostTable,
    /// Both halves together.
    pub both: CostTable,
}

/// Number of permutations: enough for several below the significance level.
const SHUFFLES: usize = 4_999;
/// The simulation stops when this many permutations have a correlation as low.
const NOT_RARE: f64 = 50.0;
/// Significance level of a correlation.
const ALPHA: f64 = 0.001;
/// Fingerprints with a smaller reliability are mostly noise.
const MIN_RELIABLE: f64 = 0.2;
/// The minimum number of lines in a fingerprint.
const MIN_LINES: usize = 64;

/// A process's lines: unit ranks of their costs, by row.
type Ranked = BTreeMap<usize, Vec<f64>>;

/// The result for lines of several processes, each with fresh ones. `rows` is the number of CPU
/// groups.
pub fn lines(processes: &[LineHalves], rows: usize, seed: u64) -> LineStatement {
    let measured: Vec<&LineHalves> = processes
        .iter()
        .filter(|halves| halves.both.items() >= MIN_LINES && halves.both.rows() > 1)
        .collect();
    let reliability: Vec<Option<f64>> = (0..rows).map(|row| reliability(&measured, row)).collect();
    if measured.len() < 2 {
        let reason = if rows < 2 { LineReason::OneRow } else { LineReason::FewProcesses };
        return LineStatement { reliability, ..LineStatement::undetermined(Some(reason)) };
    }
    let mut statement = LineStatement { reliability, ..LineStatement::undetermined(None) };
    let ranked: Vec<Ranked> = measured.iter().map(|halves| ranked(&halves.both)).collect();
    if let Some((a, b, least)) = opposite(&ranked) {
        (statement.opposite_rows, statement.correlation) = (Some([a, b]), Some(least));
        statement.p = Some(chance(ranked, least, seed));
    }
    let found: Vec<Clustering> =
        measured.iter().zip(seed..).map(|(halves, seed)| clusters(&halves.both, seed)).collect();
    statement.judge(&found);
    statement
}

impl LineStatement {
    /// The result without measured lines.
    pub fn unmeasured() -> Self {
        Self::undetermined(Some(LineReason::NoLines))
    }

    fn undetermined(reason: Option<LineReason>) -> Self {
        Self { kinds: 1, reasons: Vec::from_iter(reason), ..Self::default() }
    }

    fn judge(&mut self, found: &[Clustering]) {
        let agreed = agreement(found);
        let (Some(correlation), Some(p)) = (self.correlation, self.p) else {
            self.reasons.push(LineReason::NothingToCompare);
            return;
        };
        let disagree = p <= ALPHA && correlation < 0.0;
        if let Some(agreed) = agreed.filter(|_| disagree) {
            let (kinds, apart) = (agreed.clusters(), agreed.effect().0);
            (self.kinds, self.effect, self.finding) =
                (kinds, Some(apart), LineFinding::Interleaved);
            self.reasons.push(LineReason::Interleaved { kinds, apart, correlation });
            return;
        }
        let cut = found.iter().filter(|one| one.groups.len() > 1).count();
        if disagree || cut >= enough(found.len()) {
            self.reasons.push(LineReason::NoKinds { correlation });
            return;
        }
        self.finding = LineFinding::Alike;
        let best = self.reliability.iter().flatten().copied().fold(0.0, f64::max);
        let is_reliable = best >= MIN_RELIABLE;
        self.reasons.push(match is_reliable {
            true => LineReason::SlowToAll { correlation },
            false => LineReason::AllAlike { correlation: best },
        });
    }
}

/// The correlation of a row's two halves: the median over processes.
fn reliability(measured: &[&LineHalves], row: usize) -> Option<f64> {
    let of = |halves: &&LineHalves| {
        let (first, second) = (fingerprint(&halves.first, row)?, fingerprint(&halves.second, row)?);
        let both = first.into_iter().filter_map(|(item, a)| Some((a, *second.get(&item)?)));
        let (first, second): (Vec<f64>, Vec<f64>) = both.unzip();
        Some(correlation(&unit_ranks(&first)?, &unit_ranks(&second)?))
    };
    let all: Vec<f64> = measured.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| median(all.into_iter()))
}

/// The cost of each item for a row.
fn fingerprint(sheet: &CostTable, row: usize) -> Option<BTreeMap<usize, f64>> {
    let at = sheet.rows.iter().position(|known| *known == row)?;
    Some(sheet.items.iter().zip(&sheet.logs).map(|(item, logs)| (*item, logs[at])).collect())
}

/// The unit ranks of all of a process's lines, by row. Rows with equal costs for all lines have
/// none.
fn ranked(sheet: &CostTable) -> Ranked {
    let row_ranks = |(at, row): (usize, &usize)| {
        let costs: Vec<f64> = sheet.logs.iter().map(|logs| logs[at]).collect();
        Some((*row, unit_ranks(&costs)?))
    };
    sheet.rows.iter().enumerate().filter_map(row_ranks).collect()
}

/// The two rows whose fingerprints correlate least, over all processes.
fn opposite(processes: &[Ranked]) -> Option<(usize, usize, f64)> {
    let rows: BTreeSet<usize> =
        processes.iter().flat_map(|ranked| ranked.keys().copied()).collect();
    let pairs = rows.iter().flat_map(|a| rows.range(a + 1..).map(move |b| (*a, *b)));
    let judged = pairs.filter_map(|(a, b)| {
        let all: Vec<f64> = processes
            .iter()
            .filter_map(|ranked| Some(correlation(ranked.get(&a)?, ranked.get(&b)?)))
            .collect();
        (!all.is_empty()).then(|| (a, b, mean(all.into_iter())))
    });
    judged.min_by(|a, b| a.2.total_cmp(&b.2))
}

/// The probability of a smallest correlation as low as `observed` for permuted lines.
fn chance(mut processes: Vec<Ranked>, observed: f64, seed: u64) -> f64 {
    let mut random = Rng::with_seed(seed);
    let mut reached = 0.0;
    for shuffle in 1..=SHUFFLES {
        // With one row unchanged, any order of the others is random.
        processes
            .iter_mut()
            .flat_map(|ranked| ranked.values_mut().skip(1))
            .for_each(|ranks| random.shuffle(ranks));
        reached += f64::from(opposite(&processes).is_some_and(|(_, _, least)| least <= observed));
        if reached >= NOT_RARE {
            return reached / shuffle as f64;
        }
    }
    (reached + 1.0) / (SHUFFLES + 1) as f64
}
