//! What a survey should have printed: placements that win clearly, and claims that are clearly
//! false.

use nearfar_model::NodeSet;

use super::claim_grammar::{ClaimSentence, FigureSentence, FirmwareTable};
use super::claims::ClaimedTables;
use super::grammar::SurveySentence;
use crate::sentences::memory::{MemoryTruth, SharedCost};

/// A gain that has to be recommended (10 %).
const CLEAR: f64 = 1.1;
/// Twice a tolerance, as a factor beyond it.
const CLEARLY_FALSE: f64 = 1.25;
/// A screen has this many sentences at most, and this many about claims: others may be left out.
const MAX_SENTENCES: usize = 8;
const MAX_CLAIMS: usize = 4;

/// By kind, what is missing.
pub(super) fn missed(
    printed: &[SurveySentence],
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
) -> Vec<(&'static str, String)> {
    if printed.len() >= MAX_SENTENCES {
        return Vec::new();
    }
    let mut missed = placements(printed, truth);
    let claims: Vec<&ClaimSentence> = printed.iter().filter_map(SurveySentence::claim).collect();
    if claims.len() < MAX_CLAIMS {
        missed.extend([FirmwareTable::Slit, FirmwareTable::Hmat].iter().filter_map(|table| {
            Some(("claims: figure", false_figure(*table, &claims, tables, truth)?))
        }));
    }
    missed
}

fn placements(printed: &[SurveySentence], truth: &MemoryTruth) -> Vec<(&'static str, String)> {
    let mut missed = Vec::new();
    let is_printed = |what: &str| printed.iter().any(|sentence| sentence.what() == what);
    let mut expect = |what: &'static str, gains: Option<String>| {
        missed.extend(gains.filter(|_| !is_printed(what)).map(|gain| (what, gain)));
    };
    expect("advice: one node", one_node(truth));
    expect("advice: several nodes", several_nodes(truth));
    expect("advice: memory without CPUs", without_cpus(truth));
    expect("advice: shared memory", shared(truth));
    // Not all of them are listed where there are many.
    let is_stated = printed.iter().any(SurveySentence::puts_elsewhere);
    let far = truth.cpu_nodes().filter(|_| !is_stated).find(|&node| {
        truth.cost(node, node).is_some_and(|own| own >= CLEAR * truth.least(node, None))
    });
    missed.extend(far.map(|node| {
        ("advice: nearest is another's", format!("own memory of node {node} is not its nearest"))
    }));
    missed
}

fn one_node(truth: &MemoryTruth) -> Option<String> {
    let ratio = truth.largest_ratio();
    (ratio >= CLEAR).then(|| format!("memory differs by {ratio:.2} times"))
}

/// Sets that divide all nodes with CPUs and memory, each far better than with a node exchanged.
fn several_nodes(truth: &MemoryTruth) -> Option<String> {
    let all: Vec<_> = truth.whole_nodes().iter().collect();
    let own_are_nearest = all.iter().all(|node| truth.own_is_nearest(node.0));
    let sizes = (2..all.len()).filter(|size| own_are_nearest && all.len() % size == 0);
    let clear = |set: &NodeSet| {
        let within = truth.within(set).unwrap_or(f64::INFINITY);
        truth.exchanged(set).is_some_and(|exchanged| exchanged >= CLEAR * within)
    };
    let mut found = sizes.filter_map(|size| {
        let sets: Vec<NodeSet> =
            all.chunks(size).map(|nodes| nodes.iter().copied().collect()).collect();
        let first = sets.first()?.to_string();
        sets.iter().all(clear).then_some(first)
    });
    found.next().map(|set| format!("nodes {set} are near to each other"))
}

fn without_cpus(truth: &MemoryTruth) -> Option<String> {
    let is_slow = |memory: u32| {
        let nearest = truth.nearest_cpus(memory);
        truth.cpu_nodes().any(|cpus| {
            truth.cost(cpus, memory) == Some(nearest)
                && truth.own_is_nearest(cpus)
                && truth.cost(cpus, cpus).is_some_and(|own| nearest >= CLEAR * own)
        })
    };
    let memory = truth.without_cpus().find(|&memory| is_slow(memory))?;
    Some(format!("memory of node {memory} is farther than that of its nearest CPUs"))
}

fn shared(truth: &MemoryTruth) -> Option<String> {
    if truth.cpu_nodes().count() < 2 {
        return None;
    }
    let sets = truth.interleavings();
    let spread: Vec<SharedCost> = sets.iter().filter_map(|set| truth.shared(set)).collect();
    let singles = truth.on_one_node();
    let ones: Vec<SharedCost> = singles.iter().map(|(_, cost)| *cost).collect();
    let least = |costs: &[SharedCost], of: fn(&SharedCost) -> f64| {
        costs.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    let (mean, most) = (least(&ones, |cost| cost.mean), least(&ones, |cost| cost.most));
    if spread.iter().any(|cost| CLEAR * cost.most <= most && cost.mean <= mean) {
        return Some(format!("interleaving wins over one node: {most:.0} ns at most"));
    }
    let (spread_mean, spread_most) =
        (least(&spread, |cost| cost.mean), least(&spread, |cost| cost.most));
    let wins = |cost: &SharedCost| {
        let is_best = cost.mean <= mean && cost.most <= most;
        is_best && CLEAR * cost.mean <= spread_mean && CLEAR * cost.most <= spread_most
    };
    let best = singles.iter().find(|(_, cost)| !spread.is_empty() && wins(cost));
    best.map(|(node, _)| format!("node {node} wins over interleaving"))
}

/// A claim that is false by twice its tolerance, and no sentence about its figure or the table.
fn false_figure(
    table: FirmwareTable,
    claims: &[&ClaimSentence],
    tables: &ClaimedTables<'_>,
    truth: &MemoryTruth,
) -> Option<String> {
    let unit = if table == FirmwareTable::Slit { 10.0 } else { 1.0 };
    let mut cells = truth
        .cpu_nodes()
        .flat_map(|cpus| truth.memory_nodes().map(move |memory| [cpus, memory]))
        .filter(|[cpus, memory]| table == FirmwareTable::Hmat || cpus != memory);
    let stated = |[cpus, memory]: [u32; 2]| {
        let figure = tables.figure(table, cpus, memory).unwrap_or(0.0);
        claims.iter().any(|claim| match claim {
            ClaimSentence::Figure(FigureSentence { claimed, .. }) => {
                (claimed * unit - figure).abs() < 0.5
            }
            ClaimSentence::Merged { figure: stated, .. }
            | ClaimSentence::Placeholder { figure: stated, .. } => (stated - figure).abs() < 0.5,
            ClaimSentence::Uniform { .. } | ClaimSentence::ByChance { .. } => true,
            ClaimSentence::Unreachable { cpus: stated, memory: to, .. } => {
                [*stated, *to] == [cpus, memory]
            }
            _ => false,
        })
    };
    let is_false = |cell: &[u32; 2]| {
        let is_reachable = tables.figure(table, cell[0], cell[1]) != Some(255.0);
        is_reachable
            && tables.beyond_tolerance(table, *cell, truth).is_some_and(|by| by >= CLEARLY_FALSE)
    };
    let [cpus, memory] = cells.find(|cell| is_false(cell) && !stated(*cell))?;
    Some(format!("a false claim about node {memory} from node {cpus}"))
}
