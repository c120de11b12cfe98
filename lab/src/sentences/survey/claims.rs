//! Sentences about tables of firmware: is the claim there, is it false, and are the figures true?

use nearfar_infer::NodeCosts;
use nearfar_infer::claims::{ClaimKind, DistanceClaim, EQUAL_WITHIN, rank};
use nearfar_model::NodeId;
use nearfar_survey::Claims;

use super::advice::named;
use super::claim_grammar::{ClaimSentence, CostsBy, Example, FigureSentence, FirmwareTable};
use crate::sentences::command::{RunCommand, only};
use crate::sentences::judgement::Judgement;
use crate::sentences::memory::MemoryTruth;

/// What is left of noise at the border of a tolerance: a claim that is false by less may be judged
/// either way (1 %).
const BORDER: f64 = 1.01;
/// Kendall's tau of the true order, where a sentence states that there is none.
const NO_ORDER: f64 = 0.2;

/// What the kernel shows of firmware's claims.
pub(super) struct ClaimedTables<'s>(pub(super) &'s Claims);

impl ClaimedTables<'_> {
    /// A table's figure: a SLIT's distance, or nanoseconds.
    pub(super) fn figure(&self, table: FirmwareTable, cpus: u32, memory: u32) -> Option<f64> {
        let Self(claims) = self;
        match table {
            FirmwareTable::Slit => {
                let distances = claims.distances.as_ref()?;
                distances.between(NodeId(cpus), NodeId(memory)).map(f64::from)
            }
            FirmwareTable::Hmat => {
                let cells = &claims.hmat.as_ref()?.cells;
                let is_it = |at: NodeId, to: NodeId| (at.0, to.0) == (cpus, memory);
                let cell = cells.iter().find(|cell| is_it(cell.initiator, cell.target))?;
                cell.read_latency_ns.map(|ns| ns as f64)
            }
        }
    }

    /// The cells of nodes with CPUs that have a figure.
    pub(super) fn with_figure(
        &self,
        table: FirmwareTable,
        figure: f64,
        truth: &MemoryTruth,
    ) -> Vec<[u32; 2]> {
        let cells = truth
            .cpu_nodes()
            .flat_map(|cpus| truth.memory_nodes().map(move |memory| [cpus, memory]))
            .filter(|[cpus, memory]| cpus != memory || table == FirmwareTable::Hmat);
        cells
            .filter(|[cpus, memory]| {
                self.figure(table, *cpus, *memory).is_some_and(|own| (own - figure).abs() < 0.5)
            })
            .collect()
    }

    /// What is true of a cell in the table's unit: a ratio to local, or ns.
    pub(super) fn true_figure(
        table: FirmwareTable,
        [cpus, memory]: [u32; 2],
        truth: &MemoryTruth,
    ) -> Option<f64> {
        let cost = truth.cost(cpus, memory)?;
        match table {
            FirmwareTable::Slit => Some(cost / truth.cost(cpus, cpus)?),
            FirmwareTable::Hmat => Some(cost),
        }
    }

    /// By what factor a cell's truth lies beyond its table's tolerance; at most 1 where the claim
    /// holds.
    pub(super) fn beyond_tolerance(
        &self,
        table: FirmwareTable,
        cell: [u32; 2],
        truth: &MemoryTruth,
    ) -> Option<f64> {
        let unit = if table == FirmwareTable::Slit { 10.0 } else { 1.0 };
        let claimed = self.figure(table, cell[0], cell[1])? / unit;
        let off = Self::true_figure(table, cell, truth)? / claimed;
        let [low, high] = tolerance(table);
        Some((off / high).max(low / off))
    }
}

fn tolerance(table: FirmwareTable) -> [f64; 2] {
    match table {
        FirmwareTable::Slit => ClaimKind::Slit.tolerance(),
        FirmwareTable::Hmat => ClaimKind::HmatLatency.tolerance(),
    }
}

