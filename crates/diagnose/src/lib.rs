//! Why does the operating system not see it?
//!
//! [`Witnesses`] are five sources of evidence: firmware's tables, the processors' identification,
//! memory slots, the kernel's command line and log, and sysfs. [`diagnose`] combines them in a
//! [`Diagnosis`], whose verdict is one of these:
//!
//! - The machine is uniform.
//! - Firmware or a hypervisor hides the nodes.
//! - The kernel rejects the nodes, by a named rule.
//! - The command line disables NUMA.
//! - The kernel has no NUMA support.
//! - The nodes are visible, and believable or doubtful.
//!
//! The diagnosis also has the verdicts of the tables alone and of the kernel alone, for comparison,
//! and findings with evidence and advice.
//!
//! [`doctor`] has what the machine refuses to nearfar, and what would allow it.
//!
//! [`performance`] gives the HMAT's numbers by the kernel's nodes. Reasons and advice are codes
//! with figures: [`text`] makes sentences of them.
//!
//! ```
//! use nearfar_diagnose::{DiagnosisVerdict, Witnesses, diagnose};
//! use nearfar_machine::Source;
//!
//! let source = Source::from_files([
//!     ("/sys/devices/system/cpu/online", "0-1"),
//!     ("/sys/devices/system/node/online", "0"),
//!     ("/sys/devices/system/node/node0/cpulist", "0-1"),
//!     ("/proc/cmdline", "ro numa=off"),
//! ]);
//! let diagnosis = diagnose(&Witnesses::read(&source));
//! assert_eq!(diagnosis.verdict, DiagnosisVerdict::TurnedOff);
//! assert_eq!(diagnosis.cause.map(|cause| cause.code).as_deref(), Some("numa-off"));
//! ```
//!
//! Only [`Witnesses::read`] and attempts of [`doctor`] touch the machine, through nearfar-machine.
//! `docs/why/diagnosis.md` lists the codes of causes and findings, which are never renamed.

mod codes;
mod devices;
mod dimms;
pub mod doctor;
mod document;
mod evidence;
mod facts;
mod findings;
#[cfg(test)]
mod handmade;
mod interrupts;
mod log_of;
mod memory_design;
mod memory_slots;
mod performance;
mod reason;
mod source_verdict;
pub mod text;
mod vendor;
mod verdict;
mod witness_reports;
mod witnesses;

use nearfar_firmware::acpi::{Madt, Slit, Srat};
use nearfar_firmware::linux::{DistanceOrigin, NumaOutcome, ObservedNuma, Prediction, predict};

pub use devices::{devices, usual_devices};
pub use document::{
    Advice, BootConfig, Cause, Confidence, Diagnosis, DiagnosisFinding, DiagnosisReason,
    DiagnosisVerdict, Evidence, FindingDetail, NodeBinding, NodeMemoryShare, OpenQuestion,
    OutsideNode, SCHEMA, Severity, SourceVerdict, Witness, WitnessAvailability, WitnessReport,
    WitnessStatement,
};
pub use interrupts::interrupts;
pub use log_of::LogDifference;
pub use memory_design::MemorySplit;
pub use memory_slots::{MemorySlot, memory_slots};
pub use performance::{Performance, PerformanceCell, performance};
pub use vendor::Vendor;
pub use witnesses::Witnesses;

use facts::Facts;
use findings::{FindingInput, Findings};

/// Combines the witnesses in a verdict. The same witnesses always give the same diagnosis.
pub fn diagnose(witnesses: &Witnesses) -> Diagnosis {
    let facts = Facts::from_witnesses(witnesses);
    let (prediction, undecided) = predicted(witnesses);
    let observed = witnesses.observed(prediction.outcome);
    let findings = Findings::new(FindingInput {
        witnesses,
        facts: &facts,
        prediction: &prediction,
        observed: &observed,
    });
    let tables_verdict = source_verdict::predicted(&prediction, &undecided, &facts);
    let kernel_verdict =
        source_verdict::observed(witnesses, &observed, &prediction, &facts, &findings);
    let judgement = verdict::judge(
        &facts,
        (&observed, &kernel_verdict),
        (&prediction, &tables_verdict),
        findings.doubtful(),
    );
    Diagnosis {
        schema: SCHEMA.to_owned(),
        verdict: judgement.verdict,
        confidence: judgement.confidence,
        reason: reason::of(
            judgement.verdict,
            &facts,
            &observed,
            &prediction,
            question(witnesses, &observed, &undecided).as_ref(),
            witnesses.named_in_log(),
        ),
        cause: judgement.cause,
        predicted: tables_verdict,
        observed: kernel_verdict,
        witnesses: witness_reports::all(witnesses, &facts),
        findings: findings.into_list(),
    }
}

