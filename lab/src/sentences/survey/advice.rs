//! Placements that "What to do" recommends, and the costs that it prints beside them.

use nearfar_model::NodeId;

use super::grammar::{
    CostsMore, FromNodes, InterleavedCosts, OneNodeCosts, SetCosts, SurveySentence,
};
use crate::sentences::command::{RunCommand, only};
use crate::sentences::judgement::Judgement;
use crate::sentences::memory::{MemoryTruth, SharedCost};

/// Judges a sentence about placement; one about claims is judged elsewhere.
pub(super) fn judge(sentence: &SurveySentence, truth: &MemoryTruth, judged: &mut Judgement<'_>) {
    match sentence {
        SurveySentence::OneNode { size, run, costs } => {
            let Some(cell) = one_cell(run, judged) else { return };
            judged.cheapest(cell);
            // Sizes are printed to three digits.
            let fits =
                truth.size(cell[1]).is_some_and(|memory| size.0 as f64 <= 1.01 * memory.0 as f64);
            judged.require(fits, || format!("node {} has less than {size}", cell[1]));
            one_node(cell, costs, truth, judged);
        }
        SurveySentence::NearestIsAnothers { cpus, memory, run, ns, own } => {
            named(run, [*cpus, *memory], judged);
            judged.nearest([*cpus, *memory]);
            judged.ns(*ns, truth.cost(*cpus, *memory));
            costs_more(own, [*cpus, *memory], truth, judged);
            let is_another = truth.cost(*cpus, *cpus) > truth.cost(*cpus, *memory);
            judged.require(is_another, || format!("node {cpus}'s own memory is as near"));
        }
        SurveySentence::SeveralNodes { sets, run, costs } => {
            let first = sets.first().cloned().unwrap_or_default();
            let is_first = run.cpus.as_ref() == Some(&first) && run.memory.as_ref() == Some(&first);
            judged.require(is_first, || format!("the command does not use nodes {first}"));
            sets.iter().for_each(|set| judged.set(set));
            several_nodes(sets, costs, truth, judged);
        }
        SurveySentence::WithoutCpus { memory, from, run } => {
            judged.overflow_without_cpus(run, *memory);
            without_cpus(*memory, from, truth, judged);
        }
        SurveySentence::Interleaved { run, costs } => interleaved(run, costs, truth, judged),
        SurveySentence::OneForAll { memory, run, one, interleaved } => {
            let is_named = run.memory.as_ref().and_then(only) == Some(*memory);
            judged.require(is_named, || format!("the command's memory is not node {memory}"));
            judged.one_for_all(*memory);
            let on_one = truth.shared(&[NodeId(*memory)].into_iter().collect());
            judged.ns(one[0], on_one.map(|cost| cost.mean));
            judged.ns(one[1], on_one.map(|cost| cost.most));
            spread_costs(*interleaved, truth, judged);
        }
        SurveySentence::Uniform { at_most } => {
            judged.at_most(*at_most, truth.largest_ratio());
            let gains = truth.largest_ratio() > 1.0 + nearfar_infer::THRESHOLD;
            judged.require(!gains, || "placement gains more than the threshold".to_owned());
        }
        SurveySentence::Undetermined { at_most } => {
            if let Some(at_most) = at_most {
                judged.at_most(*at_most, truth.largest_ratio());
            }
        }
        SurveySentence::Claim(_) | SurveySentence::Other => {}
    }
}

/// What interleaved memory costs, on average and at most: both of one set of nodes.
fn spread_costs([mean, most]: [f64; 2], truth: &MemoryTruth, judged: &mut Judgement<'_>) {
    let costs: Vec<SharedCost> =
        truth.interleavings().iter().filter_map(|set| truth.shared(set)).collect();
    let off = |cost: &SharedCost| (mean / cost.mean).ln().abs() + (most / cost.most).ln().abs();
    let nearest = costs.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    judged.ns(mean, nearest.map(|cost| cost.mean));
    judged.ns(most, nearest.map(|cost| cost.most));
}

fn one_cell(run: &RunCommand, judged: &mut Judgement<'_>) -> Option<[u32; 2]> {
    let cell = run.cell();
    judged.require(cell.is_some(), || "the command has not one node of each".to_owned());
    cell
}