/// Judges a sentence about a table.
pub(super) fn judge(
    sentence: &ClaimSentence,
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) {
    match sentence {
        ClaimSentence::OwnNotNearest { cpus, nearer, by, run } => {
            ratio([*cpus, *nearer, *cpus], *by, truth, judged);
            advised(run.as_ref(), [*cpus, *nearer], judged);
            let (own, least) = (truth.cost(*cpus, *cpus), truth.cost(*cpus, *nearer));
            judged.require(own > least, || format!("node {cpus}'s own memory is as near"));
        }
        ClaimSentence::Inverted { table, cpus, claimed, nearer, by, run } => {
            let figure = |memory: &u32| tables.figure(*table, *cpus, *memory);
            let is_claimed = figure(claimed) < figure(nearer);
            judged.require(is_claimed, || format!("node {claimed} is not claimed to be nearer"));
            let is_false = truth.cost(*cpus, *claimed) > truth.cost(*cpus, *nearer);
            judged.require(is_false, || format!("node {claimed} is nearer, as claimed"));
            ratio([*cpus, *nearer, *claimed], *by, truth, judged);
            advised(run.as_ref(), [*cpus, *nearer], judged);
        }
        ClaimSentence::EqualDiffers { table, cpus, nodes, farther, by, run } => {
            let [a, b] = nodes.map(|memory| tables.figure(*table, *cpus, memory));
            judged.require(a == b && a.is_some(), || "they are not claimed equal".to_owned());
            let nearer = if nodes[0] == *farther { nodes[1] } else { nodes[0] };
            let by = ratio([*cpus, nearer, *farther], *by, truth, judged);
            let is_false = by.is_some_and(|by| by > EQUAL_WITHIN / BORDER);
            judged.require(is_false, || format!("they are equal within {EQUAL_WITHIN} times"));
            advised(run.as_ref(), [*cpus, nearer], judged);
        }
        ClaimSentence::Merged { table, figure, costs, example }
        | ClaimSentence::Placeholder { table, figure, costs, example } => {
            one_figure(*table, *figure, costs, (tables, truth), judged);
            if let Some(example) = example {
                near(example, costs, truth, judged);
            }
        }
        ClaimSentence::Uniform { table, claimed, within } => {
            judged.ratio(*claimed, None, claimed_spread(*table, tables, truth));
            judged.ratio(*within, None, Some(truth.largest_ratio()));
            let is_uniform = truth.largest_ratio() <= EQUAL_WITHIN * BORDER;
            judged.require(is_uniform, || "memory is not uniform".to_owned());
        }
        ClaimSentence::Figure(figure) => self::figure(figure, tables, truth, judged),
        ClaimSentence::Unreachable { cpus, memory, run } => {
            let claimed = tables.figure(FirmwareTable::Slit, *cpus, *memory);
            judged.require(claimed == Some(255.0), || "that is not claimed".to_owned());
            // Of older releases: what can be done, not what is best.
            run.iter().for_each(|run| named(run, [*cpus, *memory], judged));
        }
        ClaimSentence::ByChance { table, tau } => {
            let true_tau = order(*table, tables, truth);
            let holds = true_tau.is_some_and(|true_tau| true_tau <= NO_ORDER);
            judged.require(holds, || format!("tau {tau} is stated, {true_tau:?} is true"));
        }
    }
}

/// The ratio of two memories for one node's CPUs: cpus, near, far.
fn ratio(
    [cpus, near, far]: [u32; 3],
    stated: CostsBy,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) -> Option<f64> {
    let by = truth.cost(cpus, far).zip(truth.cost(cpus, near)).map(|(far, near)| far / near);
    judged.ratio(stated.times, stated.ci95, by);
    by
}

