//! `nearfar stat`: memory use and allocation counters of nodes, with the kernel's names.

use nearfar_machine::{CounterValues, HugePool};
use nearfar_model::Bytes;
use nearfar_view::terminal::printable;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::sections;

use crate::{Counters, NodeFigures, NodeUse, ProcessUse};

const ALIGNS: [Align; 2] = [Align::Left, Align::Right];

/// The counters and the processes of a document, in tables.
pub fn text(counters: &Counters) -> String {
    let allocations = allocations(counters) + &pools(&counters.nodes);
    let processes = counters.processes.iter().map(for_process);
    sections([memory(&counters.nodes), allocations].into_iter().chain(processes))
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
    headed(["memory"].into_iter().chain(MEMINFO), nodes.iter().map(line), &ALIGNS)
}

/// The counters of a node's numastat.
const NUMASTAT: [&str; 6] =
    ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];

fn allocations(counters: &Counters) -> String {
    let when = match counters.duration_s {
        Some(seconds) => format!("pages in {seconds:.1} s"),
        None => "pages since boot".to_owned(),
    };
    let line = |node: &NodeFigures| -> Vec<String> {
        let figures = node.allocations_pages.as_ref();
        [format!("node {}", node.node)]
            .into_iter()
            .chain(NUMASTAT.map(|name| or_unknown(figures.and_then(|figures| figures.get(name)))))
            .collect()
    };
    let head = [when.as_str()].into_iter().chain(NUMASTAT);
    let mut text = headed(head, counters.nodes.iter().map(line), &ALIGNS);
    text.extend(counters.nodes.iter().filter_map(overflow));
    text + &migrations(&counters.nodes)
}

/// A line about a node that was full, so that allocations for it went to other nodes.
fn overflow(node: &NodeFigures) -> Option<String> {
    let figures = node.allocations_pages.as_ref()?;
    let (hit, foreign) = (figures.get("numa_hit")?, figures.get("numa_foreign")?);
    let intended = hit.saturating_add(foreign);
    let share = if intended == 0 { 0.0 } else { foreign as f64 / intended as f64 };
    (share >= 0.001).then(|| {
        format!(
            "node {} was full: {:.1} % of the pages intended for it are on other nodes \
             (numa_foreign)\n",
            node.node,
            share * 100.0
        )
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
            format!("node {}: {pages} pages, {}\n", node.node, printable::line(event))
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

fn for_process(process: &ProcessUse) -> String {
    let name = printable::line(process.name.as_deref().unwrap_or("no name")).into_owned();
    let Some(nodes) = &process.nodes else {
        let why = process.why.as_deref().unwrap_or("its memory cannot be read");
        return format!("process {} ({name}): {}\n", process.pid, printable::line(why));
    };
    let title = format!("process {} ({name})", process.pid);
    let all = (nodes.len() != 1).then(|| shares("all nodes", sum(nodes)));
    let lines = nodes.iter().map(|node| shares(&format!("node {}", node.node), *node)).chain(all);
    headed([title.as_str(), "total", "huge", "heap", "stack", "private"], lines, &ALIGNS)
}

fn shares(label: &str, of: NodeUse) -> [String; 6] {
    let [total, huge, heap, stack, private] =
        [of.total(), of.huge_bytes, of.heap_bytes, of.stack_bytes, of.private_bytes]
            .map(|bytes| bytes.to_string());
    [label.to_owned(), total, huge, heap, stack, private]
}

/// The sum over all nodes; its node number has no meaning.
fn sum(nodes: &[NodeUse]) -> NodeUse {
    let of = |share: fn(&NodeUse) -> Bytes| nodes.iter().map(share).sum();
    NodeUse {
        node: nearfar_model::NodeId(0),
        huge_bytes: of(|node| node.huge_bytes),
        heap_bytes: of(|node| node.heap_bytes),
        stack_bytes: of(|node| node.stack_bytes),
        private_bytes: of(|node| node.private_bytes),
    }
}

fn or_unknown(figure: Option<impl ToString>) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| figure.to_string())
}

#[cfg(test)]
mod tests;
