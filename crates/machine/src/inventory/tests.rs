use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nearfar_model::NodeId;

use super::*;

/// A machine in a folder, with links as sysfs has them.
struct SysfsFolder(tempfile::TempDir);

impl SysfsFolder {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        machine.file("sys/devices/system/cpu/online", "0-3");
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, link: &str, target: &str) {
        let link = self.0.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(Path::new("/").join(target), link).unwrap();
    }

    /// A function at `path` below `/sys/devices`.
    fn function(&self, path: &str, class: &str, id: &str, node: &str) {
        let folder = format!("sys/devices/{path}");
        self.file(&format!("{folder}/uevent"), &format!("PCI_CLASS={class}\nPCI_ID={id}\n"));
        self.file(&format!("{folder}/numa_node"), node);
        let address = path.rsplit('/').next().unwrap();
        self.link(&format!("sys/bus/pci/devices/{address}"), &folder);
    }

    fn inventory(&self, scope: InventoryScope) -> Inventory {
        Inventory::read(&Source::open(self.0.path()).unwrap(), scope)
    }
}

#[test]
fn names_join_the_function_in_their_path() {
    let machine = SysfsFolder::new();
    let port = "pci0000:3a/0000:3a:00.0";
    machine.function(port, "60400", "8086:2030", "0");
    machine.function(&format!("{port}/0000:3b:00.0"), "20000", "15B3:1017", "0");
    let card = format!("sys/devices/{port}/0000:3b:00.0");
    machine.file(&format!("{card}/net/eth0/mtu"), "1500");
    machine.link("sys/class/net/eth0", &format!("{card}/net/eth0"));
    machine.file(&format!("{card}/infiniband/mlx5_0/fw_ver"), "1");
    machine.link("sys/class/infiniband/mlx5_0", &format!("{card}/infiniband/mlx5_0"));
    machine.file("sys/devices/virtual/net/br0/mtu", "1500");
    machine.link("sys/class/net/br0", "sys/devices/virtual/net/br0");
    let inventory = machine.inventory(InventoryScope::Usual);
    let [card] = inventory.devices.as_slice() else { panic!("{:?}", inventory.devices) };
    assert_eq!((card.kind, card.node), (DeviceKind::Network, KernelNode::Node(NodeId(0))));
    let names: Vec<&str> = card.names.iter().map(|name| name.name.as_str()).collect();
    assert_eq!(names, ["eth0", "mlx5_0"]);
    let path = &inventory.function(card.address.unwrap()).unwrap().path;
    assert_eq!(path.hops().len(), 2);
    assert_eq!(machine.inventory(InventoryScope::All).devices.len(), 2);
    assert!(inventory.oddities.is_empty(), "{:?}", inventory.oddities);
}

#[test]
fn hardware_without_pci_has_its_parents_node() {
    let machine = SysfsFolder::new();
    let disk = "sys/devices/LNXSYSTM:00/vmbus/guid";
    machine.file("sys/devices/LNXSYSTM:00/vmbus/numa_node", "1");
    machine.file(&format!("{disk}/net/eth0/mtu"), "1500");
    machine.link(&format!("{disk}/net/eth0/device"), disk);
    machine.link("sys/class/net/eth0", &format!("{disk}/net/eth0"));
    let inventory = machine.inventory(InventoryScope::Usual);
    let [card] = inventory.devices.as_slice() else { panic!("{:?}", inventory.devices) };
    assert_eq!((card.kind, card.address), (DeviceKind::Network, None));
    assert_eq!(card.node, KernelNode::Node(NodeId(1)));
}

#[test]
fn usb_controllers_without_pci_are_listed() {
    let machine = SysfsFolder::new();
    let hub = |controller: &str, hub: &str| {
        let folder = format!("sys/devices/platform/{controller}/{hub}");
        machine.file(&format!("{folder}/busnum"), "1");
        machine.link(&format!("sys/bus/usb/devices/{hub}"), &folder);
    };
    hub("soc/xhci-hcd.0.auto", "usb1");
    hub("soc/xhci-hcd.0.auto", "usb2");
    machine.file("sys/devices/platform/soc/xhci-hcd.0.auto/numa_node", "1");
    hub("vhci_hcd.0", "usb3");
    let inventory = machine.inventory(InventoryScope::Usual);
    let [usb] = inventory.devices.as_slice() else { panic!("{:?}", inventory.devices) };
    assert_eq!((usb.kind, usb.node), (DeviceKind::Usb, KernelNode::Node(NodeId(1))));
    assert_eq!(usb.names.len(), 2);
}

