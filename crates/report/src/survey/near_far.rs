//! Latency of local and of remote memory, in a line each, of a matrix that is too large.

use nearfar_survey::Matrix;
use nearfar_view::text::paragraph;

use super::pair;

/// "local memory 81.2 to 83.0 ns, remote memory 130 to 141 ns". Nothing where no cell has a figure.
pub(super) fn text(matrix: &Matrix) -> String {
    let medians = |is_wanted: &dyn Fn(Option<bool>) -> bool| -> Vec<f64> {
        let cells = matrix.cells.iter().filter(|cell| {
            let nodes = pair(matrix, cell.row, cell.column);
            is_wanted(nodes.map(|(cpus, memory)| cpus == memory))
        });
        cells.filter_map(|cell| cell.median).collect()
    };
    let kinds = [
        ("local memory", medians(&|local| local == Some(true))),
        ("remote memory", medians(&|local| local == Some(false))),
        ("memory", medians(&|local| local.is_none())),
    ];
    let ranges = kinds.iter().filter_map(|(name, ns)| Some(format!("{name} {}", range(ns)?)));
    let ranges: Vec<String> = ranges.collect();
    if ranges.is_empty() {
        return String::new();
    }
    paragraph::of(&ranges.join(", "), &format!("latency, {} (medians): ", matrix.unit), "  ")
}

/// "97 to 103", or "97".
fn range(values: &[f64]) -> Option<String> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let [low, high] = [low, high].map(|value| format!("{value:.0}"));
    Some(if low == high { low } else { format!("{low} to {high}") })
}
