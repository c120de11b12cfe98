//! Every instrument's answer in a line, for the head of a screen that shows several.

use nearfar_survey::{Bandwidth, Caches, CoreToCore, Hidden, Interleave, Loaded, Survey};

use super::part::Part;
use crate::paragraph;
use crate::table::{Align, Table};

const GB: f64 = 1e9;
const MIB: f64 = 1_048_576.0;

/// A line for each part beside latency, whose answer is the verdict.
pub(super) fn text(survey: &Survey) -> String {
    let mut table = Table::default();
    for part in Part::of(survey).into_iter().filter(|part| *part != Part::Latency) {
        table.line([part.name().to_owned(), of(part, survey)]);
    }
    table.text(&[Align::Left])
}

/// A part's answer in a line.
fn of(part: Part, survey: &Survey) -> String {
    let answer = match part {
        Part::Latency => None,
        Part::Bandwidth => survey.bandwidth.as_ref().and_then(bandwidth),
        Part::Loaded => survey.loaded.as_ref().and_then(loaded),
        Part::CoreToCore => survey.core_to_core.as_ref().and_then(core_to_core),
        Part::Caches => survey.caches.as_ref().and_then(caches),
        Part::Interleave => survey.interleave.as_ref().and_then(interleave),
        Part::Hidden => survey.hidden.as_ref().map(hidden),
    };
    paragraph::short(&answer.unwrap_or_else(|| "no figure".to_owned()))
}

/// The fastest and the slowest way to read.
fn bandwidth(bandwidth: &Bandwidth) -> Option<String> {
    let matrix = &bandwidth.part.matrix;
    let reading = matrix.cells.iter().filter(|cell| {
        cell.treatment.kernel == "read" && bandwidth.knee(cell.row, cell.column) == Some(cell.treatment.threads)
    });
    let mut rates: Vec<(f64, String)> = reading
        .filter_map(|cell| {
            let (row, column) = (matrix.rows.get(cell.row)?, matrix.columns.get(cell.column)?);
            let threads = cell.treatment.threads;
            Some((cell.median? / GB, format!("{} from {}, threads: {threads}", row.label, column.label)))
        })
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, most) = (rates.first()?, rates.last()?);
    let fastest = format!("reads {:.1} GB/s at most ({})", most.0, most.1);
    Some(if rates.len() == 1 { fastest } else { format!("{fastest}, {:.1} at least ({})", least.0, least.1) })
}

/// The way that load slows most.
fn loaded(loaded: &Loaded) -> Option<String> {
    let slowdown = |curve: &&nearfar_survey::LoadingCurve| curve.saturated_ns.value / curve.idle_ns.value;
    let worst = loaded.curves.iter().max_by(|a, b| slowdown(a).total_cmp(&slowdown(b)))?;
    let matrix = &loaded.part.matrix;
    let (row, column) = (matrix.rows.get(worst.row)?, matrix.columns.get(worst.column)?);
    let knee = worst.knee_bytes_per_s.as_ref();
    let knee = knee.map_or_else(|| "no knee".to_owned(), |knee| format!("knee at {:.1} GB/s", knee.value / GB));
    Some(format!(
        "{:.0} ns idle, {:.0} ns at {:.1} GB/s, {knee} ({}, memory of {})",
        worst.idle_ns.value,
        worst.saturated_ns.value,
        worst.saturated_bytes_per_s / GB,
        row.label,
        column.label
    ))
}

/// What pairs cost by what they share.
fn core_to_core(pairs: &CoreToCore) -> Option<String> {
    let class = |class: &nearfar_survey::PairClass| match class.shares.as_str() {
        "machine" => format!("{:.0} ns across the machine", class.median_ns),
        "unnamed" => format!("{:.0} ns", class.median_ns),
        shares => format!("{:.0} ns within a {shares}", class.median_ns),
    };
    let classes: Vec<String> = pairs.classes.iter().map(class).collect();
    (!classes.is_empty()).then(|| format!("{}, one way", classes.join(", ")))
}

/// Levels of the first row, nearest first.
fn caches(caches: &Caches) -> Option<String> {
    let found = caches.found.first()?;
    let size = |bytes: f64| match bytes >= MIB {
        true => format!("{:.1} MiB", bytes / MIB),
        false => format!("{:.0} KiB", bytes / 1024.0),
    };
    let levels =
        found.levels.iter().map(|level| format!("{} at {:.1} ns", size(level.capacity_bytes), level.latency_ns));
    let memory = found.memory_ns.map(|ns| format!("memory at {ns:.0} ns"));
    let all: Vec<String> = levels.chain(memory).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The best weights for reading, or why there are none.
fn interleave(spread: &Interleave) -> Option<String> {
    let best = spread.best.first().map(|best| {
        let gain = best.one_node_bytes_per_s.map(|alone| format!(", the best node alone {:.1}", alone / GB));
        format!(
            "{} best at {}: {:.1} GB/s{}",
            best.kernel,
            best.weights,
            best.bytes_per_s / GB,
            gain.unwrap_or_default()
        )
    });
    best.or_else(|| spread.why.clone())
}

/// The finding, with its first reason.
fn hidden(hidden: &Hidden) -> String {
    let lines = hidden.lines.reasons.first().filter(|_| hidden.finding == "interleaved");
    let reason = lines.or(hidden.pages.reasons.first());
    reason.map_or_else(|| hidden.finding.clone(), |reason| format!("{}: {reason}", hidden.finding))
}