/// A command after a finding about a memory: own memory alone, what the finding names alone, or own
/// memory with an overflow into what it names.
fn advised(run: Option<&RunCommand>, [cpus, named]: [u32; 2], judged: &mut Judgement<'_>) {
    let Some(run) = run else { return };
    if run.preferred.is_some() {
        let preferred = run.cpus.as_ref().and_then(only).zip(run.preferred.as_ref().and_then(only));
        judged.require(preferred.is_some(), || "the command prefers no one node".to_owned());
        preferred.into_iter().for_each(|(cpus, memory)| judged.nearest([cpus, memory]));
        return;
    }
    match run.cell() {
        Some(cell) => {
            judged.require(cell[0] == cpus, || format!("the command is not about node {cpus}"));
            judged.nearest(cell);
        }
        None => {
            let second = run.memory.as_ref().and_then(|memory| {
                only(&memory.difference(run.cpus.as_ref().unwrap_or(&memory.clone())))
            });
            judged.overflow(run, second.unwrap_or(named));
        }
    }
}

/// "For example, node 1 is near node 0".
fn near(example: &Example, costs: &[f64], truth: &MemoryTruth, judged: &mut Judgement<'_>) {
    let Example { cpus, memory, run } = example;
    let nearest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    judged.ns(nearest, truth.cost(*cpus, *memory));
    advised(Some(run), [*cpus, *memory], judged);
}

