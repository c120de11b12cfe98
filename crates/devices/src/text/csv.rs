//! Devices and pairs for a spreadsheet.

use std::collections::BTreeMap;

use crate::{Device, DevicesDocument, Lanes};

use nearfar_view::text::csv_text::{records_text, under};
use nearfar_view::text::or_empty;

const HEADER: &str = "device,kind,names,address,class,id,vendor,model,driver,node,verdict,cpus,\
                      path,gt_s,lanes,max_gt_s,max_lanes,port_max_gt_s,port_max_lanes,interrupts,\
                      interrupt_cpus,interrupt_nodes,findings";

/// A line for each device. Lists within a cell are separated by blanks.
pub fn csv(document: &DevicesDocument) -> String {
    let mut codes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for finding in &document.findings {
        for label in finding.devices() {
            codes.entry(label).or_default().push(finding.code());
        }
    }
    let of = |device: &Device| codes.get(&device.label).map_or(String::new(), |of| of.join(" "));
    under(HEADER, document.devices.iter().map(|device| record(device, of(device))))
}

fn record(device: &Device, codes: String) -> Vec<String> {
    let link = device.link;
    let speed = |lanes: Option<Lanes>| or_empty(lanes.and_then(|lanes| lanes.gt_s));
    let lanes = |lanes: Option<Lanes>| or_empty(lanes.and_then(|lanes| lanes.lanes));
    let [now, most, port] = [
        link.map(|link| link.now),
        link.map(|link| link.device_max),
        link.and_then(|link| link.port_max),
    ];
    vec![
        device.label.clone(),
        name_of(device.kind),
        device.names.join(" "),
        or_empty(device.address.as_ref()),
        or_empty(device.class.as_ref()),
        or_empty(device.id.as_ref()),
        or_empty(device.vendor.as_ref()),
        or_empty(device.model.as_ref()),
        or_empty(device.driver.as_ref()),
        or_empty(device.node.node),
        name_of(device.node.verdict),
        or_empty(device.cpus.as_ref()),
        device.path.join(" "),
        speed(now),
        lanes(now),
        speed(most),
        lanes(most),
        speed(port),
        lanes(port),
        device.interrupts.count.to_string(),
        or_empty(device.interrupts.cpus.as_ref()),
        device.interrupts.nodes.to_string(),
        codes,
    ]
}

/// The name that the document has.
fn name_of(value: impl serde::Serialize) -> String {
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
