//! The document of `nearfar diagnose --json`, which surveys include.
//!
//! `nearfar schema diagnosis` lists fields, `docs/why/diagnosis.md` the codes. Codes are never
//! renamed. [`text`](crate::text) makes sentences of them.

mod advice;
mod finding_detail;
mod open_question;
mod witness_statement;

use nearfar_model::{CpuSet, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use advice::{Advice, BootConfig};
pub use finding_detail::FindingDetail;
pub use nearfar_firmware::linux::log::NodeBinding;
pub use nearfar_model::Severity;
pub use open_question::OpenQuestion;
pub use witness_statement::{NodeMemoryShare, WitnessStatement};

/// The schema of [`Diagnosis`]. Within a number, parts may be added, never changed.
pub const SCHEMA: &str = "nearfar.diagnosis/2";

/// Why the operating system sees the nodes it sees, or none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// The schema's name: `nearfar.diagnosis/2`.
    pub schema: String,
    /// The verdict.
    pub verdict: DiagnosisVerdict,
    /// Confidence in the verdict.
    pub confidence: Confidence,
    /// The reason; null where the verdict and its cause need no explanation.
    #[serde(default)]
    pub reason: Option<DiagnosisReason>,
    /// The deciding cause; null where nothing is wrong, or nothing is known.
    pub cause: Option<Cause>,
    /// The verdict of firmware's tables alone.
    pub predicted: SourceVerdict,
    /// The verdict of the running kernel: sysfs, command line, log.
    pub observed: SourceVerdict,
    /// The sources of evidence, and what each reports.
    pub witnesses: Vec<WitnessReport>,
    /// Findings, most severe first.
    pub findings: Vec<DiagnosisFinding>,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiagnosisVerdict {
    /// All CPUs have the same cost to all memory, according to firmware and hardware.
    Uniform,
    /// Firmware names no node, or one node where there are several.
    WithheldByFirmware,
    /// The same in a guest: the hypervisor configures no virtual nodes.
    WithheldByHypervisor,
    /// Firmware names nodes, and the kernel rejects them.
    RefusedByKernel,
    /// The kernel's command line disables NUMA.
    TurnedOff,
    /// The kernel was built without NUMA.
    ImpossibleInKernel,
    /// The kernel shows nodes, and nothing contradicts them.
    Visible,
    /// The kernel shows nodes, and something is likely wrong with them.
    VisibleButDoubtful,
    /// Too little could be read.
    Unknown,
}

/// Confidence in a verdict.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// One explanation among others.
    Possible,
    /// Nothing contradicts it, and one witness is missing.
    Likely,
    /// The deciding witnesses are available, and agree.
    Certain,
}

/// The deciding cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// Its code, in kebab-case (`docs/why/diagnosis.md`).
    pub code: String,
    /// The table at fault: "SRAT"; null where no table is.
    pub table: Option<String>,
    /// Byte offset in the table; null for the whole table, or without a table.
    pub offset: Option<usize>,
    /// The kernel's message; null where it logs none.
    pub message: Option<String>,
}

/// The verdict of one source: the tables, or the running kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceVerdict {
    /// The verdict of this source alone.
    pub verdict: DiagnosisVerdict,
    /// The deciding cause; null where nothing is wrong, or nothing is known.
    pub cause: Option<Cause>,
    /// Number of nodes in use; null where it is unknown.
    pub nodes: Option<usize>,
    /// Why the verdict is missing or incomplete.
    pub why: Vec<OpenQuestion>,
}

/// One witness, and what it reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessReport {
    /// The witness.
    pub witness: Witness,
    /// Whether it could be read.
    #[serde(rename = "heard")]
    pub availability: WitnessAvailability,
    /// What it reports.
    #[serde(rename = "says")]
    pub statements: Vec<WitnessStatement>,
}

/// The witnesses: sources of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// ACPI's tables, or the device tree.
    Firmware,
    /// What the processors report about themselves and a hypervisor: CPUID, MIDR.
    Cpus,
    /// SMBIOS: sockets and memory slots.
    DimmSlots,
    /// The kernel's command line and log.
    Kernel,
    /// What the kernel shows in sysfs.
    Sysfs,
}

/// Whether a witness could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WitnessAvailability {
    /// It was read.
    #[serde(rename = "heard")]
    Available,
    /// It exists, and only root can read all of it.
    Denied,
    /// It does not exist.
    Absent,
}

/// A finding besides the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisFinding {
    /// Its code, in kebab-case (`docs/why/diagnosis.md`).
    pub code: String,
    /// Its severity.
    pub severity: Severity,
    /// Its figures; null where the code needs none.
    pub what: Option<FindingDetail>,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The advice; null where no action is needed.
    pub advice: Option<Advice>,
}

/// A quotation of the input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The source: "SRAT", "kernel log", "command line", "sysfs", "SMBIOS", "DMI",
    /// "device tree", "CPUs", "nvidia-smi".
    pub source: String,
    /// The place: a file, with an offset or line where there is one.
    #[serde(rename = "where")]
    pub place: String,
    /// The quotation: bytes, a line, a name.
    pub excerpt: String,
    /// The place as others may read it, where it is in a file: without private folders. It is in no
    /// document.
    #[serde(skip)]
    pub(crate) public_place: Option<String>,
}

