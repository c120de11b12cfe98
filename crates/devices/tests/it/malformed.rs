//! Damaged trees: nothing panics, and what is not readable is reported.

use nearfar_devices::{ClaimedNode, Level, NodeWitness};
use nearfar_machine::inventory::InterruptCpus;
use nearfar_machine::pci::KernelNode;
use nearfar_machine::{Inventory, InventoryScope, Source};
use proptest::prelude::*;

use crate::cases::cases;
use crate::made_machine::{MadeMachine, document};

const PORT: &str = "pci0000:10/0000:10:01.0";

/// The inventory of an archive and of a folder, which resolve links on their own.
fn inventory(machine: &MadeMachine) -> Inventory {
    let archived = Inventory::read(&machine.source(), InventoryScope::All);
    let folder = machine.folder();
    let in_folder = Inventory::read(&Source::open(folder.path()).unwrap(), InventoryScope::All);
    assert_eq!(archived, in_folder);
    archived
}

#[test]
fn link_cycles_are_reported() {
    let machine = MadeMachine::two_nodes();
    let links = "sys/bus/pci/devices";
    machine.link(&format!("{links}/0000:01:00.0"), &format!("{links}/0000:02:00.0"));
    machine.link(&format!("{links}/0000:02:00.0"), &format!("{links}/0000:01:00.0"));
    // A folder that contains itself.
    machine.link("sys/devices/pci0000:10/loop", "sys/devices/pci0000:10");
    let path = format!("{PORT}/0000:11:00.0");
    machine.function(&path, "20000", "15B3:1017", 0);
    machine.link(
        &format!("{links}/0000:12:00.0"),
        "sys/devices/pci0000:10/loop/loop/0000:10:01.0/0000:11:00.0",
    );
    let inventory = inventory(&machine);
    assert_eq!(inventory.functions.len(), 2, "{:?}", inventory.functions);
    let unresolved = |line: &&String| line.contains("cannot be resolved");
    assert_eq!(inventory.oddities.iter().filter(unresolved).count(), 2, "{:?}", inventory.oddities);
}

#[test]
fn bridge_without_link_is_a_bridge() {
    let machine = MadeMachine::two_nodes();
    for (bus, node) in [(0x11, 0), (0x12, 0)] {
        let path = format!("{PORT}/0000:{bus:02x}:00.0");
        machine.function(&path, "20000", "15B3:1017", node);
        machine.pcie_link(&path, ("8.0", 4), ("8.0", 8));
    }
    let document = machine.document();
    assert_eq!(document.matrix.unwrap().levels[0][1], Level::Pix);
    assert_eq!(document.devices[0].link.unwrap().port_max, None);
    // Why the link is narrow is unknown: the port is.
    assert!(document.findings.is_empty() && document.oddities.is_empty());
}

#[test]
fn domains_of_32_bits_are_kept() {
    let machine = MadeMachine::two_nodes();
    let controller = "pci0000:80/0000:80:05.5";
    machine.function(controller, "88000", "8086:201D", 1);
    let port = format!("{controller}/pciffffffff:00/ffffffff:00:02.0");
    machine.function(&port, "60400", "8086:2030", 1);
    for bus in [1, 2] {
        machine.function(&format!("{port}/ffffffff:{bus:02x}:00.0"), "10802", "144D:A80A", 1);
    }
    // The same numbers in domain 0 are another tree.
    machine.function("pci0000:00/0000:00:02.0/0000:01:00.0", "10802", "144D:A80A", 1);
    let document = machine.document();
    assert!(document.oddities.is_empty(), "{:?}", document.oddities);
    let last = document.devices.last().unwrap();
    assert_eq!(last.address.as_deref(), Some("ffffffff:02:00.0"));
    assert_eq!(last.path, ["pci0000:80", "0000:80:05.5", "pciffffffff:00", "ffffffff:00:02.0"]);
    let levels = &document.matrix.as_ref().unwrap().levels;
    assert_eq!((levels[1][2], levels[0][1]), (Level::Pix, Level::Node));
}

#[test]
fn vanished_function_is_reported() {
    let machine = MadeMachine::two_nodes();
    let path = format!("{PORT}/0000:11:00.0");
    machine.link("sys/bus/pci/devices/0000:11:00.0", &format!("sys/devices/{path}"));
    let inventory = inventory(&machine);
    assert!(inventory.functions.is_empty());
    assert_eq!(inventory.oddities.len(), 1, "{:?}", inventory.oddities);
}

#[test]
fn unreadable_files_are_reported() {
    let machine = MadeMachine::two_nodes();
    let path = format!("{PORT}/0000:11:00.0");
    machine.function(&path, "20000", "15B3:1017", 0);
    machine.pcie_link(&path, ("8.0", 4), ("8.0", 4));
    for file in ["numa_node", "current_link_width", "sriov_numvfs"] {
        machine.unreadable(&format!("sys/devices/{path}/{file}"));
    }
    machine.file(&format!("sys/devices/{path}/msi_irqs/24"), "msix");
    machine.unreadable("proc/irq/24/effective_affinity_list");
    let document = machine.document();
    let [card] = document.devices.as_slice() else { panic!("{:?}", document.devices) };
    let sysfs = card.node.claims.iter().find(|one| one.witness == NodeWitness::Sysfs).unwrap();
    assert_eq!(sysfs.claimed, ClaimedNode::NotReadable);
    assert!(card.interrupts.not_readable && card.interrupts.cpus.is_none());
    for file in ["current_link_width", "sriov_numvfs"] {
        let line = document.oddities.iter().find(|line| line.contains(file));
        assert!(line.is_some_and(|line| line.contains("not readable")), "{:?}", document.oddities);
    }
    assert!(document.findings.is_empty(), "{:?}", document.findings);
}

