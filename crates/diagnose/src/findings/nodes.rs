//! Incomplete nodes, as the running kernel shows them.

use nearfar_firmware::linux::{NumaOutcome, ObservedNode};
use nearfar_machine::{Package, Topology};
use nearfar_model::CpuSet;

use super::FindingInput;
use crate::codes;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail, Severity};
use crate::evidence;

/// Nodes without CPUs, nodes without memory, and packages that share a node.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    if seen.witnesses.topology.is_none() || seen.observed.outcome == NumaOutcome::Impossible {
        return Vec::new();
    }
    // Nodes that cross packages share them, too.
    let crossed = crossing(seen);
    let found = [
        without_cpus(seen),
        without_memory(seen),
        if crossed.is_some() { None } else { shared(seen) },
        with_the_same_cpus(seen),
        crossed,
        outside(seen),
    ];
    found.into_iter().flatten().collect()
}

fn finding(
    seen: FindingInput<'_>,
    code: &str,
    evidence: Vec<Evidence>,
) -> Option<DiagnosisFinding> {
    let finding = DiagnosisFinding::new(code, codes::severity(code));
    let advice = codes::advice(code, seen.facts);
    (!evidence.is_empty()).then_some(DiagnosisFinding { evidence, advice, ..finding })
}

fn without_cpus(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let empty = seen
        .observed
        .nodes
        .iter()
        // Where no meminfo was read, a node may have no memory either.
        .filter(|node| node.cpus.is_empty() && node.memory_bytes.is_some_and(|bytes| bytes > 0));
    let nodes = empty.clone().map(|node| node.id).collect();
    let evidence =
        empty.map(|node| Evidence::new("sysfs", format!("node {}, cpulist", node.id), "no CPU"));
    let finding = finding(seen, "memory-only-node", evidence.collect())?
        .with_detail(FindingDetail::NodesWithoutCpus { nodes });
    let Some(missing) = missing_cpus(seen) else {
        // CXL, HBM, persistent memory and memory of graphics cards have no CPUs by design.
        return Some(DiagnosisFinding { severity: Severity::Note, advice: None, ..finding });
    };
    Some(finding.shown_by(missing))
}

/// Evidence that a node lost its CPUs, instead of having none by design.
fn missing_cpus(seen: FindingInput<'_>) -> Option<Evidence> {
    let topology = seen.witnesses.topology.as_ref()?;
    let limits = ["maxcpus=", "nr_cpus=", "nosmp", "possible_cpus="];
    if let Some(found) = limits.iter().find_map(|word| evidence::command_line(seen.witnesses, word))
    {
        return Some(found);
    }
    let offline: CpuSet =
        topology.cpus.iter().filter(|cpu| !cpu.online).map(|cpu| cpu.id).collect();
    if !offline.is_empty() {
        return Some(Evidence::new(
            "sysfs",
            "CPUs that are present and not online",
            offline.to_string(),
        ));
    }
    let without = |id| seen.observed.nodes.iter().any(|node| node.id == id && node.cpus.is_empty());
    let promised =
        seen.prediction.nodes.iter().find(|node| without(node.id) && node.cpu_entries > 0);
    if let Some(node) = promised {
        let what = format!("{} CPUs for node {}", node.cpu_entries, node.id);
        return Some(Evidence::new("SRAT", "entries about CPUs", what));
    }
    let smbios = seen.witnesses.firmware.smbios.as_ref()?;
    let populated =
        smbios.state.decoded()?.processors.iter().filter(|cpu| cpu.populated == Some(true)).count();
    let packages = topology.packages().len();
    let what = format!("{populated} sockets hold a processor, and {packages} run");
    (packages > 0 && populated > packages)
        .then(|| Evidence::in_file("SMBIOS", &smbios.path, None, what))
}

/// Two nodes that list the same CPUs: at most one of them is right.
fn with_the_same_cpus(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    // Emulated nodes share CPUs by design.
    if seen.observed.outcome == NumaOutcome::Emulated {
        return None;
    }
    let nodes = &seen.observed.nodes;
    let shared = nodes.iter().enumerate().flat_map(|(index, node)| {
        let later = nodes
            .iter()
            .skip(index + 1)
            .filter(|other| !other.cpus.intersection(&node.cpus).is_empty());
        later.take(1).map(move |other| {
            let both = other.cpus.intersection(&node.cpus);
            Evidence::new(
                "sysfs",
                format!("nodes {} and {}, cpulist", node.id, other.id),
                format!("CPUs {both}"),
            )
        })
    });
    finding(seen, "nodes-share-cpus", shared.take(4).collect())
}

