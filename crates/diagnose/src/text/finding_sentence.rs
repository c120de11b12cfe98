//! The sentence of a finding.

use nearfar_devices::irq::text as irq;
use nearfar_devices::text as devices;
use nearfar_model::{Bytes, NodeSet};
use nearfar_view::text::paragraph;
use nearfar_view::text::{count, named_nodes, or_empty, verb_of};

use crate::codes;
use crate::{DiagnosisFinding, FindingDetail, NodeBinding};

const ONE_DOMAIN: &str = "Firmware puts all CPUs and memory in one domain";

pub(super) fn sentence(finding: &DiagnosisFinding) -> String {
    let Some(detail) = &finding.what else { return codes::meaning(&finding.code).to_owned() };
    match detail {
        // The kernel's rules are clauses.
        FindingDetail::Rule { clause } => paragraph::sentence(clause),
        FindingDetail::Device { finding } => devices::finding_sentence(finding),
        FindingDetail::Interrupt { finding } => irq::finding_sentence(finding),
        &FindingDetail::NodesDiffer { tables, kernel } => format!(
            "The tables define {} by the kernel's rules, but the kernel has {kernel}.",
            count(tables, "node")
        ),
        &FindingDetail::LogFoundNone { tables } => format!(
            "The tables define {} by the kernel's rules, but its log found none.",
            count(tables, "node")
        ),
        FindingDetail::OneDomainOfGuest => {
            "The hypervisor puts all CPUs and memory of this guest in one domain.".to_owned()
        }
        FindingDetail::OneDomainOfUnknown => {
            format!("{ONE_DOMAIN}. Whether the machine has several memories is unknown.")
        }
        FindingDetail::OneDomainToSplit => {
            format!("{ONE_DOMAIN}. The memory of this CPU can be split into more.")
        }
        FindingDetail::OneDomainOfSeveral => {
            format!("{ONE_DOMAIN}, but the machine has several memories.")
        }
        FindingDetail::OneDomain => format!("{ONE_DOMAIN}."),
        FindingDetail::OutputsDiffer { about } => {
            let noun = conflict_noun(about);
            // /proc/meminfo counts before nodes, whichever has them.
            let which = if about == "memory" { "" } else { " The first of them counts." };
            format!("Two outputs disagree about {noun}.{which}")
        }
        FindingDetail::OutOfMemoryOnNode { .. } => out_of_memory(detail),
        FindingDetail::NodesMadeUp => {
            "The kernel's command line makes fake nodes (numa=fake=). They do not show where \
             memory is."
                .to_owned()
        }
        FindingDetail::NodesInterleaved => {
            "The kernel makes fake nodes (numa=fake=) and interleaves \
             all memory over them (numa_policy=interleave)."
                .to_owned()
        }
        FindingDetail::NodesWithoutCpus { nodes } => {
            format!("{} memory and no CPUs.", nodes_have(nodes))
        }
        FindingDetail::NodesWithoutMemory { nodes, memory_nodes } => {
            let place = match memory_nodes.len() {
                0 => String::new(),
                1 => format!("; all memory is in node {memory_nodes}"),
                _ => format!("; memory is in nodes {memory_nodes}"),
            };
            format!("{} CPUs and no memory{place}.", nodes_have(nodes))
        }
        FindingDetail::DistancesMayBeDefault => {
            "All distances between nodes are 20. Whether the SLIT has them or the kernel assumes \
             them is unknown."
                .to_owned()
        }
        FindingDetail::EmptySockets { sockets } => format!(
            "Socket {} has no memory module, so its CPUs have no local memory.",
            sockets.join(" and ")
        ),
        &FindingDetail::UnequalSockets { least_bytes, most_bytes } => format!(
            "Sockets have unequal memory: from {} to {}.",
            Bytes(least_bytes),
            Bytes(most_bytes)
        ),
        FindingDetail::UnequalChannels { socket, by_bytes } => {
            unequal_channels(socket.as_deref(), Bytes(*by_bytes))
        }
        FindingDetail::EmptyChannels { empty, channels } => format!(
            "{empty} of {channels} memory channels have no module. Their bandwidth is lost."
        ),
        &FindingDetail::MemoryLeftOut { modules_bytes, kernel_bytes } => format!(
            "The modules have {}, but the kernel has {}.",
            Bytes(modules_bytes),
            Bytes(kernel_bytes)
        ),
    }
}

/// "Node 1 has", "Nodes 1-3 have".
fn nodes_have(nodes: &NodeSet) -> String {
    let have = verb_of(nodes.len(), "have");
    paragraph::capitalised(&format!("{} {have}", named_nodes(nodes)))
}

/// "Node 0 was full, and java may use node 0 alone, by its memory policy: ...".
fn out_of_memory(detail: &FindingDetail) -> String {
    let FindingDetail::OutOfMemoryOnNode {
        program,
        pid,
        bound_program,
        bound_by,
        nodes,
        other_nodes,
        free_elsewhere_bytes,
        times,
    } = detail
    else {
        return String::new();
    };
    let (were, nodes) = (verb_of(nodes.len(), "were"), named_nodes(nodes));
    let who = bound_program.as_deref().unwrap_or("a program");
    let binding = match bound_by {
        NodeBinding::MemoryPolicy => "its memory policy",
        NodeBinding::Cpuset => "its cpuset",
    };
    let often = match times {
        0 | 1 => String::new(),
        times => format!(" It is the last of at least {times} such kills."),
    };
    let elsewhere = match free_elsewhere_bytes {
        Some(free) => format!(" {} were free on {}.", Bytes(*free), named_nodes(other_nodes)),
        None if other_nodes.is_empty() => String::new(),
        None => format!(" The log does not show what {} had free.", named_nodes(other_nodes)),
    };
    paragraph::capitalised(&format!(
        "{nodes} {were} full, and {who} may use {nodes} alone, by {binding}: the kernel killed \
         {program} (pid {pid}).{elsewhere}{often}"
    ))
}

/// What outputs disagree about.
fn conflict_noun(about: &str) -> &'static str {
    match about {
        "nodes" => "the nodes",
        "node-cpus" => "the CPUs of a node",
        "packages" => "the number of packages",
        "cores" => "the number of cores",
        "caches" => "the caches",
        "memory" => "the size of memory",
        "device-node" => "the node of a device",
        _ => "the machine",
    }
}

/// Channels with unequal memory.
fn unequal_channels(socket: Option<&str>, by: Bytes) -> String {
    let of_socket = or_empty(socket.map(|socket| format!(" of socket {socket}")));
    format!(
        "Channels{of_socket} have unequal memory, by {by}. That part is not interleaved over all \
         channels."
    )
}
