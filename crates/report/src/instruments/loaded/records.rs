//! Curves of loaded latency and shared links as CSV, each with its own header.

use nearfar_infer::cache_levels::IntervalEstimate;
use nearfar_survey::{Loaded, LoadingCurve, SharedLink};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::{ends, or_empty};

use super::{name, no_knee};

/// A record for every curve; nothing where there is none.
pub(super) fn curves(loaded: &Loaded) -> Option<CsvTable<'_>> {
    const HEADER: &str = "row,column,aggressors,idle_ns,idle_low_ns,idle_high_ns,knee_bytes_per_s,\
                          knee_low_bytes_per_s,knee_high_bytes_per_s,saturated_ns,\
                          saturated_low_ns,saturated_high_ns,saturated_bytes_per_s,why";
    let record = move |curve: &LoadingCurve| {
        let found = &curve.curve;
        let figures =
            [Some(&found.idle_ns), found.knee_bytes_per_s.as_ref(), Some(&found.saturated_ns)]
                .map(measured);
        let mut record = path(loaded, [curve.row, curve.column]).to_vec();
        record.push(or_empty(loaded.part.matrix.row_label(curve.aggressors)));
        record.extend(figures.concat());
        record.extend([found.saturated_bytes_per_s.to_string(), or_empty(no_knee(curve))]);
        record
    };
    (!loaded.curves.is_empty()).then(|| CsvTable::new(HEADER, loaded.curves.iter().map(record)))
}

/// A record for every two paths that were loaded together; nothing where there are none.
pub(super) fn links(loaded: &Loaded) -> Option<CsvTable<'_>> {
    const HEADER: &str =
        "row,column,aggressors,aggressors_column,shared,slowdown,slowdown_low,slowdown_high";
    let record = move |link: &SharedLink| {
        let found = &link.found;
        let mut record = [path(loaded, link.a), path(loaded, link.b)].concat();
        record.extend([name(found.shared).to_owned(), or_empty(found.slowdown)]);
        record.extend(ends(found.ci95));
        record
    };
    let links = &loaded.shared_links;
    (!links.is_empty()).then(|| CsvTable::new(HEADER, links.iter().map(record)))
}

fn path(loaded: &Loaded, [row, column]: [usize; 2]) -> [String; 2] {
    [or_empty(loaded.part.matrix.row_label(row)), or_empty(loaded.part.matrix.column_label(column))]
}

fn measured(figure: Option<&IntervalEstimate>) -> [String; 3] {
    let [low, high] = ends(figure.map(|figure| figure.ci95));
    [or_empty(figure.map(|figure| figure.value)), low, high]
}
