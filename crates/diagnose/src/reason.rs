//! The reason of a verdict, for its sentence.

use nearfar_firmware::linux::{NumaOutcome, ObservedNuma, Prediction};

use crate::document::{DiagnosisReason, DiagnosisVerdict, OpenQuestion};
use crate::facts::Facts;
use crate::memory_design::MemoryDesignKind;
use crate::verdict;

/// The reason; none where the verdict and its cause need no explanation.
pub(crate) fn of(
    verdict: DiagnosisVerdict,
    facts: &Facts,
    observed: &ObservedNuma,
    prediction: &Prediction,
    undecided: Option<&OpenQuestion>,
    nodes_in_log: usize,
) -> Option<DiagnosisReason> {
    Some(match verdict {
        DiagnosisVerdict::Uniform => uniform(facts),
        DiagnosisVerdict::WithheldByFirmware => withheld(facts),
        DiagnosisVerdict::WithheldByHypervisor => {
            DiagnosisReason::Guest { hypervisor: facts.known_hypervisor().map(str::to_owned) }
        }
        DiagnosisVerdict::RefusedByKernel
        | DiagnosisVerdict::TurnedOff
        | DiagnosisVerdict::ImpossibleInKernel => return None,
        // With tables alone the kernel shows no nodes.
        DiagnosisVerdict::Visible | DiagnosisVerdict::VisibleButDoubtful => {
            match observed.nodes.len() {
                nodes if facts.interleaves_on_purpose => {
                    DiagnosisReason::NodesInterleaved { nodes }
                }
                0 if prediction.online().count() == 0 => {
                    DiagnosisReason::NodesInLog { nodes: nodes_in_log }
                }
                0 => DiagnosisReason::NodesInTables { nodes: prediction.online().count() },
                nodes => DiagnosisReason::NodesShown { nodes },
            }
        }
        DiagnosisVerdict::Unknown => unknown(facts, observed, prediction, undecided),
    })
}

fn withheld(facts: &Facts) -> DiagnosisReason {
    let packages = facts.packages.unwrap_or(1);
    match facts.memory_design.kind {
        MemoryDesignKind::Dies(dies) => DiagnosisReason::MemoryOfDies { packages, dies },
        MemoryDesignKind::OneInAPackage => {
            DiagnosisReason::MemoryOfPackages { packages, likely: false }
        }
        MemoryDesignKind::Unknown if packages > 1 => {
            DiagnosisReason::MemoryOfPackages { packages, likely: true }
        }
        _ => DiagnosisReason::SeveralMemories,
    }
}

fn uniform(facts: &Facts) -> DiagnosisReason {
    match (facts.memory_design.kind, facts.packages) {
        (MemoryDesignKind::FrontSideBus, _) => DiagnosisReason::OneBus,
        (MemoryDesignKind::OneInAMachine, _) => DiagnosisReason::OneMemoryModel,
        (_, None) if facts.is_portable() => DiagnosisReason::Portable,
        (_, Some(1)) => DiagnosisReason::OnePackage,
        _ => DiagnosisReason::OneDomain,
    }
}

fn unknown(
    facts: &Facts,
    observed: &ObservedNuma,
    prediction: &Prediction,
    undecided: Option<&OpenQuestion>,
) -> DiagnosisReason {
    if verdict::contradicts(observed, prediction) {
        return DiagnosisReason::Contradiction { nodes: prediction.online().count() };
    }
    if let Some(outside) = facts.outside_the_node.clone() {
        return DiagnosisReason::Incomplete { outside };
    }
    let nodes = observed.nodes.len();
    let outcome = if observed.outcome == NumaOutcome::Unknown {
        prediction.outcome
    } else {
        observed.outcome
    };
    match (outcome, undecided.cloned()) {
        (NumaOutcome::Withheld, _) => DiagnosisReason::NoNodeNamed { question: facts.open() },
        (NumaOutcome::OneDomain, _) => DiagnosisReason::OneNodeNamed { question: facts.open() },
        (_, Some(question)) => DiagnosisReason::Undecided { nodes, question },
        (_, None) => DiagnosisReason::Unread { nodes },
    }
}
