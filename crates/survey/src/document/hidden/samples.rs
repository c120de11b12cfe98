//! The raw samples of pages and lines: what every figure of the part follows from.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::hidden::{CostTable, LineHalves, SeenPage};
use nearfar_infer::{InferError, SampleMatrix};
use nearfar_model::{CellIndex, MatrixShape, Sample};
use nearfar_probe::PlanOutcome;
use nearfar_probe::hidden::{HUGE_PAGE, HiddenSetup, Target};
use serde::{Deserialize, Serialize};

use crate::Samples;

/// Samples of pages, of the reference page, and of lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HiddenSamples {
    /// Of pages: `column` is the page's index within its process, `page` its number in physical
    /// memory (address over 2 MiB), 0 where that is not known.
    pub pages: Samples,
    /// Of each process's reference page, in the order of time.
    pub reference: Samples,
    /// Of lines.
    pub fingerprints: Vec<Fingerprint>,
}

/// What each line of a process cost a row once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fingerprint {
    /// The process, whose lines are its own.
    pub process: u32,
    /// The round.
    pub round: u32,
    /// Index of the row.
    pub row: usize,
    /// Nanoseconds of a flush and a load, by line; null where the sample was disturbed.
    pub ns: Vec<Option<f64>>,
}

/// Which kind each page of each process is: (process, page's index) to the kind's.
pub(super) type KindOfPage = BTreeMap<(u32, usize), usize>;

impl HiddenSamples {
    pub(super) fn new(setup: &HiddenSetup, outcome: &PlanOutcome) -> Self {
        let at = |target: Target| {
            move |sample: &&Sample| match (target, setup.target(sample.place.column)) {
                (Target::Page(_), Target::Page(_)) => true,
                (wanted, found) => wanted == found,
            }
        };
        let taken = |target| outcome.samples.iter().filter(at(target));
        let mut lines: BTreeMap<(u32, u32, usize), Vec<Option<f64>>> = BTreeMap::new();
        for sample in taken(Target::Lines) {
            let place = (sample.process, sample.round, sample.place.row);
            let costs = lines.entry(place).or_insert_with(|| vec![None; setup.lines]);
            if let Some(line) = costs.get_mut(sample.page as usize) {
                *line = Some((sample.value * 100.0).round() / 100.0);
            }
        }
        let fingerprint = |((process, round, row), ns)| Fingerprint { process, round, row, ns };
        Self {
            pages: Samples::rounded(taken(Target::Page(0))),
            reference: Samples::rounded(taken(Target::Reference)),
            fingerprints: lines.into_iter().map(fingerprint).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pages.each().next().is_none()
    }

    pub(super) fn knows_addresses(&self) -> bool {
        self.pages.each().all(|sample| sample.page > 0) && !self.is_empty()
    }

    /// Lines that a process measured.
    pub(super) fn lines(&self) -> usize {
        self.fingerprints.iter().map(|fingerprint| fingerprint.ns.len()).max().unwrap_or(0)
    }

    /// Lowest and highest address of all pages.
    pub(super) fn span(&self) -> Option<[u64; 2]> {
        self.span_where(|_| true)
    }

    /// Lowest and highest address of the pages of a kind.
    pub(super) fn span_of(&self, kinds: &KindOfPage, kind: usize) -> Option<[u64; 2]> {
        self.span_where(|sample| kinds.get(&(sample.process, sample.place.column)) == Some(&kind))
    }

    /// From the first byte of the lowest page to the last of the highest.
    fn span_where(&self, is_meant: impl Fn(&Sample) -> bool) -> Option<[u64; 2]> {
        let numbers = || {
            self.pages.each().filter(|sample| is_meant(sample)).map(|sample| u64::from(sample.page))
        };
        let (low, high) = (numbers().min()?, numbers().max()?);
        self.knows_addresses().then_some([low * HUGE_PAGE.0, (high + 1) * HUGE_PAGE.0 - 1])
    }

    /// The processes that measured pages.
    fn processes(&self) -> BTreeSet<u32> {
        self.pages.each().map(|sample| sample.process).collect()
    }

    /// Pages by process, as inference takes them.
    pub(super) fn sheets(&self) -> Vec<CostTable> {
        let of = |process: &u32| {
            let own = self.pages.each().filter(|sample| sample.process == *process);
            CostTable::new(&own.copied().collect::<Vec<_>>())
        };
        self.processes().iter().map(of).collect()
    }

    /// The kind of each page, from inference's results of each process.
    pub(super) fn kinds(&self, of_pages: &[Vec<(usize, usize)>]) -> KindOfPage {
        let processes = self.processes().into_iter().zip(of_pages);
        processes
            .flat_map(|(process, pages)| {
                pages.iter().map(move |&(page, kind)| ((process, page), kind))
            })
            .collect()
    }

    /// The pages of each kind, by address. Empty where addresses are unknown.
    pub(super) fn seen(&self, kinds: &KindOfPage) -> Vec<SeenPage> {
        if !self.knows_addresses() {
            return Vec::new();
        }
        let address = |sample: &Sample| {
            ((sample.process, sample.place.column), u64::from(sample.page) * HUGE_PAGE.0)
        };
        let addresses: BTreeMap<(u32, usize), u64> = self.pages.each().map(address).collect();
        let page = |(page, kind): (&(u32, usize), &usize)| {
            Some(SeenPage { address: *addresses.get(page)?, kind: *kind })
        };
        kinds.iter().filter_map(page).collect()
    }

    /// Lines by process: the first half of the rounds, the second, and both.
    pub(super) fn halves(&self) -> Vec<LineHalves> {
        let mut processes: BTreeMap<u32, Vec<&Fingerprint>> = BTreeMap::new();
        for fingerprint in &self.fingerprints {
            processes.entry(fingerprint.process).or_default().push(fingerprint);
        }
        let halves = |own: Vec<&Fingerprint>| {
            let rounds = |limit: fn(u32, u32) -> bool| {
                let low = own.iter().map(|one| one.round).min().unwrap_or(0);
                let high = own.iter().map(|one| one.round).max().unwrap_or(0);
                let inside = own.iter().filter(move |one| limit(2 * (one.round - low), high - low));
                CostTable::new(&inside.flat_map(|one| samples(one)).collect::<Vec<_>>())
            };
            LineHalves {
                first: rounds(|at, last| at <= last),
                second: rounds(|at, last| at > last),
                both: rounds(|_, _| true),
            }
        };
        processes.into_values().map(halves).collect()
    }

    /// Samples of pages as a matrix with a column for each kind; of all pages in one column, where
    /// there are no kinds.
    pub(super) fn by_kind(
        &self,
        kinds: &KindOfPage,
        rows: usize,
        count: usize,
    ) -> Result<SampleMatrix, InferError> {
        let inside = self.pages.each().filter(|sample| sample.place.row < rows);
        let kind_samples = inside.filter_map(|sample| {
            let kind = || kinds.get(&(sample.process, sample.place.column)).copied();
            let column = if count == 0 { 0 } else { kind()? };
            Some(Sample { place: CellIndex::new(sample.place.row, column), ..*sample })
        });
        SampleMatrix::new(MatrixShape::new(rows, count.max(1)), &kind_samples.collect::<Vec<_>>())
    }
}

fn samples(fingerprint: &Fingerprint) -> impl Iterator<Item = Sample> + '_ {
    let Fingerprint { process, round, row, .. } = *fingerprint;
    let lines = fingerprint.ns.iter().enumerate();
    lines.filter_map(move |(line, ns)| {
        Some(Sample::new(process, round, CellIndex::new(row, line), (*ns)?))
    })
}
