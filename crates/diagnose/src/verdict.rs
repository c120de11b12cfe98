//! The verdict: who withheld it?
//!
//! What the running kernel shows goes before what its tables promise; silicon and hypervisor decide
//! whether one node is all there is, and who kept the others.

use nearfar_linux::{NumaOutcome, ObservedNuma, Prediction};

use crate::document::{Account, Cause, Confidence, Verdict};
use crate::facts::Facts;
use crate::memory_design::Kind;

/// The code of a machine that shows fewer nodes than its tables promise, and nothing says why.
pub(crate) const FEWER_NODES: &str = "fewer-nodes-than-promised";

/// The code of memory that the northbridge interleaves over nodes.
const INTERLEAVING: &str = "node-interleaving";

/// What is decided.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) confidence: Confidence,
    pub(crate) cause: Option<Cause>,
}

/// What an outcome means on this kind of machine.
pub(crate) fn of_outcome(outcome: NumaOutcome, facts: &Facts) -> (Verdict, Confidence) {
    use Confidence::{Certain, Possible};
    match outcome {
        NumaOutcome::Visible => (Verdict::Visible, Certain),
        NumaOutcome::Emulated => (Verdict::VisibleButDoubtful, Certain),
        NumaOutcome::Refused => (Verdict::RefusedByKernel, Certain),
        NumaOutcome::TurnedOff => (Verdict::TurnedOff, Certain),
        NumaOutcome::Impossible => (Verdict::ImpossibleInKernel, Certain),
        NumaOutcome::Unknown => (Verdict::Unknown, Possible),
        NumaOutcome::Withheld | NumaOutcome::OneDomain => {
            one_node(outcome == NumaOutcome::Withheld, facts)
        }
    }
}

/// Firmware says nothing (`silent`), or names one domain. Is that all there is?
fn one_node(silent: bool, facts: &Facts) -> (Verdict, Confidence) {
    use Confidence::{Certain, Likely, Possible};
    if facts.hypervisor.is_some() {
        return (Verdict::WithheldByHypervisor, if silent { Certain } else { Possible });
    }
    match (facts.memory_design.kind, facts.least_memories(), facts.packages) {
        (Kind::FrontSideBus, _, _) => (Verdict::Uniform, Likely),
        (_, Some(memories), _) if memories > 1 => (Verdict::WithheldByFirmware, Certain),
        // A SRAT that names domains, and nothing that the kernel can take of them.
        _ if silent && facts.srat_domains > 1 => (Verdict::WithheldByFirmware, Likely),
        // No board has two of these: somebody is wrong.
        (Kind::OneInAMachine, _, Some(2..)) => (Verdict::Unknown, Possible),
        (Kind::OneInAMachine, _, _) | (_, Some(_), Some(_)) => (Verdict::Uniform, Likely),
        (_, None, Some(2..)) if facts.packages_may_be_clusters || facts.model.is_none() => {
            (Verdict::Unknown, Possible)
        }
        (_, None, Some(2..)) => (Verdict::WithheldByFirmware, Likely),
        // Some models have several dies with a memory each: one package says nothing without its
        // model.
        (_, _, Some(_))
            if silent && facts.model.is_none() && !facts.is_portable() && !facts.has_one_cpu =>
        {
            (Verdict::Unknown, Possible)
        }
        (_, _, Some(_)) => (Verdict::Uniform, Possible),
        (_, _, None) if facts.is_portable() => (Verdict::Uniform, Possible),
        // Firmware's own word, unless its SLIT has another.
        (_, _, None) if !silent && facts.slit_domains <= 1 => (Verdict::Uniform, Possible),
        (_, _, None) => (Verdict::Unknown, Possible),
    }
}

/// Both stories in one.
pub(crate) fn judge(
    facts: &Facts,
    seen: (&ObservedNuma, &Account),
    promised: (&Prediction, &Account),
    doubtful: Option<Cause>,
) -> Judgement {
    let judgement = joined(facts, seen, promised);
    match (judgement.verdict, doubtful) {
        (Verdict::Unknown, _) => {
            Judgement { cause: None, confidence: Confidence::Possible, ..judgement }
        }
        (Verdict::Visible | Verdict::VisibleButDoubtful, Some(cause)) => Judgement {
            verdict: Verdict::VisibleButDoubtful,
            cause: judgement.cause.or(Some(cause)),
            ..judgement
        },
        _ => judgement,
    }
}

