//! The table, severity and kind of remedy of each code.
//!
//! `docs/diagnosis.md` has the same list. Codes are never renamed: documents contain them.

mod list;

use crate::document::{Advice, Severity};
use crate::facts::Facts;

/// The cause "one domain for everything".
pub(crate) const ONE_DOMAIN: &str = "one-domain";
/// The cause "emulated nodes", from the command line.
pub(crate) const NUMA_FAKE: &str = "numa-fake";
/// The cause "no table has distances".
pub(crate) const SLIT_DEFAULT: &str = "slit-default";

#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) name: &'static str,
    /// The table at fault.
    pub(crate) table: Option<&'static str>,
    pub(crate) severity: Severity,
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
    /// The same on every machine: the page has its text.
    OfCode,
}

/// The code with this name, if it is in the list.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    list::ALL.iter().find(|code| code.name == name)
}

/// The table at fault.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    find(name)?.table
}

pub(crate) fn severity(name: &str) -> Severity {
    find(name).map_or(Severity::Warning, |code| code.severity)
}

/// The prefix of the command line option that a code is about.
pub(crate) fn option(name: &str) -> Option<&'static str> {
    match find(name)?.remedy {
        RemedyKind::TakeOff(word) => Some(word),
        _ => None,
    }
}

/// The advice for this machine.
pub(crate) fn advice(name: &str, facts: &Facts) -> Option<Advice> {
    let guest = facts.hypervisor_name().map(str::to_owned);
    let vendor = facts.vendor;
    let show_nodes = Advice::ShowNodes { vendor, split: facts.memory_design.split };
    let if_several = Advice::ShowNodesIfSeveral { vendor };
    Some(match (find(name)?.remedy, guest) {
        (RemedyKind::Nothing, _) => return None,
        (RemedyKind::OfCode, _) => Advice::OfCode,
        (RemedyKind::TakeOff(word), _) => Advice::TakeOff { option: word.to_owned() },
        (RemedyKind::ShowNodes | RemedyKind::SplitPackage, Some(hypervisor)) => {
            Advice::VirtualNodes { hypervisor }
        }
        (RemedyKind::ShowNodes, None) => {
            let has_one = facts.least_memories().is_none_or(|memories| memories < 2);
            if has_one && !several_packages(facts) { if_several } else { show_nodes }
        }
        (RemedyKind::SplitPackage, None) => {
            match (facts.memory_design.split, facts.least_memories()) {
                (Some(split), _) => Advice::SplitPackage { vendor, split },
                (None, Some(1)) => return None,
                (None, Some(_)) => show_nodes,
                (None, None) => if_several,
            }
        }
        (RemedyKind::NewerFirmware, Some(hypervisor)) => Advice::HypervisorTables { hypervisor },
        (RemedyKind::NewerFirmware, None) => Advice::NewerFirmware { vendor },
    })
}

/// Several packages of an unknown model very likely have one memory each.
fn several_packages(facts: &Facts) -> bool {
    facts.packages.is_some_and(|packages| packages > 1) && !facts.packages_may_be_clusters
}

#[cfg(test)]
mod tests;
