//! The tables of numastat, in its shape: scripts read them.

use nearfar_machine::CounterValues;
use nearfar_model::{Bytes, NodeId};
use nearfar_view::terminal::printable;

use super::grid::{StatGrid, StatRow, TableStyle};
use crate::{Counters, NodeFigures, NodeUse, ProcessUse};

/// numastat's options for a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TableOptions {
    /// Width of a line.
    pub(super) screen: usize,
    /// `-c`: columns as narrow as they can be, whole megabytes.
    pub(super) narrow: bool,
    /// `-z`: without lines and columns of zeros.
    pub(super) skip_zeros: bool,
    /// `-s`: the largest first, by the total or by a node.
    pub(super) sort: Option<SortBy>,
    /// `-v`: a table for each of several processes.
    pub(super) verbose: bool,
}

/// What lines are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortBy {
    Total,
    /// One node; all together where it does not exist.
    Node(NodeId),
}

/// numastat's lines of allocations: the kernel's names, and those that are shown.
const ALLOCATIONS: [(&str, &str); 6] = [
    ("numa_hit", "Numa_Hit"),
    ("numa_miss", "Numa_Miss"),
    ("numa_foreign", "Numa_Foreign"),
    ("interleave_hit", "Interleave_Hit"),
    ("local_node", "Local_Node"),
    ("other_node", "Other_Node"),
];

/// numastat's order of what memory is used for. Further kinds of a kernel follow in the
/// kernel's order.
const USES: &str = "\
    MemTotal MemFree MemUsed HighTotal HighFree LowTotal LowFree Active Inactive Active(anon) \
                    Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked Dirty \
                    Writeback FilePages Mapped AnonPages Shmem KernelStack PageTables \
                    NFS_Unstable Bounce WritebackTmp Slab SReclaimable SUnreclaim AnonHugePages \
                    ShmemHugePages ShmemPmdMapped HugePages_Total HugePages_Free HugePages_Surp \
                    KReclaimable";

/// numastat without any option: pages since boot, under the kernel's names.
pub(super) fn plain(counters: &Counters, screen: usize) -> String {
    let known = ALLOCATIONS.iter().map(|(name, _)| *name);
    let rows = known.map(|name| StatRow {
        label: name.to_owned(),
        figures: per_node(counters, |node| pages(node.allocations_pages.as_ref(), name)),
    });
    let grid = StatGrid {
        headings: headings(counters, "node"),
        rows: rows.collect(),
        ..StatGrid::default()
    };
    let look = TableStyle {
        screen,
        decimals: 0,
        ruled: false,
        narrow: false,
        wide_labels: false,
        skip_zeros: false,
    };
    grid.text(look)
}

/// `-n`: the same in megabytes, with a total.
pub(super) fn allocations(counters: &Counters, shape: TableOptions) -> String {
    let page = counters.page_size_bytes.unwrap_or(Bytes::kib(4));
    let rows = ALLOCATIONS.iter().map(|(name, label)| StatRow {
        label: (*label).to_owned(),
        figures: with_total(per_node(counters, |node| {
            pages(node.allocations_pages.as_ref(), name).map(|pages| pages * megabytes(page))
        })),
    });
    table(counters, rows.collect(), "numastat info", shape)
}

