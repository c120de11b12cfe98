//! What each code of a finding stands for.
//!
//! The tables of `docs/why/diagnosis.md` are made of the [`list`]. Codes are never renamed:
//! documents contain them.

mod list;

use nearfar_model::{FindingCode, Severity};

use crate::document::Advice;
use crate::facts::Facts;
use list::{Codes, SECTIONS};

/// The cause "one domain for everything".
pub(crate) const ONE_DOMAIN: &str = "one-domain";
/// The cause "emulated nodes", from the command line.
pub(crate) const NUMA_FAKE: &str = "numa-fake";
/// The finding of devices without a node, of another crate.
const DEVICE_WITHOUT_NODE: &str = "device-without-node";
/// The cause "no table has distances".
pub(crate) const SLIT_DEFAULT: &str = "slit-default";

/// A code of this crate's own findings.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) declared: FindingCode,
    /// The table at fault.
    pub(crate) table: Option<&'static str>,
    pub(crate) remedy: RemedyKind,
}

/// The kind of remedy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RemedyKind {
    Nothing,
    /// Remove this option from the kernel's command line.
    TakeOff(&'static str),
    /// Disable interleaving over packages in the firmware setup; in a guest, configure virtual
    /// nodes.
    ShowNodes,
    /// Split a package's memory, where this CPU can.
    SplitPackage,
    /// A table is wrong: install a newer BIOS, or report the fault to its vendor. In a guest,
    /// change the hypervisor's configuration.
    NewerFirmware,
    /// The same on every machine.
    OfCode(&'static str),
    /// This on bare metal; in a guest, the hypervisor's configuration.
    Hardware(&'static str),
    /// This on bare metal; in a guest, cells that follow its CPU topology.
    Cells(&'static str),
    /// This on bare metal, for memory of a socket; in a guest, where the hypervisor puts memory.
    Modules(&'static str),
    /// This on bare metal, for a device's node; in a guest, the device's node in its configuration.
    DeviceNode(&'static str),
}

impl RemedyKind {
    /// The remedy that is the same on every machine; empty for others.
    const fn text(self) -> &'static str {
        match self {
            Self::OfCode(text)
            | Self::Hardware(text)
            | Self::Cells(text)
            | Self::Modules(text)
            | Self::DeviceNode(text) => text,
            _ => "",
        }
    }
}

/// The code of this crate with this name.
fn own(name: &str) -> Option<&'static Code> {
    let lists = SECTIONS.iter().filter_map(|section| match section.codes {
        Codes::Here(codes) => Some(codes),
        Codes::Of(_) => None,
    });
    lists.flatten().find(|code| code.declared.code == name)
}

/// What the code of this name stands for, if it is a code.
pub(crate) fn find(name: &str) -> Option<&'static FindingCode> {
    let others = SECTIONS.iter().filter_map(|section| match section.codes {
        Codes::Of(codes) => Some(codes),
        Codes::Here(_) => None,
    });
    let mut others = others.flatten();
    own(name).map(|code| &code.declared).or_else(|| others.find(|code| code.code == name))
}

/// What a code means, in a sentence; empty for what is none.
pub(crate) fn meaning(name: &str) -> &'static str {
    find(name).map_or("", |code| code.meaning)
}

/// What to do, in a sentence or two; empty where it depends on the machine.
pub(crate) fn remedy(name: &str) -> &'static str {
    find(name).map_or("", |code| code.remedy)
}

/// The table at fault.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    own(name)?.table
}

pub(crate) fn severity(name: &str) -> Severity {
    find(name).map_or(Severity::Warning, |code| code.severity)
}

/// The prefix of the command line option that a code is about.
pub(crate) fn option(name: &str) -> Option<&'static str> {
    match own(name)?.remedy {
        RemedyKind::TakeOff(word) => Some(word),
        _ => None,
    }
}

/// The advice for this machine.
pub(crate) fn advice(name: &str, facts: &Facts) -> Option<Advice> {
    let guest = facts.hypervisor.as_ref().map(|_| facts.known_hypervisor());
    let guest = guest.map(|name| name.unwrap_or("The hypervisor").to_owned());
    let vendor = facts.vendor;
    let show_nodes = Advice::ShowNodes { vendor, split: facts.memory_design.split };
    let if_several = Advice::ShowNodesIfSeveral { vendor };
    let remedy = match own(name) {
        Some(code) => code.remedy,
        None if name == DEVICE_WITHOUT_NODE => RemedyKind::DeviceNode(find(name)?.remedy),
        None => RemedyKind::OfCode(find(name)?.remedy),
    };
    Some(match (remedy, guest) {
        (RemedyKind::Nothing, _) => return None,
        (RemedyKind::Modules(_), Some(hypervisor)) => Advice::VirtualMemory { hypervisor },
        (RemedyKind::Cells(_), Some(hypervisor)) => Advice::VirtualCells { hypervisor },
        (RemedyKind::DeviceNode(_), Some(hypervisor)) => Advice::VirtualDevice { hypervisor },
        (RemedyKind::Hardware(_) | RemedyKind::NewerFirmware, Some(hypervisor)) => {
            Advice::HypervisorTables { hypervisor }
        }
        (RemedyKind::Modules(_), None) if facts.memory_in_one_node => Advice::ModulesOrFirmware,
        (
            RemedyKind::OfCode(_)
            | RemedyKind::Hardware(_)
            | RemedyKind::Cells(_)
            | RemedyKind::Modules(_)
            | RemedyKind::DeviceNode(_),
            _,
        ) => Advice::OfCode,
        (RemedyKind::TakeOff(_), _) if facts.interleaves_on_purpose => Advice::MeasureInterleaving,
        (RemedyKind::TakeOff(word), _) => {
            Advice::TakeOff { option: word.to_owned(), boot: facts.boot }
        }
        (RemedyKind::ShowNodes | RemedyKind::SplitPackage, Some(hypervisor)) => {
            Advice::VirtualNodes { hypervisor }
        }
        (RemedyKind::ShowNodes, None) => {
            let has_one = facts.least_memories().is_none_or(|memories| memories < 2);
            if has_one && !several_packages(facts) { if_several } else { show_nodes }
        }
        (RemedyKind::SplitPackage, None) => {
            match (facts.memory_design.split, facts.least_memories()) {
                // One node over several packages is interleaved over them: that comes first.
                (Some(_), _) if several_packages(facts) => show_nodes,
                (Some(split), _) => Advice::SplitPackage { vendor, split },
                (None, Some(1)) => return None,
                (None, Some(_)) => show_nodes,
                (None, None) => if_several,
            }
        }
        (RemedyKind::NewerFirmware, None) => Advice::NewerFirmware { vendor },
    })
}

/// Several packages of an unknown model very likely have one memory each.
fn several_packages(facts: &Facts) -> bool {
    facts.packages.is_some_and(|packages| packages > 1) && !facts.packages_may_be_clusters
}

#[cfg(test)]
mod tests;
