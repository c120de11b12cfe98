//! The verdict of both sources together.
//!
//! The running kernel has precedence over its tables. CPU model and hypervisor decide whether one
//! node is complete, and whether firmware or the hypervisor hides the others.

use nearfar_firmware::linux::{NumaOutcome, ObservedNuma, Prediction};

use crate::document::{Cause, Confidence, DiagnosisVerdict, SourceVerdict};
use crate::facts::Facts;
use crate::memory_design::MemoryDesignKind;

/// The code of a machine with fewer nodes than in its tables, without an explanation.
pub(crate) const FEWER_NODES: &str = "fewer-nodes-than-promised";

/// The code of memory that the northbridge interleaves over nodes.
const INTERLEAVING: &str = "node-interleaving";

#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: DiagnosisVerdict,
    pub(crate) confidence: Confidence,
    pub(crate) cause: Option<Cause>,
}

impl Judgement {
    fn unknown() -> Self {
        Self { verdict: DiagnosisVerdict::Unknown, confidence: Confidence::Possible, cause: None }
    }
}

/// The meaning of an outcome on this kind of machine.
pub(crate) fn for_outcome(outcome: NumaOutcome, facts: &Facts) -> (DiagnosisVerdict, Confidence) {
    use Confidence::{Certain, Possible};
    match outcome {
        NumaOutcome::Visible => (DiagnosisVerdict::Visible, Certain),
        NumaOutcome::Emulated if facts.interleaves_on_purpose => {
            (DiagnosisVerdict::Visible, Certain)
        }
        NumaOutcome::Emulated => (DiagnosisVerdict::VisibleButDoubtful, Certain),
        NumaOutcome::Refused => (DiagnosisVerdict::RefusedByKernel, Certain),
        NumaOutcome::TurnedOff => (DiagnosisVerdict::TurnedOff, Certain),
        NumaOutcome::Impossible => (DiagnosisVerdict::ImpossibleInKernel, Certain),
        NumaOutcome::Unknown => (DiagnosisVerdict::Unknown, Possible),
        NumaOutcome::Withheld | NumaOutcome::OneDomain => {
            one_node(outcome == NumaOutcome::Withheld, facts)
        }
    }
}

/// Firmware describes no node (`silent`), or one domain. Is this complete?
fn one_node(silent: bool, facts: &Facts) -> (DiagnosisVerdict, Confidence) {
    use Confidence::{Certain, Likely, Possible};
    if facts.hypervisor.is_some() {
        return (DiagnosisVerdict::WithheldByHypervisor, if silent { Certain } else { Possible });
    }
    match (facts.memory_design.kind, facts.least_memories(), facts.packages) {
        (MemoryDesignKind::FrontSideBus, _, _) => (DiagnosisVerdict::Uniform, Likely),
        (_, Some(memories), _) if memories > 1 => (DiagnosisVerdict::WithheldByFirmware, Certain),
        // A SRAT with several domains and no usable entry.
        _ if silent && facts.srat_domains > 1 => (DiagnosisVerdict::WithheldByFirmware, Likely),
        // No board has two of these: the data is contradictory.
        (MemoryDesignKind::OneInAMachine, _, Some(2..)) => (DiagnosisVerdict::Unknown, Possible),
        (MemoryDesignKind::OneInAMachine, _, _) | (_, Some(_), Some(_)) => {
            (DiagnosisVerdict::Uniform, Likely)
        }
        (_, None, Some(2..)) if facts.packages_may_be_clusters || facts.model.is_none() => {
            (DiagnosisVerdict::Unknown, Possible)
        }
        (_, None, Some(2..)) => (DiagnosisVerdict::WithheldByFirmware, Likely),
        // Some models have several dies with a memory each: one package of an unknown model proves
        // nothing.
        (_, _, Some(_))
            if silent && facts.model.is_none() && !facts.is_portable() && !facts.has_one_cpu =>
        {
            (DiagnosisVerdict::Unknown, Possible)
        }
        (_, _, Some(_)) => (DiagnosisVerdict::Uniform, Possible),
        (_, _, None) if facts.is_portable() => (DiagnosisVerdict::Uniform, Possible),
        // Firmware's claim decides, unless its SLIT contradicts it.
        (_, _, None) if !silent && facts.slit_domains <= 1 => (DiagnosisVerdict::Uniform, Possible),
        (_, _, None) => (DiagnosisVerdict::Unknown, Possible),
    }
}

/// The verdict of both sources.
pub(crate) fn judge(
    facts: &Facts,
    seen: (&ObservedNuma, &SourceVerdict),
    promised: (&Prediction, &SourceVerdict),
    doubtful: Option<Cause>,
) -> Judgement {
    let judgement = joined(facts, seen, promised);
    match (judgement.verdict, doubtful) {
        (DiagnosisVerdict::Unknown, _) => {
            Judgement { cause: None, confidence: Confidence::Possible, ..judgement }
        }
        (DiagnosisVerdict::Visible | DiagnosisVerdict::VisibleButDoubtful, Some(cause)) => {
            Judgement {
                verdict: DiagnosisVerdict::VisibleButDoubtful,
                cause: judgement.cause.or(Some(cause)),
                ..judgement
            }
        }
        _ => judgement,
    }
}

