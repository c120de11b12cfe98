//! Lines that firmware deals out to nodes in turns: each CPU has a fingerprint of them.
//!
//! A CPU that is measured twice finds the same lines dear: the correlation of the two halves
//! (*reliability*) says whether there is any structure at all. Two CPUs at one place agree (+1);
//! two at opposite ones disagree, since what is near to one is far from the other (-1). A
//! processor's own lines differ too, by their way to the slice of cache that answers for them, and
//! from core to core otherwise. So lines that only disagree prove no nodes: they must be of two
//! kinds as well.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::clusters::{Clustering, clusters};
use super::cost_table::{CostTable, mean, median};
use super::over_processes::{agreement, enough};
use super::ranks::{correlation, unit_ranks};

/// What lines tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LineFinding {
    /// Neighbouring lines lie in different nodes: there is nothing to place.
    Interleaved,
    /// Lines cost all CPUs alike.
    Alike,
    /// These numbers do not tell.
    #[default]
    Undetermined,
}

/// One reason of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum LineReason {
    /// No line could be measured.
    NoLines,
    /// There is one group of CPUs, and comparing takes two.
    OneRow,
    /// Fewer than two processes measured lines from two groups of CPUs.
    FewProcesses,
    /// No two groups of CPUs have lines of differing costs to compare.
    NothingToCompare,
    /// Neighbouring lines are of several kinds, and near to other CPUs each.
    Interleaved {
        /// How many kinds.
        kinds: usize,
        /// How far they are apart, a fraction.
        apart: f64,
        /// The least rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// Lines cost some CPUs otherwise than others, and are not of distinct kinds.
    NoKinds {
        /// The least rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// The same lines are slow to all CPUs.
    SlowToAll {
        /// The least rank correlation of two groups of CPUs.
        correlation: f64,
    },
    /// No line is slower than others, to any CPU.
    AllAlike {
        /// The best rank correlation of a group's lines with themselves, measured again.
        correlation: f64,
    },
    /// Lines of several pages differ: either their pages or neighbouring lines do.
    SeveralPages,
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
}

/// What lines tell, and on what it rests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineStatement {
    /// "interleaved", "alike" or "undetermined".
    pub finding: LineFinding,
    /// By row: how well a fingerprint agrees with itself, measured again (rank correlation). Null
    /// where it was not measured.
    pub reliability: Vec<Option<f64>>,
    /// The two rows whose fingerprints agree least.
    pub opposite_rows: Option<[usize; 2]>,
    /// Their rank correlation.
    pub correlation: Option<f64>,
    /// How often chance makes one so low.
    pub p: Option<f64>,
    /// Kinds of lines.
    pub kinds: usize,
    /// The largest ratio of two kinds' costs as one row sees them, minus 1 (a fraction).
    pub effect: Option<f64>,
    /// Why.
    pub reasons: Vec<LineReason>,
}

/// One process's lines, measured twice.
pub struct LineHalves {
    /// The first time.
    pub first: CostTable,
    /// The second time.
    pub second: CostTable,
    /// Both together.
    pub both: CostTable,
}

/// Shuffles that chance is asked with: enough that the rarest that counts is not a single one of
/// them.
const SHUFFLES: usize = 4_999;
/// Chance is not asked on once it made one so low so many times.
const NOT_RARE: f64 = 50.0;
/// A correlation that chance makes less often than this is one.
const ALPHA: f64 = 0.001;
/// Fingerprints that agree with themselves by less than this are mostly noise.
const LEAST_RELIABLE: f64 = 0.2;
/// Fewer lines make no fingerprint.
const LEAST_LINES: usize = 64;

/// A process's lines: unit ranks of their costs, by row.
type Ranked = BTreeMap<usize, Vec<f64>>;

/// Judges the lines of several processes, each with fresh ones. `rows` is how many groups of CPUs
/// there are.
pub fn lines(processes: &[LineHalves], rows: usize, seed: u64) -> LineStatement {
    let measured: Vec<&LineHalves> = processes
        .iter()
        .filter(|halves| halves.both.items() >= LEAST_LINES && halves.both.rows() > 1)
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
    /// Where no line could be measured.
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
        let is_reliable = best >= LEAST_RELIABLE;
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

/// What each item costs a row.
fn fingerprint(sheet: &CostTable, row: usize) -> Option<BTreeMap<usize, f64>> {
    let at = sheet.rows.iter().position(|known| *known == row)?;
    Some(sheet.items.iter().zip(&sheet.logs).map(|(item, logs)| (*item, logs[at])).collect())
}

/// The unit ranks of all of a process's lines, by row. Rows to which all lines cost the same have
/// none.
fn ranked(sheet: &CostTable) -> Ranked {
    let of_row = |(at, row): (usize, &usize)| {
        let costs: Vec<f64> = sheet.logs.iter().map(|logs| logs[at]).collect();
        Some((*row, unit_ranks(&costs)?))
    };
    sheet.rows.iter().enumerate().filter_map(of_row).collect()
}

/// The two rows whose fingerprints correlate least, over all processes.
fn opposite(processes: &[Ranked]) -> Option<(usize, usize, f64)> {
    let rows: BTreeSet<usize> =
        processes.iter().flat_map(|ranked| ranked.keys().copied()).collect();
    let pairs = rows.iter().flat_map(|a| rows.range(a + 1..).map(move |b| (*a, *b)));
    let judged = pairs.filter_map(|(a, b)| {
        let of_process = |ranked: &Ranked| Some(correlation(ranked.get(&a)?, ranked.get(&b)?));
        let all: Vec<f64> = processes.iter().filter_map(of_process).collect();
        (!all.is_empty()).then(|| (a, b, mean(all.into_iter())))
    });
    judged.min_by(|a, b| a.2.total_cmp(&b.2))
}

/// How often the two rows of shuffled lines that correlate least do so as little as `observed`.
fn chance(mut processes: Vec<Ranked>, observed: f64, seed: u64) -> f64 {
    let mut random = Rng::with_seed(seed);
    let mut reached = 0.0;
    for shuffle in 1..=SHUFFLES {
        // Against one row that stays all others are in any order.
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
