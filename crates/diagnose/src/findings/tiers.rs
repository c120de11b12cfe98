//! Memory tiers, between which the kernel moves pages.

use super::FindingInput;
use crate::codes;
use crate::document::{DiagnosisFinding, Evidence};

/// Demotion without a lower tier. Machines whose nodes all have CPUs need none.
pub(super) fn one(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let code = "one-memory-tier";
    let topology = seen.witnesses.topology.as_ref()?;
    let paging = &seen.witnesses.environment.as_ref()?.paging;
    let without_cpus = topology.nodes.iter().any(|node| node.has_memory() && node.cpus.is_empty());
    let [tier] = paging.tiers.as_slice() else { return None };
    if paging.demotion != Some(true) || !without_cpus {
        return None;
    }
    let nodes = Evidence::new(
        "sysfs",
        format!("memory_tier{}, nodelist", tier.id),
        &*tier.nodes.to_string(),
    );
    let demotion = Evidence::new("sysfs", "kernel/mm/numa/demotion_enabled", "true");
    let finding = DiagnosisFinding::new(code, codes::severity(code)).shown_by(nodes);
    Some(DiagnosisFinding { advice: codes::advice(code, seen.facts), ..finding.shown_by(demotion) })
}
