//! What curves of loaded latency say, and who shares a link, for a spreadsheet: below the cells, each under a header of its own.

use nearfar_infer::cache_levels::Known;
use nearfar_survey::Loaded;

use super::{no_knee, word};

const CURVES: [&str; 14] = [
    "row",
    "column",
    "aggressors",
    "idle_ns",
    "idle_low_ns",
    "idle_high_ns",
    "knee_bytes_per_s",
    "knee_low_bytes_per_s",
    "knee_high_bytes_per_s",
    "saturated_ns",
    "saturated_low_ns",
    "saturated_high_ns",
    "saturated_bytes_per_s",
    "why",
];
const LINKS: [&str; 8] =
    ["row", "column", "aggressors", "aggressors_column", "shared", "slowdown", "slowdown_low", "slowdown_high"];

/// A record for every curve.
pub(super) fn curves(loaded: &Loaded) -> Vec<Vec<String>> {
    let record = |curve: &nearfar_survey::LoadingCurve| {
        let mut record = vec![row(loaded, curve.row), column(loaded, curve.column), row(loaded, curve.aggressors)];
        record.extend(measured(Some(&curve.curve.idle_ns)));
        record.extend(measured(curve.curve.knee_bytes_per_s.as_ref()));
        record.extend(measured(Some(&curve.curve.saturated_ns)));
        record.extend([curve.curve.saturated_bytes_per_s.to_string(), no_knee(curve).unwrap_or_default()]);
        record
    };
    under(&CURVES, loaded.curves.iter().map(record))
}

/// A record for every two ways that were driven together.
pub(super) fn links(loaded: &Loaded) -> Vec<Vec<String>> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let record = |link: &nearfar_survey::SharedLink| {
        let mut record: Vec<String> =
            [link.a, link.b].into_iter().flat_map(|[from, to]| [row(loaded, from), column(loaded, to)]).collect();
        let found = &link.found;
        record.push(word(link.found.shared).to_owned());
        record.extend([found.slowdown, found.ci95.map(|ci95| ci95[0]), found.ci95.map(|ci95| ci95[1])].map(number));
        record
    };
    under(&LINKS, loaded.shared_links.iter().map(record))
}

/// The records with their header; none without records.
fn under(header: &[&str], records: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let records: Vec<Vec<String>> = records.collect();
    let header = (!records.is_empty()).then(|| header.iter().map(|name| (*name).to_owned()).collect());
    header.into_iter().chain(records).collect()
}

fn row(loaded: &Loaded, index: usize) -> String {
    loaded.part.matrix.rows.get(index).map(|row| row.label.clone()).unwrap_or_default()
}

fn column(loaded: &Loaded, index: usize) -> String {
    loaded.part.matrix.columns.get(index).map(|column| column.label.clone()).unwrap_or_default()
}

fn measured(figure: Option<&Known>) -> [String; 3] {
    figure.map_or_else(Default::default, |figure| [figure.value, figure.ci95[0], figure.ci95[1]].map(|v| v.to_string()))
}
