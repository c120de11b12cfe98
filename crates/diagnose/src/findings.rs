//! Findings besides the verdict, a file for each kind.

mod access;
mod causes;
mod devices;
mod distances;
mod doubts;
mod faults;
mod interrupts;
mod nodes;
mod stories;
mod tiers;

use nearfar_devices::DevicesDocument;
use nearfar_firmware::linux::{ObservedNuma, Prediction};
use nearfar_machine::{InventoryScope, PciNames};

pub(crate) use distances::lacks_distances;

use crate::devices::DevicesInput;
use crate::document::{Cause, DiagnosisFinding, Severity};
use crate::facts::Facts;
use crate::witnesses::Witnesses;

/// All findings of one machine.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// About nodes, CPUs and distances, in firmware and kernel.
    claims: Vec<DiagnosisFinding>,
    /// About everything else: modules, other tables, unreadable files.
    others: Vec<DiagnosisFinding>,
}

/// The input of all finders.
#[derive(Clone, Copy)]
pub(crate) struct FindingInput<'a> {
    pub(crate) witnesses: &'a Witnesses,
    pub(crate) facts: &'a Facts,
    pub(crate) prediction: &'a Prediction,
    pub(crate) observed: &'a ObservedNuma,
}

impl FindingInput<'_> {
    /// Where the usual devices are. Findings need no names of models.
    fn devices(self) -> Option<DevicesDocument> {
        let names = &PciNames::default();
        let inventory = self.witnesses.inventory.as_ref()?;
        let input = DevicesInput { inventory, scope: InventoryScope::Usual, names, smi: None };
        let is_guest = self.facts.hypervisor.is_some();
        Some(input.assess(self.witnesses, is_guest, self.prediction))
    }
}

impl Findings {
    pub(crate) fn new(seen: FindingInput<'_>) -> Self {
        let mut claims = causes::all(seen);
        claims.extend(doubts::all(seen));
        claims.extend(nodes::all(seen));
        claims.extend(distances::all(seen));
        claims.extend(devices::without_node(seen));
        claims.extend(stories::differ(seen));
        let mut others = faults::all(seen);
        others.extend(modules(seen));
        others.extend(access::all(seen));
        others.extend(nodes::offline_memory(seen));
        others.extend(tiers::one(seen));
        if let Some(document) = seen.devices() {
            others.extend(devices::for_devices(seen, &document));
            others.extend(interrupts::warnings(seen, &document));
        }
        claims = without_repetition(claims);
        Self { claims, others }
    }

    /// Whether something is likely wrong with the visible nodes.
    pub(crate) fn cast_doubt(&self) -> bool {
        self.doubtful().is_some()
    }

    /// The most severe fault of the visible nodes.
    pub(crate) fn doubtful(&self) -> Option<Cause> {
        let gravest = self
            .claims
            .iter()
            .filter(|finding| finding.severity <= Severity::Warning)
            .min_by_key(|finding| finding.severity)?;
        let table = crate::codes::table(&gravest.code).map(str::to_owned);
        Some(Cause { code: gravest.code.clone(), table, offset: None, message: None })
    }

    /// All findings, most severe first.
    pub(crate) fn into_list(self) -> Vec<DiagnosisFinding> {
        let mut list = self.claims;
        list.extend(self.others);
        list.sort_by_key(|finding| finding.severity);
        list
    }
}

/// One finding per code: further evidence is added to the first.
fn without_repetition(findings: Vec<DiagnosisFinding>) -> Vec<DiagnosisFinding> {
    const MAX_EVIDENCE: usize = 12;
    let mut kept: Vec<DiagnosisFinding> = Vec::new();
    for finding in findings {
        match kept.iter_mut().find(|one| one.code == finding.code) {
            Some(first) => {
                let room = MAX_EVIDENCE.saturating_sub(first.evidence.len());
                let more = finding.evidence.into_iter().filter(|one| !first.evidence.contains(one));
                let more: Vec<_> = more.take(room).collect();
                first.evidence.extend(more);
            }
            None => kept.push(finding),
        }
    }
    kept
}

fn modules(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let Some(part) = &seen.witnesses.firmware.smbios else { return Vec::new() };
    let Some(smbios) = part.state.decoded() else { return Vec::new() };
    // The hypervisor invents a guest's modules, and its memory may grow later.
    if seen.facts.hypervisor.is_some() {
        return Vec::new();
    }
    let kernel_memory = seen.witnesses.topology.as_ref().and_then(|topology| topology.memory_total);
    crate::dimms::findings(&part.path, smbios, kernel_memory, seen.facts.vendor)
}
