//! Interleaving: the best weights and their gain, all measured weights, and latency.

pub(crate) mod picture;

use nearfar_infer::weight_choice::WeightsUndetermined;
use nearfar_survey::{
    BestSpread, Interleave, MatrixCell, SpreadLoad, SpreadStream, TreatmentMatrix,
    UndeterminedSpread,
};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::or_dash;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::{changes, share};
use nearfar_view::text::{IN_A_TABLE, short_list};

use super::PartView;
use crate::survey::cell::{GB, cell_text, rate_text};
use crate::survey::csv::cells;
use crate::survey::{Reasons, Verbosity};

/// Weights listed as equally good.
const MAX_AS_GOOD: usize = 6;
/// Weights in a table.
const MAX_WEIGHTS: usize = 16;

impl PartView for Interleave {
    /// The best weights and their commands come first.
    fn sections(&self, _: Verbosity) -> Vec<String> {
        // The answer has the reason.
        if self.why.is_some() {
            return vec![];
        }
        let best = self.best.iter().map(|best| answer(self, best));
        let open = self.undetermined.iter().map(|open| undetermined(self, open));
        let answers = best.chain(open);
        let streams = self.bandwidth.as_ref().map(|part| streams(self, part)).unwrap_or_default();
        let loads = self.latency.as_ref().map(loads).unwrap_or_default();
        let mut reasons = Reasons::default();
        self.bandwidth.iter().for_each(|part| reasons.add(&part.matrix.cells));
        self.latency.iter().for_each(|part| reasons.add(&part.matrix.cells));
        answers.chain([streams, loads, reasons.text()]).collect()
    }

    /// The best weights for reading, or why there are none.
    fn answer(&self) -> Option<String> {
        let Some(best) = self.best.first() else {
            let open = self.undetermined.first();
            let open = open.map(|open| format!("{}: {}", open.kernel, why(&open.why)));
            return open.or_else(|| self.why.clone());
        };
        let alone = best.one_node_bytes_per_s.filter(|_| best.gain_ci95.is_some());
        let alone = alone.map(|alone| format!(", the best node alone {}", rate(alone)));
        Some(format!(
            "{} best with weights {}: {}{}",
            best.kernel,
            best.weights,
            rate(best.bytes_per_s),
            alone.unwrap_or_default()
        ))
    }

    /// Streams in bytes per second, then loads in nanoseconds with their own header.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let stream = |cell: &MatrixCell<SpreadStream>| {
            [cell.treatment.weights.clone(), cell.treatment.kernel.clone()]
        };
        let load = |cell: &MatrixCell<SpreadLoad>| {
            [cell.treatment.weights.clone(), cell.treatment.kernel.clone()]
        };
        let names = "weights,kernel";
        let streams = self.bandwidth.as_ref().map(|streams| cells(&streams.matrix, names, stream));
        let loads = self.latency.as_ref().map(|loads| cells(&loads.matrix, names, load));
        streams.into_iter().chain(loads).collect()
    }
}

fn answer(spread: &Interleave, best: &BestSpread) -> String {
    let mut text = match best.gain_ci95 {
        Some(gain) => {
            let [low, high] = gain.map(|gain| share(gain.max(0.0)));
            format!(
                "best weights {}: {}, {low} to {high} more than the best node alone",
                best.weights,
                rate(best.bytes_per_s)
            )
        }
        None if is_one_node(&best.weights) => format!(
            "no measured weights are faster than node {} alone: {}",
            best.weights.split('=').next().unwrap_or_default(),
            rate(best.bytes_per_s)
        ),
        // Of an older document.
        None => format!("best weights {}: {}", best.weights, rate(best.bytes_per_s)),
    };
    for (name, figure) in [
        ("equal weights", best.equal_bytes_per_s),
        ("the kernel's weights", best.kernel_weights_bytes_per_s),
        ("the best node alone", best.one_node_bytes_per_s.filter(|_| !is_one_node(&best.weights))),
    ] {
        text.extend(figure.map(|figure| format!("; {name} {}", rate(figure))));
    }
    text.push('.');
    if !best.as_good.is_empty() {
        let listed = best.as_good[..best.as_good.len().min(MAX_AS_GOOD)].join("; ");
        let more = if best.as_good.len() > MAX_AS_GOOD { " and others" } else { "" };
        text += &format!(" Equally good: {listed}{more}.");
    }
    let set_by = best
        .set_by
        .as_ref()
        .map_or_else(String::new, |set_by| format!("{set_by} (as root), then "));
    let head = head(spread, best.row, &best.kernel);
    paragraph::of(&format!("{text} Use: {set_by}'{}'", best.run_by), &head, "  ")
}