#[test]
fn unreadable_folders_are_reported() {
    let machine = MadeMachine::two_nodes();
    let path = format!("{PORT}/0000:11:00.0");
    machine.function(&path, "20000", "15B3:1017", 0);
    machine.unreadable(&format!("sys/devices/{path}/msi_irqs"));
    machine.unreadable("sys/class/net");
    machine.unreadable("sys/class/kfd/kfd/topology/nodes");
    let inventory = inventory(&machine);
    assert_eq!(inventory.devices[0].interrupts.cpus, InterruptCpus::NotReadable);
    for folder in ["msi_irqs", "/sys/class/net", "/sys/class/kfd/kfd/topology/nodes"] {
        let line = format!("{folder}: not readable");
        assert!(
            inventory.oddities.iter().any(|one| one.ends_with(&line)),
            "{:?}",
            inventory.oddities
        );
    }
    assert_eq!(inventory.oddities.len(), 3, "{:?}", inventory.oddities);
    let machine = MadeMachine::two_nodes();
    machine.unreadable("sys/bus/pci/devices");
    let oddities = machine.document().oddities;
    assert_eq!(oddities, ["/sys/bus/pci/devices: not readable"]);
}

#[test]
fn unreadable_ids_are_reported() {
    let machine = MadeMachine::two_nodes();
    let path = format!("{PORT}/0000:11:00.0");
    machine.function(&path, "20000", "15B3:1017", 0);
    for file in ["uevent", "class"] {
        machine.unreadable(&format!("sys/devices/{path}/{file}"));
    }
    let inventory = inventory(&machine);
    assert_eq!(inventory.functions[0].class, None);
    assert_eq!(inventory.devices[0].node, KernelNode::Node(nearfar_model::NodeId(0)));
    assert_eq!(inventory.oddities.len(), 2, "{:?}", inventory.oddities);
}

const FILES: [&str; 16] = [
    "uevent",
    "class",
    "vendor",
    "device",
    "numa_node",
    "local_cpulist",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
    "sriov_numvfs",
    "irq",
    "msi_irqs/24",
    "msi_irqs/x",
    "net/eth0/mtu",
    "firmware_node/path",
];

/// Files that are read of every listed function.
const ALWAYS_READ: [&str; 7] = [
    "uevent",
    "local_cpulist",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
    "sriov_numvfs",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        "(PCI_CLASS=[0-9a-fx]{0,9}\n|PCI_ID=[0-9A-F:]{0,12}\n|DRIVER=.{0,5}\n){0,3}"
            .prop_map(String::into_bytes),
        "(0x)?[0-9a-f]{0,10}|-?[0-9]{1,20}|[0-9,-]{0,9}".prop_map(String::into_bytes),
        "-?[0-9.]{0,5} GT/s( PCIe)?|Unknown".prop_map(String::into_bytes),
    ]
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        "sys/devices/pci[0-9a-f:]{0,9}(/[0-9a-f]{4}:[01]{2}:0[01][.][0-9]){0,3}",
        "sys/bus/pci/devices/0000:0[0-3]:00[.]0",
        "[a-z./]{1,20}",
        Just(format!("sys/devices/{PORT}/0000:11:00.0")),
        Just(format!("sys/devices/{PORT}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases(64) })]

    #[test]
    fn random_trees_never_panic(
        contents in proptest::collection::vec(proptest::option::of(content()), FILES.len()),
        targets in proptest::collection::vec(target(), 4),
        kfd in proptest::option::of("(simd_count|location_id|domain) -?[0-9]{0,12}\n{0,4}"),
    ) {
        let machine = MadeMachine::two_nodes();
        let path = format!("{PORT}/0000:11:00.0");
        let mut unreadable = Vec::new();
        for (file, content) in FILES.iter().zip(contents) {
            if content.is_none() {
                unreadable.push(*file);
            }
            match content {
                Some(content) => machine.file(&format!("sys/devices/{path}/{file}"), content),
                None => machine.unreadable(&format!("sys/devices/{path}/{file}")),
            }
        }
        machine.link("sys/bus/pci/devices/0000:11:00.0", &format!("sys/devices/{path}"));
        for (number, target) in targets.iter().enumerate() {
            machine.link(&format!("sys/bus/pci/devices/0000:0{number}:00.0"), target);
        }
        machine.link("sys/class/net/eth0", &targets[0]);
        machine.link("sys/class/drm/card0", &format!("sys/devices/{path}"));
        if let Some(kfd) = kfd {
            machine.file("sys/class/kfd/kfd/topology/nodes/1/properties", kfd);
        }
        for scope in [InventoryScope::Usual, InventoryScope::All] {
            let document = document(&machine.source(), scope);
            let text = serde_json::to_string(&document).unwrap();
            let parsed: nearfar_devices::DevicesDocument = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&parsed, &document);
            if scope == InventoryScope::All {
                for file in unreadable.iter().filter(|file| ALWAYS_READ.contains(file)) {
                    let line = format!("{file}: not readable");
                    let is_reported = document.oddities.iter().any(|one| one.ends_with(&line));
                    prop_assert!(is_reported, "{line}");
                }
            }
        }
    }
}
