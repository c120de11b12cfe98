//! Lines that firmware deals out to nodes in turns: each CPU has a fingerprint of them.
//!
//! A CPU that is measured twice finds the same lines dear: the correlation of the two halves (*reliability*) says whether there is any structure at
//! all. Two CPUs at one place agree (+1); two at opposite ones disagree, since what is near to one is far from the other (-1). A processor's
//! own lines differ too, by their way to the slice of cache that answers for them, and from core to core otherwise. So lines that only disagree
//! prove no nodes: they must be of two kinds as well.

use fastrand::Rng;

use super::clusters::{Clustering, clusters};
use super::over_processes::{agreement, enough};
use super::sheet::{Sheet, mean, median};
use crate::reasons::percent;

/// What lines tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFinding {
    /// Neighbouring lines lie in different nodes: there is nothing to place.
    Interleaved,
    /// Lines cost all CPUs alike.
    Alike,
    /// These numbers do not tell.
    Undetermined,
}

impl LineFinding {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interleaved => "interleaved",
            Self::Alike => "alike",
            Self::Undetermined => "undetermined",
        }
    }
}

/// What lines tell, and on what it rests.
#[derive(Clone, Debug, PartialEq)]
pub struct LineStatement {
    /// The finding.
    pub finding: LineFinding,
    /// Of each row: the correlation of its fingerprint with itself, measured again. By the rows' index; nothing where it was not measured.
    pub reliability: Vec<Option<f64>>,
    /// The least correlation of two rows' fingerprints, and which rows these are.
    pub opposite: Option<(usize, usize, f64)>,
    /// How often chance makes one so low, of so many pairs of rows.
    pub p: Option<f64>,
    /// Kinds of lines.
    pub kinds: usize,
    /// The largest ratio of two kinds' costs in one row, minus 1.
    pub effect: Option<f64>,
    /// Why, one sentence each.
    pub reasons: Vec<String>,
}

/// One process's lines, measured twice.
pub struct Halves {
    /// The first time.
    pub first: Sheet,
    /// The second time.
    pub second: Sheet,
    /// Both together.
    pub both: Sheet,
}

/// Shuffles that chance is asked with: enough that the rarest that counts is not a single one of them.
const SHUFFLES: usize = 4_999;
/// A correlation that chance makes less often than this is one.
const ALPHA: f64 = 0.001;
/// Fingerprints that agree with themselves by less than this are mostly noise.
const LEAST_RELIABLE: f64 = 0.2;
/// Fewer lines make no fingerprint.
const LEAST_LINES: usize = 64;

/// Judges the lines of several processes, each with fresh ones. `rows` is how many groups of CPUs there are.
pub fn lines(processes: &[Halves], rows: usize, seed: u64) -> LineStatement {
    let measured: Vec<&Halves> =
        processes.iter().filter(|halves| halves.both.items() >= LEAST_LINES && halves.both.rows() > 1).collect();
    let reliability: Vec<Option<f64>> = (0..rows).map(|row| reliability(&measured, row)).collect();
    let mut statement = LineStatement {
        finding: LineFinding::Undetermined,
        reliability,
        opposite: None,
        p: None,
        kinds: 1,
        effect: None,
        reasons: Vec::new(),
    };
    if measured.len() < 2 {
        statement.reasons.push("fewer than two processes measured lines from two groups of CPUs".to_owned());
        return statement;
    }
    statement.opposite = opposite(&measured);
    statement.p = statement.opposite.map(|(a, b, _)| chance(&measured, a, b, rows, seed));
    let found: Vec<Clustering> =
        measured.iter().zip(seed..).map(|(halves, seed)| clusters(&halves.both, seed)).collect();
    statement.judge(&found);
    statement
}

impl LineStatement {
    fn judge(&mut self, found: &[Clustering]) {
        let agreed = agreement(found);
        let (Some((_, _, correlation)), Some(p)) = (self.opposite, self.p) else { return };
        let disagree = p <= ALPHA && correlation < 0.0;
        if let Some(agreed) = agreed.filter(|_| disagree) {
            self.kinds = agreed.clusters();
            let largest = agreed.largest();
            self.effect = Some(largest.exp_m1());
            self.finding = LineFinding::Interleaved;
            self.reasons.push(format!(
                "neighbouring lines are of {} kinds, {} apart, and what is near to some CPUs is far from others (correlation {correlation:.2}): lines are dealt out in turns to nodes, or to dies of one, and there is nothing to place",
                self.kinds,
                percent(largest.exp_m1())
            ));
            return;
        }
        let cut = found.iter().filter(|one| one.groups.len() > 1).count();
        if disagree || cut >= enough(found.len()) {
            self.reasons.push(format!(
                "lines cost some CPUs otherwise than others (least correlation {correlation:.2}), and are not of distinct kinds: their way to the cache's slices does that, too"
            ));
            return;
        }
        self.finding = LineFinding::Alike;
        let best = self.reliability.iter().flatten().copied().fold(0.0, f64::max);
        self.reasons.push(match best >= LEAST_RELIABLE {
            true => format!("the same lines are dear to all CPUs (least correlation {correlation:.2})"),
            false => format!("no line is dearer than others, to any CPU: a fingerprint hardly agrees with itself (correlation {best:.2})"),
        });
    }
}

