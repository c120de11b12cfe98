//! Interrupts for a spreadsheet.

use crate::irq::{CpuFact, Irq, IrqDevice, IrqDocument, IrqFinding};

use nearfar_view::text::csv_text::under;
use nearfar_view::text::or_empty;

const HEADER: &str = "device,names,address,device_node,irq,handlers,kind,chip,input,trigger,\
                      control,allowed,effective,nodes,place,count,seconds,per_second,far,by_node,\
                      by_cpu,findings";

/// A line for each interrupt. Lists within a cell are separated by blanks.
pub fn csv(document: &IrqDocument) -> String {
    let of_devices = document
        .devices
        .iter()
        .flat_map(|device| device.interrupts.iter().map(move |irq| (Some(device), irq)));
    let all = of_devices.chain(document.others.iter().map(|irq| (None, irq)));
    under(HEADER, all.map(|(device, irq)| record(document, device, irq)))
}

fn record(document: &IrqDocument, device: Option<&IrqDevice>, irq: &Irq) -> Vec<String> {
    let findings = document.findings.iter();
    let findings = findings.filter(|one| one.interrupts().contains(&irq.number));
    let codes: Vec<&str> = findings.map(IrqFinding::code).collect();
    let by_node = irq.by_node.iter().map(|one| format!("{}:{}", one.node, one.count));
    let by_cpu = irq.by_cpu.iter().map(|one| format!("{}:{}", one.cpu, one.count));
    let cpus = |fact: &CpuFact| or_empty(fact.cpus());
    vec![
        or_empty(device.map(|device| &device.label)),
        device.map(|device| device.names.join(" ")).unwrap_or_default(),
        or_empty(device.and_then(|device| device.address.as_ref())),
        or_empty(device.and_then(|device| device.node)),
        irq.number.to_string(),
        irq.actions.join(" "),
        name_of(irq.kind),
        or_empty(irq.chip.as_ref()),
        or_empty(irq.input),
        or_empty(irq.trigger.as_ref()),
        name_of(irq.control),
        cpus(&irq.allowed),
        cpus(&irq.effective),
        irq.nodes.to_string(),
        name_of(irq.place),
        or_empty(irq.count),
        or_empty(document.seconds),
        or_empty(irq.per_second),
        or_empty(irq.far),
        by_node.collect::<Vec<_>>().join(" "),
        by_cpu.collect::<Vec<_>>().join(" "),
        codes.join(" "),
    ]
}

/// The name that the document has.
fn name_of(value: impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|name| Some(name.as_str()?.to_owned()))
        .unwrap_or_default()
}
