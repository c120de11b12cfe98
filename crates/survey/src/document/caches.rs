//! What an access costs by the size of what is accessed, and what that shows of caches.

use nearfar_infer::InferError;
use nearfar_infer::cache_levels::{
    CacheClaim, CacheLevels, CacheVerdict, SizeSweep, SizeSweepPoint, TlbReach, cache_levels,
    compare, tlb_reach,
};
use nearfar_model::{CellIndex, Instrument};
use nearfar_probe::caches::CacheSetup;
use nearfar_probe::{Layout, PageSize, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use crate::{InstrumentTable, Treatment, TreatmentMatrix};

/// The figures of one instrument: nanoseconds of an access, by CPU, size and kind of pages; columns
/// are sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Caches {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<Paging>,
    /// Size of each column, in bytes.
    pub sizes_bytes: Vec<u64>,
    /// What carried the pages of each treatment: "thp", "hugetlb" or "4k"; null when nothing could
    /// be placed.
    pub backings: Vec<Option<String>>,
    /// What follows, for each row.
    pub found: Vec<FoundCaches>,
}

/// What a size was visited with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Paging {
    /// "huge" (2 MiB) or "base" (4 KiB; 16 or 64 KiB on some aarch64 kernels).
    pub pages: String,
}

/// The caches that a row's CPU shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FoundCaches {
    /// Index of the row.
    pub row: usize,
    /// The kind of pages that the levels were found with.
    pub pages: String,
    /// The levels.
    #[serde(flatten)]
    pub levels: CacheLevels,
    /// Where base pages begin to cost more than huge ones. Null where they do not, or either was
    /// not measured.
    pub tlb: Option<TlbReach>,
    /// What the machine claims, nearest cache first, and whether it holds.
    pub claims: Vec<JudgedClaim>,
}

/// A claim, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgedClaim {
    /// The claim.
    #[serde(flatten)]
    pub claim: CacheClaim,
    /// Who claims it: "sysfs".
    pub source: String,
    /// Whether it holds.
    #[serde(flatten)]
    pub found: CacheVerdict,
}

impl Treatment for Paging {
    const INSTRUMENT: Instrument = Instrument::Caches;
}

const HUGE: &str = "huge";
const BASE: &str = "base";

impl InstrumentPart for Caches {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        self.part.judge(seed)?;
        let mut found = std::mem::take(&mut self.found);
        let judged = found.iter_mut().try_for_each(|row| self.judge_row(row, seed));
        self.found = found;
        judged
    }

    fn strip_samples(&mut self) {
        self.part.samples = None;
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        vec![self.part.table(|_| true)]
    }
}

impl Caches {
    /// The part before its figures. `claims` is what sysfs claims, for each row: names and bytes,
    /// nearest first.
    pub fn new(
        layout: &Layout,
        outcome: &PlanOutcome,
        setup: &CacheSetup,
        claims: &[Vec<(String, u64)>],
    ) -> Self {
        let name = |pages: &PageSize| match pages {
            PageSize::Huge => HUGE,
            PageSize::Base => BASE,
        };
        let treatments =
            setup.pages.iter().map(|pages| Paging { pages: name(pages).to_owned() }).collect();
        let backing = |kind: usize| {
            let mut placed = outcome.placed.iter().filter(|((_, treatment), _)| *treatment == kind);
            placed.next().map(|(_, placed)| placed.backing.clone())
        };
        let found =
            claims.iter().enumerate().map(|(row, claims)| FoundCaches::nothing(row, claims));
        Self {
            part: TreatmentMatrix::new(layout, outcome, treatments, &setup.places()),
            sizes_bytes: setup.sizes.iter().map(|bytes| bytes.0).collect(),
            backings: (0..setup.pages.len()).map(backing).collect(),
            found: found.collect(),
        }
    }

    fn judge_row(&self, found: &mut FoundCaches, seed: u64) -> Result<(), InferError> {
        let (Some(huge), Some(base)) = (self.sweep(found.row, HUGE)?, self.sweep(found.row, BASE)?)
        else {
            return Ok(());
        };
        let mut own = self.part.matrix.cells.iter().filter(|cell| cell.row == found.row);
        let has_huge = own.any(|cell| cell.treatment.pages == HUGE && cell.median.is_some());
        found.pages = if has_huge { HUGE } else { BASE }.to_owned();
        let sweep = if has_huge { &huge } else { &base };
        let claims: Vec<CacheClaim> =
            found.claims.iter().map(|claim| claim.claim.clone()).collect();
        found.levels = cache_levels(sweep, &claims, seed);
        for (claim, verdict) in found.claims.iter_mut().zip(compare(sweep, &found.levels, &claims))
        {
            claim.found = verdict;
        }
        found.tlb = self.base_page_bytes().and_then(|page| tlb_reach(&base, &huge, page, seed));
        Ok(())
    }

    /// A row's samples on pages of this kind. `None` without samples.
    fn sweep(&self, row: usize, pages: &str) -> Result<Option<SizeSweep>, InferError> {
        let Some(samples) = &self.part.samples else { return Ok(None) };
        let Some(kind) = self.part.treatments.iter().position(|known| known.pages == pages) else {
            return Ok(None);
        };
        let place = |size| CellIndex::new(row, size).with_treatment(kind);
        let point = |(size, &bytes): (usize, &u64)| SizeSweepPoint {
            bytes,
            samples: samples.at(place(size)),
        };
        let points: Vec<SizeSweepPoint> = self.sizes_bytes.iter().enumerate().map(point).collect();
        SizeSweep::new(&points).map(Some)
    }

