//! Findings about devices.

use nearfar_model::{NodeId, NodeSet};
use nearfar_view::text::{count, first_lines, named_nodes};

use crate::text::coded_sentence;
use crate::text::coded_sentence::CodedSentence;
use crate::{
    ClaimedNode, DeviceFinding, DevicesDocument, Lanes, LinkAbove, NodeClaim, NodeWitness,
    SmiColumn,
};

/// Findings that are shown below a matrix.
const MAX_BELOW_A_MATRIX: usize = 10;

/// All findings under a title.
pub(super) fn text(document: &DevicesDocument) -> String {
    let findings: Vec<CodedSentence> = document.findings.iter().map(coded).collect();
    let lines: String = coded_sentence::lines(&findings).collect();
    if lines.is_empty() { lines } else { format!("Findings\n{lines}") }
}

/// What a reader of levels and nodes needs to know, below the matrix: all but links.
pub(super) fn below_a_matrix(document: &DevicesDocument) -> String {
    let is_of_links = |finding: &&DeviceFinding| {
        matches!(
            finding,
            DeviceFinding::LinkNarrow { .. }
                | DeviceFinding::PortNarrow { .. }
                | DeviceFinding::LinkSlow { .. }
        )
    };
    let others = document.findings.iter().filter(|finding| !is_of_links(finding));
    let others: Vec<CodedSentence> = others.map(coded).collect();
    let lines = first_lines(coded_sentence::lines(&others), MAX_BELOW_A_MATRIX, "");
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn coded(finding: &DeviceFinding) -> CodedSentence {
    CodedSentence { declared: finding.declared(), sentence: sentence(finding) }
}

/// What was found, in a sentence or two.
pub fn sentence(finding: &DeviceFinding) -> String {
    match finding {
        DeviceFinding::DeviceWithoutNode { .. }
        | DeviceFinding::DeviceNodeNotUsed { .. }
        | DeviceFinding::DeviceNodeMeasured { .. } => for_unknown_node(finding),
        DeviceFinding::DeviceNodeWithoutCpus { node, nearest, devices } => {
            on_node_without("CPUs", *node, nearest, devices)
        }
        DeviceFinding::DeviceNodeWithoutMemory { node, nearest, devices } => {
            on_node_without("memory", *node, nearest, devices)
        }
        DeviceFinding::DeviceWitnessesDisagree { device, claims } => {
            let claims: Vec<String> = claims.iter().map(claim).collect();
            format!("Witnesses name different nodes for {device}: {}.", claims.join(", "))
        }
        DeviceFinding::DevicesOnOneNodeOfPackage { node, package_nodes, root_buses, devices } => {
            format!(
                "All {root_buses} root buses with listed devices of the package with nodes \
                 {package_nodes} are on node {node} ({}). Firmware may name the package only: \
                 which of its nodes is nearest is unknown.",
                list(devices)
            )
        }
        DeviceFinding::LinkNarrow { .. }
        | DeviceFinding::PortNarrow { .. }
        | DeviceFinding::LinkSlow { .. } => for_links(finding),
        DeviceFinding::DeviceApartFromPeers { device, node, peers, peer_nodes } => format!(
            "{device} is on node {node}, and {} equal devices ({}) are on {} of another \
             package.",
            peers.len(),
            list(peers),
            named_nodes(peer_nodes)
        ),
        DeviceFinding::PairDisagrees { witness, pair: [a, b], by_path, by_witness } => {
            format!("{witness} reports {by_witness} for {a} and {b}; their paths give {by_path}.")
        }
        DeviceFinding::SmiPlaceDiffers { device, column, by_witness, by_sysfs } => {
            smi_place(device, *column, by_witness, by_sysfs.as_deref())
        }
        DeviceFinding::SmiNotCompared { file_gpus, gpus } => format!(
            "nvidia-smi's output has {}, this machine {gpus} of NVIDIA: not compared.",
            count(*file_gpus, "GPU")
        ),
        DeviceFinding::KfdGpuAbsent { kfd_node, address } => format!(
            "amdkfd lists a GPU at {address} (its node {kfd_node}); sysfs has no PCI function \
             there."
        ),
        DeviceFinding::WitnessFailed { witness, why } => {
            format!("{witness} is installed and gave no matrix: {}.", why.trim_end_matches('.'))
        }
    }
}

fn on_node_without(what: &str, node: NodeId, nearest: &NodeSet, devices: &[String]) -> String {
    let nearest = match nearest.len() {
        0 => format!("Which nodes with {what} are nearest is unknown."),
        1 => format!("The nearest node with {what} is node {nearest}."),
        _ => format!("The nearest nodes with {what} are nodes {nearest}."),
    };
    let are = if devices.len() == 1 { "is" } else { "are" };
    format!("{} {are} on node {node}, which has no {what}. {nearest}", list(devices))
}

/// A column of `nvidia-smi`, and what sysfs has in its place.
fn smi_place(device: &str, column: SmiColumn, by_witness: &str, by_sysfs: Option<&str>) -> String {
    let noun = match column {
        SmiColumn::CpuAffinity => "CPUs",
        SmiColumn::NumaAffinity => "node",
        SmiColumn::GpuNumaId => "nodes without CPUs",
    };
    let by_sysfs = match by_sysfs {
        Some(value) => format!("{noun} {value}"),
        None if column == SmiColumn::NumaAffinity => "no node (numa_node is -1)".to_owned(),
        None => format!("no {noun}"),
    };
    format!("nvidia-smi gives {device} {} {by_witness}; sysfs has {by_sysfs}.", column.head())
}

/// Devices whose node the kernel does not know, or has wrong.
fn for_unknown_node(finding: &DeviceFinding) -> String {
    match finding {
        DeviceFinding::DeviceWithoutNode { root_bus, devices } => {
            let below = root_bus.as_ref().map(|bus| format!(" below {bus}")).unwrap_or_default();
            format!("The kernel knows no node for {}{below} (numa_node is -1).", list(devices))
        }
        DeviceFinding::DeviceNodeNotUsed { node, witnesses, root_bus, devices } => {
            let below = root_bus.as_ref().map(|bus| format!(" below {bus}")).unwrap_or_default();
            let witnesses: Vec<String> =
                witnesses.iter().map(|witness| named_by(*witness)).collect();
            format!(
                "The kernel knows no node for {}{below} (numa_node is -1). Node {node} is named by \
                 {}.",
                list(devices),
                list(&witnesses)
            )
        }
        DeviceFinding::DeviceNodeMeasured { device, node, kernel_node } => format!(
            "Copies show that node {node} is nearest to {device}; the kernel has node \
             {kernel_node}."
        ),
        _ => String::new(),
    }
}

fn for_links(finding: &DeviceFinding) -> String {
    let supports = |port: &Option<Lanes>, of: fn(Lanes) -> String| {
        port.map(|port| format!(" and its port {}", of(port))).unwrap_or_default()
    };
    let runs = |lower: LowerEnd, now: String, most: String, port: String| {
        format!(
            "The link of {} runs at {now}; the {} supports {most}{port}.",
            lower.name, lower.noun
        )
    };
    match finding {
        DeviceFinding::LinkNarrow { device, now, device_max, port_max, above } => runs(
            LowerEnd::new(device, above.as_ref()),
            width(*now),
            width(*device_max),
            supports(port_max, width),
        ),
        DeviceFinding::PortNarrow { device, device_lanes, port_lanes, port, above } => {
            let lower = LowerEnd::new(device, above.as_ref()).name;
            let lower = lower.replacen("bridge", "Bridge", usize::from(above.is_some()));
            format!("{lower} supports {device_lanes} lanes, and its port {port} has {port_lanes}.")
        }
        DeviceFinding::LinkSlow { device, now, device_max, port_max, above } => runs(
            LowerEnd::new(device, above.as_ref()),
            speed(*now),
            speed(*device_max),
            supports(port_max, speed),
        ),
        _ => String::new(),
    }
}

/// The lower end of a link: a device, or a bridge above devices.
struct LowerEnd {
    name: String,
    noun: &'static str,
}

impl LowerEnd {
    fn new(device: &str, above: Option<&LinkAbove>) -> Self {
        match above {
            Some(above) => Self {
                name: format!("bridge {} above {}", above.bridge, list(&above.devices)),
                noun: "bridge",
            },
            None => Self { name: device.to_owned(), noun: "device" },
        }
    }
}

fn width(lanes: Lanes) -> String {
    lanes.lanes.map_or_else(|| "an unknown width".to_owned(), |lanes| format!("x{lanes}"))
}

fn speed(lanes: Lanes) -> String {
    lanes.gt_s.map_or_else(|| "an unknown speed".to_owned(), |gt_s| format!("{gt_s} GT/s"))
}

fn witness(witness: NodeWitness) -> &'static str {
    match witness {
        NodeWitness::Sysfs => "sysfs",
        NodeWitness::Pxm => "_PXM",
        NodeWitness::Log => "the kernel's log",
        NodeWitness::Srat => "the SRAT",
        NodeWitness::Amdkfd => "amdkfd",
        NodeWitness::Measured => "copies",
    }
}

