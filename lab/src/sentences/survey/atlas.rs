//! "Published figures": of what lies within the machine, each figure. What is published elsewhere
//! is not about it.

use crate::sentences::judgement::Judgement;
use crate::sentences::memory::MemoryTruth;
use crate::sentences::pattern::{capture, node, number};

/// Half a digit of "2.1 times".
const ROUNDED_TIMES: f64 = 0.05;

/// A sentence of the section; none where its words are not known.
pub(super) fn judge(text: &str, truth: &MemoryTruth, judged: &mut Judgement<'_>) -> Option<()> {
    let text = text.trim().trim_start_matches("unusual: ");
    if let Some(spreads) = text.strip_prefix("symmetric: ") {
        return spreads.split(", ").try_for_each(|spread| symmetric(spread, truth, judged));
    }
    let alike = "all memory of {} costs the same (within {} %).";
    if let Some(([_, within], _)) = capture(alike, text) {
        judged.ratio(times(within)?, None, Some(truth.largest_ratio()));
        return Some(());
    }
    let (is_local, rest) = match text.strip_prefix("local latency ") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("latency there and back ")?),
    };
    let ([first, second, apart], _) = capture("{} and {}, {} apart; ", rest)?;
    let mut costs = Vec::new();
    for place in [first, second] {
        let (ns, cell) = placed(place, is_local)?;
        judged.ns(ns, truth.cost(cell[0], cell[1]));
        costs.extend(truth.cost(cell[0], cell[1]));
    }
    let ratio = (costs.len() == 2).then(|| costs[1] / costs[0]);
    let apart = times(apart)?;
    // Two times and more are printed to a tenth.
    let rounded = if apart >= 2.0 { ROUNDED_TIMES } else { 0.0 };
    let nearest = ratio.map_or(apart, |ratio| ratio.clamp(apart - rounded, apart + rounded));
    judged.ratio(nearest, None, ratio);
    Some(())
}

/// "33.7 %" or "2.1 times" as a ratio.
fn times(text: &str) -> Option<f64> {
    let figure = number(text)?;
    Some(if text.ends_with("times") { figure } else { 1.0 + figure / 100.0 })
}

/// "972 ns on node 0", "2425 ns from node 1 to node 2".
fn placed(text: &str, is_local: bool) -> Option<(f64, [u32; 2])> {
    if is_local {
        let ([ns, own], "") = capture("{} ns on node {}", text)? else { return None };
        return Some((number(ns)?, [node(own)?; 2]));
    }
    let ([ns, cpus, memory], "") = capture("{} ns from node {} to node {}", text)? else {
        return None;
    };
    Some((number(ns)?, [node(cpus)?, node(memory)?]))
}

/// "local latency within 1.2 %": how far the slowest lies from the fastest.
fn symmetric(text: &str, truth: &MemoryTruth, judged: &mut Judgement<'_>) -> Option<()> {
    let (name, within) = text.split_once(" within ")?;
    let pairs = truth.cpu_nodes().flat_map(|a| truth.cpu_nodes().map(move |b| (a, b)));
    let ratio = match name {
        "local latency" => {
            let own: Vec<f64> =
                truth.cpu_nodes().filter_map(|node| truth.cost(node, node)).collect();
            own.iter()
                .copied()
                .reduce(f64::max)
                .zip(own.into_iter().reduce(f64::min))
                .map(|(most, least)| most / least)
        }
        "latency there and back" => {
            pairs.filter_map(|(a, b)| Some(truth.cost(a, b)? / truth.cost(b, a)?)).reduce(f64::max)
        }
        _ => return None,
    };
    judged.ratio(times(within)?, None, ratio);
    Some(())
}