/// What decides the verdict and is missing. Without any list of nodes, it is that list.
fn question(
    witnesses: &Witnesses,
    observed: &ObservedNuma,
    undecided: &[OpenQuestion],
) -> Option<OpenQuestion> {
    let first = undecided.first()?;
    let lacks_nodes = observed.nodes.is_empty() && *first == OpenQuestion::TablesNotSent;
    let nodes = || OpenQuestion::NodesNotSent { named: witnesses.named_nodes.clone() };
    Some(if lacks_nodes { nodes() } else { first.clone() })
}

/// The prediction from the tables, and undecided questions. Without any table there is no
/// prediction: captures often lack them, and users send single tables.
fn predicted(witnesses: &Witnesses) -> (Prediction, Vec<OpenQuestion>) {
    let mut prediction = predict(&witnesses.prediction_input());
    let mut undecided: Vec<OpenQuestion> =
        prediction.undecided.drain(..).map(|text| OpenQuestion::Rule { text }).collect();
    if prediction.outcome == NumaOutcome::Visible && lacks_slit(witnesses) {
        prediction.distance_origin = DistanceOrigin::Unknown;
        prediction.distances = None;
        undecided.push(OpenQuestion::SlitNotSent);
    }
    match incomplete(witnesses).filter(|_| prediction.outcome == NumaOutcome::Withheld) {
        None => (prediction, undecided),
        Some(question) => {
            let (nodes, causes) = (Vec::new(), Vec::new());
            (
                Prediction {
                    outcome: NumaOutcome::Unknown,
                    nodes,
                    distances: None,
                    causes,
                    ..prediction
                },
                vec![question],
            )
        }
    }
}

/// Why these cannot be all tables of a machine. Sent tables without a MADT are incomplete: every
/// machine with ACPI has one.
fn incomplete(witnesses: &Witnesses) -> Option<OpenQuestion> {
    let firmware = &witnesses.firmware;
    if firmware.device_tree.is_some() {
        return None;
    }
    if firmware.tables.is_empty() {
        return Some(match witnesses.is_sent {
            true => OpenQuestion::TablesNotSent,
            false => OpenQuestion::NoTable,
        });
    }
    if firmware.has::<Srat>() {
        return None;
    }
    if let Some(one) = firmware.skipped.iter().find(|one| one.may_be_a_table) {
        return Some(OpenQuestion::UnreadableSrat { path: one.path.clone(), why: one.why.clone() });
    }
    let domains = firmware.first::<Slit>().map_or(0, |(_, slit)| slit.content.distances.size());
    match are_sent(witnesses) {
        true if !firmware.has::<Madt>() => Some(OpenQuestion::NoSratNoMadt),
        true if domains > 1 => Some(OpenQuestion::SratNotSent { domains }),
        _ => None,
    }
}

/// Whether the SLIT may only have not been sent. Tables with a MADT, which every machine has, are
/// complete.
fn lacks_slit(witnesses: &Witnesses) -> bool {
    let firmware = &witnesses.firmware;
    let speaks_acpi = firmware.has::<Srat>() && firmware.device_tree.is_none();
    are_sent(witnesses) && speaks_acpi && !firmware.has::<Slit>() && !firmware.has::<Madt>()
}

/// Whether the tables were sent, perhaps not all of them.
fn are_sent(witnesses: &Witnesses) -> bool {
    witnesses.topology.is_none()
}
