//! The sentence of a finding.

use nearfar_devices::irq::text as irq;
use nearfar_devices::text as devices;
use nearfar_model::{Bytes, NodeSet};
use nearfar_view::text::paragraph;
use nearfar_view::text::{count, or_empty};

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
        FindingDetail::OutOfMemoryOnNode {
            program,
            pid,
            bound_by,
            nodes,
            free_elsewhere_bytes,
            times,
        } => {
            let killed = (program.as_str(), *pid, *times);
            out_of_memory(killed, *bound_by, nodes, free_elsewhere_bytes.map(Bytes))
        }
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
    if nodes.len() == 1 { format!("Node {nodes} has") } else { format!("Nodes {nodes} have") }
}

/// "Node 0 was full while 48 GiB were free on other nodes: ...".
fn out_of_memory(
    (program, pid, times): (&str, u64, usize),
    bound_by: NodeBinding,
    nodes: &NodeSet,
    elsewhere: Option<Bytes>,
) -> String {
    let (full, them) = match nodes.len() {
        1 => (format!("Node {nodes} was full"), format!("node {nodes} alone")),
        _ => (format!("Nodes {nodes} were full"), format!("nodes {nodes} alone")),
    };
    let elsewhere = elsewhere.map(|free| format!(" while {free} were free on other nodes"));
    let often = if times > 1 { format!(", the last of {times} times") } else { String::new() };
    let binding = match bound_by {
        NodeBinding::MemoryPolicy => "A memory policy",
        NodeBinding::Cpuset => "A cpuset",
    };
    format!(
        "{full}{}: the kernel killed {program} (pid {pid}){often}. {binding} allows {them}.",
        or_empty(elsewhere)
    )
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
