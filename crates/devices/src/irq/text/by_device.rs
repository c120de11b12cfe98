//! A row for each active device: how often which node served it.

use nearfar_model::NodeId;
use nearfar_view::draw::FigureTable;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::percent::percent;

use super::rate;
use crate::irq::{IrqDevice, IrqDocument};

/// With more nodes, a column names those that served most.
const MAX_COLUMNS: usize = 8;
const MAX_NAMED: usize = 3;
/// The mark of a share of more than half.
pub const MARK: &str = "!";

/// The devices that a screen lists; the table of interrupts has all.
const MAX_DEVICES: usize = 10;

/// The table as text; nothing where all devices are idle.
pub(super) fn text(document: &IrqDocument) -> String {
    let FigureTable { columns, rows } = table(document);
    if rows.is_empty() {
        return String::new();
    }
    let more = match rows.len().saturating_sub(MAX_DEVICES) {
        0 => String::new(),
        more => format!("and {more} more, less active\n"),
    };
    let title = match document.seconds {
        Some(seconds) => format!("Interrupts by device, per second, counted for {seconds:.1} s"),
        None => "Interrupts by device since boot".to_owned(),
    };
    let aligns = [Align::Left, Align::Left, Align::Right];
    let rows = rows.into_iter().take(MAX_DEVICES);
    format!("{title}\n{}{more}", headed(columns, rows, &aligns))
}

/// The table, the busiest device first.
pub fn table(document: &IrqDocument) -> FigureTable {
    let has_columns = document.nodes.len() <= MAX_COLUMNS;
    let mut columns = vec!["device".to_owned(), "names".to_owned(), "node".to_owned()];
    columns.push(if document.seconds.is_some() { "per second" } else { "since boot" }.to_owned());
    if document.nodes.len() > 1 {
        match has_columns {
            true => columns.extend(document.nodes.iter().map(|node| format!("by node {node}"))),
            false => columns.push("served by".to_owned()),
        }
        columns.push("far".to_owned());
    }
    let mut active: Vec<&IrqDevice> = active(document).collect();
    active.sort_by_key(|device| std::cmp::Reverse(device.count));
    let rows = active.into_iter().map(|device| row(document, device, has_columns));
    FigureTable { rows: rows.collect(), columns }
}

fn row(document: &IrqDocument, device: &IrqDevice, has_columns: bool) -> Vec<String> {
    let node = device.node.map_or_else(|| "?".to_owned(), |node| node.to_string());
    let number = cell(document, device.count);
    let mut row = vec![device.label.clone(), device.names.join(", "), node, number];
    if document.nodes.len() > 1 {
        let node_cell = |node: NodeId| {
            let found = device.by_node.iter().find(|one| one.node == node);
            cell(document, found.map_or(0, |one| one.count))
        };
        match has_columns {
            true => row.extend(document.nodes.iter().map(node_cell)),
            false => row.push(served_by(device)),
        }
        row.push(far(device));
    }
    row
}

fn cell(document: &IrqDocument, count: u64) -> String {
    rate::cell(document.seconds.map(|seconds| count as f64 / seconds), Some(count))
}

/// "node 3 60 %, node 0 20 %, node 5 10 %".
fn served_by(device: &IrqDevice) -> String {
    let mut most: Vec<_> = device.by_node.iter().collect();
    most.sort_by_key(|one| std::cmp::Reverse(one.count));
    let all = device.count.max(1) as f64;
    let named = most.into_iter().take(MAX_NAMED);
    let named = named.map(|one| format!("node {} {}", one.node, percent(one.count as f64 / all)));
    named.collect::<Vec<_>>().join(", ")
}

/// The share that far CPUs served, marked from a half on.
fn far(device: &IrqDevice) -> String {
    let Some(far) = device.far else { return "?".to_owned() };
    let mark = if is_mostly_far(device) { format!(" {MARK}") } else { String::new() };
    percent(far as f64 / device.count.max(1) as f64) + &mark
}

/// Whether far CPUs served more than half of its interrupts.
pub(super) fn is_mostly_far(device: &IrqDevice) -> bool {
    device.far.is_some_and(|far| far as f64 / device.count.max(1) as f64 > 0.5)
}

/// Whether a row of the table has the mark.
pub fn has_mark(document: &IrqDocument) -> bool {
    document.nodes.len() > 1 && active(document).any(is_mostly_far)
}

/// The devices of the table.
pub(super) fn active(document: &IrqDocument) -> impl Iterator<Item = &IrqDevice> {
    document.devices.iter().filter(|device| !document.is_idle(device.count))
}

/// What the document does not have.
pub fn left_out(document: &IrqDocument) -> Option<String> {
    let folded = document.folded?;
    let parts = [(folded.devices, "device"), (folded.interrupts, "interrupt")];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| count(number, noun)).collect();
    (!parts.is_empty()).then(|| {
        format!("Left out, as idle or less active: {}. The sums have them.", parts.join(", "))
    })
}
