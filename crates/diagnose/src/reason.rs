//! What the sentence of the verdict is made of.

use nearfar_linux::{NumaOutcome, ObservedNuma, Prediction};

use crate::document::{OpenQuestion, Verdict, VerdictReason};
use crate::facts::Facts;
use crate::memory_design::Kind;
use crate::verdict;

/// Why; none where the verdict and its cause say it all.
pub(crate) fn of(
    verdict: Verdict,
    facts: &Facts,
    observed: &ObservedNuma,
    prediction: &Prediction,
    undecided: Option<&OpenQuestion>,
) -> Option<VerdictReason> {
    Some(match verdict {
        Verdict::Uniform => uniform(facts),
        Verdict::WithheldByFirmware => withheld(facts),
        Verdict::WithheldByHypervisor => {
            VerdictReason::Guest { hypervisor: facts.hypervisor_name().map(str::to_owned) }
        }
        Verdict::RefusedByKernel | Verdict::TurnedOff | Verdict::ImpossibleInKernel => return None,
        // Of tables alone nothing is seen yet.
        Verdict::Visible | Verdict::VisibleButDoubtful => match observed.nodes.len() {
            0 => VerdictReason::NodesInTables { nodes: prediction.online().count() },
            nodes => VerdictReason::NodesShown { nodes },
        },
        Verdict::Unknown => unknown(facts, observed, prediction, undecided),
    })
}

fn withheld(facts: &Facts) -> VerdictReason {
    let packages = facts.packages.unwrap_or(1);
    match facts.memory_design.kind {
        Kind::Dies(dies) => VerdictReason::MemoryOfDies { packages, dies },
        Kind::OneInAPackage => VerdictReason::MemoryOfPackages { packages, likely: false },
        Kind::Unknown if packages > 1 => VerdictReason::MemoryOfPackages { packages, likely: true },
        _ => VerdictReason::SeveralMemories,
    }
}

fn uniform(facts: &Facts) -> VerdictReason {
    match (facts.memory_design.kind, facts.packages) {
        (Kind::FrontSideBus, _) => VerdictReason::OneBus,
        (Kind::OneInAMachine, _) => VerdictReason::OneMemoryModel,
        (_, None) if facts.is_portable() => VerdictReason::Portable,
        (_, Some(1)) => VerdictReason::OnePackage,
        _ => VerdictReason::OneDomain,
    }
}

fn unknown(
    facts: &Facts,
    observed: &ObservedNuma,
    prediction: &Prediction,
    undecided: Option<&OpenQuestion>,
) -> VerdictReason {
    if verdict::contradicts(observed, prediction) {
        return VerdictReason::Contradiction { nodes: prediction.online().count() };
    }
    if let Some(outside) = facts.outside_the_node.clone() {
        return VerdictReason::Incomplete { outside };
    }
    let nodes = observed.nodes.len();
    let outcome = if observed.outcome == NumaOutcome::Unknown {
        prediction.outcome
    } else {
        observed.outcome
    };
    match (outcome, undecided.cloned()) {
        (NumaOutcome::Withheld, _) => VerdictReason::NoNodeNamed { question: facts.open() },
        (NumaOutcome::OneDomain, _) => VerdictReason::OneNodeNamed { question: facts.open() },
        (_, Some(question)) => VerdictReason::Undecided { nodes, question },
        (_, None) => VerdictReason::Unread { nodes },
    }
}