/// Nodes and groups of CPUs that overlap, neither inside the other: the nodes do not follow the
/// hardware.
fn crossing(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    if seen.observed.outcome == NumaOutcome::Emulated {
        return None;
    }
    let topology = seen.witnesses.topology.as_ref()?;
    let crossed = topology.nodes_that_cross();
    let evidence = crossed.iter().map(|one| {
        let what = match one.nodes.len() {
            1 => format!("node {} has a part of it, and other CPUs", one.nodes),
            _ => format!("split over nodes {}, which have other CPUs, too", one.nodes),
        };
        Evidence::new("sysfs", format!("the {} with CPUs {}", one.group, one.cpus), what)
    });
    finding(seen, "nodes-cross-cpus", evidence.take(4).collect())
}

/// Memory that is present and offline.
pub(super) fn offline_memory(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let topology = seen.witnesses.topology.as_ref()?;
    let nodes = topology.nodes.iter().filter(|node| node.offline_memory.0 > 0);
    let blocks = nodes.map(|node| {
        let what = format!("{} in blocks with state offline", node.offline_memory);
        Evidence::new("sysfs", format!("node {}, memory blocks", node.id), what)
    });
    let mut evidence: Vec<Evidence> = blocks.collect();
    if !evidence.is_empty() {
        evidence.extend(evidence::command_line(seen.witnesses, "memhp_default_state"));
    }
    let found = finding(seen, "memory-offline", evidence)?;
    // Partitions of IBM Z keep memory in reserve.
    let arch = topology.identity.arch.as_deref().unwrap_or_default();
    let severity = if arch.starts_with("s390") { Severity::Note } else { found.severity };
    Some(DiagnosisFinding { severity, ..found })
}

/// Online CPUs without a node; offline nodes with CPUs or memory.
fn outside(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let topology = seen.witnesses.topology.as_ref()?;
    if seen.observed.nodes.is_empty() {
        return None;
    }
    let named = seen.observed.nodes.iter().fold(CpuSet::new(), |all, node| all.union(&node.cpus));
    let nowhere = topology.online().difference(&named);
    // Outputs of programs leave out the nodes that a cpuset hides.
    let is_fault = !nowhere.is_empty() && !named.is_empty() && !seen.witnesses.is_sent;
    let cpus = is_fault.then(|| {
        Evidence::new("sysfs", "CPUs online that no online node lists", nowhere.to_string())
    });
    let offline = topology
        .nodes
        .iter()
        .filter(|node| !node.online && (node.has_memory() || !node.cpus.is_empty()));
    let offline = offline
        .map(|node| Evidence::new("sysfs", format!("node {}", node.id), "offline, and not empty"));
    finding(seen, "outside-the-nodes", cpus.into_iter().chain(offline).collect())
}

fn without_memory(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let empty = seen
        .observed
        .nodes
        .iter()
        .filter(|node| node.memory_bytes == Some(0) && !node.cpus.is_empty());
    let nodes = empty.clone().map(|node| node.id).collect();
    let evidence = empty
        .map(|node| Evidence::new("sysfs", format!("node {}, meminfo", node.id), "MemTotal: 0 kB"));
    let finding = finding(seen, "cpu-only-node", evidence.collect())?;
    let has_memory = |node: &&ObservedNode| node.memory_bytes.is_some_and(|bytes| bytes > 0);
    let with_memory: Vec<&ObservedNode> = seen.observed.nodes.iter().filter(has_memory).collect();
    let memory_nodes = with_memory.iter().map(|node| node.id).collect();
    let found = finding.with_detail(FindingDetail::NodesWithoutMemory { nodes, memory_nodes });
    // Memory that is all in nodes of its own is no missing module; a hypervisor may move it.
    let is_apart = seen.facts.hypervisor.is_none()
        && !with_memory.is_empty()
        && with_memory.iter().all(|node| node.cpus.is_empty());
    Some(match is_apart {
        true => DiagnosisFinding { severity: Severity::Note, advice: None, ..found },
        false => found,
    })
}

/// Two or more nodes, and packages that share one of them.
fn shared(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let topology = seen.witnesses.topology.as_ref()?;
    if seen.observed.outcome != NumaOutcome::Visible || seen.observed.nodes.len() < 2 {
        return None;
    }
    let with_cpus = seen.observed.nodes.iter().filter(|node| !node.cpus.is_empty());
    let counts: Vec<_> = with_cpus.map(|node| (node.id, most_of(topology, &node.cpus))).collect();
    // Machines with two packages on each node are built that way.
    if counts.iter().all(|(_, count)| *count == counts[0].1) {
        return None;
    }
    let shared = counts.iter().filter(|(_, count)| *count > 1);
    let evidence = shared.map(|(node, count)| {
        Evidence::new(
            "sysfs",
            format!("node {node}, cpulist"),
            format!("most CPUs of {count} packages"),
        )
    });
    finding(seen, "packages-share-a-node", evidence.collect())
}

/// Number of packages with most of their CPUs in a set.
fn most_of(topology: &Topology, cpus: &CpuSet) -> usize {
    let here = |package: &&Package| package.cpus.intersection(cpus).len() * 2 > package.cpus.len();
    topology.packages().iter().filter(here).count()
}