/// The correlation of a row's two halves: the median over processes.
fn reliability(measured: &[&Halves], row: usize) -> Option<f64> {
    let of = |halves: &&Halves| {
        let (first, second) = (fingerprint(&halves.first, row)?, fingerprint(&halves.second, row)?);
        let pairs: Vec<(f64, f64)> = first.iter().filter_map(|(item, a)| Some((*a, find(&second, *item)?))).collect();
        correlation(&pairs)
    };
    let all: Vec<f64> = measured.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| median(all.into_iter()))
}

/// What each item costs a row.
fn fingerprint(sheet: &Sheet, row: usize) -> Option<Vec<(usize, f64)>> {
    let at = sheet.rows.iter().position(|known| *known == row)?;
    Some(sheet.items.iter().zip(&sheet.logs).map(|(item, logs)| (*item, logs[at])).collect())
}

/// The value beside an item; items are ascending.
fn find(fingerprint: &[(usize, f64)], item: usize) -> Option<f64> {
    let at = fingerprint.binary_search_by_key(&item, |line| line.0).ok()?;
    Some(fingerprint[at].1)
}

/// The two rows whose fingerprints correlate least, over all processes.
fn opposite(measured: &[&Halves]) -> Option<(usize, usize, f64)> {
    let rows = &measured.first()?.both.rows;
    let pairs = rows.iter().enumerate().flat_map(|(at, a)| rows[at + 1..].iter().map(move |b| (*a, *b)));
    let judged = pairs.filter_map(|(a, b)| {
        let all: Vec<f64> = measured.iter().filter_map(|halves| correlation(&beside(&halves.both, a, b)?)).collect();
        (!all.is_empty()).then(|| (a, b, mean(all.into_iter())))
    });
    judged.min_by(|a, b| a.2.total_cmp(&b.2))
}

/// What each line costs two rows.
fn beside(sheet: &Sheet, a: usize, b: usize) -> Option<Vec<(f64, f64)>> {
    let (a, b) = (fingerprint(sheet, a)?, fingerprint(sheet, b)?);
    Some(a.into_iter().zip(b).map(|(a, b)| (a.1, b.1)).collect())
}

/// How often shuffled lines correlate as little in some pair of rows.
fn chance(measured: &[&Halves], a: usize, b: usize, rows: usize, seed: u64) -> f64 {
    let pairs = measured.iter().filter_map(|halves| beside(&halves.both, a, b));
    // What is shuffled keeps its ranks.
    let mut ranked: Vec<[Vec<f64>; 2]> = pairs.map(|pairs| ranks_of_both(&pairs)).collect();
    let together = |ranked: &[[Vec<f64>; 2]]| mean(ranked.iter().filter_map(|[a, b]| correlation_of_ranks(a, b)));
    let observed = together(&ranked);
    let mut random = Rng::with_seed(seed);
    let reached = (0..SHUFFLES).filter(|_| {
        ranked.iter_mut().for_each(|[_, b]| random.shuffle(b));
        together(&ranked) <= observed
    });
    let pairs = (rows * rows.saturating_sub(1) / 2).max(1) as f64;
    let p = (reached.count() + 1) as f64 / (SHUFFLES + 1) as f64;
    // The least of so many pairs; the smallest p that shuffles give stays what it is.
    if p <= ALPHA { p } else { (p * pairs).min(1.0) }
}

/// Of ranks, so that single wild lines do not decide.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let [a, b] = ranks_of_both(pairs);
    correlation_of_ranks(&a, &b)
}

fn ranks_of_both(pairs: &[(f64, f64)]) -> [Vec<f64>; 2] {
    [ranks(pairs.iter().map(|pair| pair.0)), ranks(pairs.iter().map(|pair| pair.1))]
}

fn correlation_of_ranks(a: &[f64], b: &[f64]) -> Option<f64> {
    let middle = (a.len() as f64 - 1.0) / 2.0;
    let product: f64 = a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum();
    let squares = |ranks: &[f64]| ranks.iter().map(|rank| (rank - middle).powi(2)).sum::<f64>();
    let size = (squares(a) * squares(b)).sqrt();
    (size > 0.0).then_some(product / size)
}

fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    order.into_iter().enumerate().for_each(|(rank, at)| ranks[at] = rank as f64);
    ranks
}
