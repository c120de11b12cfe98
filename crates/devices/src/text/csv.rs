//! Devices and pairs for a spreadsheet.

use std::collections::BTreeMap;

use nearfar_view::text::csv_text::{CsvColumn, records_text, rows_text};
use nearfar_view::text::or_empty;

use crate::{Device, DevicesDocument, Lanes, Link};

/// A device, with the codes of its findings.
struct Row<'d> {
    device: &'d Device,
    codes: String,
}

/// The columns. Lists within a cell are separated by blanks.
fn columns<'d>() -> [CsvColumn<Row<'d>>; 23] {
    [
        ("device", |row| row.device.label.clone()),
        ("kind", |row| name_of(row.device.kind)),
        ("names", |row| row.device.names.join(" ")),
        ("address", |row| or_empty(row.device.address.as_ref())),
        ("class", |row| or_empty(row.device.class.as_ref())),
        ("id", |row| or_empty(row.device.id.as_ref())),
        ("vendor", |row| or_empty(row.device.vendor.as_ref())),
        ("model", |row| or_empty(row.device.model.as_ref())),
        ("driver", |row| or_empty(row.device.driver.as_ref())),
        ("node", |row| or_empty(row.device.node.node)),
        ("verdict", |row| name_of(row.device.node.verdict)),
        ("cpus", |row| or_empty(row.device.cpus.as_ref())),
        ("path", |row| row.device.path.join(" ")),
        ("gt_s", |row| speed(row, |link| Some(link.now))),
        ("lanes", |row| lanes(row, |link| Some(link.now))),
        ("max_gt_s", |row| speed(row, |link| Some(link.device_max))),
        ("max_lanes", |row| lanes(row, |link| Some(link.device_max))),
        ("port_max_gt_s", |row| speed(row, |link| link.port_max)),
        ("port_max_lanes", |row| lanes(row, |link| link.port_max)),
        ("interrupts", |row| row.device.interrupts.count.to_string()),
        ("interrupt_cpus", |row| or_empty(row.device.interrupts.cpus.as_ref())),
        ("interrupt_nodes", |row| row.device.interrupts.nodes.to_string()),
        ("findings", |row| row.codes.clone()),
    ]
}

/// A line for each device.
pub fn csv(document: &DevicesDocument) -> String {
    let mut codes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for finding in &document.findings {
        for label in finding.devices() {
            codes.entry(label).or_default().push(finding.code());
        }
    }
    let of = |device: &Device| codes.get(&device.label).map_or(String::new(), |of| of.join(" "));
    rows_text(&columns(), document.devices.iter().map(|device| Row { device, codes: of(device) }))
}

fn speed(row: &Row<'_>, lanes: fn(Link) -> Option<Lanes>) -> String {
    or_empty(row.device.link.and_then(lanes).and_then(|lanes| lanes.gt_s))
}

fn lanes(row: &Row<'_>, lanes: fn(Link) -> Option<Lanes>) -> String {
    or_empty(row.device.link.and_then(lanes).and_then(|lanes| lanes.lanes))
}

/// The name that the document has.
pub(crate) fn name_of(value: impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|name| Some(name.as_str()?.to_owned()))
        .unwrap_or_default()
}

/// A row and a column for each device.
pub fn matrix_csv(document: &DevicesDocument) -> String {
    let Some(matrix) = &document.matrix else { return String::new() };
    let rows = matrix.labels.iter().zip(&matrix.levels).map(|(label, levels)| {
        let levels = levels.iter().map(ToString::to_string);
        std::iter::once(label.clone()).chain(levels).collect::<Vec<_>>()
    });
    let head = std::iter::once("device".to_owned()).chain(matrix.labels.iter().cloned());
    records_text(std::iter::once(head.collect::<Vec<_>>()).chain(rows))
}
