//! What a finding says is so.

use nearfar_diagnose::{Finding, FindingDetail};
use nearfar_model::Bytes;

use super::codes;
use crate::optional::or_empty;
use crate::paragraph;

/// In a sentence.
pub(super) fn sentence(finding: &Finding) -> String {
    use FindingDetail::*;
    let Some(what) = &finding.what else { return codes::meaning(&finding.code).to_owned() };
    let said: &str = match what {
        Sentence(sentence) => sentence,
        // The kernel's rules speak in clauses.
        Rule { clause } => &paragraph::sentence(clause),
        OneDomainOfGuest => {
            "The hypervisor puts all CPUs and all memory of this guest in one domain; what its \
             host has is not known."
        }
        OneDomainOfUnknown => {
            "Firmware puts all CPUs and all memory in one domain; whether there is more than one \
             memory is not known."
        }
        OneDomainToSplit => {
            "Firmware puts all CPUs and all memory in one domain; this CPU's memory can be split \
             into more."
        }
        OneDomainOfSeveral => {
            "Firmware puts all CPUs and all memory in one domain, and there is more than one \
             memory."
        }
        OneDomain => "Firmware puts all CPUs and all memory in one domain.",
        NodesMadeUp => {
            "Nodes are made up on the kernel's command line (numa=fake=): they say nothing about \
             memory."
        }
        NodesDiffer { tables, kernel } => &format!(
            "The tables make {tables} nodes by the kernel's rules, and the kernel has {kernel}."
        ),
        LogFoundNone { tables } => &format!(
            "The tables make {tables} nodes by the kernel's rules, and its log found none."
        ),
        EmptySockets { sockets } => {
            let sockets = sockets.join(" and ");
            &format!(
                "No memory module sits at socket {sockets}, so its CPUs have no memory of their \
                 own."
            )
        }
        &UnequalSockets { least_bytes, most_bytes } => &format!(
            "Sockets have unequal memory: from {} to {}.",
            Bytes(least_bytes),
            Bytes(most_bytes)
        ),
        UnequalChannels { socket, by_bytes } => {
            let (by, of) = (
                Bytes(*by_bytes),
                or_empty(socket.as_ref().map(|socket| format!(" of socket {socket}"))),
            );
            &format!(
                "Channels{of} have unequal memory, by {by}: that part of it is not interleaved \
                 over all of them."
            )
        }
        EmptyChannels { empty, channels } => &format!(
            "{empty} of {channels} memory channels have no module: their bandwidth is lost."
        ),
        &MemoryLeftOut { modules_bytes, kernel_bytes } => &format!(
            "The modules hold {}, and the kernel has {}.",
            Bytes(modules_bytes),
            Bytes(kernel_bytes)
        ),
    };
    said.to_owned()
}
