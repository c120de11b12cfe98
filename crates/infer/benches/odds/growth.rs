//! Time of the whole analysis, by machine size.

use std::fmt::Write as _;

use nearfar_infer::claims::{self, DistanceClaim};
use nearfar_infer::classes::classes;
use nearfar_infer::links::links;
use nearfar_infer::{NodeCosts, SampleMatrix, THRESHOLD, estimates, verdict};

use crate::replay::{Model, Noise, Plan, survey};

/// Nodes, and rows per node: 16 CPUs per node as one group, as four, and each separately.
const SIZES: [(u32, usize); 7] = [(2, 1), (8, 1), (8, 16), (16, 1), (32, 1), (64, 1), (64, 16)];

pub(crate) fn table() -> String {
    let mut text = String::from(
        "## Growth\n\nSeconds of one CPU for all inference from one survey of 15 rounds. 64 nodes \
         with 1,024 rows: each of 1,024 CPUs is a row.\n\n| nodes | rows | samples | \
         estimates | verdict | classes | links | claims | all \
         |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for (nodes, rows_per_node) in SIZES {
        let matrix = large(nodes, rows_per_node);
        let rows: Vec<Option<u32>> =
            (0..nodes).flat_map(|node| vec![Some(node); rows_per_node]).collect();
        let columns: Vec<Option<u32>> = (0..nodes).map(Some).collect();
        let mut laps = vec![cpu_seconds()];
        let mut lap = || laps.push(cpu_seconds());
        let _ = estimates(&matrix, 1);
        lap();
        let _ = verdict(&matrix, THRESHOLD, 1);
        lap();
        let costs = NodeCosts::from_samples(&matrix, &rows, &columns, 1);
        let classes = classes(&costs).unwrap_or_default();
        lap();
        let _ = links(&costs);
        lap();
        let slit: Vec<Vec<u32>> = (0..nodes)
            .map(|a| (0..nodes).map(|b| if a == b { 10 } else { 20 }).collect())
            .collect();
        let names: Vec<u32> = (0..nodes).collect();
        let _ = claims::check(&DistanceClaim::slit(&names, &slit), &costs, &classes, 1);
        lap();
        let _ = write!(
            text,
            "| {nodes} | {} | {} |",
            rows.len(),
            matrix.rounds() * rows.len() * columns.len()
        );
        for pair in laps.windows(2) {
            let _ = write!(text, " {:.2} |", pair[1] - pair[0]);
        }
        let _ = writeln!(text, " {:.2} |", laps[laps.len() - 1] - laps[0]);
    }
    text
}

/// CPU time of this thread, without other programs.
pub(crate) fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 =
        stat.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(f64::NAN);
    nanoseconds / 1e9
}

/// A ring of nodes, with several rows in each.
fn large(nodes: u32, rows_per_node: usize) -> SampleMatrix {
    let mut model = if nodes > 2 { Model::ring(nodes) } else { Model::fully_linked(nodes) };
    let repeat = |rows: &Vec<f64>| vec![rows.clone(); rows_per_node];
    model.costs = model.costs.iter().flat_map(repeat).collect();
    let plan = Plan { max_rounds: 15, standard_error: 1.0, ..Plan::usual() };
    survey(&model, &Noise::recorded(0.5), &plan, 1)
}
