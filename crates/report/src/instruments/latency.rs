//! Latency: the matrix of costs, or what its probe shows in place of one.

mod core_walk;
mod cost_matrix;
pub(crate) mod picture;

use nearfar_infer::Numa;
use nearfar_model::Bytes;
use nearfar_survey::{MatrixCell, Survey};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::{or_dash, or_empty, paragraph};

use super::PartView;
use crate::survey::cell::larger_half;
use crate::survey::csv::{figures_of, place_of};
use crate::survey::{Claimed, pair};
use crate::survey::{MatrixIndex, Verbosity};

impl PartView for Survey {
    fn sections(&self, _: Verbosity) -> Vec<String> {
        let matrix = || cost_matrix::sections(&self.latency, &Claimed::from_claims(&self.claims));
        match self.latency.probe.as_str() {
            "core-walk" => vec![core_walk::text(&self.latency)],
            "store-sweep" => matrix().into_iter().chain([seconds(self)]).collect(),
            _ => {
                let [costs, ratios] = matrix();
                vec![costs + &common_drift(self), ratios]
            }
        }
    }

    fn answer(&self) -> Option<String> {
        None
    }

    fn csv(&self) -> Vec<CsvTable<'_>> {
        const HEADER: &str = "row,column,cpus,node,q25_ns,median_ns,se,ci95_low_ns,ci95_high_ns,\
                              samples,dropped,why,probe,claimed_distance,claimed_read_latency_ns";
        let (matrix, claimed) = (&self.latency, Claimed::from_claims(&self.claims));
        let records = matrix.cells.iter().map(move |cell| {
            let pair = pair(matrix, cell.row, cell.column);
            let claims = [
                matrix.probe.clone(),
                or_empty(claimed.distance(pair)),
                or_empty(claimed.latency_ns(pair)),
            ];
            place_of(matrix, cell).into_iter().chain(figures_of(cell)).chain(claims)
        });
        vec![CsvTable::new(HEADER, records)]
    }
}

/// Why cells have wider intervals than the verdict.
fn common_drift(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let most = verdict.ci95.filter(|_| verdict.numa == Numa::No).map(|[_, high]| high);
    let spread = |cell: &MatrixCell| Some(larger_half(cell.median?, cell.ci95?) / cell.median?);
    let widest = survey.latency.cells.iter().filter_map(spread).reduce(f64::max);
    match most.zip(widest) {
        Some((most, widest)) if widest > 1.5 * most => paragraph::remark(
            "± includes drift that all columns of a row share. The verdict compares columns, \
             where it cancels",
        ),
        _ => String::new(),
    }
}

/// Passes of the classical sweep.
const PASSES: f64 = 256.0;
/// One store goes to each line.
const LINE: f64 = 64.0;

/// The seconds, cell by cell.
fn seconds(survey: &Survey) -> String {
    let (matrix, size) = (&survey.latency, survey.provenance.options.size_bytes);
    let stores = PASSES * size as f64 / LINE;
    let grid = MatrixIndex::from_matrix(matrix);
    let head = [""].into_iter().chain(matrix.columns.iter().map(|column| column.label.as_str()));
    let lines = matrix.rows.iter().enumerate().map(|(row, head)| {
        let second = |column| {
            or_dash(grid.median(row, column).map(|ns| format!("{:.3}", ns * stores / 1e9)))
        };
        [head.label.clone()]
            .into_iter()
            .chain((0..matrix.columns.len()).map(second))
            .collect::<Vec<_>>()
    });
    let table = headed(head, lines, &[Align::Left, Align::Right]);
    paragraph::of(&format!("seconds for {PASSES} passes over {}", Bytes(size)), "", "  ") + &table
}