/// `-m`: what memory is used for, in megabytes.
pub(super) fn memory(counters: &Counters, shape: TableOptions) -> String {
    let named = counters
        .nodes
        .iter()
        .flat_map(|node| node.memory_bytes.iter().flat_map(CounterValues::iter));
    let mut names: Vec<&str> = USES.split_whitespace().collect();
    for (name, _) in named {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut rows: Vec<StatRow> = names.into_iter().map(|name| use_row(counters, name)).collect();
    rows.extend(other_pools(counters));
    table(counters, rows, "system memory usage", shape)
}

fn use_row(counters: &Counters, name: &str) -> StatRow {
    let size = |node: &NodeFigures| node.memory_bytes.as_ref()?.get(name).map(Bytes).map(megabytes);
    StatRow {
        label: printable::line(name).into_owned(),
        figures: with_total(per_node(counters, size)),
    }
}

/// Pools of huge pages of other sizes than the default one, which meminfo leaves out.
fn other_pools(counters: &Counters) -> Vec<StatRow> {
    let pools = counters.nodes.iter().flat_map(|node| &node.huge_pages);
    let in_use = pools.filter(|pool| pool.is_in_use()).map(|pool| pool.size_bytes);
    let mut sizes: Vec<Bytes> =
        in_use.filter(|size| Some(*size) != counters.default_huge_page_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().flat_map(|size| pool_rows(counters, size)).collect()
}

fn pool_rows(counters: &Counters, size: Bytes) -> [StatRow; 3] {
    let name = size.to_string().replace(' ', "").replace("iB", "");
    let row = |what: &str, count: fn(&nearfar_machine::HugePool) -> u64| StatRow {
        label: format!("Huge{name}_{what}"),
        figures: with_total(per_node(counters, |node| {
            let pool = node.huge_pages.iter().find(|pool| pool.size_bytes == size)?;
            Some(count(pool) as f64 * megabytes(size))
        })),
    };
    [
        row("Total", |pool| pool.total),
        row("Free", |pool| pool.free),
        row("Surp", |pool| pool.surplus),
    ]
}

/// `-p`: the memory of processes in megabytes. Those that cannot be read are left out: zeros would
/// be untrue.
pub(super) fn processes(counters: &Counters, shape: TableOptions) -> String {
    let read: Vec<(&ProcessUse, &[NodeUse])> = counters
        .processes
        .iter()
        .filter_map(|process| Some((process, process.nodes.as_deref()?)))
        .collect();
    if read.is_empty() {
        return String::new();
    }
    if shape.verbose || counters.processes.len() == 1 {
        return read
            .iter()
            .map(|(process, nodes)| detail(counters, process, nodes, shape))
            .collect();
    }
    let rows = read
        .iter()
        .map(|(process, nodes)| usage_row(counters, &title(process), nodes, NodeUse::total));
    let grid = with_footer(counters, "PID", rows.collect(), shape);
    format!("\nPer-node process memory usage (in MBs)\n{}", grid.text(look(shape, true)))
}

fn detail(
    counters: &Counters,
    process: &ProcessUse,
    nodes: &[NodeUse],
    shape: TableOptions,
) -> String {
    let rows = vec![
        usage_row(counters, "Huge", nodes, |node| node.huge_bytes),
        usage_row(counters, "Heap", nodes, |node| node.heap_bytes),
        usage_row(counters, "Stack", nodes, |node| node.stack_bytes),
        usage_row(counters, "Private", nodes, |node| node.private_bytes),
    ];
    let grid = with_footer(counters, "", rows, shape);
    let title = title(process);
    format!(
        "\nPer-node process memory usage (in MBs) for PID {title}\n{}",
        grid.text(look(shape, true))
    )
}

fn title(process: &ProcessUse) -> String {
    format!("{} ({})", process.pid, printable::line(process.name.as_deref().unwrap_or("?")))
}

fn usage_row(
    counters: &Counters,
    label: &str,
    nodes: &[NodeUse],
    share: fn(&NodeUse) -> Bytes,
) -> StatRow {
    let on = |id: NodeId| {
        nodes.iter().find(|node| node.node == id).map_or(0.0, |node| megabytes(share(node)))
    };
    let figures = counters.nodes.iter().map(|node| Some(on(node.node))).collect();
    StatRow { label: label.to_owned(), figures: with_total(figures) }
}

fn with_footer(
    counters: &Counters,
    corner: &'static str,
    rows: Vec<StatRow>,
    shape: TableOptions,
) -> StatGrid {
    let sum = |column: usize| rows.iter().filter_map(|row| row.figures[column]).sum();
    let figures = (0..=counters.nodes.len()).map(|column| Some(sum(column))).collect();
    let footer = Some(StatRow { label: "Total".to_owned(), figures });
    sorted(
        counters,
        StatGrid { corner, headings: headings_with_total(counters), rows, footer },
        shape,
    )
}

fn table(counters: &Counters, rows: Vec<StatRow>, title: &str, shape: TableOptions) -> String {
    let grid = StatGrid { corner: "", headings: headings_with_total(counters), rows, footer: None };
    let text = sorted(counters, grid, shape).text(look(shape, false));
    format!("\nPer-node {title} (in MBs):\n{text}")
}

fn sorted(counters: &Counters, mut grid: StatGrid, shape: TableOptions) -> StatGrid {
    let total = counters.nodes.len();
    match shape.sort {
        None => {}
        Some(SortBy::Total) => grid.sort_by(total),
        Some(SortBy::Node(id)) => {
            grid.sort_by(counters.nodes.iter().position(|node| node.node == id).unwrap_or(total));
        }
    }
    grid
}

fn look(shape: TableOptions, wide_labels: bool) -> TableStyle {
    let TableOptions { screen, narrow, skip_zeros, .. } = shape;
    TableStyle {
        screen,
        decimals: if narrow { 0 } else { 2 },
        ruled: true,
        narrow,
        wide_labels,
        skip_zeros,
    }
}

fn headings(counters: &Counters, word: &str) -> Vec<String> {
    counters.nodes.iter().map(|node| format!("{word}{}", node.node)).collect()
}

fn headings_with_total(counters: &Counters) -> Vec<String> {
    let mut headings = headings(counters, "Node ");
    headings.push("Total".to_owned());
    headings
}

fn per_node(counters: &Counters, figure: impl Fn(&NodeFigures) -> Option<f64>) -> Vec<Option<f64>> {
    counters.nodes.iter().map(figure).collect()
}

/// A total stands behind figures where there is any.
fn with_total(mut figures: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let total = figures.iter().flatten().copied().reduce(|sum, figure| sum + figure);
    figures.push(total);
    figures
}

fn pages(figures: Option<&CounterValues>, name: &str) -> Option<f64> {
    figures?.get(name).map(|number| number as f64)
}

fn megabytes(size: Bytes) -> f64 {
    size.0 as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests;
