//! Times of accesses, from the best to the worst case, each with the pages of that case.
//!
//! Bounds are rounded outwards, so that a printed bound holds as well.

use nearfar_model::NodeId;

use crate::explain::{AccessChange, ExplainedProcess, TimeBounds};

/// "An access takes 79 ns (pages on node 0) to 144 ns (pages on node 1). ..."
pub(super) fn cost(process: &ExplainedProcess) -> Option<String> {
    let cost = process.remote_cost?;
    let (fastest, slowest) = (process.fastest_access?, process.slowest_access?);
    let place = |cpus, memory| place(process, cpus, memory);
    let times = if (fastest.cpus, fastest.memory) == (slowest.cpus, slowest.memory) {
        format!("{:.0} ns", fastest.ns)
    } else {
        format!(
            "{:.0} ns ({}) to {:.0} ns ({})",
            fastest.ns,
            place(fastest.cpus, fastest.memory),
            slowest.ns,
            place(slowest.cpus, slowest.memory)
        )
    };
    let [least, most] = percents(&cost);
    let longer = if most <= 0 {
        return Some(format!("An access takes {times}: no memory that it may use is faster."));
    } else if least <= 0 && cost.most.memory == cost.least.memory {
        format!("That is at most {most} % longer than to the fastest that it may use.")
    } else if least == most {
        format!("That is {most} % longer than to the fastest that it may use.")
    } else {
        format!(
            "That is {} % to {most} % longer than to the fastest that it may use{}.",
            least.max(0),
            by_pages(&cost)
        )
    };
    Some(format!("An access takes {times}. {longer}"))
}

/// " (an access takes up to 84 % longer than it could)"; empty where that is unknown.
pub(super) fn loss(process: &ExplainedProcess) -> String {
    let most = process.remote_cost.map_or(0, |cost| percents(&cost)[1]);
    match most {
        ..=0 => String::new(),
        most => format!(" (an access takes up to {most} % longer than to the fastest memory)"),
    }
}

/// "An access takes from 45 % less time (pages on node 1) to 84 % more (pages on node 0)."
pub(super) fn change(process: &ExplainedProcess, change: &TimeBounds) -> String {
    let [least, most] = percents(change);
    let ends = [end(process, change, &change.least), end(process, change, &change.most)];
    let [best, worst] = ends;
    let times = match (least, most) {
        (0, 0) => "as long as now".to_owned(),
        (least, most) if least == most && least < 0 => format!("{} % less time", -least),
        (least, most) if least == most => format!("{least} % more time"),
        (least, 0) => format!("{} % less time{best} to as long as now{worst}", -least),
        (least, most) if most < 0 => {
            format!("{} % less time{best} to {} % less{worst}", -least, -most)
        }
        (least, most) if least < 0 => {
            format!("{} % less time{best} to {most} % more{worst}", -least)
        }
        (least, most) => format!("{least} % more time{best} to {most} % more{worst}"),
    };
    format!("An access takes {times}.")
}

/// The pages of an end, where the other end has others.
fn end(process: &ExplainedProcess, all: &TimeBounds, end: &AccessChange) -> String {
    let is_same = (all.least.cpus, all.least.memory) == (all.most.cpus, all.most.memory);
    if is_same { String::new() } else { format!(" ({})", place(process, end.cpus, end.memory)) }
}

fn by_pages(cost: &TimeBounds) -> &'static str {
    match cost.least.memory == cost.most.memory && cost.least.cpus == cost.most.cpus {
        true => "",
        false => ", by the pages it uses",
    }
}

/// The pages of an access, and its thread if threads run on several nodes.
fn place(process: &ExplainedProcess, cpus: NodeId, memory: NodeId) -> String {
    let running = process.threads_by_node.iter().filter(|one| one.share > 0.0).count();
    match running {
        0 | 1 => format!("pages on node {memory}"),
        _ => format!("from node {cpus} to pages on node {memory}"),
    }
}

/// The ends in whole per cent, rounded outwards.
fn percents(change: &TimeBounds) -> [i64; 2] {
    // What is whole but for the last bits stays.
    const BITS: f64 = 1e-9;
    [
        (100.0 * change.least.change + BITS).floor() as i64,
        (100.0 * change.most.change - BITS).ceil() as i64,
    ]
}
