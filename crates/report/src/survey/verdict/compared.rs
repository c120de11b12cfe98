//! The two memories that a verdict compares, from the CPUs where they differ most.

use nearfar_infer::NumaReason;
use nearfar_survey::{Matrix, Survey};
use nearfar_view::text::{IN_A_TABLE, short_list};

use crate::instruments::hidden::node_label;
use crate::survey::MatrixIndex;

/// How far the ratio of two shown medians may be from the verdict's.
const ROUNDING: f64 = 0.005;

/// "From CPUs of node 1, memory of node 0 has 1.92 times the latency of local memory". No cells are
/// named where the medians of none have this ratio.
pub(super) fn sentence(survey: &Survey, least: &str, effect: f64) -> String {
    let ratio = 1.0 + effect;
    let named = match survey.verdict.reasons.contains(&NumaReason::NotShown) {
        true => survey.hidden.as_ref().and_then(|hidden| {
            let far = Farthest::find(&hidden.matrix, ratio)?;
            let cpus = &hidden.matrix.rows[far.row].cpus;
            let [slow, fast] = [far.slow, far.fast].map(|kind| node_label(hidden, kind));
            Some([format!("CPUs {}", short_list(cpus, IN_A_TABLE)), slow, fast])
        }),
        false => Farthest::find(&survey.latency, ratio).map(|far| far.names(&survey.latency)),
    };
    let [cpus, slow, fast] = named.unwrap_or_else(|| {
        ["the same CPUs", "the slowest memory", "the fastest"].map(str::to_owned)
    });
    format!("From {cpus}, {slow} has {least}{ratio:.2} times the latency of {fast}")
}

/// The slowest and the fastest cell of the row where they differ most.
struct Farthest {
    row: usize,
    slow: usize,
    fast: usize,
}

impl Farthest {
    /// Nothing where their ratio is not the wanted one.
    fn find(matrix: &Matrix, wanted: f64) -> Option<Self> {
        let grid = MatrixIndex::from_matrix(matrix);
        let of_row = |row: usize| {
            let cells = (0..matrix.columns.len())
                .filter_map(|column| Some((grid.median(row, column)?, column)));
            let slow = cells.clone().max_by(|a, b| a.0.total_cmp(&b.0))?;
            let fast = cells.min_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((slow.0 / fast.0, Self { row, slow: slow.1, fast: fast.1 }))
        };
        let farthest = (0..matrix.rows.len()).filter_map(of_row);
        let (ratio, found) = farthest.max_by(|a, b| a.0.total_cmp(&b.0))?;
        ((ratio / wanted - 1.0).abs() < ROUNDING).then_some(found)
    }

    /// CPUs, slow memory and fast memory.
    fn names(&self, matrix: &Matrix) -> [String; 3] {
        let row = &matrix.rows[self.row];
        let memory = |column: usize| {
            let column = &matrix.columns[column];
            let own = matrix.columns.iter().filter(|other| other.node == column.node).count();
            match column.node.filter(|_| own == 1) {
                Some(node) if row.node == Some(node) => "local memory".to_owned(),
                Some(_) => format!("memory of {}", column.label),
                None => column.label.clone(),
            }
        };
        [format!("CPUs of {}", row.label), memory(self.slow), memory(self.fast)]
    }
}