/// The command of a sentence that names its nodes.
pub(super) fn named(run: &RunCommand, cell: [u32; 2], judged: &mut Judgement<'_>) {
    judged.require(run.cell() == Some(cell), || {
        let [cpus, memory] = cell;
        format!("the command is not -N {cpus} -m {memory}")
    });
}

fn costs_more(
    more: &CostsMore,
    [cpus, near]: [u32; 2],
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) {
    let far = truth.cost(cpus, more.memory.unwrap_or(cpus));
    let ratio = far.zip(truth.cost(cpus, near)).map(|(far, near)| far / near);
    judged.ratio(more.times, more.ci95, ratio);
}

fn one_node(cell: [u32; 2], costs: &OneNodeCosts, truth: &MemoryTruth, judged: &mut Judgement<'_>) {
    let cost = truth.cost(cell[0], cell[1]);
    match costs {
        OneNodeCosts::Cells { ns, others } => {
            judged.ns(*ns, cost);
            others.iter().for_each(|more| costs_more(more, cell, truth, judged));
        }
        OneNodeCosts::Elsewhere(ci95) => {
            let elsewhere = truth.memory_nodes().filter(|memory| *memory != cell[1]);
            let costs = elsewhere.filter_map(|memory| truth.cost(cell[0], memory));
            let most = costs.reduce(f64::max);
            let middle = (ci95[0] * ci95[1]).sqrt();
            judged.ratio(middle, Some(*ci95), most.zip(cost).map(|(most, cost)| most / cost));
        }
    }
}

fn several_nodes(
    sets: &[nearfar_model::NodeSet],
    costs: &SetCosts,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) {
    match costs {
        SetCosts::Means([mean, exchanged]) => {
            sets.iter().for_each(|set| judged.ns(*mean, truth.within(set)));
            let least = sets.iter().filter_map(|set| truth.exchanged(set)).reduce(f64::min);
            judged.at_least_ns(*exchanged, least);
            judged.ns(*exchanged, least);
        }
        SetCosts::Apart([apart, others]) => {
            for set in sets {
                let inside: Vec<f64> = set
                    .iter()
                    .flat_map(|a| set.iter().filter(move |b| *b != a).map(move |b| (a, b)))
                    .filter_map(|(a, b)| truth.cost(a.0, b.0))
                    .collect();
                let low = inside.iter().copied().reduce(f64::min);
                let high = inside.iter().copied().reduce(f64::max);
                // The mean of a class lies between its cells.
                judged.ns(*apart, low.zip(high).map(|(low, high)| apart.clamp(low, high)));
                let outside = truth.whole_nodes().difference(set);
                let beyond = set
                    .iter()
                    .flat_map(|a| outside.iter().map(move |b| (a, b)))
                    .filter_map(|(a, b)| truth.cost(a.0, b.0));
                judged.at_least_ns(*others, beyond.reduce(f64::min));
            }
        }
    }
}

fn without_cpus(memory: u32, from: &[FromNodes], truth: &MemoryTruth, judged: &mut Judgement<'_>) {
    for FromNodes { ns, nodes } in from {
        for node in nodes.iter() {
            // A group has the costs of its nearest and its farthest.
            let cost = truth.cost(node.0, memory);
            let stated = cost.map_or(ns[0], |cost| cost.clamp(ns[0], ns[1]));
            judged.ns(stated, cost);
        }
    }
}

fn interleaved(
    run: &RunCommand,
    costs: &InterleavedCosts,
    truth: &MemoryTruth,
    judged: &mut Judgement<'_>,
) {
    let Some(set) = &run.interleaved else {
        judged.require(false, || "the command does not interleave".to_owned());
        return;
    };
    judged.interleaved(set);
    let singles: Vec<f64> = truth.on_one_node().iter().map(|(_, cost)| cost.most).collect();
    let least = singles.iter().copied().reduce(f64::min);
    match costs {
        InterleavedCosts::AtMost([most, single]) => {
            judged.ns(*most, truth.shared(set).map(|cost| cost.most));
            judged.ns(*single, least);
        }
        // "On one node": on any of them.
        InterleavedCosts::Farthest(farthest) => {
            singles.iter().for_each(|most| judged.ns(*farthest, Some(*most)));
        }
    }
}
