//! What to do about a finding.

use super::settings::{self, Goal};
use crate::codes;
use crate::{Advice, DiagnosisFinding, MemorySplit, Vendor};

/// A sentence or two, then names of a setting; empty where no action is needed.
pub(super) fn lines(finding: &DiagnosisFinding) -> Vec<String> {
    match &finding.advice {
        None => Vec::new(),
        Some(Advice::ShowNodes { vendor, split }) => show_nodes(*vendor, *split),
        Some(Advice::ShowNodesIfSeveral { vendor }) => after(
            "No action, unless this machine has several packages, or several dies with their own \
             memory. Then:",
            settings::advice(Goal::Nodes, *vendor),
        ),
        Some(Advice::SplitPackage { vendor, split }) => {
            settings::advice(Goal::MemorySplit(*split), *vendor)
        }
        Some(Advice::AllMemory { vendor }) => after(
            "Check whether the command line limits memory (mem=, memmap=), and whether the BIOS \
             uses all modules.",
            settings::advice(Goal::AllMemory, *vendor),
        ),
        Some(advice) => vec![sentence(advice, &finding.code)],
    }
}

/// The advice after a sentence.
fn after(sentence: &str, mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        *first = format!("{sentence} {first}");
    }
    lines
}

fn show_nodes(vendor: Option<Vendor>, split: Option<MemorySplit>) -> Vec<String> {
    let goal = match split {
        Some(MemorySplit::NodesPerSocket) => Goal::OneNodeAPackage,
        Some(MemorySplit::SubNuma | MemorySplit::ClusterOnDie) => Goal::NodesOfIntel,
        _ => Goal::Nodes,
    };
    let mut lines = settings::advice(goal, vendor);
    let optional = split.map(|split| {
        let name = Goal::MemorySplit(split).effect();
        format!("Optional, for several nodes in each package: {name}.")
    });
    lines.extend(optional);
    lines
}

fn sentence(advice: &Advice, code: &str) -> String {
    match advice {
        Advice::OfCode => codes::remedy(code).to_owned(),
        Advice::TakeOff { option, boot } => format!(
            "Take {option} off the kernel's command line ({}) and start the machine again.",
            settings::command_line(*boot)
        ),
        Advice::VirtualMemory { hypervisor } => settings::virtual_memory(hypervisor).to_owned(),
        Advice::VirtualCells { .. } => "On the host: let the cells of the domain follow its CPU \
             topology, whole sockets in each (QEMU: '-numa cpu,socket-id=...'; libvirt: <cell \
             cpus=...> with <topology sockets=...>), or ask its administrator."
            .to_owned(),
        Advice::VirtualDevice { hypervisor } => settings::virtual_device(hypervisor).to_owned(),
        Advice::ModulesOrFirmware => format!(
            "{} Or firmware puts all memory into one domain: compare with the modules \
             ('dmidecode -t memory'), and look for a newer firmware.",
            codes::remedy(code)
        ),
        Advice::MeasureInterleaving => "Leave it: the board's own defaults ask for it, for more \
             bandwidth. Whether it pays for a program is measurable: 'nearfar interleave' and \
             'nearfar sweep'."
            .to_owned(),
        Advice::VirtualNodes { hypervisor } => settings::virtual_nodes(hypervisor).to_owned(),
        Advice::HypervisorTables { hypervisor } if code == codes::SLIT_DEFAULT => {
            format!(
                "Measure the distances: 'nearfar survey'. {}",
                settings::virtual_distances(hypervisor)
            )
        }
        Advice::HypervisorTables { hypervisor } => settings::virtual_tables(hypervisor),
        &Advice::NewerFirmware { vendor } => {
            let vendor = vendor.map_or("the board's vendor", Vendor::name);
            format!(
                "Look for a newer BIOS. If the newest has the fault too, report it to {vendor}."
            )
        }
        // Their names are lines of their own.
        Advice::ShowNodes { .. }
        | Advice::ShowNodesIfSeveral { .. }
        | Advice::SplitPackage { .. }
        | Advice::AllMemory { .. } => String::new(),
    }
}