/// A reader need not know which of them are firmware's.
fn named_by(one: NodeWitness) -> String {
    match one {
        NodeWitness::Pxm | NodeWitness::Srat => format!("firmware ({})", witness(one)),
        _ => witness(one).to_owned(),
    }
}

/// "sysfs 1", "the SRAT 0 (srat.dat, offset 48)".
fn claim(claim: &NodeClaim) -> String {
    let witness = witness(claim.witness);
    let node = match claim.claimed {
        ClaimedNode::Node { node } => format!("node {node}"),
        ClaimedNode::DomainWithoutNode { domain } => format!("domain {domain}, which has no node"),
        ClaimedNode::NoNode => "none".to_owned(),
        ClaimedNode::NotEvaluated => "not evaluated".to_owned(),
        ClaimedNode::NotReadable => "not readable".to_owned(),
        ClaimedNode::Malformed => "not decoded".to_owned(),
        ClaimedNode::Silent => "nothing".to_owned(),
    };
    let source = claim.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
    format!("{witness} {node}{source}")
}

/// "GPU0 and GPU1", "GPU0, GPU1 and 6 more".
fn list(devices: &[String]) -> String {
    const MOST: usize = 6;
    let (named, last) = match devices {
        [named @ .., last] if devices.len() <= MOST => (named, last.clone()),
        [] => return String::new(),
        _ => (&devices[..MOST], format!("{} more", devices.len() - MOST)),
    };
    if named.is_empty() { last } else { format!("{} and {last}", named.join(", ")) }
}