impl PartialEq for Evidence {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, &self.place, &self.excerpt) == (&other.source, &other.place, &other.excerpt)
    }
}

impl Eq for Evidence {}

impl DiagnosisVerdict {
    /// The name in documents: "withheld-by-firmware".
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
    /// The name in documents: "certain".
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        }
    }
}

impl Evidence {
    /// Whether both quote the same place.
    fn is_same(&self, other: &Self) -> bool {
        (&self.source, &self.place, &self.excerpt) == (&other.source, &other.place, &other.excerpt)
    }

    pub(crate) fn new(source: &str, place: impl Into<String>, excerpt: impl Into<String>) -> Self {
        Self {
            source: source.to_owned(),
            place: place.into(),
            excerpt: excerpt.into(),
            public_place: None,
        }
    }

    /// In a file, at a position if one is given.
    pub(crate) fn in_file(
        source: &str,
        path: &str,
        position: Option<&str>,
        excerpt: impl Into<String>,
    ) -> Self {
        let place = |path: &str| [path].into_iter().chain(position).collect::<Vec<_>>().join(", ");
        let public_place = Some(place(public_path(path)));
        Self { public_place, ..Self::new(source, place(path), excerpt) }
    }
}

/// The path without private folders: "/home/me/case/SRAT" gives "SRAT". The kernel's own stay.
fn public_path(path: &str) -> &str {
    let top = path.strip_prefix('/').and_then(|path| path.split('/').next());
    match top {
        Some("sys" | "proc" | "dev" | "var") => path,
        _ => path.rfind('/').map_or(path, |slash| &path[slash + 1..]),
    }
}

impl DiagnosisFinding {
    /// A finding without figures, evidence and advice.
    pub(crate) fn new(code: &str, severity: Severity) -> Self {
        Self { code: code.to_owned(), severity, what: None, evidence: Vec::new(), advice: None }
    }

    /// Adds a finding; evidence of a code that is there joins the first of it.
    pub(crate) fn join(findings: &mut Vec<Self>, finding: Self) {
        match findings.iter_mut().find(|one| one.code == finding.code) {
            Some(first) => {
                for one in finding.evidence {
                    let is_there = first.evidence.iter().any(|other| other.is_same(&one));
                    first.evidence.extend((!is_there).then_some(one));
                }
            }
            None => findings.push(finding),
        }
    }

    pub(crate) fn with_detail(mut self, what: FindingDetail) -> Self {
        self.what = Some(what);
        self
    }

    pub(crate) fn shown_by(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    pub(crate) fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }
}

impl SourceVerdict {
    /// A source that could not be read.
    pub(crate) fn unknown(why: OpenQuestion) -> Self {
        Self { verdict: DiagnosisVerdict::Unknown, cause: None, nodes: None, why: vec![why] }
    }
}

/// The reason of a verdict, where the verdict and its cause need an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DiagnosisReason {
    /// Uniform: all packages share one bus to memory.
    OneBus,
    /// Uniform: machines with this CPU model have one package with one memory.
    OneMemoryModel,
    /// Uniform: firmware calls it a portable machine.
    Portable,
    /// Uniform: there is one package with one memory, and firmware names no other.
    OnePackage,
    /// Uniform: firmware puts everything in one domain, and nothing contradicts it.
    OneDomain,
    /// Withheld: each die of these packages has a memory of its own.
    MemoryOfDies {
        /// Packages.
        packages: usize,
        /// Dies of a package.
        dies: u32,
    },
    /// Withheld: each package has a memory of its own.
    MemoryOfPackages {
        /// Packages.
        packages: usize,
        /// Whether it is only very likely: the CPU model is unknown.
        likely: bool,
    },
    /// Withheld: there are several memories.
    SeveralMemories,
    /// Withheld in a guest.
    Guest {
        /// The hypervisor; null where it is unknown.
        hypervisor: Option<String>,
    },
    /// Visible: the kernel shows nodes.
    NodesShown {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: only the tables name nodes.
    NodesInTables {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: only the log names nodes.
    NodesInLog {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: emulated nodes, over which the kernel interleaves all memory.
    NodesInterleaved {
        /// Number of nodes.
        nodes: usize,
    },
    /// Undetermined: the tables name nodes, and the kernel's log reports none.
    Contradiction {
        /// Number of nodes in the tables.
        nodes: usize,
    },
    /// Undetermined: the only online node does not have the whole machine.
    Incomplete {
        /// What it does not have.
        outside: OutsideNode,
    },
    /// Undetermined: firmware names no node, which may be correct.
    NoNodeNamed {
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: firmware names one node, which may be correct.
    OneNodeNamed {
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: deciding information is missing.
    Undecided {
        /// Number of nodes of the kernel.
        nodes: usize,
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: neither tables nor log could be read.
    Unread {
        /// Number of nodes of the kernel.
        nodes: usize,
    },
}

/// What the only online node does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum OutsideNode {
    /// Online CPUs outside the node.
    Cpus {
        /// The CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
    /// An offline node with CPUs or memory.
    Node {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_document() {
        use DiagnosisVerdict::*;
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
