//! irqbalance, and options of the kernel's command line.

use crate::irq::{IrqBalancer, IrqBalancerState, IrqDocument};

use nearfar_view::text::paragraph;

pub(super) fn text(document: &IrqDocument) -> String {
    let balancer = document.balancer.as_ref().map(sentence);
    let default = document.default_cpus.as_ref().map(|cpus| {
        format!("New interrupts may run on CPUs {cpus} (irqaffinity= of the command line).")
    });
    let avoid = document.managed_avoid.as_ref().map(|cpus| {
        format!("Managed interrupts avoid CPUs {cpus} (isolcpus=managed_irq of the command line).")
    });
    let lines = [balancer, default, avoid].into_iter().flatten();
    lines.map(|line| paragraph::of(&line, "", "")).collect()
}

fn sentence(balancer: &IrqBalancer) -> String {
    let state = match balancer.state {
        IrqBalancerState::Running if balancer.arguments.is_empty() => {
            "irqbalance runs, without arguments.".to_owned()
        }
        IrqBalancerState::Running => {
            format!("irqbalance runs with {}.", balancer.arguments.join(" "))
        }
        IrqBalancerState::NotSeen => "No irqbalance is among the visible processes.".to_owned(),
        IrqBalancerState::Unknown => "Whether irqbalance runs is unknown.".to_owned(),
    };
    let options: Vec<&str> = balancer.file_options.iter().map(String::as_str).collect();
    match &balancer.file {
        Some(file) if !options.is_empty() => {
            format!("{state} {file} has {}.", options.join(", "))
        }
        _ => state,
    }
}
