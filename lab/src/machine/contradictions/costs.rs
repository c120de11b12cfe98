//! Latencies, bandwidths and the cost of modified lines.

use nearfar_lab_cost::Streams;
use nearfar_model::NodeSet;

use super::super::costs::directions;
use super::super::description::{Description, LinkDescription};
use super::super::per_node::PerNode;
use super::{Checked, DescriptionContradiction, cpu_side, matrix, memory_side, positive, require};

/// The page probe walks 8192 lines: a model cache that holds them all hides memory from it.
const PAGE_PROBE_WALKS: usize = 8192;

/// A limit: one second for a line would be a year for a survey.
const MAX_SLOWDOWN: f64 = 100_000.0;

/// The ledger distinguishes charges up to 100 ms; a survey of such accesses would take days.
const MAX_CHARGE_NS: f64 = 100e6;

/// Every one of them is kept in mind for each CPU; no core has thousands.
const MAX_STREAMED_LINES: usize = 4096;

pub(super) fn check(description: &Description) -> Vec<Checked> {
    let mut checks = vec![
        slowdown(description).and_then(|()| latency(description)),
        cache_lines(description),
        node_bandwidth(description),
        streams(description),
        modified(description),
        modified_extras(description),
    ];
    let links = description.bandwidth.links.iter().enumerate();
    checks.extend(
        links.map(|(index, each)| link(&format!("bandwidth.link[{index}]"), each, description)),
    );
    checks
}

fn streams(description: &Description) -> Checked {
    let Some(Streams { lines }) = description.streams else { return Ok(()) };
    let wrong = format!("{lines} is not from 1 to {MAX_STREAMED_LINES}");
    let remedy = "give what one CPU's bandwidth times the latency comes to, in lines of 64 bytes";
    require((1..=MAX_STREAMED_LINES).contains(&lines), "streams.lines", wrong, remedy)
}

fn slowdown(description: &Description) -> Checked {
    let slowdown = description.slowdown;
    positive("slowdown", slowdown)?;
    let wrong = format!("{slowdown} is more than {MAX_SLOWDOWN}");
    require(
        slowdown <= MAX_SLOWDOWN,
        "slowdown",
        wrong,
        "let local memory come to a microsecond or so",
    )
}

fn cache_lines(description: &Description) -> Checked {
    let lines = description.cache_lines;
    let wrong = format!(
        "{lines} is no power of two below the {PAGE_PROBE_WALKS} lines that the page probe walks"
    );
    let is_sound = lines.is_power_of_two() && lines < PAGE_PROBE_WALKS;
    require(is_sound, "cache_lines", wrong, "give 1, 2, 4 and so on to 4096")
}

fn latency(description: &Description) -> Checked {
    let latency = &description.latency;
    match (&latency.ns, latency.flat_ns) {
        (Some(_), Some(_)) => Err(DescriptionContradiction::new(
            "latency",
            "it has both ns and flat_ns",
            "keep one of them",
        )),
        (None, None) => Err(DescriptionContradiction::new(
            "latency",
            "it has neither ns nor flat_ns",
            "give one of them",
        )),
        (None, Some(flat)) => {
            positive("latency.flat_ns", flat)?;
            endurable("latency.flat_ns", flat, description)
        }
        (Some(ns), None) => {
            matrix("latency.ns", ns, cpu_side(description), memory_side(description))?;
            endurable("latency.ns", ns.iter().flatten().copied().fold(0.0, f64::max), description)
        }
    }
}

/// A program waits for each access.
fn endurable(key: &str, slowest_ns: f64, description: &Description) -> Checked {
    let charge_ns = slowest_ns * description.slowdown;
    let wrong =
        format!("{slowest_ns} ns times the slowdown is {:.1} s for an access", charge_ns / 1e9);
    require(charge_ns <= MAX_CHARGE_NS, key, wrong, "let it come to 0.1 s or less")
}

fn node_bandwidth(description: &Description) -> Checked {
    let key = "bandwidth.node_gb_s";
    match &description.bandwidth.node_gb_s {
        None => Ok(()),
        Some(PerNode::All(gb_s)) => positive(key, *gb_s),
        Some(PerNode::Each(each)) => {
            let (homes, what) = memory_side(description);
            let wrong = format!("it has {} numbers, and there are {homes} {what}", each.len());
            require(each.len() == homes, key, wrong, "give each of them one, by rising id")?;
            each.iter().try_for_each(|&gb_s| positive(key, gb_s))
        }
    }
}

fn link(key: &str, link: &LinkDescription, description: &Description) -> Checked {
    positive(&format!("{key}.gb_s"), link.gb_s)?;
    let ends_given = (link.between.is_some(), link.from.is_some(), link.to.is_some());
    let is_clear = matches!(ends_given, (true, false, false) | (false, true, true));
    let remedy = "give between = [NODES, NODES], or from = NODES and to = NODES";
    require(is_clear, key, "its ends are not clear", remedy)?;
    let directions = directions(link);
    directions.iter().try_for_each(|(from, to)| ends(key, from, to, description))?;
    let carries = |(from, to): &(&NodeSet, &NodeSet)| {
        description.cpu_nodes().any(|node| from.contains(node.id))
            && description.memory_nodes().any(|node| to.contains(node.id))
    };
    let wrong = "nothing passes it: no CPUs at one end with memory at the other";
    require(
        directions.iter().any(carries),
        key,
        wrong,
        "from has the nodes of CPUs, to the nodes of memory",
    )
}

fn ends(key: &str, from: &NodeSet, to: &NodeSet, description: &Description) -> Checked {
    let nodes: NodeSet = description.nodes.iter().map(|node| node.id).collect();
    if let Some(id) = from.union(to).difference(&nodes).first() {
        return Err(DescriptionContradiction::new(
            key,
            format!("there is no node {id}"),
            "name nodes that are described",
        ));
    }
    if let Some(id) = from.intersection(to).first() {
        return Err(DescriptionContradiction::new(
            key,
            format!("node {id} is at both ends"),
            "put it at one end",
        ));
    }
    Ok(())
}

fn modified(description: &Description) -> Checked {
    let Some(modified) = &description.modified else { return Ok(()) };
    matrix("modified.ns", &modified.ns, cpu_side(description), cpu_side(description))
}

fn modified_extras(description: &Description) -> Checked {
    let Some(modified) = &description.modified else { return Ok(()) };
    let extras = [
        ("modified.homed_at_reader_extra_ns", modified.homed_at_reader_extra_ns),
        ("modified.homed_elsewhere_extra_ns", modified.homed_elsewhere_extra_ns),
    ];
    extras.into_iter().try_for_each(|(key, extra)| {
        let is_sound = extra.is_finite() && extra >= 0.0;
        require(is_sound, key, format!("{extra} is below 0"), "give what it costs more, or 0")
    })
}
