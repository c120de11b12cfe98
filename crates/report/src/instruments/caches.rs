//! Caches: the measured and the claimed size of each, its latency, and the curve of latency by
//! size.

pub(crate) mod picture;

use nearfar_infer::cache_levels::{
    CacheClaim, CacheClaimReason, CacheClaimVerdict, CacheLevel, NoLevels,
};
use nearfar_survey::{Caches, FoundCaches, JudgedClaim, MatrixCell, Paging};
use nearfar_view::terminal::table::{Align, Table, headed};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::{count, or_dash, or_empty, paragraph, sections};

use super::PartView;
use crate::survey::cell::cell_text;
use crate::survey::csv::cells;
use crate::survey::{Reasons, Verbosity};

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;
const GIB: f64 = 1024.0 * MIB;

impl PartView for Caches {
    fn sections(&self, _: Verbosity) -> Vec<String> {
        let levels = self.found.iter().map(|found| levels(self, found));
        let reasons = Reasons::from_cells(&self.part.matrix.cells).text();
        levels.chain([curve(self), reasons]).collect()
    }

    /// The levels, without the curve.
    fn in_short(&self, _: Verbosity) -> String {
        let levels = self.found.iter().map(|found| levels(self, found));
        sections(levels.chain([Reasons::from_cells(&self.part.matrix.cells).text()]))
    }

    /// Levels of the first row, nearest first.
    fn answer(&self) -> Option<String> {
        let found = &self.found.first()?.levels;
        let size = |bytes: f64| match bytes {
            MIB.. => format!("{:.1} MiB", bytes / MIB),
            _ => format!("{:.0} KiB", bytes / KIB),
        };
        let levels = found
            .levels
            .iter()
            .map(|level| format!("{} at {:.1} ns", size(level.capacity_bytes), level.latency_ns));
        let memory = found.memory_ns.map(|ns| format!("memory at {ns:.0} ns"));
        let all: Vec<String> = levels.chain(memory).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// In nanoseconds per access.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let treatment = |cell: &MatrixCell<Paging>| {
            [or_empty(self.sizes_bytes.get(cell.column)), cell.treatment.pages.clone()]
        };
        vec![cells(&self.part.matrix, "bytes,pages", treatment)]
    }
}