#[test]
fn link_cycles_and_dangling_links_are_reported() {
    let machine = SysfsFolder::new();
    machine.link("sys/bus/pci/devices/0000:01:00.0", "sys/bus/pci/devices/0000:01:00.0");
    machine.link("sys/bus/pci/devices/0000:02:00.0", "sys/devices/gone");
    machine.link("sys/class/net/eth0", "sys/class/net/eth0");
    let inventory = machine.inventory(InventoryScope::All);
    assert!(inventory.functions.is_empty() && inventory.devices.is_empty());
    assert_eq!(inventory.oddities.len(), 2, "{:?}", inventory.oddities);
}

#[test]
fn virtual_functions_are_counted_by_their_physical_one() {
    let machine = SysfsFolder::new();
    machine.function("pci0000:00/0000:01:00.0", "20000", "8086:1572", "0");
    machine.function("pci0000:00/0000:01:02.0", "20000", "8086:154C", "0");
    machine.file("sys/devices/pci0000:00/0000:01:00.0/sriov_numvfs", "1");
    machine
        .link("sys/devices/pci0000:00/0000:01:02.0/physfn", "sys/devices/pci0000:00/0000:01:00.0");
    let usual = machine.inventory(InventoryScope::Usual);
    assert_eq!(usual.devices.len(), 1);
    assert_eq!(usual.devices[0].details.virtual_functions, 1);
    let all = machine.inventory(InventoryScope::All).devices;
    assert_eq!(all[1].details.physical_function, all[0].address);
}

#[test]
fn interrupts_run_on_the_cpus_that_the_kernel_chose() {
    let machine = SysfsFolder::new();
    machine.function("pci0000:00/0000:00:03.0", "10802", "1B36:0010", "0");
    for (number, cpu) in [("24", "0"), ("25", "2")] {
        machine.file(&format!("sys/devices/pci0000:00/0000:00:03.0/msi_irqs/{number}"), "msix");
        machine.file(&format!("proc/irq/{number}/effective_affinity_list"), cpu);
    }
    machine.function("pci0000:00/0000:00:04.0", "c0330", "1B36:000D", "0");
    machine.file("sys/devices/pci0000:00/0000:00:04.0/irq", "11");
    let uevent = "DRIVER=xhci_hcd\nPCI_CLASS=c0330\nPCI_ID=1B36:000D\n";
    machine.file("sys/devices/pci0000:00/0000:00:04.0/uevent", uevent);
    machine.file("proc/irq/11/smp_affinity_list", "0-3");
    let devices = machine.inventory(InventoryScope::Usual).devices;
    let expected = DeviceInterrupts {
        count: 2,
        is_line: false,
        cpus: InterruptCpus::Effective(nearfar_model::CpuSet::parse_list("0,2").unwrap()),
    };
    assert_eq!(devices[0].interrupts, expected);
    let line = &devices[1].interrupts;
    assert_eq!((line.count, line.is_line), (1, true));
    assert!(matches!(&line.cpus, InterruptCpus::Allowed(cpus) if cpus.len() == 4));
}

#[test]
fn gpus_of_the_compute_driver_have_links() {
    let machine = SysfsFolder::new();
    let node = |id: u32, properties: &str, links: &[&str]| {
        let folder = format!("sys/class/kfd/kfd/topology/nodes/{id}");
        machine.file(&format!("{folder}/properties"), properties);
        for (number, link) in links.iter().enumerate() {
            machine.file(&format!("{folder}/io_links/{number}/properties"), link);
        }
    };
    node(0, "simd_count 0\nlocation_id 0\n", &[]);
    node(
        1,
        "simd_count 440\nlocation_id 49408\ndomain 0\n",
        &["type 11\nnode_to 2\nweight 15\nmax_bandwidth 64000\n", "type 2\nnode_to 0\nweight 20\n"],
    );
    let kfd = machine.inventory(InventoryScope::Usual).kfd;
    assert_eq!(kfd[0].address, None);
    assert_eq!(kfd[1].address, Some(PciAddress::parse("c1:00.0").unwrap()));
    let xgmi =
        KfdLink { to: 2, is_xgmi: true, weight: Some(15), min_mb_s: None, max_mb_s: Some(64_000) };
    assert_eq!(kfd[1].links[0], xgmi);
    assert!(!kfd[1].links[1].is_xgmi);
}
