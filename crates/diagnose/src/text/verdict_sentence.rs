//! The verdict in a sentence or two.

use nearfar_view::text::{count, paragraph, verb_of};

use super::{finding_sentence, open_questions};
use crate::DiagnosisReason::*;
use crate::OpenQuestion::{NoSratNoMadt, NoTable, NodesNotSent, SratNotSent};
use crate::codes;
use crate::{
    Diagnosis, DiagnosisFinding, DiagnosisReason, DiagnosisVerdict, FindingDetail, OutsideNode,
    Severity,
};

/// The verdict, why, and the command that can find more.
pub fn sentence(diagnosis: &Diagnosis) -> String {
    let is_guest = matches!(diagnosis.reason, Some(DiagnosisReason::Guest { .. }));
    let hint = if is_guest {
        " 'nearfar hidden' can find more: it measures whether pages differ in latency."
    } else {
        ""
    };
    without_hint(diagnosis) + hint
}

/// The verdict, and why.
pub fn without_hint(diagnosis: &Diagnosis) -> String {
    let cause = cause(diagnosis);
    match diagnosis.verdict {
        DiagnosisVerdict::WithheldByFirmware | DiagnosisVerdict::WithheldByHypervisor => {
            let reason = reason(diagnosis);
            match short(diagnosis) {
                Some(short) => format!("{short}: {reason}."),
                None if cause.is_empty() => format!("one node: {reason}."),
                None => format!("{cause} {}", paragraph::sentence(&reason)),
            }
        }
        DiagnosisVerdict::RefusedByKernel => {
            format!("Firmware lists nodes, and the kernel rejects them. {cause}")
        }
        DiagnosisVerdict::TurnedOff => format!("The administrator turned NUMA off. {cause}"),
        DiagnosisVerdict::ImpossibleInKernel => {
            "This kernel was built without NUMA (CONFIG_NUMA). It shows no nodes, whatever \
             firmware reports."
                .to_owned()
        }
        DiagnosisVerdict::Visible => match warnings(diagnosis) {
            0 => format!("{}. No fault was found.", reason(diagnosis)),
            warnings => format!(
                "{}. {} {} below.",
                reason(diagnosis),
                count(warnings, "warning"),
                if warnings == 1 { "is" } else { "are" }
            ),
        },
        DiagnosisVerdict::VisibleButDoubtful => {
            format!("{}. Defect: {cause}", reason(diagnosis))
        }
        DiagnosisVerdict::Uniform | DiagnosisVerdict::Unknown => format!("{}.", reason(diagnosis)),
    }
}

/// Number of findings that are more than notes.
fn warnings(diagnosis: &Diagnosis) -> usize {
    diagnosis.findings.iter().filter(|finding| finding.severity <= Severity::Warning).count()
}

/// The sentence of the deciding finding.
fn cause(diagnosis: &Diagnosis) -> String {
    let Some(cause) = &diagnosis.cause else { return String::new() };
    let found = deciding(diagnosis);
    found.map_or_else(|| codes::meaning(&cause.code).to_owned(), finding_sentence::sentence)
}

fn deciding(diagnosis: &Diagnosis) -> Option<&DiagnosisFinding> {
    let cause = diagnosis.cause.as_ref()?;
    diagnosis.findings.iter().find(|finding| finding.code == cause.code)
}

/// The cause as a clause: the name of a frequent one, or the kernel's rule.
fn short(diagnosis: &Diagnosis) -> Option<String> {
    let name = match diagnosis.cause.as_ref().map(|cause| cause.code.as_str()) {
        None => "one node",
        Some("no-srat") => "no SRAT",
        Some("one-domain") => "one domain for all memory",
        Some("tree-names-no-node") => "the device tree lists no node",
        Some("srat-no-memory") => "a SRAT without memory",
        Some("node-interleaving") => "node interleaving is on",
        Some("no-numa-configuration") => "The kernel found no description of nodes",
        Some(_) => return rule(diagnosis),
    };
    Some(name.to_owned())
}

