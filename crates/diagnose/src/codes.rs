//! Which table each code is about, how grave it is, and its kind of remedy.
//!
//! The same as `docs/diagnosis.md`. Codes are never renamed: documents carry them.

mod list;

use crate::document::{Advice, Severity};
use crate::facts::Facts;

/// The name of one domain for all, as a cause.
pub(crate) const ONE_DOMAIN: &str = "one-domain";
/// The name of nodes made up on the command line, as a cause.
pub(crate) const NUMA_FAKE: &str = "numa-fake";
/// The name of distances that nobody tells, as a cause.
pub(crate) const SLIT_DEFAULT: &str = "slit-default";

/// One code.
#[derive(Debug)]
pub(crate) struct Code {
    /// The name.
    pub(crate) name: &'static str,
    /// The table that it is about.
    pub(crate) table: Option<&'static str>,
    /// How grave it is.
    pub(crate) severity: Severity,
    /// What to do.
    pub(crate) remedy: Remedy,
}

/// What to do about it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Remedy {
    /// Nothing needs to be done.
    Nothing,
    /// Take this word off the kernel's command line.
    TakeOff(&'static str),
    /// Let firmware keep memory of packages apart and say so; in a guest, let the hypervisor do it.
    ShowNodes,
    /// Split a package's memory, where this CPU can.
    SplitPackage,
    /// A table is wrong: a newer BIOS, and a letter to its vendor; in a guest, the hypervisor's
    /// configuration.
    NewerFirmware,
    /// The same on every machine.
    OfCode,
}

/// The code of this name; none for one that is not in the list.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    list::ALL.iter().find(|code| code.name == name)
}

/// The table that a code is about.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    find(name)?.table
}

/// How grave it is.
pub(crate) fn severity(name: &str) -> Severity {
    find(name).map_or(Severity::Warning, |code| code.severity)
}

/// The beginning of the command line's word that a code is about.
pub(crate) fn option(name: &str) -> Option<&'static str> {
    match find(name)?.remedy {
        Remedy::TakeOff(word) => Some(word),
        _ => None,
    }
}

/// What to do about it on this machine.
pub(crate) fn advice(name: &str, facts: &Facts) -> Option<Advice> {
    let guest = facts.hypervisor_name().map(str::to_owned);
    let vendor = facts.vendor;
    let show_nodes = Advice::ShowNodes { vendor, split: facts.memory_design.split };
    let if_several = Advice::ShowNodesIfSeveral { vendor };
    Some(match (find(name)?.remedy, guest) {
        (Remedy::Nothing, _) => return None,
        (Remedy::OfCode, _) => Advice::OfCode,
        (Remedy::TakeOff(word), _) => Advice::TakeOff { option: word.to_owned() },
        (Remedy::ShowNodes | Remedy::SplitPackage, Some(hypervisor)) => {
            Advice::VirtualNodes { hypervisor }
        }
        (Remedy::ShowNodes, None) => {
            let has_one = facts.least_memories().is_none_or(|memories| memories < 2);
            if has_one && !several_packages(facts) { if_several } else { show_nodes }
        }
        (Remedy::SplitPackage, None) => match (facts.memory_design.split, facts.least_memories()) {
            (Some(split), _) => Advice::SplitPackage { vendor, split },
            (None, Some(1)) => return None,
            (None, Some(_)) => show_nodes,
            (None, None) => if_several,
        },
        (Remedy::NewerFirmware, Some(hypervisor)) => Advice::HypervisorTables { hypervisor },
        (Remedy::NewerFirmware, None) => Advice::NewerFirmware { vendor },
    })
}

/// Several packages of an unknown model very likely have a memory each.
fn several_packages(facts: &Facts) -> bool {
    facts.packages.is_some_and(|packages| packages > 1) && !facts.packages_may_be_clusters
}

#[cfg(test)]
mod tests;
