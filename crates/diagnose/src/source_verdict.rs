//! The verdicts of each source: the tables, and the running kernel.

use nearfar_firmware::linux::{
    KernelCause, KernelDoubt, LogEvent, NumaOutcome, ObservedNuma, Prediction,
};

use crate::codes;
use crate::document::{Cause, DiagnosisVerdict, OpenQuestion, Severity, SourceVerdict};
use crate::facts::Facts;
use crate::findings::{Findings, lacks_distances};
use crate::verdict;
use crate::witnesses::Witnesses;

/// The verdict of the tables, with undecided questions.
pub(crate) fn predicted(
    prediction: &Prediction,
    undecided: &[OpenQuestion],
    facts: &Facts,
) -> SourceVerdict {
    let (mut verdict, _) = verdict::for_outcome(prediction.outcome, facts);
    let cause = predicted_cause(prediction);
    if verdict == DiagnosisVerdict::Visible && cause.is_some() {
        verdict = DiagnosisVerdict::VisibleButDoubtful;
    }
    let nodes = match prediction.outcome {
        NumaOutcome::Unknown => None,
        NumaOutcome::Impossible => Some(0),
        _ => Some(prediction.online().count()),
    };
    let mut why = undecided.to_vec();
    if why.is_empty() && verdict == DiagnosisVerdict::Unknown {
        why.push(facts.open());
    }
    SourceVerdict { verdict, cause, nodes, why }
}

/// The verdict of the running kernel. Findings decide whether visible nodes are doubtful.
pub(crate) fn observed(
    witnesses: &Witnesses,
    observed: &ObservedNuma,
    prediction: &Prediction,
    facts: &Facts,
    findings: &Findings,
) -> SourceVerdict {
    if observed.outcome == NumaOutcome::Unknown && observed.nodes.is_empty() {
        return SourceVerdict::unknown(OpenQuestion::NoSysfsNoLog);
    }
    let (mut verdict, _) = verdict::for_outcome(observed.outcome, facts);
    if verdict == DiagnosisVerdict::Visible && findings.cast_doubt() {
        verdict = DiagnosisVerdict::VisibleButDoubtful;
    }
    let nodes = (observed.outcome == NumaOutcome::Impossible || !observed.nodes.is_empty())
        .then_some(observed.nodes.len());
    let why = match () {
        () if observed.outcome == NumaOutcome::Unknown => vec![OpenQuestion::NoLog],
        () if verdict == DiagnosisVerdict::Unknown => vec![facts.open()],
        () => {
            let missing = witnesses.log.missing.iter().map(ToString::to_string);
            missing.map(|text| OpenQuestion::Log { text }).collect()
        }
    };
    SourceVerdict { verdict, cause: observed_cause(witnesses, observed, prediction), nodes, why }
}

/// The cause with the largest effect: the loss of all nodes first. Without a loss, the most severe
/// doubt.
fn predicted_cause(prediction: &Prediction) -> Option<Cause> {
    if prediction.outcome == NumaOutcome::Emulated {
        return implied(NumaOutcome::Emulated);
    }
    let gravest =
        prediction.deciding().or_else(|| prediction.causes.iter().min_by_key(|cause| cause.effect));
    gravest.map(for_kernel).or_else(|| implied(prediction.outcome)).or_else(|| {
        let doubts = prediction
            .doubts
            .iter()
            .filter(|doubt| codes::severity(doubt.code) <= Severity::Warning)
            .filter(|_| prediction.outcome == NumaOutcome::Visible);
        doubts
            .min_by_key(|doubt| codes::severity(doubt.code))
            .map(for_doubt)
            .or_else(|| default_distances(prediction))
    })
}

fn default_distances(prediction: &Prediction) -> Option<Cause> {
    let cause =
        |code: &str| Cause { code: code.to_owned(), table: None, offset: None, message: None };
    lacks_distances(prediction).then(|| cause(codes::SLIT_DEFAULT))
}

fn for_doubt(doubt: &KernelDoubt) -> Cause {
    let first = doubt.evidence.first();
    Cause {
        code: doubt.code.to_owned(),
        table: first.map(|evidence| evidence.table.clone()),
        offset: first.and_then(|evidence| evidence.offset),
        message: None,
    }
}

/// The deciding log line, with the code of the rule that it confirms.
fn observed_cause(
    witnesses: &Witnesses,
    observed: &ObservedNuma,
    prediction: &Prediction,
) -> Option<Cause> {
    // Emulated nodes replace firmware's nodes.
    if observed.outcome == NumaOutcome::Emulated {
        return implied(NumaOutcome::Emulated);
    }
    if let Some(event) = &observed.deciding {
        return Some(for_event(event, prediction.deciding()));
    }
    let mut lesser = prediction.causes.iter().filter(|cause| prediction.deciding() != Some(cause));
    let confirmed = lesser.find_map(|cause| {
        witnesses.log.events.iter().find(|event| event.confirms(cause)).map(|event| (event, cause))
    });
    if let Some((event, cause)) = confirmed {
        return Some(for_event(event, Some(cause)));
    }
    implied(observed.outcome).or_else(|| {
        let same =
            observed.outcome == prediction.outcome && observed.outcome != NumaOutcome::Visible;
        let cause = prediction.deciding().filter(|_| same)?;
        Some(Cause { message: None, ..for_kernel(cause) })
    })
}

fn for_event(event: &LogEvent, rule: Option<&KernelCause>) -> Cause {
    let message = Some(event.text.clone());
    match rule.filter(|rule| event.confirms(rule)) {
        Some(rule) => Cause { message, ..for_kernel(rule) },
        None => {
            let code = event.kind.code().unwrap_or("no-numa-configuration");
            let table = codes::table(code).map(str::to_owned);
            Cause { code: code.to_owned(), table, offset: None, message }
        }
    }
}

/// A rule as a cause of the document.
fn for_kernel(cause: &KernelCause) -> Cause {
    let first = cause.evidence.first();
    Cause {
        code: cause.code.to_owned(),
        table: first
            .map(|evidence| evidence.table.clone())
            .or_else(|| codes::table(cause.code).map(str::to_owned)),
        offset: first.and_then(|evidence| evidence.offset),
        message: cause.message.clone(),
    }
}

/// The cause that follows from an outcome alone.
fn implied(outcome: NumaOutcome) -> Option<Cause> {
    let (code, table) = match outcome {
        NumaOutcome::OneDomain => (codes::ONE_DOMAIN, Some("SRAT".to_owned())),
        NumaOutcome::Emulated => (codes::NUMA_FAKE, None),
        _ => return None,
    };
    Some(Cause { code: code.to_owned(), table, offset: None, message: None })
}
