//! Why does the operating system not see it?
//!
//! Five witnesses are asked ([`Witnesses`]): firmware's tables, what the processors say of
//! themselves, the slots of memory, the kernel's command line and log, and sysfs. [`diagnose`]
//! joins them in a [`Diagnosis`]: the machine is uniform; firmware or a hypervisor withheld its
//! nodes; the kernel refused them, and by which rule; somebody turned them off; the kernel
//! cannot; or they are visible, and believable or not. Beside it stand what follows from the tables
//! alone and what the kernel shows, so that each can be held against the other, and findings with
//! their evidence and advice.
//!
//! [`performance`] tells the HMAT's numbers by the kernel's nodes. Reasons and advice are codes
//! with figures: nearfar-report makes sentences of them.
//!
//! ```
//! use nearfar_diagnose::{Verdict, Witnesses, diagnose};
//! use nearfar_machine::Source;
//!
//! let source = Source::from_files([
//!     ("/sys/devices/system/cpu/online", "0-1"),
//!     ("/sys/devices/system/node/online", "0"),
//!     ("/sys/devices/system/node/node0/cpulist", "0-1"),
//!     ("/proc/cmdline", "ro numa=off"),
//! ]);
//! let diagnosis = diagnose(&Witnesses::read(&source));
//! assert_eq!(diagnosis.verdict, Verdict::TurnedOff);
//! assert_eq!(diagnosis.cause.map(|cause| cause.code).as_deref(), Some("numa-off"));
//! ```
//!
//! Nothing here reads a file, except [`Witnesses::read`], which asks nearfar-machine to. Codes of
//! causes and findings are listed in `docs/diagnosis.md`, and are never renamed.

mod account;
mod codes;
mod dimms;
mod document;
mod evidence;
mod facts;
mod findings;
#[cfg(test)]
mod handmade;
mod memory_design;
mod performance;
mod reason;
mod testimony;
mod vendor;
mod verdict;
mod witnesses;

use nearfar_firmware::acpi::{Madt, Slit, Srat};
use nearfar_linux::{DistanceOrigin, NumaOutcome, Prediction, predict};

pub use document::{
    Account, Advice, Cause, Confidence, Diagnosis, Evidence, Finding, FindingDetail, Hearing,
    NodeMemory, OpenQuestion, OutsideNode, SCHEMA, Severity, Testimony, Verdict, VerdictReason,
    Witness, WitnessStatement,
};
pub use memory_design::Split;
pub use performance::{Performance, PerformanceCell, performance};
pub use vendor::Vendor;
pub use witnesses::Witnesses;

use facts::Facts;
use findings::{Findings, Seen};

/// Joins the witnesses in a verdict. The same witnesses always give the same diagnosis.
pub fn diagnose(witnesses: &Witnesses) -> Diagnosis {
    let facts = Facts::of(witnesses);
    let (prediction, undecided) = predicted(witnesses);
    let observed = witnesses.observed(prediction.outcome);
    let findings = Findings::of(Seen {
        witnesses,
        facts: &facts,
        prediction: &prediction,
        observed: &observed,
    });
    let promises = account::predicted(&prediction, &undecided, &facts);
    let shows = account::observed(witnesses, &observed, &prediction, &facts, &findings);
    let judgement =
        verdict::judge(&facts, (&observed, &shows), (&prediction, &promises), findings.doubtful());
    Diagnosis {
        schema: SCHEMA.to_owned(),
        verdict: judgement.verdict,
        confidence: judgement.confidence,
        sentence: None,
        reason: reason::of(judgement.verdict, &facts, &observed, &prediction, undecided.first()),
        cause: judgement.cause,
        predicted: promises,
        observed: shows,
        witnesses: testimony::all(witnesses, &facts),
        findings: findings.into_list(),
    }
}

/// What follows from the tables, and what could not be decided. Where there is not even the name of
/// one, nothing does: captures often leave them out, and people send the one that they wonder
/// about.
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

/// Why these cannot be all tables of a machine. Tables that somebody sent are not, without the
/// MADT, which every machine with ACPI has.
fn incomplete(witnesses: &Witnesses) -> Option<OpenQuestion> {
    let firmware = &witnesses.firmware;
    if firmware.device_tree.is_some() {
        return None;
    }
    if firmware.tables.is_empty() {
        return Some(OpenQuestion::NoTable);
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

/// Whether the SLIT may be missing only because it was not sent: with the MADT, which every machine
/// has, tables are whole.
fn lacks_slit(witnesses: &Witnesses) -> bool {
    let firmware = &witnesses.firmware;
    let speaks_acpi = firmware.has::<Srat>() && firmware.device_tree.is_none();
    are_sent(witnesses) && speaks_acpi && !firmware.has::<Slit>() && !firmware.has::<Madt>()
}

/// Whether somebody sent the tables, and perhaps not all of them.
fn are_sent(witnesses: &Witnesses) -> bool {
    witnesses.topology.is_none()
}
