//! Tables that Linux does not use for NUMA, and that have more domains than the SRAT.

use std::collections::BTreeSet;

use nearfar_model::ProximityDomain;

use super::super::draft::PredictionDraft;
use super::super::evidence::{doubt, evidence};
use crate::FaultKind;
use crate::acpi::{Crat, CratEntry, Msct, Srat};
use crate::linux::cause::KernelDoubt;
use crate::linux::prediction_input::PredictionInput;

pub(super) fn doubts(input: &PredictionInput<'_>, draft: &mut PredictionDraft) {
    let srat = input.firmware.first::<Srat>();
    if srat
        .is_some_and(|(_, srat)| srat.faults.iter().any(|fault| fault.kind == FaultKind::CutShort))
    {
        return;
    }
    let entries = srat.iter().flat_map(|(_, srat)| &srat.content.entries);
    let enabled = entries.filter_map(|entry| entry.known()).filter(|affinity| affinity.enabled());
    let domains: BTreeSet<ProximityDomain> = enabled.map(crate::acpi::Affinity::domain).collect();
    msct(input, &domains, draft);
    draft.doubt(crat(input, &domains));
}

/// The MSCT has the maximum number of domains of the board.
fn msct(
    input: &PredictionInput<'_>,
    domains: &BTreeSet<ProximityDomain>,
    draft: &mut PredictionDraft,
) {
    let Some((file, msct)) = input.firmware.first::<Msct>() else { return };
    let Some(highest) = msct.content.max_domain else { return };
    let shown = || [evidence(file, 40, 4)];
    if let Some(beyond) = domains.iter().find(|domain| domain.0 > highest) {
        let what = format!("the SRAT has domain {beyond}, and the MSCT's highest is {highest}");
        draft.doubt([doubt("msct-disagrees", what, shown())]);
    }
    if domains.len() <= 1 && highest > 0 {
        let there = if domains.is_empty() { "has none" } else { "has one" };
        let what = format!(
            "the MSCT allows {} domains on this board, and the SRAT {there}",
            u64::from(highest) + 1
        );
        draft.doubt([doubt("msct-promises-more", what, shown())]);
    }
}

/// AMD's CRAT is for GPUs, and may have domains that the SRAT lacks.
fn crat(input: &PredictionInput<'_>, domains: &BTreeSet<ProximityDomain>) -> Option<KernelDoubt> {
    let (file, crat) = input.firmware.first::<Crat>()?;
    let memory = crat.content.entries.iter().filter_map(|entry| match entry.known()? {
        CratEntry::Memory(memory) if memory.enabled => Some(memory.domain),
        _ => None,
    });
    let known: BTreeSet<ProximityDomain> = memory.collect();
    let what = format!(
        "AMD's CRAT has memory in {} domains, and the SRAT has {}",
        known.len(),
        domains.len()
    );
    (known.len() > domains.len().max(1))
        .then(|| doubt("crat-knows-more", what, [evidence(file, 36, 12)]))
}
