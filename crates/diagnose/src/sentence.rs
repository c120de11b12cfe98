//! The verdict in a sentence or two.

use nearfar_linux::{Observed, Outcome, Prediction};

use crate::codes;
use crate::document::{Finding, Verdict};
use crate::facts::Facts;
use crate::silicon::Kind;
use crate::verdict::{self, Judgement};

/// What is so, and why.
pub(crate) fn of(
    judgement: &Judgement,
    facts: &Facts,
    observed: &Observed,
    prediction: &Prediction,
    findings: &[Finding],
) -> String {
    let reason = reason(judgement, findings);
    // Of tables alone nothing is seen yet.
    let (nodes, are_visible) = match observed.nodes.len() {
        0 => (prediction.online().count(), "are in the tables"),
        seen => (seen, "are visible"),
    };
    match judgement.verdict {
        Verdict::Uniform => format!("{}.", uniform(facts)),
        Verdict::WithheldByFirmware => withheld(&short(judgement, &reason), facts),
        Verdict::WithheldByHypervisor => guest(&short(judgement, &reason), facts),
        Verdict::RefusedByKernel => format!("Firmware names nodes, and the kernel does not take them. {reason}"),
        Verdict::TurnedOff => format!("Somebody turned NUMA off. {reason}"),
        Verdict::ImpossibleInKernel => {
            "This kernel was built without NUMA (CONFIG_NUMA): it shows no node, whatever firmware says.".to_owned()
        }
        Verdict::Visible => format!("{nodes} nodes {are_visible}, and nothing speaks against them."),
        Verdict::VisibleButDoubtful => format!("{nodes} nodes {are_visible}, and something is likely wrong. {reason}"),
        Verdict::Unknown => unknown(facts, observed, prediction),
    }
}

/// The kernel's rules speak in clauses; findings in sentences.
pub(crate) fn from_clause(what: &str) -> String {
    let mut letters = what.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if what.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// "1 package", "2 packages".
pub(crate) fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The finding that decides, in its own words.
fn reason(judgement: &Judgement, findings: &[Finding]) -> String {
    let Some(cause) = &judgement.cause else { return String::new() };
    let found = findings.iter().find(|finding| finding.code == cause.code);
    found.map_or_else(|| codes::meaning(&cause.code).to_owned(), |finding| finding.what.clone())
}

/// The commonest reasons in a few words.
fn short(judgement: &Judgement, reason: &str) -> String {
    let code = judgement.cause.as_ref().map_or("", |cause| cause.code.as_str());
    let words = match code {
        "no-srat" => "no SRAT",
        "one-domain" => "one domain for all memory",
        "tree-names-no-node" => "the device tree names no node",
        "srat-no-memory" => "a SRAT without memory",
        "node-interleaving" => "node interleaving is on",
        _ => reason.trim_end_matches('.'),
    };
    if words.is_empty() { "one node".to_owned() } else { words.to_owned() }
}

fn guest(short: &str, facts: &Facts) -> String {
    let name = facts.hypervisor_name().unwrap_or("its hypervisor");
    format!(
        "{short}: a virtual machine without vNUMA. {name} shows this guest one node; how many its host has cannot be seen from inside."
    )
}

fn withheld(short: &str, facts: &Facts) -> String {
    let packages = facts.packages.unwrap_or(1);
    let silicon = match facts.silicon.kind {
        Kind::Dies(dies) => format!("{} of {dies} dies, each with a memory of its own", count(packages, "package")),
        Kind::OneInAPackage => format!("{}, each with a memory of its own", count(packages, "package")),
        Kind::Unknown if packages > 1 => {
            format!("{}, each very likely with a memory of its own", count(packages, "package"))
        }
        _ => return format!("{short}: firmware withholds the nodes of a machine with several memories."),
    };
    format!("{short}: firmware withholds the nodes of a machine with {silicon}.")
}

fn uniform(facts: &Facts) -> String {
    match (facts.silicon.kind, facts.packages) {
        (Kind::FrontSideBus, _) => {
            "All memory is behind one bus that all packages share, and there is nothing to see".to_owned()
        }
        (Kind::OneInAMachine, _) => {
            "Machines with this CPU have one package with one memory: there is nothing to see".to_owned()
        }
        (_, None) if facts.is_portable() => {
            "Firmware calls this a portable machine, and these have one memory: there is nothing to see".to_owned()
        }
        (_, Some(1)) => "One package with one memory, and firmware names no other: there is nothing to see".to_owned(),
        _ => "Firmware puts all CPUs and all memory in one domain, and nothing speaks against it".to_owned(),
    }
}

fn unknown(facts: &Facts, observed: &Observed, prediction: &Prediction) -> String {
    let seen = match observed.nodes.len() {
        0 => "No node is to be seen",
        1 => "The kernel has one node",
        _ => "The kernel has several nodes",
    };
    let outcome = if observed.outcome == Outcome::Unknown { prediction.outcome } else { observed.outcome };
    if verdict::contradicts(observed, prediction) {
        let nodes = prediction.online().count();
        return format!(
            "The tables name {nodes} nodes, and the kernel's log says that it found none: they may be of different boots or \
             machines, and which of them is right is not known."
        );
    }
    if let Some(what) = &facts.outside_the_node {
        return format!("One node is online, and it is not the whole machine: {what}.");
    }
    match (outcome, prediction.undecided.first()) {
        (Outcome::Withheld, _) => format!("Firmware names no nodes, and that may be right: {}.", facts.open()),
        (Outcome::OneDomain, _) => format!("Firmware names one node, and that may be right: {}.", facts.open()),
        (_, Some(why)) => format!("{seen}, and nobody tells why: {why}."),
        (_, None) => format!("{seen}, and neither its tables nor its log could be read: nobody tells why."),
    }
}
