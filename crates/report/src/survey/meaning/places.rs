//! Where to run programs on a NUMA machine: the document's advice, each with the costs that it won
//! by.

use nearfar_infer::claims::{ClaimFinding, ClaimKind};
use nearfar_infer::{Advice, CostComparison, CostFigure};
use nearfar_model::{NodeId, NodeSet};
use nearfar_survey::{ClaimsMeasured, Survey};

/// A sentence of some advice, if this is its kind.
fn each<'s>(
    survey: &'s Survey,
    sentence: impl Fn(&Survey, &Advice) -> Option<String> + 's,
) -> impl Iterator<Item = String> + 's {
    survey.advice.iter().filter_map(move |advice| sentence(survey, advice))
}

/// Run programs that fit into one memory there.
pub(super) fn one_node(survey: &Survey) -> Option<String> {
    each(survey, |survey, advice| {
        let Advice::OneNode { cpus, memory, alternatives } = advice else { return None };
        let near = alternatives.first()?.near();
        let place = if cpus == memory {
            "on one node".to_owned()
        } else {
            format!("on the CPUs of node {cpus} with the memory of node {memory}")
        };
        Some(format!(
            "Run a program that fits into {} {place}: 'nearfar run -N {cpus} -m {memory} PROGRAM' \
             ({:.0} ns). {}.",
            size(survey, *memory),
            near.ns(),
            beside(alternatives)
        ))
    })
    .next()
}

/// "64 GiB", or words where the kernel does not report the size.
fn size(survey: &Survey, memory: u32) -> String {
    let node = survey.claims.nodes.iter().find(|node| node.id.0 == memory);
    let size = node.and_then(|node| node.memory_bytes).filter(|size| size.0 > 0);
    size.map_or_else(|| "one node's memory".to_owned(), |size| size.to_string())
}

/// "Memory of node 1 costs these CPUs 61 % more (95 % interval 59 to 63). Memory of node 4 costs
/// them 240 % more (234 to 245)".
fn beside(alternatives: &[CostComparison]) -> String {
    let node = |other: &CostComparison| other.far().memory().unwrap_or_default();
    let texts = alternatives.iter().enumerate().map(|(at, other)| match at {
        0 => format!("Memory of node {} costs these CPUs {}", node(other), more(other)),
        _ => {
            let [low, high] = bounds(other);
            let percent = 100.0 * (other.ratio() - 1.0);
            format!(
                "Memory of node {} costs them {percent:.0} % more ({low} to {high})",
                node(other)
            )
        }
    });
    texts.collect::<Vec<_>>().join(". ")
}

/// "61 % more (95 % interval 59 to 63)".
fn more(compared: &CostComparison) -> String {
    let [low, high] = bounds(compared);
    let percent = 100.0 * (compared.ratio() - 1.0);
    format!("{percent:.0} % more (95 % interval {low} to {high})")
}

/// The interval in per cent, rounded outwards.
fn bounds(compared: &CostComparison) -> [String; 2] {
    let [low, high] = compared.ci95().map(|bound| 100.0 * (bound - 1.0));
    [format!("{:.0}", low.floor()), format!("{:.0}", high.ceil())]
}

/// CPUs whose own memory is not their nearest. Findings about claims may have it already.
pub(super) fn own_is_farther(survey: &Survey) -> impl Iterator<Item = String> + '_ {
    each(survey, |survey, advice| {
        let Advice::OwnIsFarther { cpus, memory, own } = advice else { return None };
        if is_found_wrong(survey, *cpus) {
            return None;
        }
        Some(format!(
            "The fastest memory of the CPUs of node {cpus} is node {memory}'s: 'nearfar run -N \
             {cpus} -m {memory} PROGRAM' ({:.0} ns). Their own memory costs them {}.",
            own.near().ns(),
            more(own)
        ))
    })
}

/// Whether a table claims the own memory of these CPUs to be the nearest, and a finding has that.
fn is_found_wrong(survey: &Survey, cpus: u32) -> bool {
    let wrong = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::contradictions);
    let latency = wrong.filter(|wrong| wrong.kind != ClaimKind::HmatBandwidth);
    latency.into_iter().any(|wrong| match wrong.finding {
        ClaimFinding::LocalNotNearest { node, .. } => *node == cpus,
        _ => false,
    })
}

/// Sets of near nodes, for programs that need several.
pub(super) fn near_nodes(survey: &Survey) -> Option<String> {
    each(survey, |_, advice| {
        let Advice::SeveralNodes { sets, exchanged } = advice else { return None };
        let sets: Vec<String> = sets.iter().map(|set| node_set(set).to_string()).collect();
        let first = sets.first()?;
        Some(format!(
            "Run a program that needs several nodes on nodes {}: 'nearfar run -N {first} -m \
             {first} PROGRAM'. Memory of these nodes costs their CPUs {:.0} ns on average. With \
             any of them exchanged for another node, it costs {:.0} ns or more.",
            sets.join(", or on "),
            exchanged.near().ns(),
            exchanged.far().ns()
        ))
    })
    .next()
}

fn node_set(nodes: &[u32]) -> NodeSet {
    nodes.iter().copied().map(NodeId).collect()
}

/// Memory without CPUs, and the CPUs nearest to it.
pub(super) fn without_cpus(survey: &Survey) -> impl Iterator<Item = String> + '_ {
    each(survey, |_, advice| {
        let Advice::WithoutCpus { memory, nearest, costs, .. } = advice else { return None };
        let both = node_set(&[*nearest, *memory]);
        Some(format!(
            "Node {memory} has memory but no CPUs: {}. Use it for rarely used data of the nearest \
             CPUs: 'nearfar run -N {nearest} -m {} PROGRAM' overflows into it.",
            costs.iter().map(|group| from_cpus(group)).collect::<Vec<_>>().join(", "),
            both.iter().map(|node| node.to_string()).collect::<Vec<_>>().join(",")
        ))
    })
}

/// "279 ns from nodes 0-1", or "279 to 283 ns from nodes 0-1".
fn from_cpus(figures: &[CostFigure]) -> String {
    let cpus: Vec<u32> =
        figures.iter().flat_map(CostFigure::cells).map(|[cpus, _]| *cpus).collect();
    let ns = |figure: Option<&CostFigure>| figure.map_or(0.0, CostFigure::ns).round();
    let (low, high) = (ns(figures.first()), ns(figures.last()));
    let costs = if low < high { format!("{low} to {high}") } else { low.to_string() };
    let plural = if cpus.len() > 1 { "nodes" } else { "node" };
    format!("{costs} ns from {plural} {}", node_set(&cpus))
}
