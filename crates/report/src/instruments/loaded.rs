//! Loaded latency: idle, knee and saturation of every victim and memory, the curves, and who shares a link.

mod picture;
mod records;

use nearfar_infer::cache_levels::Known;
use nearfar_infer::load_curve::{NoKnee, Shared};
use nearfar_survey::{Cell, Loaded, Loading, LoadingCurve, SharedLink, Survey};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::paragraph;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::survey::cell::{cell_text, with_spread};
use crate::survey::csv::{cells, table};
use crate::survey::unmeasured::Reasons;

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short,
    answer: |survey| survey.loaded.as_ref().and_then(answer_of),
    csv,
    title: "How slow memory becomes when it is busy",
    draw: |survey, _| picture::draw(survey),
};

/// A gigabyte: ten to the ninth bytes, as memory's makers count.
const GB: f64 = 1e9;
/// So many curves are drawn point by point; a machine of many has them in its CSV.
const MOST_CURVES: usize = 8;

/// The tables; nothing where it was not measured.
fn text(survey: &Survey) -> String {
    let Some(loaded) = &survey.loaded else { return String::new() };
    let parts = [features(loaded), curves(loaded), links(loaded), remarks(loaded)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What each curve says, without its points.
fn in_short(survey: &Survey) -> String {
    let Some(loaded) = &survey.loaded else { return String::new() };
    let parts = [features(loaded), links(loaded), remarks(loaded)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn features(loaded: &Loaded) -> String {
    let matrix = &loaded.part.matrix;
    if loaded.curves.is_empty() {
        return "latency while others stream: no figure\n".to_owned();
    }
    let mut table = Table::default();
    table.line(["", "CPUs", "memory", "beside", "idle ns", "knee GB/s", "saturated ns", "at GB/s"]);
    for curve in &loaded.curves {
        // A damaged document may name what is not there.
        let (Some(row), Some(column)) = (matrix.rows.get(curve.row), matrix.columns.get(curve.column)) else {
            continue;
        };
        let knee = curve.curve.knee_bytes_per_s.as_ref().map_or_else(|| "-".to_owned(), |knee| measured(knee, GB));
        table.line([
            row.label.clone(),
            short_list(&row.cpus, IN_A_TABLE),
            column.label.clone(),
            beside(loaded, curve),
            measured(&curve.curve.idle_ns, 1.0),
            knee,
            measured(&curve.curve.saturated_ns, 1.0),
            format!("{:.1}", curve.curve.saturated_bytes_per_s / GB),
        ]);
    }
    let (kernel, isa) = (printable::line(&loaded.kernel), printable::line(&loaded.isa));
    let align = [Align::Left, Align::Left, Align::Left, Align::Left, Align::Right];
    format!("latency while others stream ({kernel}, {isa}), ns (± 95 %)\n{}", table.text(&align))
}

fn beside(loaded: &Loaded, curve: &LoadingCurve) -> String {
    match curve.aggressors == curve.row {
        true => "its own".to_owned(),
        false => loaded.part.matrix.rows.get(curve.aggressors).map_or_else(|| "?".to_owned(), |row| row.label.clone()),
    }
}

fn curves(loaded: &Loaded) -> String {
    let matrix = &loaded.part.matrix;
    let mut text = String::new();
    for curve in loaded.curves.iter().take(MOST_CURVES) {
        let (Some(row), Some(column)) = (matrix.rows.get(curve.row), matrix.columns.get(curve.column)) else {
            continue;
        };
        let mut table = Table::default();
        table.line(["delay, turns", "traffic GB/s", "ns (median ± 95 %)"]);
        for cell in loaded.curve(curve.row, curve.column, curve.aggressors) {
            let delay = cell.treatment.delay.map_or_else(|| "nobody".to_owned(), |delay| delay.to_string());
            table.line([delay, traffic(cell), cell_text(cell)]);
        }
        let (from, to) = (&row.label, &column.label);
        let who = match curve.aggressors == curve.row {
            true => "the others of it".to_owned(),
            false => format!("CPUs of {}", beside(loaded, curve)),
        };
        let title = format!("a CPU of {from}, memory of {to}, beside {who}");
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{}\n{}", printable::line(&title), table.text(&[Align::Right])));
    }
    match loaded.curves.len().saturating_sub(MOST_CURVES) {
        0 => text,
        more => text + &format!("and {more} curves more: --csv has all of them\n"),
    }
}

fn traffic(cell: &Cell<Loading>) -> String {
    cell.traffic_bytes_per_s.map_or_else(|| "-".to_owned(), |rate| format!("{:.2}", rate / GB))
}

fn links(loaded: &Loaded) -> String {
    if loaded.shared_links.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    table.line(["a CPU reading", "beside others", "slower by", "shared"]);
    for link in &loaded.shared_links {
        table.line([way(loaded, link.a), way(loaded, link.b), slowdown(link), word(link.found.shared).to_owned()]);
    }
    format!("shared links (slower by more than 5 %)\n{}", table.text(&[Align::Left, Align::Left, Align::Right]))
}

/// "node 0 > node 1".
fn way(loaded: &Loaded, [row, column]: [usize; 2]) -> String {
    let matrix = &loaded.part.matrix;
    let row = matrix.rows.get(row).map_or("?", |row| row.label.as_str());
    let column = matrix.columns.get(column).map_or("?", |column| column.label.as_str());
    format!("{row} > {column}")
}

fn slowdown(link: &SharedLink) -> String {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    match (link.found.slowdown, link.found.ci95) {
        (Some(by), Some([low, high])) => format!("{} % ({} to {})", percent(by), percent(low), percent(high)),
        _ => "-".to_owned(),
    }
}

/// "97.1 ±0.4".
fn measured(figure: &Known, unit: f64) -> String {
    let [low, high] = figure.ci95;
    let half = (figure.value - low).max(high - figure.value) / unit;
    with_spread(figure.value / unit, half, 1)
}

/// Why there is no knee, and why cells are empty; each reason once.
fn remarks(loaded: &Loaded) -> String {
    let mut kneeless: Vec<String> = loaded.curves.iter().filter_map(no_knee).collect();
    kneeless.sort_unstable();
    kneeless.dedup();
    let kneeless: String = kneeless.iter().map(|why| paragraph::of(why, "-  ", "   ")).collect();
    kneeless + &Reasons::of(&loaded.part.matrix.cells).text()
}

/// Why a curve has no knee.
fn no_knee(curve: &LoadingCurve) -> Option<String> {
    Some(match curve.curve.why.as_ref()? {
        NoKnee::LittleRise { rise } => {
            let advice = if curve.has_idle_cpus { "; let more CPUs inject" } else { "" };
            format!("latency rises by {:.0} % only: no knee{advice}", 100.0 * rise)
        }
        NoKnee::Sentence(sentence) => sentence.clone(),
    })
}

/// Whether a link is shared.
const fn word(shared: Shared) -> &'static str {
    match shared {
        Shared::Yes => "yes",
        Shared::No => "no",
        Shared::Undetermined => "undetermined",
    }
}

/// The way that load slows most.
fn answer_of(loaded: &Loaded) -> Option<String> {
    let slowdown = |curve: &&LoadingCurve| curve.curve.saturated_ns.value / curve.curve.idle_ns.value;
    let worst = loaded.curves.iter().max_by(|a, b| slowdown(a).total_cmp(&slowdown(b)))?;
    let matrix = &loaded.part.matrix;
    let (row, column) = (matrix.rows.get(worst.row)?, matrix.columns.get(worst.column)?);
    let knee = worst.curve.knee_bytes_per_s.as_ref();
    let knee = knee.map_or_else(|| "no knee".to_owned(), |knee| format!("knee at {:.1} GB/s", knee.value / GB));
    Some(format!(
        "{:.0} ns idle, {:.0} ns at {:.1} GB/s, {knee} ({}, memory of {})",
        worst.curve.idle_ns.value,
        worst.curve.saturated_ns.value,
        worst.curve.saturated_bytes_per_s / GB,
        row.label,
        column.label
    ))
}

/// Loaded latency as CSV: cells in nanoseconds, then what curves say and who shares a link, under headers of their own.
fn csv(survey: &Survey) -> String {
    let Some(loaded) = &survey.loaded else { return String::new() };
    let rows = &loaded.part.matrix.rows;
    let columns = &loaded.part.matrix.columns;
    let treatment = |cell: &Cell<Loading>| {
        let Loading { aggressors, aggressors_column, delay } = cell.treatment;
        let memory = aggressors.map(|_| aggressors_column.unwrap_or(cell.column));
        [
            aggressors.and_then(|row| rows.get(row)).map(|row| row.label.clone()).unwrap_or_default(),
            memory.and_then(|column| columns.get(column)).map(|column| column.label.clone()).unwrap_or_default(),
            delay.map(|delay| delay.to_string()).unwrap_or_default(),
            cell.traffic_bytes_per_s.map(|rate| rate.to_string()).unwrap_or_default(),
        ]
    };
    let names = ["aggressors", "aggressors_column", "delay", "traffic_bytes_per_s"];
    let cells = cells(&loaded.part.matrix, names, "ns", treatment);
    cells + &table(&records::curves(loaded)) + &table(&records::links(loaded))
}
