//! Lines that firmware deals out to nodes in turns: each CPU has a fingerprint of them.
//!
//! A CPU that is measured twice finds the same lines dear: the correlation of the two halves (*reliability*) says whether there is any structure at
//! all. Two CPUs at one place agree (+1); two at opposite ones disagree, since what is near to one is far from the other (-1). A processor's
//! own lines differ too, by their way to the slice of cache that answers for them, and from core to core otherwise. So lines that only disagree
//! prove no nodes: they must be of two kinds as well.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::clusters::{Clustering, clusters};
use super::over_processes::{agreement, enough};
use super::ranks::{correlation, unit_ranks};
use super::sheet::{Sheet, mean, median};
use crate::percent::percent;

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
    /// How often chance makes the least of so many pairs of rows so low.
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
        statement.reasons.push(match rows {
            0 | 1 => "lines are not compared: that takes two groups of CPUs, and there is one here".to_owned(),
            _ => "fewer than two processes measured lines from two groups of CPUs".to_owned(),
        });
        return statement;
    }
    let ranked: Vec<Ranked> = measured.iter().map(|halves| ranked(&halves.both)).collect();
    statement.opposite = opposite(&ranked);
    statement.p = statement.opposite.map(|(_, _, least)| chance(ranked, least, seed));
    let found: Vec<Clustering> =
        measured.iter().zip(seed..).map(|(halves, seed)| clusters(&halves.both, seed)).collect();
    statement.judge(&found);
    statement
}

impl LineStatement {
    fn judge(&mut self, found: &[Clustering]) {
        let agreed = agreement(found);
        let (Some((_, _, correlation)), Some(p)) = (self.opposite, self.p) else {
            self.reasons.push("no two groups of CPUs have lines of differing costs to compare".to_owned());
            return;
        };
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
            true => format!(
                "the same lines are dear to all CPUs (least correlation {correlation:.2}): the cache's slices make them so, or nodes that lines are dealt out to and that all these CPUs see from one side; either way there is nothing to place"
            ),
            false => format!("no line is dearer than others, to any CPU: a fingerprint hardly agrees with itself (correlation {best:.2})"),
        });
    }
}

/// The correlation of a row's two halves: the median over processes.
fn reliability(measured: &[&Halves], row: usize) -> Option<f64> {
    let of = |halves: &&Halves| {
        let (first, second) = (fingerprint(&halves.first, row)?, fingerprint(&halves.second, row)?);
        let both = first.into_iter().filter_map(|(item, a)| Some((a, find(&second, item)?)));
        let (first, second): (Vec<f64>, Vec<f64>) = both.unzip();
        Some(correlation(&unit_ranks(&first)?, &unit_ranks(&second)?))
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

/// The unit ranks of all of a process's lines, by row. Rows to which all lines cost the same have none.
fn ranked(sheet: &Sheet) -> Ranked {
    let of_row = |(at, row): (usize, &usize)| {
        let costs: Vec<f64> = sheet.logs.iter().map(|logs| logs[at]).collect();
        Some((*row, unit_ranks(&costs)?))
    };
    sheet.rows.iter().enumerate().filter_map(of_row).collect()
}

/// The two rows whose fingerprints correlate least, over all processes.
fn opposite(processes: &[Ranked]) -> Option<(usize, usize, f64)> {
    let rows: BTreeSet<usize> = processes.iter().flat_map(|ranked| ranked.keys().copied()).collect();
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
        processes.iter_mut().flat_map(|ranked| ranked.values_mut().skip(1)).for_each(|ranks| random.shuffle(ranks));
        reached += f64::from(opposite(&processes).is_some_and(|(_, _, least)| least <= observed));
        if reached >= NOT_RARE {
            return reached / shuffle as f64;
        }
    }
    (reached + 1.0) / (SHUFFLES + 1) as f64
}
