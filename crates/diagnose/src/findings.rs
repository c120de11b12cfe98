//! Findings besides the verdict, a file for each kind.

mod access;
mod causes;
mod devices;
mod distances;
mod doubts;
mod faults;
mod interrupts;
mod nodes;
mod out_of_memory;
mod sent;
mod tiers;

use nearfar_devices::DevicesDocument;
use nearfar_firmware::linux::{NumaOutcome, ObservedNuma, Prediction};
use nearfar_machine::{InventoryScope, PciNames};

use crate::devices::DevicesInput;
use crate::document::{Cause, DiagnosisFinding, Evidence, FindingDetail, Severity};
use crate::facts::Facts;
use crate::witnesses::Witnesses;
use crate::{codes, evidence, verdict};

pub(crate) use distances::lacks_distances;

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
        let input = DevicesInput {
            inventory,
            scope: InventoryScope::Usual,
            names,
            smi: self.witnesses.smi.as_ref(),
        };
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
        distances::accept_by_design(seen, &mut claims);
        claims.extend(differ(seen));
        let mut others = faults::all(seen);
        others.extend(modules(seen));
        others.extend(access::all(seen));
        others.extend(nodes::offline_memory(seen));
        others.extend(tiers::one(seen));
        others.extend(out_of_memory::on_a_node(seen));
        others.extend(sent::conflicts(seen));
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

const CODE: &str = "prediction-differs";

/// A finding where the rules, applied to the tables, give other nodes than the kernel has.
fn differ(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let (predicted, observed) = (seen.prediction.outcome, seen.observed.outcome);
    if matches!(predicted, NumaOutcome::Unknown | NumaOutcome::Emulated)
        || matches!(observed, NumaOutcome::Emulated)
    {
        return None;
    }
    let (promised, shown) = (seen.prediction.online().count(), seen.observed.nodes.len());
    let in_sysfs = seen.witnesses.topology.is_some() && observed != NumaOutcome::Impossible;
    let counts_differ = in_sysfs && shown > 0 && promised != shown;
    // A log explains why there is one node; only the tables show whether firmware or the kernel
    // causes it.
    let other_story = observed == NumaOutcome::Visible && predicted != NumaOutcome::Visible;
    let log_found_nothing = verdict::contradicts(seen.observed, seen.prediction) && !in_sysfs;
    if !counts_differ && !other_story && !log_found_nothing {
        return None;
    }
    if log_found_nothing {
        let deciding =
            seen.observed.deciding.iter().map(|event| evidence::event(seen.witnesses, event));
        let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
            .with_detail(FindingDetail::LogFoundNone { tables: promised });
        let advice = codes::advice(CODE, seen.facts);
        return Some(DiagnosisFinding { evidence: deciding.collect(), advice, ..finding });
    }
    let what = FindingDetail::NodesDiffer { tables: promised, kernel: shown };
    let evidence = Evidence::new(
        "sysfs",
        "nodes that are online",
        seen.observed.nodes.iter().map(|node| node.id.to_string()).collect::<Vec<_>>().join(","),
    );
    let finding =
        DiagnosisFinding::new(CODE, codes::severity(CODE)).with_detail(what).shown_by(evidence);
    Some(DiagnosisFinding { advice: codes::advice(CODE, seen.facts), ..finding })
}
