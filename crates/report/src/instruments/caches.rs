//! Caches: what each holds and costs beside what is claimed of it, then the curve of latency by size.

mod picture;
mod reasons;

use nearfar_infer::cache_levels::{CacheLevel, Claimed};
use nearfar_survey::{Caches, Cell, FoundCaches, JudgedClaim, Paging, Survey};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::count::count;
use crate::paragraph;
use crate::survey::cell::cell_text;
use crate::survey::csv::cells;
use crate::survey::unmeasured::Reasons;

const MIB: f64 = 1_048_576.0;

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short,
    answer: |survey| survey.caches.as_ref().and_then(answer_of),
    csv,
    title: "Where each cache ends",
    draw: |survey, _| picture::draw(survey),
};

/// The tables; nothing where it was not measured.
fn text(survey: &Survey) -> String {
    let Some(caches) = &survey.caches else { return String::new() };
    let mut parts: Vec<String> = caches.found.iter().map(|found| levels(caches, found)).collect();
    parts.push(curve(caches));
    parts.push(unmeasured(caches));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// What each level holds and costs, without the curve.
fn in_short(survey: &Survey) -> String {
    let Some(caches) = &survey.caches else { return String::new() };
    let mut parts: Vec<String> = caches.found.iter().map(|found| levels(caches, found)).collect();
    parts.push(unmeasured(caches));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn levels(caches: &Caches, found: &FoundCaches) -> String {
    let row = caches.part.matrix.rows.get(found.row);
    let label = row.map_or_else(String::new, |row| {
        let noun = if row.cpus.len() == 1 { "CPU" } else { "CPUs" };
        format!("{} ({noun} {})", row.label, row.cpus)
    });
    let mut table = Table::default();
    table.line(["cache", "holds", "95 %", "ns", "claimed", ""]);
    let mut rest: Vec<&JudgedClaim> = found.claims.iter().collect();
    for (index, level) in found.levels.levels.iter().enumerate() {
        let here = |claim: &&JudgedClaim| claim.found.measured_bytes == Some(level.capacity_bytes);
        let claim = rest.iter().position(here).map(|place| rest.remove(place));
        table.line(level_line(index, level, claim));
    }
    for claim in rest {
        let claimed = size(claim.claim.bytes as f64);
        table.line([claim.claim.name.clone(), "-".to_owned(), "-".to_owned(), "-".to_owned(), claimed, verdict(claim)]);
    }
    if let Some(ns) = found.levels.memory_ns {
        let blank = String::new;
        table.line(["memory".to_owned(), blank(), blank(), format!("{ns:.1}"), blank(), blank()]);
    }
    let mut text = format!("caches of {}\n", printable::line(&label));
    text.push_str(&table.text(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left]));
    text.push_str(&remarks(found));
    text
}

fn level_line(index: usize, level: &CacheLevel, claim: Option<&JudgedClaim>) -> [String; 6] {
    let [low, high] = level.capacity_bytes_ci95;
    [
        claim.map_or_else(|| format!("level {}", index + 1), |claim| claim.claim.name.clone()),
        size(level.capacity_bytes),
        format!("{} to {}", size(low), size(high)),
        format!("{:.2}", level.latency_ns),
        claim.map_or_else(|| "-".to_owned(), |claim| size(claim.claim.bytes as f64)),
        claim.map_or_else(String::new, verdict),
    ]
}

fn verdict(claim: &JudgedClaim) -> String {
    let words = match claim.found.verdict {
        Claimed::DoesNotHold => "does not hold",
        Claimed::CannotTell => "cannot tell",
        Claimed::Agrees if claim.found.why.is_some() => "within 25 %",
        Claimed::Agrees => "agrees",
    };
    words.to_owned()
}

fn remarks(found: &FoundCaches) -> String {
    let mut remarks: Vec<String> = found
        .claims
        .iter()
        .filter_map(|judged| Some(reasons::claim_reason(&judged.claim, judged.found.why.as_ref()?)))
        .collect();
    for level in &found.levels.levels {
        if let Some([from, to]) = level.climbs_over_bytes {
            let (from, to) = (size(from as f64), size(to as f64));
            remarks.push(format!(
                "from {from} to {to} latency climbs longer, or otherwise, than one cache explains: others may share one"
            ));
        }
    }
    remarks.extend(found.levels.refused.as_ref().map(reasons::no_levels));
    match &found.tlb {
        Some(tlb) => remarks.push(format!(
            "base pages cost more from {} to {} on ({} to {} pages): {:.1} ns an access at the largest size",
            size(tlb.bytes[0] as f64),
            size(tlb.bytes[1] as f64),
            tlb.entries[0],
            tlb.entries[1],
            tlb.extra_ns
        )),
        None => remarks
            .push("base pages cost no more than huge ones at the largest sizes, or either was not measured".to_owned()),
    }
    remarks.iter().map(|remark| paragraph::of(&printable::line(remark), "-  ", "   ")).collect()
}

fn curve(caches: &Caches) -> String {
    let rows = &caches.part.matrix.rows;
    let mut table = Table::default();
    let head = rows.iter().flat_map(|row| {
        let of = if rows.len() > 1 { format!("{}, ", row.label) } else { String::new() };
        [format!("{of}huge pages"), format!("{of}base pages")]
    });
    table.line(["size".to_owned()].into_iter().chain(head));
    let mut empty = 0;
    for (column, &bytes) in caches.sizes_bytes.iter().enumerate() {
        let ns = |row: usize, pages: &str| {
            caches.part.cell(row, column, &Paging { pages: pages.to_owned() }).map_or_else(|| "-".to_owned(), cell_text)
        };
        let figures: Vec<String> = (0..rows.len()).flat_map(|row| [ns(row, "huge"), ns(row, "base")]).collect();
        if figures.iter().all(|figure| figure == "-") {
            empty += 1;
            continue;
        }
        table.line([size(bytes as f64)].into_iter().chain(figures));
    }
    let shown = if empty == caches.sizes_bytes.len() { String::new() } else { table.text(&[Align::Right]) };
    let without = if empty == 0 { String::new() } else { format!("{} without a figure\n", count(empty, "size")) };
    format!("ns an access by size (median ± 95 %)\n{shown}{without}")
}

fn unmeasured(caches: &Caches) -> String {
    Reasons::of(&caches.part.matrix.cells).text()
}

/// "2.4 MiB", "32 KiB".
fn size(bytes: f64) -> String {
    let (value, unit) = match bytes {
        bytes if bytes >= 1_073_741_824.0 => (bytes / 1_073_741_824.0, "GiB"),
        bytes if bytes >= 1_048_576.0 => (bytes / 1_048_576.0, "MiB"),
        bytes => (bytes / 1024.0, "KiB"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// Levels of the first row, nearest first.
fn answer_of(caches: &Caches) -> Option<String> {
    let found = caches.found.first()?;
    let size = |bytes: f64| match bytes >= MIB {
        true => format!("{:.1} MiB", bytes / MIB),
        false => format!("{:.0} KiB", bytes / 1024.0),
    };
    let levels =
        found.levels.levels.iter().map(|level| format!("{} at {:.1} ns", size(level.capacity_bytes), level.latency_ns));
    let memory = found.levels.memory_ns.map(|ns| format!("memory at {ns:.0} ns"));
    let all: Vec<String> = levels.chain(memory).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Sizes as CSV, in nanoseconds an access.
fn csv(survey: &Survey) -> String {
    let Some(caches) = &survey.caches else { return String::new() };
    let treatment = |cell: &Cell<Paging>| {
        let bytes = caches.sizes_bytes.get(cell.column).map(u64::to_string).unwrap_or_default();
        [bytes, cell.treatment.pages.clone()]
    };
    cells(&caches.part.matrix, ["bytes", "pages"], "ns", treatment)
}
