//! The document: what `nearfar diagnose --json` prints, and what a survey keeps.
//!
//! Names and types are those of `docs/json.md`; codes are those of `docs/diagnosis.md`, and are
//! never renamed. nearfar-report makes sentences of it; documents of schema 1 hold sentences, which
//! are read and shown as they are.

mod advice;
mod finding_detail;
mod open_question;
mod verdict_reason;
mod witness_statement;

use serde::{Deserialize, Serialize};

pub use advice::Advice;
pub use finding_detail::FindingDetail;
pub use open_question::OpenQuestion;
pub use verdict_reason::{OutsideNode, VerdictReason};
pub use witness_statement::{NodeMemory, WitnessStatement};

/// The schema of [`Diagnosis`]. Parts may be added within a number, never changed.
pub const SCHEMA: &str = "nearfar.diagnosis/2";

/// Why the operating system sees the nodes that it sees, or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// [`SCHEMA`].
    pub schema: String,
    /// In a word.
    pub verdict: Verdict,
    /// How sure that is.
    pub confidence: Confidence,
    /// In a sentence or two; in documents of schema 1 only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// Why; null where the verdict and its cause say it all.
    #[serde(default)]
    pub reason: Option<VerdictReason>,
    /// What decides; null where nothing is wrong, or nothing is known.
    pub cause: Option<Cause>,
    /// What follows from firmware's tables alone.
    pub predicted: Account,
    /// What the running kernel shows: sysfs, command line, log.
    pub observed: Account,
    /// Who was asked, and what each says.
    pub witnesses: Vec<Testimony>,
    /// What is worth knowing, the gravest first.
    pub findings: Vec<Finding>,
}

/// The verdict, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All memory is alike to all CPUs, as far as firmware and silicon tell.
    Uniform,
    /// Firmware says nothing of nodes, or says that there is one where there are more.
    WithheldByFirmware,
    /// The same in a guest: the hypervisor gives no nodes.
    WithheldByHypervisor,
    /// Firmware names nodes, and the kernel does not take them.
    RefusedByKernel,
    /// Somebody said so on the kernel's command line.
    TurnedOff,
    /// The kernel was built without NUMA.
    ImpossibleInKernel,
    /// The kernel shows nodes, and nothing speaks against them.
    Visible,
    /// The kernel shows nodes, and something is likely wrong with them.
    VisibleButDoubtful,
    /// Too little could be read.
    Unknown,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// One explanation among others.
    Possible,
    /// Nothing speaks against it, and one witness is missing.
    Likely,
    /// The witnesses that decide were heard, and agree.
    Certain,
}

/// What decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// What it is called, in kebab-case (`docs/diagnosis.md`).
    pub code: String,
    /// The table at fault: "SRAT"; null where no table is.
    pub table: Option<String>,
    /// Where in the table, in bytes; null where it is the whole table, or none.
    pub offset: Option<usize>,
    /// The kernel's words for it; null where it has none.
    pub message: Option<String>,
}

/// One side's story: of the tables, or of the running kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Account {
    /// The verdict that this side gives by itself.
    pub verdict: Verdict,
    /// What decides; null where nothing is wrong, or nothing is known.
    pub cause: Option<Cause>,
    /// How many nodes are in use; null where that is not known.
    pub nodes: Option<usize>,
    /// Why there is no story, or a part of it is missing.
    #[serde(default, deserialize_with = "open_question::list")]
    pub why: Vec<OpenQuestion>,
}

/// One witness, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Testimony {
    /// Who.
    pub witness: Witness,
    /// What came of asking.
    pub heard: Hearing,
    /// What it says.
    pub says: Vec<WitnessStatement>,
}

/// The witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// ACPI's tables, or the device tree.
    Firmware,
    /// What the processors say of themselves and of a hypervisor: CPUID, MIDR.
    Cpus,
    /// SMBIOS: sockets, and slots of memory.
    DimmSlots,
    /// The kernel's command line and log.
    Kernel,
    /// What the kernel shows in sysfs.
    Sysfs,
}

/// What came of asking a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hearing {
    /// It spoke.
    Heard,
    /// It is there, and this user may not ask all of it: root may.
    Denied,
    /// It is not there.
    Absent,
}

/// Something worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What it is called, in kebab-case (`docs/diagnosis.md`).
    pub code: String,
    /// How grave it is.
    pub severity: Severity,
    /// What is so; null where the code says it all.
    pub what: Option<FindingDetail>,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// What to do; null where nothing needs to be done.
    pub advice: Option<Advice>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nodes, distances or memory are lost by it.
    Error,
    /// Something is likely wrong, and nothing shows it.
    Warning,
    /// Good to know.
    Note,
}

/// A piece of what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Who says it: "SRAT", "kernel log", "command line", "sysfs", "SMBIOS", "CPUs".
    pub source: String,
    /// Where: a file, with an offset or line where there is one.
    #[serde(rename = "where")]
    pub place: String,
    /// What stands there: bytes, a line, a name.
    pub excerpt: String,
}

impl Verdict {
    /// As in documents: "withheld-by-firmware".
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::WithheldByFirmware => "withheld-by-firmware",
            Self::WithheldByHypervisor => "withheld-by-hypervisor",
            Self::RefusedByKernel => "refused-by-kernel",
            Self::TurnedOff => "turned-off",
            Self::ImpossibleInKernel => "impossible-in-kernel",
            Self::Visible => "visible",
            Self::VisibleButDoubtful => "visible-but-doubtful",
            Self::Unknown => "unknown",
        }
    }
}

impl Confidence {
    /// As in documents: "certain".
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        }
    }
}

impl Evidence {
    /// A piece from a place.
    pub(crate) fn new(source: &str, place: impl Into<String>, excerpt: impl Into<String>) -> Self {
        Self { source: source.to_owned(), place: place.into(), excerpt: excerpt.into() }
    }
}

impl Finding {
    /// A finding of which the code says all, without evidence and advice.
    pub(crate) fn new(code: &str, severity: Severity) -> Self {
        Self { code: code.to_owned(), severity, what: None, evidence: Vec::new(), advice: None }
    }

    /// The same, and what is so.
    pub(crate) fn with_detail(mut self, what: FindingDetail) -> Self {
        self.what = Some(what);
        self
    }

    /// The same with a piece of evidence more.
    pub(crate) fn shown_by(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// The same with advice.
    pub(crate) fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }
}

impl Account {
    /// Nobody there to tell.
    pub(crate) fn silent(why: OpenQuestion) -> Self {
        Self { verdict: Verdict::Unknown, cause: None, nodes: None, why: vec![why] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_document() {
        use Verdict::*;
        for verdict in [
            Uniform,
            WithheldByFirmware,
            WithheldByHypervisor,
            RefusedByKernel,
            TurnedOff,
            ImpossibleInKernel,
            Visible,
            VisibleButDoubtful,
            Unknown,
        ] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
        for confidence in [Confidence::Certain, Confidence::Likely, Confidence::Possible] {
            assert_eq!(serde_json::to_value(confidence).unwrap(), confidence.name());
        }
        assert!(Confidence::Possible < Confidence::Certain);
    }
}
