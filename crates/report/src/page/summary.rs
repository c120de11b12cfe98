//! What a survey found, in one line: local and remote latency, their ratio, bandwidth.

use nearfar_model::Unit;
use nearfar_survey::{Bandwidth, Survey};

use crate::instruments::view;
use crate::pictures::figures::short;
use crate::survey::{MatrixIndex, pair};

/// Figures nearer to each other than this are one figure.
const ALIKE: f64 = 1.02;
/// The kernel whose bandwidth is shown.
const KERNEL: &str = "read";

/// The line; none where nothing was measured. Of a survey without latency and bandwidth, the
/// answer of its first instrument.
pub(super) fn summary(survey: &Survey) -> Option<String> {
    let mut facts = latency(survey);
    facts.extend(survey.bandwidth.as_ref().and_then(bandwidth));
    if facts.is_empty() {
        return survey.measured().into_iter().find_map(|part| view(survey, part)?.answer());
    }
    Some(facts.join(" · "))
}

/// "local 90.0 ns", "remote 152 to 310 ns", "ratio 1.69 to 3.45"; of one memory what it costs.
fn latency(survey: &Survey) -> Vec<String> {
    let matrix = &survey.latency;
    let (grid, levels) = (MatrixIndex::from_matrix(matrix), survey.latency_level_pairs());
    let (mut local, mut remote, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let mut ratios = Vec::new();
    for (index, cell) in matrix.cells.iter().enumerate() {
        let Some(median) = cell.median else { continue };
        let values = levels.get(&index).map_or([median; 2], |levels| levels.values);
        match pair(matrix, cell.row, cell.column) {
            None => other.extend(values),
            Some((cpus, memory)) if cpus == memory => local.extend(values),
            Some(_) => {
                remote.extend(values);
                ratios.extend(grid.ratio(cell.row, cell.column));
            }
        }
    }
    if remote.is_empty() {
        let all = [local, other].concat();
        return range(&all, matrix.unit).map(|all| format!("memory {all}")).into_iter().collect();
    }
    let facts = [("local", range(&local, matrix.unit)), ("remote", range(&remote, matrix.unit))];
    let ratio = ends(&ratios).map(|[low, high]| format!("ratio {}", span(low, high)));
    let figures = facts.into_iter().filter_map(|(name, range)| Some(format!("{name} {}", range?)));
    figures.chain(ratio).collect()
}

/// "reads 34.6 GB/s local, 17.2 to 20.1 GB/s remote".
fn bandwidth(bandwidth: &Bandwidth) -> Option<String> {
    let matrix = &bandwidth.part.matrix;
    let (mut local, mut remote) = (Vec::new(), Vec::new());
    for (row, column) in (0..matrix.rows.len())
        .flat_map(|row| (0..matrix.columns.len()).map(move |column| (row, column)))
    {
        let here = matrix.cells.iter().filter(|cell| (cell.row, cell.column) == (row, column));
        let medians = here.filter(|cell| cell.treatment.kernel == KERNEL);
        let Some(best) = medians.filter_map(|cell| cell.median).reduce(f64::max) else { continue };
        let nodes = matrix.rows[row].node.zip(matrix.columns[column].node);
        let is_remote = nodes.is_some_and(|(cpus, memory)| cpus != memory);
        if is_remote { remote.push(best) } else { local.push(best) }
    }
    let [local, remote] = [local, remote].map(|values| range(&values, matrix.unit));
    match (local, remote) {
        (Some(local), Some(remote)) => Some(format!("reads {local} local, {remote} remote")),
        (Some(only), None) => Some(format!("reads {only}")),
        (None, Some(remote)) => Some(format!("reads {remote} remote")),
        (None, None) => None,
    }
}

/// "90.0 ns", "152 to 310 ns".
fn range(values: &[f64], unit: Unit) -> Option<String> {
    let [low, high] = ends(values)?;
    Some(format!("{} {}", span(unit.shown(low), unit.shown(high)), unit.symbol()))
}

fn ends(values: &[f64]) -> Option<[f64; 2]> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some([least, values.iter().copied().fold(least, f64::max)])
}

fn span(low: f64, high: f64) -> String {
    let alike = high <= low * ALIKE;
    if alike {
        short(f64::midpoint(low, high))
    } else {
        format!("{} to {}", short(low), short(high))
    }
}
