//! The verdict in a sentence or two.

use nearfar_diagnose::{Diagnosis, DiagnosisReason, DiagnosisVerdict, OutsideNode};

use super::{codes, open_questions, what};
use crate::count::count;

/// What is so, and why.
pub(crate) fn sentence(diagnosis: &Diagnosis) -> String {
    if let Some(sentence) = &diagnosis.sentence {
        return sentence.clone();
    }
    let cause = cause(diagnosis);
    match diagnosis.verdict {
        DiagnosisVerdict::WithheldByFirmware | DiagnosisVerdict::WithheldByHypervisor => {
            format!("{}: {}.", short(diagnosis, &cause), reason(diagnosis))
        }
        DiagnosisVerdict::RefusedByKernel => {
            format!("Firmware names nodes, and the kernel does not take them. {cause}")
        }
        DiagnosisVerdict::TurnedOff => format!("Somebody turned NUMA off. {cause}"),
        DiagnosisVerdict::ImpossibleInKernel => {
            "This kernel was built without NUMA (CONFIG_NUMA): it \
                                        shows no node, whatever firmware says."
                .to_owned()
        }
        DiagnosisVerdict::Visible => {
            format!("{}, and nothing speaks against them.", reason(diagnosis))
        }
        DiagnosisVerdict::VisibleButDoubtful => {
            format!("{}, and something is likely wrong. {cause}", reason(diagnosis))
        }
        DiagnosisVerdict::Uniform | DiagnosisVerdict::Unknown => format!("{}.", reason(diagnosis)),
    }
}

/// The finding that decides, in its own words.
fn cause(diagnosis: &Diagnosis) -> String {
    let Some(cause) = &diagnosis.cause else { return String::new() };
    let found = diagnosis.findings.iter().find(|finding| finding.code == cause.code);
    found.map_or_else(|| codes::meaning(&cause.code).to_owned(), what::sentence)
}

/// The commonest causes in a few words.
fn short<'a>(diagnosis: &Diagnosis, cause: &'a str) -> &'a str {
    let code = diagnosis.cause.as_ref().map_or("", |cause| cause.code.as_str());
    let words = match code {
        "no-srat" => "no SRAT",
        "one-domain" => "one domain for all memory",
        "tree-names-no-node" => "the device tree names no node",
        "srat-no-memory" => "a SRAT without memory",
        "node-interleaving" => "node interleaving is on",
        _ => cause.trim_end_matches('.'),
    };
    if words.is_empty() { "one node" } else { words }
}

/// Why, as a clause.
fn reason(diagnosis: &Diagnosis) -> String {
    use DiagnosisReason::*;
    let Some(reason) = &diagnosis.reason else { return String::new() };
    let said: &str = match reason {
        OneBus => {
            "All memory is behind one bus that all packages share, and there is nothing to see"
        }
        OneMemoryModel => {
            "Machines with this CPU have one package with one memory: there is nothing to see"
        }
        Portable => {
            "Firmware calls this a portable machine, and these have one memory: there is nothing \
             to see"
        }
        OnePackage => {
            "One package with one memory, and firmware names no other: there is nothing to see"
        }
        OneDomain => {
            "Firmware puts all CPUs and all memory in one domain, and nothing speaks against it"
        }
        Guest { hypervisor } => {
            let who = hypervisor.as_deref().unwrap_or("its hypervisor");
            &format!(
                "a virtual machine without vNUMA. {who} shows this guest one node; how many its \
                 host has cannot be seen from inside"
            )
        }
        NodesShown { nodes } => &format!("{nodes} nodes are visible"),
        NodesInTables { nodes } => &format!("{nodes} nodes are in the tables"),
        MemoryOfDies { packages, dies } => {
            let packages = count(*packages, "package");
            &withheld(&format!("{packages} of {dies} dies, each with a memory of its own"))
        }
        MemoryOfPackages { packages, likely } => {
            let (packages, likely) =
                (count(*packages, "package"), if *likely { "very likely " } else { "" });
            &withheld(&format!("{packages}, each {likely}with a memory of its own"))
        }
        SeveralMemories => &withheld("several memories"),
        Contradiction { nodes } => &format!(
            "The tables name {nodes} nodes, and the kernel's log says that it found none: they \
             may be of different boots or machines, and which of them is right is not known"
        ),
        Incomplete { outside } => {
            let what = match outside {
                OutsideNode::Cpus { cpus, node } => {
                    format!("CPUs {cpus} are online and not in node {node}")
                }
                OutsideNode::Node { node } => {
                    format!("node {node} is offline, and has CPUs or memory")
                }
            };
            &format!("One node is online, and it is not the whole machine: {what}")
        }
        NoNodeNamed { question } => &format!(
            "Firmware names no nodes, and that may be right: {}",
            open_questions::clause(question)
        ),
        OneNodeNamed { question } => &format!(
            "Firmware names one node, and that may be right: {}",
            open_questions::clause(question)
        ),
        Undecided { nodes, question } => {
            &format!("{}, and nobody tells why: {}", seen(*nodes), open_questions::clause(question))
        }
        Unread { nodes } => &format!(
            "{}, and neither its tables nor its log could be read: nobody tells why",
            seen(*nodes)
        ),
    };
    said.to_owned()
}

fn withheld(memories: &str) -> String {
    format!("firmware withholds the nodes of a machine with {memories}")
}

fn seen(nodes: usize) -> &'static str {
    match nodes {
        0 => "No node is to be seen",
        1 => "The kernel has one node",
        _ => "The kernel has several nodes",
    }
}
