//! Tables that Linux does not read for NUMA, and that know of more domains than the SRAT.

use std::collections::BTreeSet;

use nearfar_firmware::acpi::{Crat, CratEntry, Msct, Srat};
use nearfar_firmware::{Fault, FaultKind};
use nearfar_model::ProximityDomain;

use super::super::draft::PredictionDraft;
use super::super::evidence::{doubt, evidence};
use crate::cause::KernelDoubt;
use crate::prediction_input::PredictionInput;

pub(super) fn doubts(input: &PredictionInput<'_>, draft: &mut PredictionDraft) {
    let srat = input.firmware.first::<Srat>();
    let is_cut = |fault: &Fault| fault.kind == FaultKind::CutShort;
    if srat.is_some_and(|(_, srat)| srat.faults.iter().any(is_cut)) {
        return;
    }
    let entries = srat.iter().flat_map(|(_, srat)| &srat.content.entries);
    let enabled = entries.filter_map(|entry| entry.known()).filter(|affinity| affinity.enabled());
    let domains: BTreeSet<ProximityDomain> =
        enabled.map(nearfar_firmware::acpi::Affinity::domain).collect();
    msct(input, &domains, draft);
    draft.doubt(crat(input, &domains));
}

/// The MSCT says how many domains the board could have.
fn msct(
    input: &PredictionInput<'_>,
    domains: &BTreeSet<ProximityDomain>,
    draft: &mut PredictionDraft,
) {
    let Some((file, msct)) = input.firmware.first::<Msct>() else { return };
    let Some(highest) = msct.content.max_domain else { return };
    let shown = || [evidence(file, 40, 4)];
    if let Some(beyond) = domains.iter().find(|domain| domain.0 > highest) {
        let what = format!(
            "the SRAT names domain {beyond}, and the MSCT says that none is above {highest}"
        );
        draft.doubt([doubt("msct-disagrees", what, shown())]);
    }
    if domains.len() <= 1 && highest > 0 {
        let there = if domains.is_empty() { "names none" } else { "names one" };
        let what = format!(
            "the MSCT says that this board can have {} domains, and the SRAT {there}",
            u64::from(highest) + 1
        );
        draft.doubt([doubt("msct-promises-more", what, shown())]);
    }
}

/// AMD's CRAT is there for graphics, and may know of domains that the SRAT withholds.
fn crat(input: &PredictionInput<'_>, domains: &BTreeSet<ProximityDomain>) -> Option<KernelDoubt> {
    let (file, crat) = input.firmware.first::<Crat>()?;
    let memory = crat.content.entries.iter().filter_map(|entry| match entry.known()? {
        CratEntry::Memory(memory) if memory.enabled => Some(memory.domain),
        _ => None,
    });
    let known: BTreeSet<ProximityDomain> = memory.collect();
    let what = format!(
        "AMD's CRAT has memory in {} domains, and the SRAT names {}",
        known.len(),
        domains.len()
    );
    (known.len() > domains.len().max(1))
        .then(|| doubt("crat-knows-more", what, [evidence(file, 36, 12)]))
}
