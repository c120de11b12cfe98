//! What each code means, which table it is about, how grave it is, and what to do: the same as `docs/diagnosis.md`.
//!
//! Codes are never renamed: documents carry them.

mod list;

use crate::document::Severity;
use crate::facts::Facts;
use crate::settings::{self, Goal};

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
    /// What is so, where nothing more precise is known.
    pub(crate) meaning: &'static str,
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
    /// A table is wrong: a newer BIOS, and a letter to its vendor; in a guest, the hypervisor's configuration.
    NewerFirmware,
    /// Said in words.
    Words(&'static str),
}

/// The code of this name; none for one that is not in the list.
pub(crate) fn find(name: &str) -> Option<&'static Code> {
    list::all().find(|code| code.name == name)
}

/// The table that a code is about.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    find(name)?.table
}

/// How grave it is.
pub(crate) fn severity(name: &str) -> Severity {
    find(name).map_or(Severity::Warning, |code| code.severity)
}

/// What is so, in a sentence.
pub(crate) fn meaning(name: &str) -> &'static str {
    find(name).map_or("", |code| code.meaning)
}

/// The beginning of the command line's word that a code is about.
pub(crate) fn option(name: &str) -> Option<&'static str> {
    match find(name)?.remedy {
        Remedy::TakeOff(word) => Some(word),
        _ => None,
    }
}

/// What to do about it on this machine.
pub(crate) fn advice(name: &str, facts: &Facts) -> Option<String> {
    let guest = facts.hypervisor_name();
    match find(name)?.remedy {
        Remedy::Nothing => None,
        Remedy::TakeOff(word) => Some(format!(
            "Take {word} off the kernel's command line (GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub) and start the machine again."
        )),
        Remedy::ShowNodes | Remedy::SplitPackage if guest.is_some() => {
            guest.map(|name| settings::virtual_nodes(name).to_owned())
        }
        Remedy::ShowNodes if facts.least_memories().is_none_or(|memories| memories < 2) => {
            several_packages(facts).then(|| show_nodes(facts)).or_else(|| Some(in_case_of_several(facts)))
        }
        Remedy::ShowNodes => Some(show_nodes(facts)),
        Remedy::SplitPackage => split(facts).or_else(|| match facts.least_memories() {
            Some(1) => None,
            Some(_) => Some(show_nodes(facts)),
            None => Some(in_case_of_several(facts)),
        }),
        Remedy::NewerFirmware => Some(match guest {
            Some(name) => format!("{name} writes this guest's tables: correct its configuration, or tell who runs it."),
            None => settings::newer_firmware(facts.vendor),
        }),
        Remedy::Words(words) => Some(words.to_owned()),
    }
}

/// Several packages of an unknown model very likely have a memory each.
fn several_packages(facts: &Facts) -> bool {
    facts.packages.is_some_and(|packages| packages > 1) && !facts.packages_may_be_clusters
}

fn show_nodes(facts: &Facts) -> String {
    let mut advice = settings::advice(Goal::Nodes, facts.vendor);
    if let Some(split) = split(facts) {
        advice += " ";
        advice += &split;
    }
    advice + " " + &settings::newer_firmware(facts.vendor)
}

/// Where it is not known whether there is anything to show.
fn in_case_of_several(facts: &Facts) -> String {
    format!(
        "Nothing, unless this machine has several packages, or dies with a memory each. Then: {}",
        settings::advice(Goal::Nodes, facts.vendor)
    )
}

fn split(facts: &Facts) -> Option<String> {
    Some(settings::advice(Goal::Split(facts.silicon.split?), facts.vendor))
}

#[cfg(test)]
mod tests;