/// One figure for memories of several costs: each is that of a cell with this figure, and they
/// differ by more than equal claims may.
fn one_figure(
    table: FirmwareTable,
    figure: f64,
    costs: &[f64],
    (tables, truth): (&ClaimedTables<'_>, &MemoryTruth),
    judged: &mut Judgement<'_>,
) {
    let cells = tables.with_figure(table, figure, truth);
    let truths: Vec<f64> = cells.iter().filter_map(|cell| truth.cost(cell[0], cell[1])).collect();
    for cost in costs {
        let nearest = truths.iter().copied().reduce(|best, other| {
            if (other - cost).abs() < (best - cost).abs() { other } else { best }
        });
        judged.ns(*cost, nearest);
    }
    let low = truths.iter().copied().fold(f64::INFINITY, f64::min);
    let high = truths.iter().copied().fold(0.0, f64::max);
    judged.require(high > EQUAL_WITHIN / BORDER * low, || {
        format!("memory with the figure {figure} differs by {:.3} times only", high / low)
    });
}

/// The largest ratio of two claims about one node's CPUs.
fn claimed_spread(
    table: FirmwareTable,
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
) -> Option<f64> {
    let spread = |cpus: u32| {
        let figures: Vec<f64> = truth
            .memory_nodes()
            .filter_map(|memory| tables.figure(table, cpus, memory))
            .filter(|figure| table == FirmwareTable::Hmat || *figure < 255.0)
            .collect();
        Some(figures.iter().copied().reduce(f64::max)? / figures.into_iter().reduce(f64::min)?)
    };
    truth.cpu_nodes().filter_map(spread).reduce(f64::max)
}

fn figure(
    stated: &FigureSentence,
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) {
    let FigureSentence { table, cpus, memory, claimed, measured, ci95, others, run } = stated;
    let unit = if *table == FirmwareTable::Slit { 10.0 } else { 1.0 };
    let cell = [*cpus, *memory];
    let in_table = tables.figure(*table, *cpus, *memory);
    let is_claimed = in_table.is_some_and(|figure| (figure / unit - claimed).abs() < 0.5 / unit);
    judged.require(is_claimed, || format!("{claimed} is not claimed of node {memory}"));
    let beyond = tables.beyond_tolerance(*table, cell, truth);
    let is_false = beyond.is_some_and(|beyond| beyond > 1.0 / BORDER);
    judged.require(is_false, || "the claim holds within its tolerance".to_owned());
    match table {
        FirmwareTable::Slit => {
            judged.ratio(*measured, *ci95, ClaimedTables::true_figure(*table, cell, truth));
        }
        FirmwareTable::Hmat => judged.ns(*measured, truth.cost(*cpus, *memory)),
    }
    if let Some(others) = others {
        let cells = tables.with_figure(*table, claimed * unit, truth);
        let truths: Vec<f64> = cells
            .iter()
            .filter(|other| **other != cell)
            .filter(|other| {
                tables.beyond_tolerance(*table, **other, truth).is_some_and(|by| by > 1.0 / BORDER)
            })
            .filter_map(|other| ClaimedTables::true_figure(*table, *other, truth))
            .collect();
        judged.require(others.count <= truths.len(), || {
            format!("{} more cells contradict this claim, not {}", truths.len(), others.count)
        });
        let low = truths.iter().copied().fold(f64::INFINITY, f64::min);
        let high = truths.iter().copied().fold(0.0, f64::max);
        if let Some(ends) = others.measured {
            ends.iter().for_each(|end| judged.ratio(*end, None, Some(end.clamp(low, high))));
        }
    }
    advised(run.as_ref(), cell, judged);
}

/// Kendall's tau of the claimed and the true order.
fn order(table: FirmwareTable, tables: &ClaimedTables<'_>, truth: &MemoryTruth) -> Option<f64> {
    const HARDLY: f64 = 1e-4;
    let (cpus, memory): (Vec<u32>, Vec<u32>) =
        (truth.cpu_nodes().collect(), truth.memory_nodes().collect());
    let rows = |figure: &dyn Fn(u32, u32) -> Option<f64>| -> Vec<Vec<f64>> {
        cpus.iter()
            .map(|&a| memory.iter().map(|&b| figure(a, b).unwrap_or(0.0)).collect())
            .collect()
    };
    let costs = NodeCosts::from_matrix(&cpus, &memory, &rows(&|a, b| truth.cost(a, b)), HARDLY, 0);
    let kind = match table {
        FirmwareTable::Slit => ClaimKind::Slit,
        FirmwareTable::Hmat => ClaimKind::HmatLatency,
    };
    let figures = rows(&|a, b| tables.figure(table, a, b));
    let claim =
        DistanceClaim { kind, cpu_nodes: cpus.clone(), memory_nodes: memory.clone(), figures };
    rank(&claim, &costs, 0).map(|rank| rank.tau)
}

/// Whether no table claims what is false by its own rules: figures within tolerance, memory of
/// equal claims about equal, and no order inverted.
#[cfg(test)]
pub(super) fn all_hold(claims: &Claims, truth: &MemoryTruth) -> bool {
    let tables = ClaimedTables(claims);
    [FirmwareTable::Slit, FirmwareTable::Hmat]
        .into_iter()
        .all(|table| truth.cpu_nodes().all(|cpus| holds_for(table, cpus, &tables, truth)))
}

#[cfg(test)]
fn holds_for(
    table: FirmwareTable,
    cpus: u32,
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
) -> bool {
    let cells: Vec<(f64, f64)> = truth
        .memory_nodes()
        .filter_map(|memory| Some((tables.figure(table, cpus, memory)?, truth.cost(cpus, memory)?)))
        .collect();
    let is_within = |memory: u32| {
        tables.beyond_tolerance(table, [cpus, memory], truth).is_none_or(|by| by < 1.0 / BORDER)
    };
    // A SLIT has tenths, and none below 11 for other nodes.
    let rounding = |figure: f64| match table {
        FirmwareTable::Slit => (figure + 0.5) / (figure - 0.5),
        FirmwareTable::Hmat => 1.0,
    };
    let in_order = |a: &(f64, f64), b: &(f64, f64)| match a.0 == b.0 {
        true => a.1 <= EQUAL_WITHIN.max(rounding(a.0)) * b.1,
        false => a.0 > b.0 || a.1 <= BORDER * b.1,
    };
    truth.memory_nodes().all(is_within)
        && cells.iter().all(|a| cells.iter().all(|b| in_order(a, b)))
}
