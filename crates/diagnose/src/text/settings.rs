//! What to change in the BIOS setup, by the names of the frequent vendors.
//!
//! Names differ between BIOS versions. A known vendor's names are listed alone, else all names.

mod names;

use crate::{MemorySplit, Vendor};

/// The effect that a setting should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Firmware reports the memory of each package separately.
    Nodes,
    /// A package's memory becomes several nodes.
    MemorySplit(MemorySplit),
    /// All DIMMs are in the map of memory.
    AllMemory,
}

/// What to do for a goal, in a sentence.
pub(super) fn advice(goal: Goal, vendor: Option<Vendor>) -> String {
    let settings = names::of(goal);
    let own = settings
        .iter()
        .filter(|(_, vendors)| vendor.is_some_and(|vendor| vendors.contains(&vendor)));
    let own: Vec<&str> = own.map(|(what, _)| *what).collect();
    match vendor {
        Some(vendor) if !own.is_empty() => {
            format!("In the setup of this {} machine: {}.", vendor.name(), own.join("; "))
        }
        _ => format!("In the BIOS setup, under one of these names: {}.", usual(settings)),
    }
}

/// All names, the vendors after each.
fn usual(settings: &[names::NamedSetting]) -> String {
    let named = settings.iter().map(|(what, vendors)| match vendors {
        [] => (*what).to_owned(),
        _ => format!(
            "{what} ({})",
            vendors.iter().map(|vendor| vendor.name()).collect::<Vec<_>>().join(", ")
        ),
    });
    named.collect::<Vec<_>>().join("; ")
}

/// How to give a guest nodes, by hypervisor.
pub(super) fn virtual_nodes(hypervisor: &str) -> &'static str {
    match hypervisor {
        "VMware" => {
            "On the host: give the machine more than 8 virtual CPUs or set numa.vcpu.min. Turn CPU \
             hot add off: it hides virtual NUMA."
        }
        "Hyper-V" => {
            "On the host: turn Dynamic Memory off for the machine and set its NUMA topology \
             (Settings, Processor, NUMA)."
        }
        "Xen" => "On the host: 'vnuma = [...]' in the machine's xl configuration.",
        "Amazon EC2" => {
            "Choose an instance that spans sockets, or a .metal one. Smaller ones run on one node \
             and show none."
        }
        _ => {
            "On the host: give the machine virtual nodes and pin them (QEMU: '-numa node,...' with \
             '-object memory-backend-ram,policy=bind,...'; libvirt: <numa><cell .../></numa> with \
             <numatune>). Micro-VMs such as Firecracker do not support virtual nodes."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_vendors_name_is_listed_alone() {
        let dell = advice(Goal::Nodes, Some(Vendor::Dell));
        assert!(
            dell.contains("Dell") && dell.contains("Node Interleaving") && !dell.contains("Lenovo"),
            "{dell}"
        );
        let lenovo = advice(Goal::Nodes, Some(Vendor::Lenovo));
        assert!(lenovo.contains("Socket Interleave"), "{lenovo}");
    }

    #[test]
    fn without_a_vendor_all_names_are_listed() {
        let usual = advice(Goal::Nodes, None);
        for name in [
            "Node Interleaving",
            "Socket Interleave",
            "NUMA Optimization",
            "ACPI SRAT",
            "Memory Interleaving",
        ] {
            assert!(usual.contains(name), "{name} is missing: {usual}");
        }
    }

    #[test]
    fn every_way_to_split_a_package_has_a_name() {
        for (split, name) in [
            (MemorySplit::NodesPerSocket, "NPS"),
            (MemorySplit::DieInterleaving, "Memory Interleaving"),
            (MemorySplit::SubNuma, "SNC"),
            (MemorySplit::ClusterOnDie, "Cluster on Die"),
            (MemorySplit::Ampere, "ANC"),
        ] {
            let text = advice(Goal::MemorySplit(split), None);
            assert!(text.contains(name), "{split:?}: {text}");
        }
        assert!(advice(Goal::AllMemory, None).contains("Memory Remapping"));
    }

    #[test]
    fn every_hypervisor_has_advice() {
        assert!(virtual_nodes("KVM").contains("-numa node"));
        assert!(virtual_nodes("VMware").contains("hot add"));
    }
}
