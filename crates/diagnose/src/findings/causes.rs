//! Why the kernel rejects firmware's nodes: rules, and the log lines that confirm them.

use nearfar_firmware::linux::{CauseEffect, KernelCause, LogEventKind, NumaOutcome};

use super::FindingInput;
use crate::document::{DiagnosisFinding, DiagnosisVerdict, Evidence, FindingDetail, Severity};
use crate::{codes, evidence, facts::Facts, verdict};

/// The rules that the tables break, then faults that only the log shows.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let mut found: Vec<DiagnosisFinding> =
        seen.prediction.causes.iter().filter_map(|cause| for_cause(seen, cause)).collect();
    found.extend(one_domain(seen));
    found.extend(emulated(seen));
    let faults = seen.witnesses.log.events.iter().filter(|event| is_fault(&event.kind));
    for event in faults {
        let Some(code) = event.kind.code() else { continue };
        // The general message adds nothing to a named rule.
        let general = matches!(code, "srat-not-used" | "no-numa-configuration" | "hmat-invalid");
        let confirms = seen.prediction.causes.iter().any(|cause| event.confirms(cause));
        if confirms || (general && found.iter().any(|finding| finding.severity == Severity::Error))
        {
            continue;
        }
        let (verdict, _) = verdict::for_outcome(seen.observed.outcome, seen.facts);
        let harmless = event.kind == LogEventKind::NothingFound
            && matches!(verdict, DiagnosisVerdict::Uniform | DiagnosisVerdict::Unknown);
        let severity = if harmless { Severity::Note } else { codes::severity(code) };
        let finding = DiagnosisFinding::new(code, severity);
        found.push(advised(finding.shown_by(evidence::event(seen.witnesses, event)), seen.facts));
    }
    found
}

fn is_fault(kind: &LogEventKind) -> bool {
    // Devices without a node have a finder of their own.
    kind.code().is_some() && !matches!(kind, LogEventKind::PciWithoutNode { .. })
}

fn for_cause(seen: FindingInput<'_>, cause: &KernelCause) -> Option<DiagnosisFinding> {
    // On a machine with one memory, an absent table is no fault.
    let (verdict, _) = verdict::for_outcome(seen.prediction.outcome, seen.facts);
    let is_withheld =
        cause.effect == CauseEffect::Numa && seen.prediction.outcome == NumaOutcome::Withheld;
    let harmless = is_withheld && verdict == DiagnosisVerdict::Uniform;
    let is_absent = matches!(cause.code, "no-srat" | "tree-names-no-node");
    // Emulated nodes are what this board wants; its firmware has no others.
    if is_absent && seen.facts.interleaves_on_purpose {
        return None;
    }
    let open = is_withheld && is_absent && verdict == DiagnosisVerdict::Unknown;
    let severity = if harmless || open { Severity::Note } else { codes::severity(cause.code) };
    let mut finding = DiagnosisFinding::new(cause.code, severity)
        .with_detail(FindingDetail::Rule { clause: cause.what.clone() });
    finding.evidence.extend(cause.evidence.iter().map(evidence::entry));
    let lines = seen.witnesses.log.events.iter().filter(|event| event.confirms(cause));
    finding.evidence.extend(lines.take(3).map(|event| evidence::event(seen.witnesses, event)));
    if let Some(word) = codes::option(cause.code) {
        finding.evidence.extend(evidence::command_line(seen.witnesses, word));
    }
    if is_absent {
        finding.evidence.extend(evidence::absent(seen.witnesses));
        finding.evidence.extend(seen.facts.hypervisor.iter().map(|(_, evidence)| evidence.clone()));
    }
    Some(if harmless { finding } else { advised(finding, seen.facts) })
}

/// One domain breaks no rule. The CPU model decides whether it is a fault.
fn one_domain(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let outcome = if seen.observed.outcome == NumaOutcome::Unknown {
        seen.prediction.outcome
    } else {
        seen.observed.outcome
    };
    if outcome != NumaOutcome::OneDomain {
        return None;
    }
    let (verdict, _) = verdict::for_outcome(outcome, seen.facts);
    let split = seen.facts.memory_design.split.is_some();
    let (severity, what) = match verdict {
        DiagnosisVerdict::WithheldByHypervisor => (Severity::Note, FindingDetail::OneDomainOfGuest),
        DiagnosisVerdict::Unknown => (Severity::Note, FindingDetail::OneDomainOfUnknown),
        DiagnosisVerdict::Uniform if split => (Severity::Note, FindingDetail::OneDomainToSplit),
        DiagnosisVerdict::Uniform => (Severity::Note, FindingDetail::OneDomain),
        _ => (Severity::Error, FindingDetail::OneDomainOfSeveral),
    };
    let mut finding = DiagnosisFinding::new(codes::ONE_DOMAIN, severity).with_detail(what);
    finding.evidence.extend(evidence::memory_entries(seen.witnesses));
    if finding.evidence.is_empty() {
        finding.evidence.extend(one_node_of_packages(seen));
    }
    Some(advised(finding, seen.facts))
}

/// What the kernel shows, where no SRAT was read.
fn one_node_of_packages(seen: FindingInput<'_>) -> Vec<Evidence> {
    let topology = seen.witnesses.topology.as_ref();
    let nodes = topology.map(|topology| topology.online_nodes().to_string());
    let packages = topology.and(seen.facts.packages);
    let nodes = nodes.map(|nodes| Evidence::new("sysfs", "nodes that are online", nodes));
    let packages =
        packages.map(|packages| Evidence::new("sysfs", "packages", packages.to_string()));
    nodes.into_iter().chain(packages).collect()
}

fn emulated(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let outcomes = [seen.observed.outcome, seen.prediction.outcome];
    if !outcomes.contains(&NumaOutcome::Emulated) {
        return None;
    }
    let (severity, what) = match seen.facts.interleaves_on_purpose {
        true => (Severity::Note, FindingDetail::NodesInterleaved),
        false => (Severity::Warning, FindingDetail::NodesMadeUp),
    };
    let mut finding = DiagnosisFinding::new(codes::NUMA_FAKE, severity).with_detail(what);
    finding.evidence.extend(evidence::command_line(seen.witnesses, "numa=fake"));
    let made_up = |kind: &LogEventKind| matches!(kind, LogEventKind::EmulatedNode { .. });
    let lines = seen.witnesses.log.events.iter().filter(|event| made_up(&event.kind));
    finding.evidence.extend(lines.take(2).map(|event| evidence::event(seen.witnesses, event)));
    Some(advised(finding, seen.facts))
}

fn advised(finding: DiagnosisFinding, facts: &Facts) -> DiagnosisFinding {
    let advice = codes::advice(&finding.code, facts);
    DiagnosisFinding { advice, ..finding }
}