/// "read from node 0: undetermined, because node 0 alone has no figure."
fn undetermined(spread: &Interleave, open: &UndeterminedSpread) -> String {
    let head = head(spread, open.row, &open.kernel);
    let text = match open.why {
        // The leading weights stand in the table.
        WeightsUndetermined::WithinNoise { .. } => format!("weights {} lead, but ", open.leading),
        _ => String::new(),
    };
    paragraph::of(&format!("{text}{}.", why(&open.why)), &head, "  ")
}

fn why(why: &WeightsUndetermined) -> String {
    match why {
        WeightsUndetermined::NoFigureAlone { nodes } => {
            let all: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            let have = if nodes.len() == 1 { "has" } else { "have" };
            let noun = if nodes.len() == 1 { "node" } else { "nodes" };
            let all = all.join(", ");
            format!(
                "the best weights are undetermined, because {noun} {all} alone {have} no figure"
            )
        }
        WeightsUndetermined::NoFigureInterleaved => {
            "the best weights are undetermined, because all nodes in turn have no figure".to_owned()
        }
        WeightsUndetermined::WithinNoise { gain_ci95, node } => format!(
            "whether they are faster than node {node} alone is undetermined ({})",
            changes(*gain_ci95)
        ),
    }
}

fn head(spread: &Interleave, row: usize, kernel: &str) -> String {
    let row = spread.bandwidth.as_ref().and_then(|part| part.matrix.row_label(row));
    let who = row.map_or_else(String::new, |row| format!(" from {row}"));
    format!("{kernel}{who}: ")
}

fn is_one_node(weights: &str) -> bool {
    !weights.contains(',')
}

/// "97.0 GB/s"; of emulated machines "5.40 MB/s", and never "0.0 GB/s".
fn rate(bytes_per_s: f64) -> String {
    match bytes_per_s {
        1e8.. => format!("{:.1} GB/s", bytes_per_s / GB),
        1e5.. => format!("{:.2} MB/s", bytes_per_s / 1e6),
        _ => format!("{bytes_per_s:.0} B/s"),
    }
}

/// Each row's weights, the best first; a column for each kernel.
fn streams(spread: &Interleave, part: &TreatmentMatrix<SpreadStream>) -> String {
    let mut text = String::new();
    for (index, row) in part.matrix.rows.iter().enumerate() {
        let row_cells: Vec<&MatrixCell<SpreadStream>> =
            part.matrix.cells.iter().filter(|cell| cell.row == index).collect();
        let kernels = distinct(row_cells.iter().map(|cell| cell.treatment.kernel.as_str()));
        let mut weights = distinct(row_cells.iter().map(|cell| cell.treatment.weights.as_str()));
        let Some(first) = kernels.first() else { continue };
        let find = |weights: &str, kernel: &str| {
            let is = |cell: &&&MatrixCell<SpreadStream>| {
                cell.treatment.weights == weights && cell.treatment.kernel == kernel
            };
            row_cells.iter().find(is).copied()
        };
        let most = |weights: &str| find(weights, first).and_then(|cell| cell.median).unwrap_or(0.0);
        weights.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let lines = weights.iter().take(MAX_WEIGHTS).map(|weights| {
            let figures =
                kernels.iter().map(|kernel| or_dash(find(weights, kernel).map(rate_text)));
            [(*weights).to_owned()].into_iter().chain(figures).collect::<Vec<_>>()
        });
        let table = headed(["weights"].iter().chain(&kernels), lines, &[Align::Left, Align::Right]);
        let cpus = short_list(&row.cpus, IN_A_TABLE);
        let isa = spread.isa.as_deref().unwrap_or_default();
        let title = format!("{} ({cpus}) together, GB/s (median ± 95 %), {isa}", row.label);
        text += &paragraph::of(&title, "", "  ");
        text += &table;
        if let Some(more @ 1..) = weights.len().checked_sub(MAX_WEIGHTS) {
            text += &format!("and {more} more (--csv)\n");
        }
    }
    text
}

