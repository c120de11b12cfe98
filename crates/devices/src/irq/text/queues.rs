//! Queues of interfaces: RPS, XPS, flows, polling threads.

use nearfar_model::CpuSet;
use nearfar_view::text::count;
use nearfar_view::text::paragraph;
use nearfar_view::text::{IN_A_TABLE, short_list};

use crate::irq::{CpuFact, IrqDocument, IrqInterface};

/// A paragraph for each interface.
pub(super) fn text(document: &IrqDocument) -> String {
    let interfaces = document.devices.iter().flat_map(|device| &device.interfaces);
    let lines: String = interfaces
        .map(|interface| {
            paragraph::of(&facts(document, interface), &format!("{}: ", interface.name), "  ")
        })
        .collect();
    if lines.is_empty() { lines } else { format!("Network queues\n{lines}") }
}

fn facts(document: &IrqDocument, interface: &IrqInterface) -> String {
    let receive = count(interface.receive.len(), "receive queue");
    let transmit = count(interface.transmit.len(), "transmit queue");
    let rps = spread("RPS", interface.receive.iter().map(|queue| (queue.number, &queue.rps)));
    let xps = spread("XPS", interface.transmit.iter().map(|queue| (queue.number, &queue.xps)));
    let flows = interface.receive.iter().filter_map(|queue| queue.flows);
    let flows = flows.fold(0, u64::saturating_add);
    let rfs = match (document.flow_entries, flows) {
        (None, _) => "RFS unknown",
        (Some(0), _) | (_, 0) => "RFS off",
        _ => "RFS on",
    };
    let polled = match interface.threaded {
        Some(true) => ", polled by threads",
        Some(false) => ", polled by softirqs",
        None => "",
    };
    format!("{receive}, {rps}, {rfs}; {transmit}, {xps}{polled}.")
}

/// "RPS off", "RPS 0-3", "RPS 0-3 (rx 0), 4-7 (rx 1)", "XPS not readable".
fn spread<'d>(name: &str, queues: impl Iterator<Item = (u32, &'d CpuFact)>) -> String {
    const MOST: usize = 4;
    let queues: Vec<(u32, &CpuFact)> = queues.collect();
    let is = |wanted: fn(&CpuFact) -> bool| queues.iter().any(|(_, cpus)| wanted(cpus));
    if is(|fact| *fact == CpuFact::NotReadable) {
        return format!("{name} not readable");
    }
    if is(|fact| matches!(fact, CpuFact::Malformed { .. })) {
        return format!("{name} malformed");
    }
    let set = |(number, fact): &(u32, &'d CpuFact)| {
        fact.cpus().filter(|cpus| !cpus.is_empty()).map(|cpus| (*number, cpus))
    };
    let used: Vec<(u32, &CpuSet)> = queues.iter().filter_map(set).collect();
    let Some((_, first)) = used.first() else { return format!("{name} off") };
    if used.len() == queues.len() && used.iter().all(|(_, cpus)| cpus == first) {
        return format!("{name} to CPUs {}", short_list(first, IN_A_TABLE));
    }
    let shown = used.iter().take(MOST);
    let shown: Vec<String> = shown
        .map(|(number, cpus)| format!("{} (queue {number})", short_list(cpus, IN_A_TABLE)))
        .collect();
    let more = match used.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{name} to CPUs {}{more}", shown.join(", "))
}
