//! The verdict, and the tables that a survey prints: each number against the truth of its cell.

use nearfar_infer::NodeCosts;
use nearfar_infer::links::links;
use nearfar_model::NodeSet;

use super::claim_grammar::FirmwareTable;
use super::claims::ClaimedTables;
use crate::sentences::judgement::Judgement;
use crate::sentences::memory::MemoryTruth;
use crate::sentences::pattern::{capture, more, node, number};

/// "NUMA: yes. ..." in one line; none where its words are not known.
pub(super) fn verdict(text: &str, truth: &MemoryTruth, judged: &mut Judgement<'_>) -> Option<()> {
    let ratio = truth.largest_ratio();
    let differs = ratio > 1.0 + nearfar_infer::THRESHOLD;
    let ([word], rest) = capture("NUMA: {}. ", text)?;
    let interval = |rest| {
        let (_, tail) = capture::<1>("{}, 95 % interval ", rest)?;
        let ([low, high], _) = capture("{} to {} %", tail)?;
        more(low, high)
    };
    match word {
        "yes" => {
            let ([_, times, _, effect], tail) =
                capture("{} has {} times the latency of {} (largest effect {} %", rest)?;
            let ci95 = interval(tail)?;
            judged.require(differs, || format!("memory differs by {ratio:.3} times"));
            judged.ratio(number(times)?, Some(ci95), Some(ratio));
            judged.ratio(1.0 + number(effect)? / 100.0, None, Some(ratio));
        }
        "no" => {
            let ([_, effect], tail) =
                capture("Memory latency is uniform within {} % (largest effect {} %", rest)?;
            judged.require(!differs, || format!("memory differs by {ratio:.3} times"));
            judged.ratio(1.0 + number(effect)? / 100.0, Some(interval(tail)?), Some(ratio));
        }
        "undetermined" => {
            let template = "The largest difference is {} % (95 % interval {} to {} %)";
            if let Some(([effect, low, high], _)) = capture(template, rest) {
                let effect = 1.0 + number(effect)? / 100.0;
                judged.ratio(effect, Some(more(low, high)?), Some(ratio));
            }
        }
        _ => return None,
    }
    Some(())
}

/// A table by nodes: under a head of columns, rows whose first entry is a node. Each entry goes to
/// `judge` with its nodes.
fn by_nodes(lines: &[&str], mut judge: impl FnMut([u32; 2], &str)) -> Option<()> {
    let mut columns: Vec<u32> = Vec::new();
    let is_figures = |line: &&&str| !line.trim().is_empty() && !line.starts_with(['-', ' ']);
    let is_head = |line: &&&str| line.starts_with("    ") && line.contains("node ");
    for line in lines.iter().filter(|line| is_figures(line) || is_head(line)) {
        // "1.39|2.2|   -": nothing is claimed.
        let line = line.replace("|   -", "|-").replace("|  -", "|-");
        let mut entries = line.split("  ").map(str::trim).filter(|entry| !entry.is_empty());
        if line.starts_with(' ') {
            let labels = entries.filter(|entry| *entry != "CPUs");
            columns = labels.map(label).collect::<Option<_>>()?;
            continue;
        }
        let row = label(entries.next()?)?;
        let cells: Vec<&str> = entries.collect();
        let first = cells.len().checked_sub(columns.len())?;
        cells[first..].iter().zip(&columns).for_each(|(cell, column)| judge([row, *column], cell));
    }
    Some(())
}

fn label(text: &str) -> Option<u32> {
    node(text.strip_prefix("node ")?)
}

/// "97.0 ±1.2" by nodes.
pub(super) fn latency(
    lines: &[&str],
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) -> Option<()> {
    by_nodes(lines, |[cpus, memory], cell| {
        let (figure, half) = cell.split_once('±').unwrap_or((cell, ""));
        let Some(ns) = number(figure) else { return };
        let cost = truth.cost(cpus, memory);
        judged.ns(ns, cost);
        if let Some((half, cost)) = number(half).zip(cost) {
            // Half of a digit of each is rounding.
            judged.interval([ns - half - 1.0, ns + half + 1.0], cost);
        }
    })
}

