//! Findings about interrupts.

use nearfar_model::NodeSet;
use nearfar_view::text::percent::percent;
use nearfar_view::text::{count, named_nodes};

use super::rate;
use crate::irq::findings::NEARLY_ALL_SINCE_BOOT;
use crate::irq::{IrqDocument, IrqFinding};
use crate::text::coded_sentence;
use crate::text::coded_sentence::CodedSentence;

/// All findings under a title, each with what to do once for all of a code.
pub(super) fn text(document: &IrqDocument) -> String {
    let coded = |finding: &IrqFinding| CodedSentence {
        declared: finding.declared(),
        sentence: sentence(finding),
    };
    let findings: Vec<CodedSentence> = document.findings.iter().map(coded).collect();
    let lines: String = coded_sentence::lines(&findings).collect();
    if lines.is_empty() { lines } else { format!("Findings\n{lines}") }
}

/// What was found, in a sentence or two.
pub fn sentence(finding: &IrqFinding) -> String {
    match finding {
        IrqFinding::IrqFarFromDevice { .. }
        | IrqFinding::IrqManagedFar { .. }
        | IrqFinding::IrqQueuesOnOneCpu { .. } => for_cpus(finding),
        IrqFinding::IrqFewerQueues { device, queues, near_cpus, count: served, seconds } => {
            format!(
                "{device} has {} for {near_cpus} CPUs near it, and {served} interrupts {}.",
                count(*queues, "queue"),
                rate::when(*seconds),
            )
        }
        IrqFinding::IrqDeviceNodeUnknown { devices } => {
            format!("The node of {} is unknown: so is whether interrupts run near.", list(devices))
        }
        IrqFinding::IrqLineShared { interrupt, devices, offer_messages } => format!(
            "{} share line {interrupt}, although MSI is offered by {}.",
            list(devices),
            list(offer_messages)
        ),
        IrqFinding::IrqLineSharedUnknown { interrupt, devices } => format!(
            "{} share line {interrupt}. Whether they offer MSI is not readable without root.",
            list(devices)
        ),
        IrqFinding::RpsAcrossNodes { device, interface, node, queues, cpus } => format!(
            "RPS hands packets of {interface} ({device}, node {node}) to CPUs {cpus} of other \
             nodes: {}.",
            numbered(queues, "receive queue")
        ),
        IrqFinding::XpsAcrossNodes { device, interface, queues, send_nodes, interrupt_nodes } => {
            format!(
                "CPUs of {} send by queues of {interface} ({device}) whose interrupts run {}: {}.",
                named_nodes(send_nodes),
                on_nodes(interrupt_nodes),
                numbered(queues, "transmit queue")
            )
        }
        IrqFinding::IrqChangedUnderIrqbalance { interrupts, before, after, seconds } => format!(
            "irqbalance runs, and the allowed CPUs of {} changed within {seconds:.1} s (from \
             {before} to {after}).",
            irqs(interrupts)
        ),
    }
}

/// Findings about the CPUs that serve a device's interrupts.
fn for_cpus(finding: &IrqFinding) -> String {
    match finding {
        IrqFinding::IrqFarFromDevice { device, node, interrupts, nodes, far, count, seconds } => {
            let place = on_nodes(nodes);
            let far = served_far(*far, *count, *seconds);
            format!(
                "{device} is on node {node}, and {} {place}: {far}.",
                interrupts_run(interrupts)
            )
        }
        IrqFinding::IrqManagedFar { device, node, interrupts, nodes, far, count, seconds } => {
            format!(
                "{device} is on node {node}, and {} {}: {}. The kernel refuses to move them.",
                interrupts_run(interrupts),
                on_nodes(nodes),
                served_far(*far, *count, *seconds)
            )
        }
        IrqFinding::IrqQueuesOnOneCpu {
            device,
            interrupts,
            cpu,
            count,
            seconds,
            between_tables,
        } => {
            let (queues, irqs) = (format!("all active queues of {device}"), irqs(interrupts));
            match (seconds, between_tables) {
                (None, false) => format!(
                    "CPU {cpu} served at least {} of the {count} interrupts of {queues} ({irqs}) \
                     since boot.",
                    percent(NEARLY_ALL_SINCE_BOOT)
                ),
                (None, true) => format!(
                    "CPU {cpu} serves {queues} ({irqs}): {count} interrupts between the tables."
                ),
                (seconds, _) => format!(
                    "CPU {cpu} serves {queues} ({irqs}): {count} interrupts {}.",
                    rate::when(*seconds)
                ),
            }
        }
        _ => String::new(),
    }
}

/// "irq 24", "irqs 24, 25 and 3 more".
fn irqs(numbers: &[u32]) -> String {
    numbered(numbers, "irq")
}

fn served_far(far: u64, count: u64, seconds: Option<f64>) -> String {
    let share = percent(far as f64 / count.max(1) as f64);
    format!("{share} of its {count} interrupts {} were served far from it", rate::when(seconds))
}

fn interrupts_run(numbers: &[u32]) -> String {
    let verb = if numbers.len() == 1 { "runs" } else { "run" };
    format!("{} {verb}", irqs(numbers))
}

fn numbered(numbers: &[u32], noun: &str) -> String {
    const MOST: usize = 6;
    let ending = if numbers.len() == 1 { "" } else { "s" };
    let shown = numbers.iter().take(MOST).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = match numbers.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{noun}{ending} {shown}{more}")
}

fn on_nodes(nodes: &NodeSet) -> String {
    if nodes.is_empty() {
        "on other nodes".to_owned()
    } else {
        format!("on {}", named_nodes(nodes))
    }
}

/// "NIC0 and NIC1", "NIC0, NIC1 and 6 more".
fn list(devices: &[String]) -> String {
    const MOST: usize = 6;
    match devices {
        [] => String::new(),
        [one] => one.clone(),
        [named @ .., last] if devices.len() <= MOST => format!("{} and {last}", named.join(", ")),
        _ => {
            format!("{} and {} more", devices[..MOST].join(", "), devices.len() - MOST)
        }
    }
}
