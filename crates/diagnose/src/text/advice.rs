//! What to do about a finding.

use super::settings::{self, Goal};
use crate::codes;
use crate::{Advice, DiagnosisFinding, Vendor};

/// In a sentence or two; none where no action is needed.
pub(super) fn sentence(finding: &DiagnosisFinding) -> Option<String> {
    Some(match finding.advice.as_ref()? {
        Advice::Sentence(sentence) => sentence.clone(),
        Advice::OfCode => codes::remedy(&finding.code).to_owned(),
        Advice::TakeOff { option } => format!(
            "Take {option} off the kernel's command line (GRUB_CMDLINE_LINUX in \
             /etc/default/grub, then update-grub) and start the machine again."
        ),
        Advice::VirtualNodes { hypervisor } => settings::virtual_nodes(hypervisor).to_owned(),
        &Advice::ShowNodes { vendor, split } => {
            let nodes = settings::advice(Goal::Nodes, vendor);
            let split = split.map(|split| settings::advice(Goal::MemorySplit(split), vendor));
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
        Advice::HypervisorTables { hypervisor } => {
            format!(
                "{hypervisor} writes the tables of this guest. Correct its configuration, or ask \
                 the host's administrator."
            )
        }
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
         'nearfar diagnose --letter' writes it."
    )
}