fn joined(
    facts: &Facts,
    (observed, kernel_verdict): (&ObservedNuma, &SourceVerdict),
    (prediction, tables_verdict): (&Prediction, &SourceVerdict),
) -> Judgement {
    let (observed_outcome, predicted) = (observed.outcome, prediction.outcome);
    // Firmware's doing: the kernel found an interleaving northbridge.
    if kernel_verdict.cause.as_ref().is_some_and(|cause| cause.code == INTERLEAVING) {
        let cause = kernel_verdict.cause.clone();
        return Judgement {
            verdict: DiagnosisVerdict::WithheldByFirmware,
            confidence: Confidence::Certain,
            cause,
        };
    }
    // The log reports no NUMA configuration, and the tables name several nodes: neither is trusted.
    if contradicts(observed, prediction) {
        let is_running = observed.numa_supported.is_some();
        return if is_running { contradicted() } else { Judgement::unknown() };
    }
    // One incomplete node is no evidence about the rest.
    if facts.outside_the_node.is_some()
        && matches!(
            observed_outcome,
            NumaOutcome::OneDomain | NumaOutcome::Withheld | NumaOutcome::Unknown
        )
    {
        return Judgement::unknown();
    }
    // The log reports no NUMA configuration, and the tables explain it: an option, or a rule
    // without a message.
    let explained = observed_outcome == NumaOutcome::Withheld
        && matches!(
            predicted,
            NumaOutcome::Refused | NumaOutcome::TurnedOff | NumaOutcome::OneDomain
        );
    if observed_outcome == NumaOutcome::Unknown || explained {
        return from_prediction(facts, (observed, kernel_verdict), (prediction, tables_verdict));
    }
    let (verdict, confidence) = for_outcome(observed_outcome, facts);
    let same = observed_outcome == predicted || predicted == NumaOutcome::Unknown;
    let confidence = if same { confidence } else { confidence.min(Confidence::Likely) };
    let cause = located(kernel_verdict.cause.as_ref(), tables_verdict.cause.as_ref());
    // What is on purpose has no cause to mend.
    let cause = cause.filter(|_| !facts.interleaves_on_purpose);
    Judgement { verdict, confidence, cause }
}

/// The verdict where the kernel's outcome is unknown, or the tables explain it.
fn from_prediction(
    facts: &Facts,
    (observed, kernel_verdict): (&ObservedNuma, &SourceVerdict),
    (prediction, tables_verdict): (&Prediction, &SourceVerdict),
) -> Judgement {
    match (observed.nodes.len(), prediction.outcome) {
        (0, _) => verdict_of_tables(facts, prediction, tables_verdict),
        (_, NumaOutcome::Unknown) => unexplained_node(facts),
        (1, NumaOutcome::Visible | NumaOutcome::Emulated) => contradicted(),
        _ => {
            let (verdict, confidence) = for_outcome(prediction.outcome, facts);
            let cause = if observed.outcome == NumaOutcome::Withheld {
                tables_verdict.cause.clone()
            } else {
                located(kernel_verdict.cause.as_ref(), tables_verdict.cause.as_ref())
            };
            Judgement { verdict, confidence, cause }
        }
    }
}

/// The kernel's cause. Where the tables have the same one, with its offset.
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

/// Whether the log reports no nodes and the tables name several: one of them is of another boot or
/// machine.
pub(crate) fn contradicts(observed: &ObservedNuma, prediction: &Prediction) -> bool {
    observed.outcome == NumaOutcome::Withheld && prediction.outcome == NumaOutcome::Visible
}

/// The verdict of tables alone, without a kernel to confirm it.
fn verdict_of_tables(
    facts: &Facts,
    prediction: &Prediction,
    tables_verdict: &SourceVerdict,
) -> Judgement {
    let (verdict, confidence) = for_outcome(prediction.outcome, facts);
    let verdict =
        if verdict == DiagnosisVerdict::Visible { tables_verdict.verdict } else { verdict };
    Judgement {
        verdict,
        confidence: confidence.min(Confidence::Likely),
        cause: tables_verdict.cause.clone(),
    }
}

/// One node, unreadable tables, and no log.
fn unexplained_node(facts: &Facts) -> Judgement {
    let uniform = facts.packages == Some(1) && facts.least_memories() == Some(1);
    let verdict = match () {
        () if facts.hypervisor.is_some() => DiagnosisVerdict::WithheldByHypervisor,
        () if uniform || facts.memory_design.kind == MemoryDesignKind::FrontSideBus => {
            DiagnosisVerdict::Uniform
        }
        () => DiagnosisVerdict::Unknown,
    };
    Judgement { verdict, confidence: Confidence::Possible, cause: None }
}

/// The tables name several nodes and the kernel shows one, without an explanation.
fn contradicted() -> Judgement {
    let cause = Cause {
        code: FEWER_NODES.to_owned(),
        table: Some("SRAT".to_owned()),
        offset: None,
        message: None,
    };
    Judgement {
        verdict: DiagnosisVerdict::RefusedByKernel,
        confidence: Confidence::Possible,
        cause: Some(cause),
    }
}
