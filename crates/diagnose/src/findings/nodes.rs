//! Nodes that lack something, as the running kernel shows them.

use nearfar_machine::kernel::Outcome;
use nearfar_machine::{Package, Topology};
use nearfar_model::CpuSet;

use super::Seen;
use crate::codes;
use crate::document::{Evidence, Finding};

/// Nodes without CPUs, nodes without memory, and packages that share a node.
pub(super) fn all(seen: Seen<'_>) -> Vec<Finding> {
    if seen.witnesses.topology.is_none() || seen.observed.outcome == Outcome::Impossible {
        return Vec::new();
    }
    [without_cpus(seen), without_memory(seen), shared(seen)].into_iter().flatten().collect()
}

fn finding(seen: Seen<'_>, code: &str, evidence: Vec<Evidence>) -> Option<Finding> {
    let finding = Finding::new(code, codes::severity(code), codes::meaning(code));
    let advice = codes::advice(code, seen.facts);
    (!evidence.is_empty()).then_some(Finding { evidence, advice, ..finding })
}

fn without_cpus(seen: Seen<'_>) -> Option<Finding> {
    let empty = seen.observed.nodes.iter().filter(|node| node.cpus.is_empty());
    let evidence = empty.map(|node| Evidence::new("sysfs", format!("node {}, cpulist", node.id), "no CPU"));
    finding(seen, "memory-only-node", evidence.collect())
}

fn without_memory(seen: Seen<'_>) -> Option<Finding> {
    let empty = seen.observed.nodes.iter().filter(|node| node.memory_bytes == Some(0));
    let evidence = empty.map(|node| Evidence::new("sysfs", format!("node {}, meminfo", node.id), "MemTotal: 0 kB"));
    finding(seen, "cpu-only-node", evidence.collect())
}

/// Two nodes or more, and yet packages that share one.
fn shared(seen: Seen<'_>) -> Option<Finding> {
    let topology = seen.witnesses.topology.as_ref()?;
    if seen.observed.outcome != Outcome::Visible || seen.observed.nodes.len() < 2 {
        return None;
    }
    let with_cpus = seen.observed.nodes.iter().filter(|node| !node.cpus.is_empty());
    let counts: Vec<_> = with_cpus.map(|node| (node.id, most_of(topology, &node.cpus))).collect();
    // Machines with two packages a node throughout are built that way.
    if counts.iter().all(|(_, count)| *count == counts[0].1) {
        return None;
    }
    let shared = counts.iter().filter(|(_, count)| *count > 1);
    let evidence = shared.map(|(node, count)| {
        Evidence::new("sysfs", format!("node {node}, cpulist"), format!("most CPUs of {count} packages"))
    });
    finding(seen, "packages-share-a-node", evidence.collect())
}

/// How many packages have most of their CPUs in a set.
fn most_of(topology: &Topology, cpus: &CpuSet) -> usize {
    let here = |package: &&Package| package.cpus.intersection(cpus).len() * 2 > package.cpus.len();
    topology.packages().iter().filter(here).count()
}