/// "1.72|1.6": the ratio to local, then what firmware claims.
pub(super) fn ratios(
    title: &str,
    lines: &[&str],
    (tables, truth): (&ClaimedTables<'_>, &MemoryTruth),
    judged: &mut Judgement<'_>,
) -> Option<()> {
    let table = if title.ends_with("|HMAT") && !title.contains("SLIT") {
        FirmwareTable::Hmat
    } else {
        FirmwareTable::Slit
    };
    by_nodes(lines, |cell, entry| {
        let mut figures = entry.split('|').map(number);
        let [cpus, memory] = cell;
        // Of a node without memory: to the nearest.
        let local = truth.cost(cpus, cpus).unwrap_or_else(|| truth.least(cpus, None));
        if let Some(measured) = figures.next().flatten() {
            judged.ratio(measured, None, truth.cost(cpus, memory).map(|cost| cost / local));
        }
        let one = match table {
            FirmwareTable::Slit => Some(10.0),
            FirmwareTable::Hmat => tables.figure(table, cpus, cpus),
        };
        let claimed = tables.figure(table, cpus, memory).zip(one).map(|(to, one)| to / one);
        if let Some(printed) = figures.next().flatten() {
            // Printed to a tenth.
            let holds = claimed.is_some_and(|claimed| (claimed - printed).abs() < 0.06);
            judged.require(holds, || format!("{printed} is not claimed of {cell:?}"));
        }
    })
}

/// "  116.1 ±0.2   0-1, 2-3": the mean of a class's cells.
pub(super) fn classes(
    lines: &[String],
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) -> Option<()> {
    let mut listed: Vec<[u32; 2]> = Vec::new();
    let mut is_cut = false;
    for line in lines {
        let (cost, members) = line.trim().split_once("   ")?;
        let ns = number(cost.split('±').next()?)?;
        // Cells that are cut off here are no "all others" there.
        let members = match members.rsplit_once(", and ") {
            Some((listed, more)) if more.ends_with(" more") => {
                is_cut = true;
                listed
            }
            _ => members,
        };
        let mut cells: Vec<[u32; 2]> = Vec::new();
        for member in members.split(", ") {
            cells.extend(pairs_of(member.trim(), truth, &listed)?);
        }
        let costs: Vec<f64> =
            cells.iter().filter_map(|cell| truth.cost(cell[0], cell[1])).collect();
        let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        judged.require(costs.len() == cells.len(), || format!("no such pairs: {members}"));
        let low = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = costs.iter().copied().fold(0.0, f64::max);
        // The mean of cells that are not listed, too, lies between those that are.
        judged.ns(ns, Some(if is_cut { ns.clamp(low.min(high), high) } else { mean }));
        listed.extend(cells);
    }
    Some(())
}

/// The cells of "local", "3 local", "0-1", "0>1" and "all others (28)".
fn pairs_of(member: &str, truth: &MemoryTruth, listed: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
    let all = || {
        truth.cpu_nodes().flat_map(|cpus| truth.memory_nodes().map(move |memory| [cpus, memory]))
    };
    if member == "local" {
        return Some(all().filter(|[cpus, memory]| cpus == memory).collect());
    }
    if member.starts_with("all others (") {
        return Some(all().filter(|cell| !listed.contains(cell)).collect());
    }
    if let Some(own) = member.strip_suffix(" local") {
        return Some(vec![[node(own)?; 2]]);
    }
    if let Some((from, to)) = member.split_once('>') {
        return Some(vec![[node(from)?, node(to)?]]);
    }
    let (a, b) = member.split_once('-')?;
    let (a, b) = (node(a)?, node(b)?);
    let known = [[a, b], [b, a]].into_iter().filter(|cell| truth.cost(cell[0], cell[1]).is_some());
    Some(known.collect())
}

/// "links: 0-1, 2-3 (95 %)": no pair that the rule excludes for the true costs.
pub(super) fn links_line(
    text: &str,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) -> Option<()> {
    const HARDLY: f64 = 1e-4;
    let listed = text.strip_prefix("links: ")?;
    if listed == "none certain" || listed.starts_with("undetermined: ") {
        return Some(());
    }
    let (cpus, memory): (Vec<u32>, Vec<u32>) =
        (truth.cpu_nodes().collect(), truth.memory_nodes().collect());
    let costs: Vec<Vec<f64>> =
        cpus.iter().map(|&a| memory.iter().filter_map(|&b| truth.cost(a, b)).collect()).collect();
    let put_in = links(&NodeCosts::from_matrix(&cpus, &memory, &costs, HARDLY, 0)).ok();
    for pair in listed.split(", ").filter(|pair| !pair.starts_with("and ")) {
        let set = NodeSet::parse_list(&pair.split(' ').next()?.replace('-', ",")).ok()?;
        let ends: Vec<u32> = set.iter().map(|node| node.0).collect();
        let is_apart = put_in.as_ref().is_some_and(|found| {
            found.paths.iter().any(|path| ends == [path.a.min(path.b), path.a.max(path.b)])
        });
        judged.require(!is_apart, || format!("nodes {pair} are not linked"));
    }
    Some(())
}
