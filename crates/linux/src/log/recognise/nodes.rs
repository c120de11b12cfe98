//! What the kernel says as it makes nodes (mm/numa_memblks.c, arch/x86/mm/numa.c, drivers/base/arch_numa.c and others).

use nearfar_model::{CpuId, NodeId};

use crate::log::event::EventKind;
use crate::log::scan::Scan;

pub(super) fn event(text: &str) -> Option<EventKind> {
    let scan = Scan(text);
    // Arm says "NUMA: " before everything, x86 before some.
    let scan = scan.words("NUMA: ").unwrap_or(scan);
    fixed(scan.0)
        .or_else(|| faking(scan))
        .or_else(|| overlap(scan))
        .or_else(|| coverage(scan))
        .or_else(|| node(scan))
        .or_else(|| sibling(scan))
        .or_else(|| pci(scan))
}

fn fixed(text: &str) -> Option<EventKind> {
    const MESSAGES: [(&str, EventKind); 9] = [
        ("No NUMA configuration found", EventKind::NothingFound),
        ("NUMA turned off", EventKind::TurnedOff),
        ("NUMA disabled", EventKind::TurnedOff),
        ("Failed to initialise from firmware", EventKind::NotFromFirmware),
        ("too many memblk ranges", EventKind::TooManyRanges),
        ("Not enough memory for each node", EventKind::EmulationFailed),
        ("Too many emulated memblks", EventKind::EmulationFailed),
        ("Warning: invalid distance parameter", EventKind::DistanceIgnored),
        ("Warning: node ids are out of bound", EventKind::DistanceIgnored),
    ];
    MESSAGES.into_iter().find(|(words, _)| text.starts_with(words)).map(|(_, kind)| kind)
}

/// "Faking a node at [mem %-%]", and "Faking node 3 at [mem %-%] (512MB)" of `numa=fake=`.
fn faking(scan: Scan<'_>) -> Option<EventKind> {
    if let Some(rest) = scan.words("Faking a node at ") {
        let (first, last, _) = rest.range()?;
        return Some(EventKind::Faking { first, last });
    }
    let (node, rest) = scan.words("Faking node ")?.small()?;
    let (first, last, _) = rest.words(" at ")?.range()?;
    Some(EventKind::EmulatedNode { node: NodeId(node), first, last })
}

fn overlap(scan: Scan<'_>) -> Option<EventKind> {
    let scan = scan.words("Warning: ").unwrap_or(scan);
    let (node, rest) = scan.words("node ")?.small()?;
    let (first, last, rest) = rest.words(" ")?.range()?;
    let node = NodeId(node);
    if let Some(rest) = rest.words(" overlaps with itself ") {
        let (other_first, other_last, _) = rest.range()?;
        return Some(EventKind::SelfOverlap { node, first, last, other_first, other_last });
    }
    let (other, rest) = rest.words(" overlaps with node ")?.small()?;
    let (other_first, other_last, _) = rest.words(" ")?.range()?;
    Some(EventKind::Overlap { node, first, last, other: NodeId(other), other_first, other_last })
}

fn coverage(scan: Scan<'_>) -> Option<EventKind> {
    if let Some(rest) = scan.words("nodes only cover ") {
        let (covered_mib, rest) = rest.number()?;
        let (ram_mib, _) = rest.words("MB of your ")?.number()?;
        return Some(EventKind::CoveredOnly { covered_mib, ram_mib });
    }
    if let Some(rest) = scan.words("no nodes coverage for ") {
        let (missing_mib, rest) = rest.number()?;
        let (ram_mib, _) = rest.words("MB of ")?.number()?;
        return Some(EventKind::NotCovered { missing_mib, ram_mib });
    }
    if let Some(rest) = scan.words("Node alignment ") {
        let (alignment_mib, rest) = rest.number()?;
        let (least_mib, _) = rest.words("MB < min ")?.number()?;
        return Some(EventKind::NodeAlignment { alignment_mib, least_mib });
    }
    let (_, rest) = scan.words("Warning: invalid memblk node ")?.up_to(" ")?;
    let (first, last, _) = rest.range()?;
    Some(EventKind::RamWithoutNode { first, last })
}

/// "Node 0 [mem %-%] + [mem %-%] -> [mem %-%]", "node   0: [mem %-%]", "Node 1 using interleaving mode 1/0",
/// "Initialized distance table, cnt=2".
fn node(scan: Scan<'_>) -> Option<EventKind> {
    if let Some(rest) = scan.words("Initialized distance table, cnt=") {
        return Some(EventKind::DistanceTable { nodes: rest.number()?.0 });
    }
    let (node, rest) = match scan.words("Node ") {
        Some(rest) => rest.small()?,
        None => Scan(scan.words("node ")?.0.trim_start()).small()?,
    };
    if rest.words(" using interleaving mode").is_some() {
        return Some(EventKind::Interleaving { node });
    }
    let node = NodeId(node);
    if let Some(rest) = rest.words(": ") {
        let (first, last, _) = rest.range()?;
        return Some(EventKind::NodeMemory { node, first, last });
    }
    let (_, _, rest) = rest.words(" ")?.range()?;
    let (_, _, rest) = rest.words(" + ")?.range()?;
    let (first, last, _) = rest.words(" -> ")?.range()?;
    Some(EventKind::Merged { node, first, last })
}

/// "sched: CPU #2's llc-sibling CPU #0 is not on the same node! [node: 1 != 0]. Ignoring dependency."
fn sibling(scan: Scan<'_>) -> Option<EventKind> {
    let (cpu, rest) = scan.words("sched: CPU #")?.small()?;
    let (level, rest) = rest.words("'s ")?.up_to("-sibling CPU #")?;
    let (sibling, rest) = rest.small()?;
    let (node, rest) = rest.words(" is not on the same node! [node: ")?.small()?;
    let (sibling_node, _) = rest.words(" != ")?.small()?;
    Some(EventKind::SiblingElsewhere {
        cpu: CpuId(cpu),
        sibling: CpuId(sibling),
        level: level.to_owned(),
        node: NodeId(node),
        sibling_node: NodeId(sibling_node),
    })
}

/// "pci_bus 0000:00: Unknown NUMA node; performance will be reduced"
fn pci(scan: Scan<'_>) -> Option<EventKind> {
    let (bus, _) = scan.words("pci_bus ")?.up_to(": Unknown NUMA node")?;
    Some(EventKind::PciWithoutNode { bus: bus.to_owned() })
}
