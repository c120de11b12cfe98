//! `nearfar stat`: what nodes hold and what their allocators met.

use std::fmt::Write;

use nearfar_machine::Figures;
use nearfar_model::Bytes;
use nearfar_process::{Counters, NodeFigures, NodeUse, ProcessUse};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

const ALIGNS: [Align; 2] = [Align::Left, Align::Right];

/// The counters and the processes of a document, in tables.
pub fn text(counters: &Counters) -> String {
    let mut text = memory(&counters.nodes);
    text.push('\n');
    text.push_str(&allocations(counters));
    text.push_str(&pools(&counters.nodes));
    for process in &counters.processes {
        text.push('\n');
        text.push_str(&of_process(process));
    }
    text
}

/// What memory is used for: the names of columns, and meminfo's for them.
const USES: [(&str, &str); 8] = [
    ("total", "MemTotal"),
    ("free", "MemFree"),
    ("used", "MemUsed"),
    ("anonymous", "AnonPages"),
    ("files", "FilePages"),
    ("shared", "Shmem"),
    ("slab", "Slab"),
    ("huge transparent", "AnonHugePages"),
];

fn memory(nodes: &[NodeFigures]) -> String {
    let mut table = Table::default();
    table.line(std::iter::once("memory").chain(USES.iter().map(|(column, _)| *column)));
    for node in nodes {
        let figures = node.memory_bytes.as_ref();
        let size = |name: &str| shown(figures.and_then(|figures| figures.get(name)).map(Bytes));
        table.line(std::iter::once(format!("node {}", node.node)).chain(USES.iter().map(|(_, name)| size(name))));
    }
    table.text(&ALIGNS)
}

/// Where allocations were wanted and met: the names of columns, and the kernel's for them.
const MEETINGS: [(&str, &str); 6] = [
    ("met here", "numa_hit"),
    ("meant for elsewhere", "numa_miss"),
    ("lost to elsewhere", "numa_foreign"),
    ("interleaved", "interleave_hit"),
    ("by local CPUs", "local_node"),
    ("by remote CPUs", "other_node"),
];

fn allocations(counters: &Counters) -> String {
    let when = match counters.duration_s {
        Some(seconds) => format!("pages allocated in {seconds:.1} s"),
        None => "pages allocated since boot".to_owned(),
    };
    let mut table = Table::default();
    table.line(std::iter::once(when.as_str()).chain(MEETINGS.iter().map(|(column, _)| *column)));
    for node in &counters.nodes {
        table.line(
            std::iter::once(format!("node {}", node.node))
                .chain(MEETINGS.iter().map(|(_, name)| number(node.allocations_pages.as_ref(), name))),
        );
    }
    let mut text = table.text(&ALIGNS);
    for node in &counters.nodes {
        text.extend(strayed(node));
    }
    text.push_str(&migrations(&counters.nodes));
    text
}

/// A line about a node that could not give what was wanted of it.
fn strayed(node: &NodeFigures) -> Option<String> {
    let figures = node.allocations_pages.as_ref()?;
    let (hit, foreign) = (figures.get("numa_hit")?, figures.get("numa_foreign")?);
    let wanted = hit.saturating_add(foreign);
    let share = if wanted == 0 { 0.0 } else { foreign as f64 / wanted as f64 };
    (share >= 0.001).then(|| {
        format!("{:.1} % of the pages wanted on node {} had to go elsewhere: it was full\n", share * 100.0, node.node)
    })
}

fn migrations(nodes: &[NodeFigures]) -> String {
    let mut text = String::new();
    for node in nodes {
        let moved = node.migrations_pages.iter().flat_map(Figures::iter).filter(|(_, pages)| *pages > 0);
        for (event, pages) in moved {
            let _ = writeln!(text, "node {}: {pages} pages, {}", node.node, printable::line(event));
        }
    }
    text
}

/// The pools of huge pages that have any.
fn pools(nodes: &[NodeFigures]) -> String {
    let mut table = Table::default();
    table.line(["huge pages", "size", "in the pool", "free", "surplus"]);
    let mut any = false;
    for node in nodes {
        for pool in node.huge_pages.iter().filter(|pool| pool.is_in_use()) {
            any = true;
            table.line([
                format!("node {}", node.node),
                pool.size_bytes.to_string(),
                pool.total.to_string(),
                pool.free.to_string(),
                pool.surplus.to_string(),
            ]);
        }
    }
    if any { format!("\n{}", table.text(&ALIGNS)) } else { String::new() }
}

fn of_process(process: &ProcessUse) -> String {
    let name = printable::line(process.name.as_deref().unwrap_or("no name")).into_owned();
    let Some(nodes) = &process.nodes else {
        let why = process.why.as_deref().unwrap_or("its memory cannot be read");
        return format!("process {} ({name}): {}\n", process.pid, printable::line(why));
    };
    let mut table = Table::default();
    let title = format!("process {} ({name})", process.pid);
    table.line([title.as_str(), "total", "huge pages", "heap", "stack", "all else"]);
    for node in nodes {
        table.line(shares(&format!("node {}", node.node), *node));
    }
    if nodes.len() != 1 {
        table.line(shares("all nodes", sum(nodes)));
    }
    table.text(&ALIGNS)
}

fn shares(label: &str, of: NodeUse) -> [String; 6] {
    let NodeUse { huge_bytes, heap_bytes, stack_bytes, private_bytes, .. } = of;
    [
        label.to_owned(),
        of.total().to_string(),
        huge_bytes.to_string(),
        heap_bytes.to_string(),
        stack_bytes.to_string(),
        private_bytes.to_string(),
    ]
}

/// All nodes together; the node's number means nothing then.
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

fn shown(size: Option<Bytes>) -> String {
    size.map_or_else(|| "?".to_owned(), |size| size.to_string())
}

fn number(figures: Option<&Figures>, name: &str) -> String {
    figures.and_then(|figures| figures.get(name)).map_or_else(|| "?".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests;
