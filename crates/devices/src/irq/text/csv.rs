//! Interrupts for a spreadsheet.

use std::fmt::Display;

use nearfar_view::text::csv_text::{CsvColumn, rows_text};
use nearfar_view::text::or_empty;

use crate::irq::{Irq, IrqDevice, IrqDocument, IrqFinding};
use crate::text::name_of;

/// An interrupt, with its device.
struct Row<'d> {
    document: &'d IrqDocument,
    device: Option<&'d IrqDevice>,
    irq: &'d Irq,
}

/// The columns. Lists within a cell are separated by blanks.
fn columns<'d>() -> [CsvColumn<Row<'d>>; 22] {
    [
        ("device", |row| or_empty(row.device.map(|device| &device.label))),
        ("names", |row| row.device.map(|device| device.names.join(" ")).unwrap_or_default()),
        ("address", |row| or_empty(row.device.and_then(|device| device.address.as_ref()))),
        ("device_node", |row| or_empty(row.device.and_then(|device| device.node))),
        ("irq", |row| row.irq.number.to_string()),
        ("handlers", |row| row.irq.actions.join(" ")),
        ("kind", |row| name_of(row.irq.kind)),
        ("chip", |row| or_empty(row.irq.chip.as_ref())),
        ("input", |row| or_empty(row.irq.input)),
        ("trigger", |row| or_empty(row.irq.trigger.as_ref())),
        ("control", |row| name_of(row.irq.control)),
        ("allowed", |row| or_empty(row.irq.allowed.cpus())),
        ("effective", |row| or_empty(row.irq.effective.cpus())),
        ("nodes", |row| row.irq.nodes.to_string()),
        ("place", |row| name_of(row.irq.place)),
        ("count", |row| or_empty(row.irq.count)),
        ("seconds", |row| or_empty(row.document.seconds)),
        ("per_second", |row| or_empty(row.irq.per_second)),
        ("far", |row| or_empty(row.irq.far)),
        ("by_node", |row| list(row.irq.by_node.iter().map(|one| (one.node, one.count)))),
        ("by_cpu", |row| list(row.irq.by_cpu.iter().map(|one| (one.cpu, one.count)))),
        ("findings", codes),
    ]
}

/// A line for each interrupt.
pub fn csv(document: &IrqDocument) -> String {
    let device_interrupts = document
        .devices
        .iter()
        .flat_map(|device| device.interrupts.iter().map(move |irq| (Some(device), irq)));
    let all = device_interrupts.chain(document.others.iter().map(|irq| (None, irq)));
    rows_text(&columns(), all.map(|(device, irq)| Row { document, device, irq }))
}

fn codes(row: &Row<'_>) -> String {
    let findings = row.document.findings.iter();
    let findings = findings.filter(|finding| finding.interrupts().contains(&row.irq.number));
    findings.map(IrqFinding::code).collect::<Vec<_>>().join(" ")
}

fn list(counts: impl Iterator<Item = (impl Display, impl Display)>) -> String {
    counts.map(|(place, count)| format!("{place}:{count}")).collect::<Vec<_>>().join(" ")
}