    /// The size of a base page, where huge pages were huge pages.
    fn base_page_bytes(&self) -> Option<u64> {
        let backing = |pages: &str| {
            let kind = self.part.treatments.iter().position(|known| known.pages == pages)?;
            self.backings.get(kind)?.as_deref()
        };
        let kib: u64 = backing(BASE)?.strip_suffix('k')?.parse().ok()?;
        matches!(backing(HUGE), Some("thp" | "hugetlb")).then(|| kib.saturating_mul(1024))
    }
}

impl FoundCaches {
    fn nothing(row: usize, claims: &[(String, u64)]) -> Self {
        let claim = |(name, bytes): &(String, u64)| JudgedClaim {
            claim: CacheClaim { name: name.clone(), bytes: *bytes },
            source: "sysfs".to_owned(),
            found: CacheVerdict::not_measured(),
        };
        Self {
            row,
            pages: HUGE.to_owned(),
            levels: CacheLevels::default(),
            tlb: None,
            claims: claims.iter().map(claim).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_infer::cache_levels::{CacheClaimReason, CacheClaimVerdict};
    use nearfar_model::{CpuSet, Sample, Unit};

    use super::*;
    use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples};

    /// A CPU with 32 KiB at 1 ns and 1 MiB at 5 ns, memory at 100 ns; base pages cost 8 ns more
    /// from 4 MiB on.
    fn measured(huge_backing: &str) -> Caches {
        let sizes: Vec<u64> = (0..61)
            .map(|step| (4096.0 * (f64::from(step) / 4.0).exp2()) as u64 / 64 * 64)
            .collect();
        let ns = |bytes: u64| match bytes {
            0..=33_000 => 1.0,
            33_001..=1_050_000 => 5.0,
            _ => 100.0,
        };
        let walk = |bytes: u64| if bytes > 4 << 20 { 8.0 } else { 0.0 };
        let mut lines = Vec::new();
        for process in 0..5u32 {
            for round in [2 * process, 2 * process + 1] {
                for (size, &bytes) in sizes.iter().enumerate() {
                    let scatter =
                        1.0 + 0.002 * (f64::from((size as u32 * 7 + round * 3) % 5) - 2.0);
                    for (kind, extra) in [0.0, walk(bytes)].into_iter().enumerate() {
                        let ns = (ns(bytes) + extra) * scatter;
                        lines.push(Sample::new(
                            process,
                            round,
                            CellIndex::new(0, size).with_treatment(kind),
                            ns,
                        ));
                    }
                }
            }
        }
        let treatments: Vec<Paging> =
            [HUGE, BASE].map(|pages| Paging { pages: pages.to_owned() }).to_vec();
        let cell = |column: usize, treatment: &Paging| MatrixCell {
            column,
            treatment: treatment.clone(),
            ..MatrixCell::default()
        };
        let column = |bytes: &u64| MatrixColumn {
            label: bytes.to_string(),
            node: None,
            pages: 1,
            backing: None,
        };
        let matrix = Matrix {
            probe: "caches".to_owned(),
            unit: Unit::Nanoseconds,
            rows: vec![MatrixRow {
                label: "core 0".to_owned(),
                cpus: CpuSet::new(),
                node: None,
                ghz: None,
                drift: None,
            }],
            columns: sizes.iter().map(column).collect(),
            cells: (0..sizes.len())
                .flat_map(|at| treatments.iter().map(move |kind| cell(at, kind)))
                .collect(),
        };
        let claims =
            [("L1d", 32 << 10), ("L2", 2 << 20)].map(|(name, bytes)| (name.to_owned(), bytes));
        let mut caches = Caches {
            part: TreatmentMatrix { matrix, treatments, samples: Some(Samples::from_lines(lines)) },
            sizes_bytes: sizes,
            backings: vec![Some(huge_backing.to_owned()), Some("4k".to_owned())],
            found: vec![FoundCaches::nothing(0, &claims)],
        };
        caches.judge(0, 1).unwrap();
        caches
    }

    #[test]
    fn levels_claims_and_reach_follow_from_samples() {
        let caches = measured("thp");
        let found = &caches.found[0];
        assert_eq!((found.levels.levels.len(), found.pages.as_str()), (2, HUGE), "{found:?}");
        let near = |value: f64, truth: f64, share: f64| {
            assert!((value / truth - 1.0).abs() < share, "{value} {truth}");
        };
        near(found.levels.levels[0].capacity_bytes, 32_768.0, 0.25);
        near(found.levels.levels[1].capacity_bytes, 1_048_576.0, 0.25);
        near(found.levels.levels[1].latency_ns, 5.0, 0.02);
        near(found.levels.memory_ns.unwrap(), 100.0, 0.02);
        let verdicts: Vec<CacheClaimVerdict> =
            found.claims.iter().map(|claim| claim.found.verdict).collect();
        assert_eq!(verdicts, [CacheClaimVerdict::Agrees, CacheClaimVerdict::Contradicted]);
        assert!(
            matches!(found.claims[1].found.why, Some(CacheClaimReason::OtherSize { .. })),
            "{found:?}"
        );
        let tlb = found.tlb.as_ref().unwrap();
        assert!(
            tlb.bytes[0] <= 5 << 20 && tlb.bytes[1] >= 4 << 20 && tlb.entries[1] >= 1024,
            "{tlb:?}"
        );
        near(tlb.extra_ns, 8.0, 0.3);
    }

    #[test]
    fn without_huge_pages_there_is_no_reach() {
        assert_eq!(measured("4k").found[0].tlb, None);
    }

    #[test]
    fn parts_are_read_as_written() {
        let mut caches = measured("thp");
        let again: Caches = serde_json::from_value(serde_json::to_value(&caches).unwrap()).unwrap();
        assert_eq!(again.found, caches.found);
        caches.part.samples = None;
        caches.judge(0, 9).unwrap();
        assert_eq!(again.found, caches.found);
    }
}
