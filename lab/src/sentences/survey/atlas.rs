//! "Published figures": of what lies within the machine, each figure. What is published elsewhere
//! is not about it.

use crate::sentences::judgement::Judgement;
use crate::sentences::memory::MemoryTruth;
use crate::sentences::pattern::{capture, node, number};

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
    let ([first, second, apart], _) = capture("{} and {}, {} apart; ", text)?;
    let mut cells = Vec::new();
    for (place, name) in [(first, first), (second, first)] {
        let (ns, cell) = placed(place, name)?;
        judged.ns(ns, truth.cost(cell[0], cell[1]));
        cells.extend(truth.cost(cell[0], cell[1]));
    }
    let ratio = (cells.len() == 2).then(|| cells[1] / cells[0]);
    judged.ratio(times(apart)?, None, ratio);
    Some(())
}

/// "33.7 %" or "2.1 times" as a ratio.
fn times(text: &str) -> Option<f64> {
    let figure = number(text)?;
    Some(if text.ends_with("times") { figure } else { 1.0 + figure / 100.0 })
}

/// "local latency 972 ns on node 0", "1574 ns on node 2", "2425 ns from node 1 to node 2".
fn placed(text: &str, name: &str) -> Option<(f64, [u32; 2])> {
    let text =
        text.trim_start_matches("local latency ").trim_start_matches("latency there and back ");
    if name.starts_with("local latency ") {
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