/// Names in their order, each once.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Latency: a row for each set of weights, the fastest first, a column for each group of CPUs.
/// Weights without a figure are counted.
fn loads(part: &TreatmentMatrix<SpreadLoad>) -> String {
    let rows = &part.matrix.rows;
    let is_shown = |row: &usize| {
        part.matrix.cells.iter().any(|cell| cell.row == *row && cell.median.is_some())
    };
    let shown: Vec<usize> = (0..rows.len()).filter(is_shown).collect();
    let least = |load: &SpreadLoad| {
        let medians = shown.iter().filter_map(|&row| part.cell(row, 0, load)?.median);
        medians.reduce(f64::min)
    };
    let mut loads: Vec<(f64, &SpreadLoad)> =
        part.treatments.iter().filter_map(|load| Some((least(load)?, load))).collect();
    loads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut text = paragraph::of("latency of interleaved memory, ns (median ± 95 %)", "", "  ");
    let line = |label: &str, entry: &dyn Fn(usize) -> String| -> Vec<String> {
        [label.to_owned()].into_iter().chain(shown.iter().map(|&row| entry(row))).collect()
    };
    let cpus = line("CPUs", &|row| short_list(&rows[row].cpus, IN_A_TABLE));
    let figures = loads.iter().map(|(_, load)| {
        line(&load.weights, &|row| or_dash(part.cell(row, 0, load).map(cell_text)))
    });
    let head = line("weights", &|row| rows[row].label.clone());
    text += &headed(head, [cpus].into_iter().chain(figures), &[Align::Left, Align::Right]);
    match part.treatments.len() - loads.len() {
        0 => text,
        empty => text + &format!("{} without a figure\n", count(empty, "interleaving")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nearfar_model::{CpuSet, NodeId, Unit};
    use nearfar_survey::{Matrix, MatrixColumn, MatrixRow};

    use super::*;

    /// Every pair of nodes, and all nodes; pairs with node 0 have no figure.
    fn spread(nodes: usize) -> TreatmentMatrix<SpreadLoad> {
        let weights = |of: &dyn Fn(usize) -> bool| {
            let used = (0..nodes).filter(|&node| of(node));
            used.map(|node| format!("{node}=16")).collect::<Vec<_>>().join(",")
        };
        let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
        let mut all: Vec<String> =
            pairs.map(|(a, b)| weights(&|node| node == a || node == b)).collect();
        all.push(weights(&|_| true));
        let treatments: Vec<SpreadLoad> = all
            .into_iter()
            .map(|weights| SpreadLoad { weights, kernel: "latency".to_owned() })
            .collect();
        let cpus = |row: usize| {
            CpuSet::parse_list(&format!("{}-{},{0}", 24 * row, 24 * row + 23)).unwrap()
        };
        let cell = |row: usize, at: usize| {
            let is_empty = treatments[at].weights.starts_with("0=") && at + 1 < treatments.len();
            let median = (!is_empty).then_some(300.0 - at as f64 + row as f64);
            MatrixCell {
                row,
                column: 0,
                cpus: cpus(row),
                node: None,
                treatment: treatments[at].clone(),
                q25: median,
                median,
                se: None,
                ci95: median.map(|ns| [ns - 3.0, ns + 3.0]),
                traffic_bytes_per_s: None,
                rough: None,
                samples: 9,
                dropped: BTreeMap::new(),
                why: None,
            }
        };
        let row = |row: usize| MatrixRow {
            label: format!("node {row}"),
            cpus: cpus(row),
            node: Some(NodeId(row as u32)),
            ghz: None,
            drift: None,
        };
        let matrix = Matrix {
            probe: "interleave".to_owned(),
            unit: Unit::Nanoseconds,
            rows: (0..nodes).map(row).collect(),
            columns: vec![MatrixColumn {
                label: "spread".to_owned(),
                node: None,
                pages: 1,
                backing: None,
            }],
            cells: (0..nodes)
                .flat_map(|row| (0..treatments.len()).map(move |at| (row, at)))
                .map(|(r, at)| cell(r, at))
                .collect(),
        };
        TreatmentMatrix { matrix, treatments: treatments.clone(), samples: None }
    }

    #[test]
    fn latency_of_eight_nodes_fits_the_screen() {
        let text = loads(&spread(8));
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= nearfar_view::terminal::width::DEFAULT, "{widest}\n{text}");
        // 22 of 29 have figures, in every block of columns.
        let tables = text.lines().filter(|line| line.starts_with("weights ")).count();
        assert_eq!(text.lines().filter(|line| line.contains('=')).count(), 22 * tables, "{text}");
        assert!(text.ends_with("\n7 interleavings without a figure\n"), "{text}");
        let figures: usize = text.matches('±').count() - 1;
        assert_eq!(figures, 22 * 8, "every group has a figure of each");
    }

    fn part(best: Vec<BestSpread>, undetermined: Vec<UndeterminedSpread>) -> Interleave {
        Interleave {
            nodes: vec![NodeId(0), NodeId(1)],
            kernel_weights: None,
            bandwidth: None,
            latency: None,
            isa: None,
            footprint_bytes: None,
            chase_bytes: None,
            best,
            undetermined,
            why: None,
        }
    }

    fn best(weights: &str, bytes_per_s: f64, gain_ci95: Option<[f64; 2]>) -> BestSpread {
        BestSpread {
            row: 0,
            kernel: "read".to_owned(),
            weights: weights.to_owned(),
            bytes_per_s,
            as_good: vec![],
            equal_bytes_per_s: Some(5.4e9),
            kernel_weights_bytes_per_s: None,
            one_node_bytes_per_s: Some(8e9),
            gain_ci95,
            set_by: None,
            run_by: "nearfar run PLACEMENT -- PROGRAM".to_owned(),
        }
    }

    fn text(part: &Interleave) -> String {
        part.sections(Verbosity::Brief).concat()
    }

    #[test]
    fn the_best_is_named_against_its_alternatives() {
        let won = part(vec![best("0=3,1=1", 10.7e9, Some([0.2, 0.48]))], vec![]);
        assert_eq!(
            text(&won),
            "read: best weights 0=3,1=1: 10.7 GB/s, 20.0 % to 48.0 % more than the best node \
             alone; equal weights\n  5.4 GB/s; the best node alone 8.0 GB/s. Use: 'nearfar run \
             PLACEMENT -- PROGRAM'\n"
        );
        let alone = text(&part(vec![best("0=1", 8e9, None)], vec![]));
        let start = "read: no measured weights are faster than node 0 alone: 8.0 GB/s; equal";
        assert!(alone.starts_with(start), "{alone}");
        assert!(!alone.contains("best node alone"), "{alone}");
    }

    /// At 0206d5e9: "best weights 0=1,1=1: 0.0 GB/s ... Use: nearfar run --interleave 0-1".
    #[test]
    fn without_alternatives_nothing_is_best() {
        let open = |why| {
            let (kernel, leading) = ("read".to_owned(), "0=1,1=1".to_owned());
            part(vec![], vec![UndeterminedSpread { row: 0, kernel, leading, why }])
        };
        let none = open(WeightsUndetermined::NoFigureAlone { nodes: vec![0] });
        let wanted = "read: the best weights are undetermined, because node 0 alone has no figure";
        assert_eq!(text(&none), format!("{wanted}.\n"));
        assert_eq!(none.answer().as_deref(), Some(wanted));
        let noise = open(WeightsUndetermined::WithinNoise { gain_ci95: [-0.01, 0.052], node: 1 });
        let noise = text(&noise).replace("\n ", "");
        assert!(
            noise.contains("weights 0=1,1=1 lead, but whether they are faster than"),
            "{noise}"
        );
        assert!(noise.contains("node 1 alone is undetermined (-1.0 % to +5.2 %)."), "{noise}");
        assert_eq!([5.4e9, 5.4e6, 12.0].map(rate), ["5.4 GB/s", "5.40 MB/s", "12 B/s"]);
    }

    #[test]
    fn the_fastest_weights_are_first() {
        let text = loads(&spread(3));
        let first = text.lines().find(|line| line.contains('=')).unwrap();
        assert!(first.starts_with("0=16,1=16,2=16 "), "{text}");
    }
}
