//! What to do about a finding.

use super::settings::{self, Goal};
use crate::codes;
use crate::{Advice, DiagnosisFinding, MemorySplit, Vendor};

/// In a sentence or two; none where no action is needed.
pub(super) fn sentence(finding: &DiagnosisFinding) -> Option<String> {
    Some(match finding.advice.as_ref()? {
        Advice::OfCode => codes::remedy(&finding.code).to_owned(),
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
            codes::remedy(&finding.code)
        ),
        Advice::MeasureInterleaving => "Leave it: the board's own defaults ask for it, for more \
             bandwidth. Whether it pays for a program is measurable: 'nearfar interleave' and \
             'nearfar sweep'."
            .to_owned(),
        Advice::VirtualNodes { hypervisor } => settings::virtual_nodes(hypervisor).to_owned(),
        &Advice::ShowNodes { vendor, split } => {
            let goal = match split {
                Some(MemorySplit::NodesPerSocket) => Goal::OneNodeAPackage,
                _ => Goal::Nodes,
            };
            let nodes = settings::advice(goal, vendor);
            let split = split.map(|split| {
                let names = settings::advice(Goal::MemorySplit(split), vendor);
                format!("Optional, to split each package's memory further: {names}")
            });
            [Some(nodes), split, Some(newer_firmware(vendor))]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        &Advice::ShowNodesIfSeveral { vendor } => format!(
            "No action, unless this machine has several packages, or several dies with their own \
             memory. Then: {}",
            settings::advice(Goal::Nodes, vendor)
        ),
        &Advice::SplitPackage { vendor, split } => {
            settings::advice(Goal::MemorySplit(split), vendor)
        }
        Advice::HypervisorTables { hypervisor } => format!(
            "{hypervisor} decides what this guest sees. Correct its configuration, or ask the \
             host's administrator."
        ),
        &Advice::NewerFirmware { vendor } => newer_firmware(vendor),
        &Advice::AllMemory { vendor } => format!(
            "Check whether the command line limits memory (mem=, memmap=), and whether the BIOS \
             uses all modules. {}",
            settings::advice(Goal::AllMemory, vendor)
        ),
    })
}

/// What to do about a wrong table.
fn newer_firmware(vendor: Option<Vendor>) -> String {
    let vendor = vendor.map_or("the board's vendor", Vendor::name);
    format!(
        "Look for a newer BIOS. If the newest has the fault too, send the evidence to {vendor}: \
         'nearfar diagnose --support-report' writes it."
    )
}
