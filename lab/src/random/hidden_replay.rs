//! A search for hidden nodes as numbers: pages and lines of a described machine, and what inference
//! makes of them.

use nearfar_infer::hidden::{self, CostTable, LineFinding, LineHalves, PageFinding, PageStatement};
use nearfar_infer::{InferError, Numa, NumaVerdict, THRESHOLD};
use nearfar_model::{CellIndex, CpuSet, Sample};
use nearfar_survey::HiddenFinding;

use super::noise::RunningNoise;
use crate::check::judged::{FoundKind, HiddenSearch, Judged, Statements};
use crate::machine::LabMachine;

/// Pages, lines, processes and rounds of a search for hidden nodes.
const PAGES: usize = 64;
const LINES: usize = 512;
const SEARCHES: u64 = 5;
const ROUNDS_OF_PAGES: u32 = 4;
const ROUNDS_OF_LINES: u32 = 2;

/// A search for hidden nodes, and the verdict that follows from it alone.
pub(super) fn searched(
    machine: &LabMachine,
    noise: &mut RunningNoise,
    seed: u64,
) -> Result<Vec<Judged>, InferError> {
    let costs = machine.slowed(&machine.latency_ns());
    let sheets: Vec<CostTable> = (0..SEARCHES)
        .map(|_| CostTable::new(&items(machine, &costs, noise, PAGES, ROUNDS_OF_PAGES)))
        .collect();
    let pages = hidden::pages(&sheets, costs.len(), seed);
    let halves: Vec<LineHalves> =
        (0..SEARCHES).map(|_| self::halves(machine, &costs, noise)).collect();
    let lines = hidden::lines(&halves, costs.len(), seed);
    let finding = match (pages.verdict.finding, lines.finding) {
        (PageFinding::Found, _) => HiddenFinding::Found,
        (PageFinding::None, LineFinding::Interleaved) => HiddenFinding::Interleaved,
        (PageFinding::None, _) => HiddenFinding::None,
        (PageFinding::Undetermined, _) => HiddenFinding::Undetermined,
    };
    let verdict = verdict_of(&pages);
    let rows: Vec<CpuSet> = machine.cpu_nodes().map(|node| node.cpus.clone()).collect();
    let kind = |cluster: &hidden::PageCluster| FoundKind {
        costs: rows
            .iter()
            .cloned()
            .zip(&cluster.ns)
            .filter_map(|(cpus, ns)| Some((cpus, (*ns)?)))
            .collect(),
    };
    let kinds = pages.clusters.iter().map(kind).collect();
    // Pages are of all nodes, and of all CPUs.
    let search =
        Some(HiddenSearch { finding, down_to: pages.verdict.down_to, kinds, is_least: false });
    Ok(Statements { verdict: &verdict, classes: &[], links: None, claims: &[], search }
        .judged(machine))
}

fn verdict_of(pages: &PageStatement) -> NumaVerdict {
    let found = &pages.verdict;
    let numa = match (found.finding, found.ci95) {
        (PageFinding::Found, Some([low, _])) if low > THRESHOLD => Numa::Yes,
        (PageFinding::None, _) => Numa::No,
        _ => Numa::Undetermined,
    };
    NumaVerdict {
        numa,
        effect: found.effect,
        ci95: found.ci95,
        threshold: THRESHOLD,
        ..NumaVerdict::default()
    }
}

/// One process's samples of pages or lines, each in a node that chance gives it; of interleaved
/// machines lines are, and pages cost the mean.
fn items(
    machine: &LabMachine,
    costs: &[Vec<f64>],
    noise: &mut RunningNoise,
    items: usize,
    rounds: u32,
) -> Vec<Sample> {
    let homes = costs.first().map_or(0, Vec::len);
    let is_mean = machine.description.interleave.is_some() && items == PAGES;
    let of_items: Vec<(usize, f64)> =
        (0..items).map(|_| (noise.rng.usize(..homes), noise.for_process())).collect();
    let of_rows: Vec<f64> = costs.iter().map(|_| noise.for_process()).collect();
    let mut samples = Vec::new();
    for round in 0..rounds {
        for (row, from_row) in costs.iter().enumerate() {
            for (item, &(home, own)) in of_items.iter().enumerate() {
                let cost = if is_mean {
                    from_row.iter().sum::<f64>() / homes as f64
                } else {
                    from_row[home]
                };
                let log = own + of_rows[row] + noise.sample();
                samples.push(Sample::new(0, round, CellIndex::new(row, item), cost * log.exp()));
            }
        }
    }
    samples
}

fn halves(machine: &LabMachine, costs: &[Vec<f64>], noise: &mut RunningNoise) -> LineHalves {
    let mut samples = items(machine, costs, noise, LINES, ROUNDS_OF_LINES);
    if machine.description.interleave.is_none() {
        // All lines lie in one page, and so in one node.
        samples
            .iter_mut()
            .for_each(|sample| sample.value = costs[sample.place.row][0] * noise.sample().exp());
    }
    let half = |second: bool| -> Vec<Sample> {
        samples
            .iter()
            .copied()
            .filter(|sample| (sample.round * 2 >= ROUNDS_OF_LINES) == second)
            .collect()
    };
    LineHalves {
        first: CostTable::new(&half(false)),
        second: CostTable::new(&half(true)),
        both: CostTable::new(&samples),
    }
}