fn levels(caches: &Caches, found: &FoundCaches) -> String {
    let row = caches.part.matrix.rows.get(found.row);
    let label = row.map_or_else(String::new, |row| {
        let noun = if row.cpus.len() == 1 { "CPU" } else { "CPUs" };
        format!("{} ({noun} {})", row.label, row.cpus)
    });
    let mut table = Table::default();
    table.line(["cache", "measured", "95 %", "ns", "claimed", "the claim"]);
    let mut rest: Vec<&JudgedClaim> = found.claims.iter().collect();
    for (index, level) in found.levels.levels.iter().enumerate() {
        let here = |claim: &&JudgedClaim| claim.found.measured_bytes == Some(level.capacity_bytes);
        let claim = rest.iter().position(here).map(|place| rest.remove(place));
        table.line(level_line(index, level, claim));
    }
    for claim in rest {
        table.line([
            claim.claim.name.as_str(),
            "-",
            "-",
            "-",
            &size(claim.claim.bytes as f64),
            verdict(claim),
        ]);
    }
    if let Some(ns) = found.levels.memory_ns {
        table.line(["memory", "", "", &format!("{ns:.1}"), "", ""]);
    }
    let table = table.text(&[
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    paragraph::of(&format!("caches of {label}"), "", "  ") + &table + &remarks(caches, found)
}

fn level_line(index: usize, level: &CacheLevel, claim: Option<&JudgedClaim>) -> [String; 6] {
    let [low, high] = level.capacity_bytes_ci95;
    [
        claim.map_or_else(|| format!("level {}", index + 1), |claim| claim.claim.name.clone()),
        size(level.capacity_bytes),
        format!("{} to {}", size(low), size(high)),
        format!("{:.2}", level.latency_ns),
        or_dash(claim.map(|claim| size(claim.claim.bytes as f64))),
        or_empty(claim.map(verdict)),
    ]
}

fn verdict(claim: &JudgedClaim) -> &'static str {
    match claim.found.verdict {
        CacheClaimVerdict::Contradicted => "does not hold",
        CacheClaimVerdict::Undetermined => "undetermined",
        CacheClaimVerdict::Agrees if claim.found.why.is_some() => "within 25 %",
        CacheClaimVerdict::Agrees => "agrees",
    }
}

fn remarks(caches: &Caches, found: &FoundCaches) -> String {
    let claims = found
        .claims
        .iter()
        .filter_map(|claim| Some(claim_reason(&claim.claim, claim.found.why.as_ref()?)));
    let climbs = found.levels.levels.iter().filter_map(|level| {
        let [from, to] = level.climbs_over_bytes?.map(|bytes| size(bytes as f64));
        Some(format!(
            "from {from} to {to} latency rises in a way that one cache does not explain: other \
             CPUs may share it"
        ))
    });
    let mut remarks: Vec<String> = claims.chain(climbs).collect();
    remarks.extend(found.levels.refused.as_ref().map(no_levels));
    remarks.push(match &found.tlb {
        Some(tlb) => {
            let ([from, to], [fewest, most]) =
                (tlb.bytes.map(|bytes| size(bytes as f64)), tlb.entries);
            let ns = tlb.extra_ns;
            format!(
                "with base pages, an access takes {ns:.1} ns more at the largest size (TLB \
                 misses). The rise begins between {from} and {to} ({fewest} to {most} pages)"
            )
        }
        None if has_both_pages(caches, found.row) => {
            "base pages are as fast as huge pages at the largest size".to_owned()
        }
        None => "base and huge pages were not both measured at the largest size".to_owned(),
    });
    remarks.iter().map(|remark| paragraph::remark(remark)).collect()
}

/// Whether the largest size has figures of base and of huge pages.
fn has_both_pages(caches: &Caches, row: usize) -> bool {
    let Some(largest) = caches.sizes_bytes.len().checked_sub(1) else { return false };
    ["huge", "base"].iter().all(|pages| {
        let paging = Paging { pages: (*pages).to_owned() };
        caches.part.cell(row, largest, &paging).is_some_and(|cell| cell.median.is_some())
    })
}

fn curve(caches: &Caches) -> String {
    let rows = &caches.part.matrix.rows;
    let heads = rows.iter().flat_map(|row| {
        let of = if rows.len() > 1 { format!("{}, ", row.label) } else { String::new() };
        [format!("{of}huge pages"), format!("{of}base pages")]
    });
    let line = |(column, &bytes): (usize, &u64)| -> Vec<String> {
        let ns = |row: usize, pages: &str| {
            or_dash(
                caches.part.cell(row, column, &Paging { pages: pages.to_owned() }).map(cell_text),
            )
        };
        let figures = (0..rows.len()).flat_map(|row| [ns(row, "huge"), ns(row, "base")]);
        [size(bytes as f64)].into_iter().chain(figures).collect()
    };
    let has_figure = |line: &Vec<String>| line[1..].iter().any(|figure| figure != "-");
    let (lines, empty): (Vec<_>, Vec<_>) =
        caches.sizes_bytes.iter().enumerate().map(line).partition(has_figure);
    let head = ["size".to_owned()].into_iter().chain(heads);
    let shown = if lines.is_empty() { String::new() } else { headed(head, lines, &[Align::Right]) };
    let without = if empty.is_empty() {
        String::new()
    } else {
        format!("{} without a figure\n", count(empty.len(), "size"))
    };
    paragraph::of("ns per access by size (median ± 95 %)", "", "  ") + &shown + &without
}

/// "2.4 MiB", "32 KiB".
fn size(bytes: f64) -> String {
    let (value, unit) = match bytes {
        GIB.. => (bytes / GIB, "GiB"),
        MIB.. => (bytes / MIB, "MiB"),
        _ => (bytes / KIB, "KiB"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// Why levels or memory are missing.
fn no_levels(reason: &NoLevels) -> String {
    let text: &str = match reason {
        NoLevels::FewSizes { sizes } => {
            &format!("only {sizes} sizes have enough samples: measure longer, or larger sizes")
        }
        NoLevels::NowhereFlat => "latency has no plateau: caches and memory are undetermined",
        NoLevels::StillClimbs => "latency still rises at the largest size: measure larger sizes",
        NoLevels::MemoryNotReached { largest_bytes, cache, last_ns } => {
            let (largest, claimed, name) =
                (size(*largest_bytes), size(cache.bytes as f64), &cache.name);
            &format!(
                "memory was not reached: the largest size is {largest}, but {name} has {claimed}. \
                 The last {last_ns:.1} ns may be the latency of {name}"
            )
        }
    };
    text.to_owned()
}

/// Why a claim holds or not.
fn claim_reason(claim: &CacheClaim, reason: &CacheClaimReason) -> String {
    use CacheClaimReason::*;
    let claimed = format!("{}: {} claimed", claim.name, size(claim.bytes as f64));
    let measured = |bytes: &f64, ci95: &[f64; 2]| {
        let [low, high] = ci95.map(size);
        format!("{} (95 %: {low} to {high})", size(*bytes))
    };
    let beside = match reason {
        NotMeasured => return "nothing was measured".to_owned(),
        NotTheSame { bytes, ci95, tolerance } => {
            format!(
                ", {} measured: within {:.0} %, but not equal",
                measured(bytes, ci95),
                100.0 * tolerance
            )
        }
        OtherSize { bytes, ci95 } => format!(", {} measured", measured(bytes, ci95)),
        TooWide { bytes, ci95 } => {
            format!(
                ", {} measured. Whether that is within 25 % is undetermined: measure longer",
                measured(bytes, ci95)
            )
        }
        InAClimb { from_bytes, to_bytes } => {
            let [from, to] = [from_bytes, to_bytes].map(|bytes| size(*bytes as f64));
            format!(
                ", but latency rises from {from} to {to} in a way that one cache does not explain. \
                 The cache may end anywhere there"
            )
        }
        NoSizes => ", but no size has enough samples".to_owned(),
        SweepEnds { largest_bytes } => {
            format!(", but the largest size is {}", size(*largest_bytes))
        }
        NoPlateau => ", but it has no plateau".to_owned(),
        OnTheWayToMemory { bytes, ns, share } => {
            let (size, percent) = (size(*bytes), 100.0 * share);
            format!(
                ", but a buffer of {size} takes {ns:.1} ns, {percent:.0} % of the way to memory"
            )
        }
        ClimbsWithoutPlateau => {
            ", but latency rises without a plateau: other CPUs may share it".to_owned()
        }
    };
    claimed + &beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        let claim = CacheClaim { name: "L2".to_owned(), bytes: 600 << 10 };
        let (bytes, ci95) = (524_288.0, [512_000.0, 1_258_291.2]);
        let reason =
            claim_reason(&claim, &CacheClaimReason::NotTheSame { bytes, ci95, tolerance: 0.25 });
        assert_eq!(
            reason,
            "L2: 600 KiB claimed, 512 KiB (95 %: 500 KiB to 1.2 MiB) measured: within 25 %, but \
             not equal"
        );
        let cache = CacheClaim { name: "L3".to_owned(), bytes: 260 << 20 };
        let reason = no_levels(&NoLevels::MemoryNotReached {
            largest_bytes: 33_554_432.0,
            cache,
            last_ns: 30.04,
        });
        assert_eq!(
            reason,
            "memory was not reached: the largest size is 32 MiB, but L3 has 260 MiB. The last 30.0 \
             ns may be the latency of L3"
        );
    }
}
