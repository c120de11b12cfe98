//! Findings, a file for each kind.
//!
//! Each is silent for idle interrupts, and on one node where it is about nodes.

mod balancing;
mod few_queues;
mod one_cpu;
mod places;
mod shared_lines;
mod steering;

use nearfar_machine::interrupts::{InterruptSetup, InterruptSnapshot};

use crate::irq::activity::Span;
use crate::irq::cpu_nodes::CpuNodes;
use crate::irq::document::{IrqDevice, IrqDocument, IrqFinding};
use crate::irq::earlier::Earlier;
use crate::irq::grouping::Grouping;

/// All findings, most severe first.
pub(crate) fn all(
    (document, span): (&IrqDocument, Span),
    (setup, grouping): (&InterruptSetup, &Grouping<'_>),
    nodes: &CpuNodes,
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
) -> Vec<IrqFinding> {
    let mut findings = Vec::new();
    for device in &document.devices {
        if document.nodes.len() > 1 {
            findings.extend(places::far(device, span));
            findings.extend(steering::across_nodes(nodes, device, span));
        }
        findings.extend(one_cpu::queues(document, device, span));
        findings.extend(few_queues::finding(device, span));
        findings.extend(shared_lines::all(device, setup, grouping, span));
    }
    if document.nodes.len() > 1 {
        findings.extend(places::unknown(document, span));
    }
    findings.extend(balancing::changed(document, setup, now, earlier));
    findings.sort_by_key(IrqFinding::severity);
    findings
}

/// Whether a device's interrupts have enough to do.
fn is_active(device: &IrqDevice, span: Span) -> bool {
    span.is_active(device.count)
}
