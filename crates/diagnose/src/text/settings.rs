//! What to change in the BIOS setup, by the names of the frequent vendors.
//!
//! Names differ between BIOS versions. A known vendor's names are listed alone, else all names.

mod names;

use crate::{BootConfig, MemorySplit, Vendor};

/// The effect that a setting should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Firmware reports the memory of each package separately.
    Nodes,
    /// The same on AMD's EPYC: one node a package.
    OneNodeAPackage,
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

/// Where the kernel's command line is written.
pub(super) fn command_line(boot: BootConfig) -> &'static str {
    match boot {
        BootConfig::Grub => "GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub",
        BootConfig::RaspberryPi => "/boot/firmware/cmdline.txt",
        BootConfig::BoardLoader => {
            "the boot loader's: extlinux.conf, U-Boot's bootargs, or /chosen/bootargs of the \
             device tree"
        }
        BootConfig::Zipl => "parameters in /etc/zipl.conf, then zipl",
    }
}

/// How to give nodes of a guest memory, by hypervisor.
pub(super) fn virtual_memory(hypervisor: &str) -> &'static str {
    match hypervisor {
        "pHyp" => {
            "On the management console (HMC): optimise the affinity of the partition (optmem), or \
             start it again where processors and memory are free in one place."
        }
        "VMware" => {
            "On the host: let virtual sockets match virtual nodes (numa.vcpu.maxPerVirtualNode), \
             and keep memory hot add off."
        }
        "Hyper-V" => "On the host: set the machine's NUMA topology (Settings, Processor, NUMA).",
        "Amazon EC2" => "The instance type decides it: try another size, or a .metal one.",
        _ => {
            "On the host: give each virtual node memory beside its CPUs (QEMU: \
             '-numa node,memdev=...'; libvirt: <cell memory=...> with <numatune>), or ask its \
             administrator."
        }
    }
}

/// How to give a guest's device a node, by hypervisor.
pub(super) fn virtual_device(hypervisor: &str) -> &'static str {
    match hypervisor {
        "KVM" | "QEMU" => {
            "On the host: put the device behind an expander bus with a node (QEMU: \
             'pxb-pcie,numa_node=N'; libvirt: <controller model='pcie-expander-bus'> with \
             <target><node>N</node></target>)."
        }
        _ => {
            "The hypervisor does not name the device's node: ask the host's administrator. \
             'nearfar sweep' finds the better node for a program."
        }
    }
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
