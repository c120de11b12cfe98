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
    /// The same on Intel's CPUs.
    NodesOfIntel,
    /// The same on AMD's EPYC: one node a package.
    OneNodeAPackage,
    /// A package's memory becomes several nodes.
    MemorySplit(MemorySplit),
    /// All DIMMs are in the map of memory.
    AllMemory,
}

impl Goal {
    /// The effect as an order, without its full stop.
    pub(super) fn effect(self) -> &'static str {
        match self {
            Self::Nodes | Self::NodesOfIntel => "let firmware report a node for each package",
            Self::OneNodeAPackage => "set NUMA nodes per socket (NPS) to 1",
            Self::MemorySplit(MemorySplit::NodesPerSocket) => {
                "set NUMA nodes per socket (NPS) to 2 or 4"
            }
            Self::MemorySplit(MemorySplit::DieInterleaving) => "turn interleaving over dies off",
            Self::MemorySplit(MemorySplit::SubNuma) => "turn sub-NUMA clustering (SNC) on",
            Self::MemorySplit(MemorySplit::ClusterOnDie) => "turn cluster on die (COD) on",
            Self::MemorySplit(MemorySplit::Ampere) => "set the ANC mode",
            Self::AllMemory => "let firmware map all memory",
        }
    }
}

/// What to do for a goal: a sentence, then a line for each name of the setting. Of a known vendor
/// only its own names, or those of the reference BIOS that it takes over.
pub(super) fn advice(goal: Goal, vendor: Option<Vendor>) -> Vec<String> {
    let settings = names::of(goal);
    let is_own = |vendors: &[Vendor]| vendor.is_some_and(|vendor| vendors.contains(&vendor));
    let own: Vec<&str> =
        settings.iter().filter(|(_, vendors)| is_own(vendors)).map(|(what, _)| *what).collect();
    if let Some(vendor) = vendor.filter(|_| !own.is_empty()) {
        return vec![format!(
            "In the setup of this {} machine: {}.",
            vendor.name(),
            own.join("; ")
        )];
    }
    let reference: Vec<&str> =
        settings.iter().filter(|(_, vendors)| vendors.is_empty()).map(|(what, _)| *what).collect();
    if !reference.is_empty() && (vendor.is_some() || reference.len() == settings.len()) {
        return vec![format!("In the BIOS setup: {}.", reference.join("; "))];
    }
    let first =
        format!("In the BIOS setup, {}. Vendors have different names for it:", goal.effect());
    std::iter::once(first).chain(settings.iter().map(by_vendor)).collect()
}

/// The vendors of a name, and the name.
fn by_vendor((what, vendors): &names::NamedSetting) -> String {
    let named: Vec<&str> = vendors.iter().map(|vendor| vendor.name()).collect();
    let named = if named.is_empty() { "others".to_owned() } else { named.join(", ") };
    format!("- {named}: {what}")
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

/// Who states the distances of a guest's nodes, by hypervisor.
pub(super) fn virtual_distances(hypervisor: &str) -> String {
    match hypervisor {
        "KVM" | "QEMU" => {
            "On the host: state the distances (QEMU: '-numa dist,src=0,dst=1,val=21'; libvirt: \
             <distances> in each <cell>)."
                .to_owned()
        }
        _ => virtual_tables(hypervisor),
    }
}

/// Who corrects the tables of a guest, by hypervisor.
pub(super) fn virtual_tables(hypervisor: &str) -> String {
    match hypervisor {
        "KVM" | "QEMU" => {
            "On the host: correct the guest's nodes (QEMU: '-numa'; libvirt: <numa>).".to_owned()
        }
        "Amazon EC2" => "AWS writes the tables of this guest: ask its support.".to_owned(),
        _ => format!(
            "{hypervisor} writes the tables of this guest: ask the host's administrator, in a \
             cloud the provider's support."
        ),
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
        let advice = |goal, vendor| super::advice(goal, vendor).join(" ");
        let dell = advice(Goal::Nodes, Some(Vendor::Dell));
        assert!(
            dell.contains("Dell") && dell.contains("Node Interleaving") && !dell.contains("Lenovo"),
            "{dell}"
        );
        let lenovo = advice(Goal::Nodes, Some(Vendor::Lenovo));
        assert!(lenovo.contains("Socket Interleave"), "{lenovo}");
        let gigabyte = advice(Goal::OneNodeAPackage, Some(Vendor::Gigabyte));
        assert!(gigabyte.contains("AMD CBS") && !gigabyte.contains("Dell"), "{gigabyte}");
    }

    #[test]
    fn without_a_vendor_all_names_are_listed() {
        let usual = advice(Goal::Nodes, None).join(" ");
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
            let text = advice(Goal::MemorySplit(split), None).join(" ");
            assert!(text.contains(name), "{split:?}: {text}");
        }
        assert!(advice(Goal::AllMemory, None).concat().contains("Memory Remapping"));
    }

    #[test]
    fn every_hypervisor_has_advice() {
        assert!(virtual_nodes("KVM").contains("-numa node"));
        assert!(virtual_nodes("VMware").contains("hot add"));
    }
}
