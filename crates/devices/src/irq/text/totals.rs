//! Sums by node.

use nearfar_view::draw::FigureTable;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::percent;
use nearfar_view::text::table;

use super::rate;
use crate::irq::{IrqDocument, NodeTotal, Softirq};

/// Interrupts of devices, by the node that served them; nothing on one node.
pub(super) fn text(document: &IrqDocument) -> String {
    if document.nodes.len() < 2 {
        return String::new();
    }
    let (heads, rows) = (heads(document), rows(document));
    let table = table("Interrupts of devices by the node that served them", heads, rows);
    let line = document.far_share.map(|share| {
        let text = format!(
            "Served by a far node: {} of those whose device's node is known.",
            percent(share)
        );
        paragraph::of(&text, "", "")
    });
    table + &line.unwrap_or_default()
}

/// The same for a page; nothing on one node.
pub fn by_node(document: &IrqDocument) -> Option<FigureTable> {
    let columns = heads(document).map(|head| head.trim_start_matches('>').to_owned()).to_vec();
    let rows = rows(document).into_iter().map(|row| row.to_vec()).collect();
    (document.nodes.len() > 1).then_some(FigureTable { columns, rows })
}

fn heads(document: &IrqDocument) -> [&'static str; 5] {
    let rate_head = if document.seconds.is_some() { ">per second" } else { ">since boot" };
    ["node", rate_head, ">share", ">of far devices", ">device or its node unknown"]
}

fn rows(document: &IrqDocument) -> Vec<[String; 5]> {
    let all = document.totals.iter().map(|total| total.count).fold(0, u64::saturating_add);
    let share = |part: u64, of: u64| {
        if of == 0 { String::new() } else { percent(part as f64 / of as f64) }
    };
    let row = |total: &NodeTotal| {
        [
            total.node.to_string(),
            rate::cell(total.per_second, Some(total.count)),
            share(total.count, all),
            share(total.far, total.count),
            share(total.unknown, total.count),
        ]
    };
    document.totals.iter().map(row).collect()
}

/// The work of devices after interrupts, by node; nothing on one node.
pub(super) fn softirqs(document: &IrqDocument) -> String {
    const OF_DEVICES: [&str; 5] = ["NET_RX", "NET_TX", "BLOCK", "IRQ_POLL", "TASKLET"];
    let is_shown = |one: &&Softirq| {
        OF_DEVICES.contains(&one.name.as_str()) && one.count.is_some_and(|count| count > 0)
    };
    let shown: Vec<&Softirq> = document.softirqs.iter().filter(is_shown).collect();
    if document.nodes.len() < 2 || shown.is_empty() {
        return String::new();
    }
    let heads = document.nodes.iter().map(|node| format!("node {node}"));
    let heads: Vec<String> = std::iter::once("softirq".to_owned()).chain(heads).collect();
    let row = |one: &&Softirq| -> Vec<String> {
        let count = |node| {
            let found = one.by_node.iter().find(|sum| sum.node == node);
            let count = found.map_or(0, |sum| sum.count);
            let per_second = document.seconds.map(|seconds| count as f64 / seconds);
            rate::cell(per_second, Some(count))
        };
        std::iter::once(one.name.clone()).chain(document.nodes.iter().map(count)).collect()
    };
    let title = match document.seconds {
        Some(_) => "Work after interrupts, per second",
        None => "Work after interrupts, since boot",
    };
    let aligns = [Align::Left, Align::Right];
    let table = headed(heads.iter().map(String::as_str), shown.iter().map(row), &aligns);
    format!("{title}\n{table}")
}
