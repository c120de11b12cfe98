//! Memory use and allocation counters of nodes, with the kernel's names.

use nearfar_machine::{CounterValues, HugePool};
use nearfar_model::Bytes;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::{paragraph, sections};

use crate::NodeFigures;

const ALIGNS: [Align; 2] = [Align::Left, Align::Right];

/// The counters of nodes since boot, in tables.
pub fn nodes(nodes: &[NodeFigures]) -> String {
    sections([memory(nodes), allocations(nodes) + &pools(nodes)])
}

/// The fields of a node's meminfo that are shown.
const MEMINFO: [&str; 8] =
    ["MemTotal", "MemFree", "MemUsed", "AnonPages", "FilePages", "Shmem", "Slab", "AnonHugePages"];

fn memory(nodes: &[NodeFigures]) -> String {
    let line = |node: &NodeFigures| -> Vec<String> {
        let figures = node.memory_bytes.as_ref();
        let size = |name| or_unknown(figures.and_then(|figures| figures.get(name)).map(Bytes));
        [format!("node {}", node.node)].into_iter().chain(MEMINFO.map(size)).collect()
    };
    let table = headed(["memory"].into_iter().chain(MEMINFO), nodes.iter().map(line), &ALIGNS);
    table + &nodes.iter().filter_map(of_gpu).collect::<String>()
}

/// "node 1: memory of GPU 0009:01:00.0".
fn of_gpu(node: &NodeFigures) -> Option<String> {
    Some(paragraph::of(&format!("node {}: memory of GPU {}", node.node, node.gpu?), "", "  "))
}

/// The counters of a node's numastat.
const NUMASTAT: [&str; 6] =
    ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];

fn allocations(nodes: &[NodeFigures]) -> String {
    let line = |node: &NodeFigures| -> Vec<String> {
        let figures = node.allocations_pages.as_ref();
        [format!("node {}", node.node)]
            .into_iter()
            .chain(NUMASTAT.map(|name| or_unknown(figures.and_then(|figures| figures.get(name)))))
            .collect()
    };
    let head = ["pages since boot"].into_iter().chain(NUMASTAT);
    let mut text = headed(head, nodes.iter().map(line), &ALIGNS);
    text.extend(nodes.iter().filter_map(overflow));
    text + &migrations(nodes)
}

/// A line about a node that was full, so that allocations for it went to other nodes.
fn overflow(node: &NodeFigures) -> Option<String> {
    let figures = node.allocations_pages.as_ref()?;
    let (hit, foreign) = (figures.get("numa_hit")?, figures.get("numa_foreign")?);
    let intended = hit.saturating_add(foreign);
    let share = if intended == 0 { 0.0 } else { foreign as f64 / intended as f64 };
    (share >= 0.001).then(|| {
        let line = format!(
            "node {} was full: {:.1} % of the pages intended for it are on other nodes \
             (numa_foreign)",
            node.node,
            share * 100.0
        );
        paragraph::of(&line, "", "  ")
    })
}

fn migrations(nodes: &[NodeFigures]) -> String {
    let of = |node: &NodeFigures| {
        let moved = node
            .migrations_pages
            .iter()
            .flat_map(CounterValues::iter)
            .filter(|(_, pages)| *pages > 0);
        let line = |(event, pages)| {
            let line = format!("node {}: {pages} pages, {event}", node.node);
            paragraph::of(&line, "", "  ")
        };
        moved.map(line).collect::<String>()
    };
    nodes.iter().map(of).collect()
}

/// The pools of huge pages that are in use.
fn pools(nodes: &[NodeFigures]) -> String {
    let of = |node: &NodeFigures| {
        let (node, pools) = (node.node, node.huge_pages.iter().filter(|pool| pool.is_in_use()));
        let line = move |pool: &HugePool| {
            let counts = [pool.total, pool.free, pool.surplus].map(|pages| pages.to_string());
            [&[format!("node {node}"), pool.size_bytes.to_string()][..], &counts].concat()
        };
        pools.map(line).collect::<Vec<_>>()
    };
    let lines: Vec<Vec<String>> = nodes.iter().flat_map(of).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{}", headed(["huge pages", "size", "nr", "free", "surplus"], lines, &ALIGNS))
}

fn or_unknown(figure: Option<impl ToString>) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| figure.to_string())
}

#[cfg(test)]
mod tests;