fn joined(
    facts: &Facts,
    (observed, shows): (&ObservedNuma, &Account),
    (prediction, promises): (&Prediction, &Account),
) -> Judgement {
    let (observed_outcome, predicted) = (observed.outcome, prediction.outcome);
    // Not the kernel's doing: it found the northbridge interleaving.
    if shows.cause.as_ref().is_some_and(|cause| cause.code == INTERLEAVING) {
        let cause = shows.cause.clone();
        return Judgement {
            verdict: Verdict::WithheldByFirmware,
            confidence: Confidence::Certain,
            cause,
        };
    }
    // The log found nothing to go by, and the tables name several nodes: neither is believed.
    if contradicts(observed, prediction) {
        let is_running = observed.numa_supported.is_some();
        let open =
            Judgement { verdict: Verdict::Unknown, confidence: Confidence::Possible, cause: None };
        return if is_running { contradicted() } else { open };
    }
    // One node that does not hold everything says nothing about the rest.
    if facts.outside_the_node.is_some()
        && matches!(
            observed_outcome,
            NumaOutcome::OneDomain | NumaOutcome::Withheld | NumaOutcome::Unknown
        )
    {
        return Judgement {
            verdict: Verdict::Unknown,
            confidence: Confidence::Possible,
            cause: None,
        };
    }
    // The log found nothing to go by, and the tables tell why: an option, or a rule that says
    // nothing of itself.
    let explained = observed_outcome == NumaOutcome::Withheld
        && matches!(
            predicted,
            NumaOutcome::Refused | NumaOutcome::TurnedOff | NumaOutcome::OneDomain
        );
    if observed_outcome != NumaOutcome::Unknown && !explained {
        let (verdict, confidence) = of_outcome(observed_outcome, facts);
        let same = observed_outcome == predicted || predicted == NumaOutcome::Unknown;
        let confidence = if same { confidence } else { confidence.min(Confidence::Likely) };
        return Judgement {
            verdict,
            confidence,
            cause: located(shows.cause.as_ref(), promises.cause.as_ref()),
        };
    }
    match (observed.nodes.len(), predicted) {
        (0, _) => promised_only(facts, prediction, promises),
        (_, NumaOutcome::Unknown) => nobody_tells_why(facts),
        (1, NumaOutcome::Visible | NumaOutcome::Emulated) => contradicted(),
        _ => {
            let (verdict, confidence) = of_outcome(predicted, facts);
            let cause = located(shows.cause.as_ref(), promises.cause.as_ref());
            Judgement {
                verdict,
                confidence,
                cause: if explained { promises.cause.clone() } else { cause },
            }
        }
    }
}

/// The kernel's cause; where it is the tables' too, with its place in them.
fn located(observed: Option<&Cause>, predicted: Option<&Cause>) -> Option<Cause> {
    match (observed, predicted) {
        (Some(observed), Some(predicted)) if observed.code == predicted.code => Some(Cause {
            table: predicted.table.clone().or_else(|| observed.table.clone()),
            offset: predicted.offset,
            message: observed.message.clone().or_else(|| predicted.message.clone()),
            code: observed.code.clone(),
        }),
        (Some(observed), _) => Some(observed.clone()),
        (None, predicted) => predicted.cloned(),
    }
}

/// Whether the log found nothing, where the tables name several nodes: one of them is of another
/// boot, or machine.
pub(crate) fn contradicts(observed: &ObservedNuma, prediction: &Prediction) -> bool {
    observed.outcome == NumaOutcome::Withheld && prediction.outcome == NumaOutcome::Visible
}

/// Tables alone: no kernel was there to confirm.
fn promised_only(facts: &Facts, prediction: &Prediction, promises: &Account) -> Judgement {
    let (verdict, confidence) = of_outcome(prediction.outcome, facts);
    let verdict = if verdict == Verdict::Visible { promises.verdict } else { verdict };
    Judgement {
        verdict,
        confidence: confidence.min(Confidence::Likely),
        cause: promises.cause.clone(),
    }
}

/// One node, tables that may not be read, and no log.
fn nobody_tells_why(facts: &Facts) -> Judgement {
    let uniform = facts.packages == Some(1) && facts.least_memories() == Some(1);
    let verdict = match () {
        () if facts.hypervisor.is_some() => Verdict::WithheldByHypervisor,
        () if uniform || facts.memory_design.kind == Kind::FrontSideBus => Verdict::Uniform,
        () => Verdict::Unknown,
    };
    Judgement { verdict, confidence: Confidence::Possible, cause: None }
}

/// The tables promise nodes, the kernel shows one, and nobody says why.
fn contradicted() -> Judgement {
    let cause = Cause {
        code: FEWER_NODES.to_owned(),
        table: Some("SRAT".to_owned()),
        offset: None,
        message: None,
    };
    Judgement {
        verdict: Verdict::RefusedByKernel,
        confidence: Confidence::Possible,
        cause: Some(cause),
    }
}
