//! What a finding says is so.

use nearfar_diagnose::{Finding, FindingDetail};
use nearfar_model::Bytes;

use super::codes;

/// In a sentence.
pub(super) fn sentence(finding: &Finding) -> String {
    use FindingDetail::*;
    let Some(what) = &finding.what else { return codes::meaning(&finding.code).to_owned() };
    match what {
        Sentence(sentence) => sentence.clone(),
        Rule { clause } => from_clause(clause),
        OneDomainOfGuest | OneDomainOfUnknown | OneDomainToSplit | OneDomain | OneDomainOfSeveral => {
            one_domain(what).to_owned()
        }
        NodesMadeUp => {
            "Nodes are made up on the kernel's command line (numa=fake=): they say nothing about memory.".to_owned()
        }
        NodesDiffer { tables, kernel } => {
            format!("The tables make {tables} nodes by the kernel's rules, and the kernel has {kernel}.")
        }
        LogFoundNone { tables } => {
            format!("The tables make {tables} nodes by the kernel's rules, and its log found none.")
        }
        EmptySockets { sockets } => format!(
            "No memory module sits at socket {}, so its CPUs have no memory of their own.",
            sockets.join(" and ")
        ),
        &UnequalSockets { least_bytes, most_bytes } => {
            format!("Sockets have unequal memory: from {} to {}.", Bytes(least_bytes), Bytes(most_bytes))
        }
        UnequalChannels { socket, by_bytes } => format!(
            "Channels{} have unequal memory, by {}: that part of it is not interleaved over all of them.",
            socket.as_ref().map_or_else(String::new, |socket| format!(" of socket {socket}")),
            Bytes(*by_bytes)
        ),
        EmptyChannels { empty, channels } => {
            format!("{empty} of {channels} memory channels have no module: their bandwidth is lost.")
        }
        &MemoryLeftOut { modules_bytes, kernel_bytes } => {
            format!("The modules hold {}, and the kernel has {}.", Bytes(modules_bytes), Bytes(kernel_bytes))
        }
    }
}

fn one_domain(what: &FindingDetail) -> &'static str {
    match what {
        FindingDetail::OneDomainOfGuest => {
            "The hypervisor puts all CPUs and all memory of this guest in one domain; what its host has is not known."
        }
        FindingDetail::OneDomainOfUnknown => {
            "Firmware puts all CPUs and all memory in one domain; whether there is more than one memory is not known."
        }
        FindingDetail::OneDomainToSplit => {
            "Firmware puts all CPUs and all memory in one domain; this CPU's memory can be split into more."
        }
        FindingDetail::OneDomainOfSeveral => {
            "Firmware puts all CPUs and all memory in one domain, and there is more than one memory."
        }
        _ => "Firmware puts all CPUs and all memory in one domain.",
    }
}

/// The kernel's rules speak in clauses; findings in sentences.
fn from_clause(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if clause.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