fn rule(diagnosis: &Diagnosis) -> Option<String> {
    match deciding(diagnosis)?.what.as_ref()? {
        FindingDetail::Rule { clause } => Some(paragraph::capitalised(clause)),
        _ => None,
    }
}

/// Why, as a clause.
fn reason(diagnosis: &Diagnosis) -> String {
    let Some(reason) = &diagnosis.reason else { return String::new() };
    match reason {
        OneBus => "All packages share one memory bus, so there is one node".to_owned(),
        OneMemoryModel => {
            "Machines with this CPU have one package with one memory, so there is one node"
                .to_owned()
        }
        Portable => "Firmware reports a portable machine, and these have one memory".to_owned(),
        OnePackage => {
            "The machine has one package with one memory, and firmware reports no other node"
                .to_owned()
        }
        OneDomain => {
            "Firmware puts all CPUs and all memory in one domain, and no evidence contradicts it"
                .to_owned()
        }
        NodesShown { nodes } => format!("{} visible", nodes_are(*nodes)),
        NodesInLog { nodes } => format!("{} in the log", nodes_are(*nodes)),
        NodesInterleaved { nodes } => format!(
            "On purpose, the kernel splits this board's memory into {nodes} nodes (numa=fake=) and \
             interleaves over them, to use more memory banks at once"
        ),
        NodesInTables { nodes } => format!("{} in the tables", nodes_are(*nodes)),
        Incomplete { outside } => incomplete(outside),
        Guest { hypervisor } => {
            let hypervisor = hypervisor.as_deref().unwrap_or("The hypervisor");
            format!("a virtual machine without vNUMA. {hypervisor} shows this guest one node")
        }
        MemoryOfDies { packages, dies } => {
            let packages = count(*packages, "package");
            withheld(&format!("{packages} of {dies} dies, each with its own memory"))
        }
        MemoryOfPackages { packages, likely } => {
            let packages = count(*packages, "package");
            let likely = if *likely { "very likely " } else { "" };
            withheld(&format!("{packages}, each {likely}with its own memory"))
        }
        SeveralMemories => withheld("several memories"),
        Contradiction { nodes } => format!(
            "The tables list {nodes} nodes, but the kernel's log found none. They may come from \
             different boots or machines. Which one is right is unknown"
        ),
        NoNodeNamed { question } => {
            let question = open_questions::clause(question);
            format!("Firmware lists no nodes, which may be right: {question}")
        }
        OneNodeNamed { question } => {
            let question = open_questions::clause(question);
            format!("Firmware lists one node, which may be right: {question}")
        }
        Undecided { nodes: 0, question: NoTable | NoSratNoMadt | SratNotSent { .. } } => {
            "These files hold neither an SRAT nor the kernel's nodes: add --log, or --root"
                .to_owned()
        }
        Undecided { question: question @ NodesNotSent { .. }, .. } => {
            paragraph::capitalised(&open_questions::clause(question))
        }
        Undecided { nodes, question } => {
            format!("{}. The reason is unknown: {}", seen(*nodes), open_questions::clause(question))
        }
        Unread { nodes } => format!(
            "{}. The reason is unknown: neither its tables nor its log could be read",
            seen(*nodes)
        ),
    }
}

/// One node that is not the whole machine.
fn incomplete(outside: &OutsideNode) -> String {
    let outside = match outside {
        OutsideNode::Cpus { cpus, node } => {
            format!("CPUs {cpus} are online but not in node {node}")
        }
        OutsideNode::Node { node } => {
            format!("node {node} is offline but has CPUs or memory")
        }
    };
    format!("One node is online, and it is not the whole machine: {outside}")
}

fn withheld(memories: &str) -> String {
    format!("firmware withholds the nodes of a machine with {memories}")
}

fn seen(nodes: usize) -> &'static str {
    match nodes {
        0 => "No node of the kernel is in what was read",
        1 => "The kernel shows one node",
        _ => "The kernel shows several nodes",
    }
}

fn nodes_are(nodes: usize) -> String {
    format!("{} {}", count(nodes, "node"), verb_of(nodes, "are"))
}
