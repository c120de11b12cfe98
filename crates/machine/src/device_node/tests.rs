//! Devices on a machine with four sparse nodes, in the layout of sysfs: links into one tree of
//! devices.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nearfar_model::NodeId;
use tempfile::TempDir;

use super::*;

/// Node 4 has the card at 0000:3b:00.0 and its port; node 8 a disk behind two bridges; node 0 an
/// NVMe controller, node 12 another.
const PORT: &str = "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";
const DISK: &str = "devices/pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0/ata1/host0/target0:\
                    0:0/0:0:0:0/block/sda";
const NVME: [&str; 2] =
    ["devices/pci0000:00/0000:01:00.0/nvme/nvme0", "devices/pci0000:c0/0000:c1:00.0/nvme/nvme1"];
const MOUNTS: &str = "\
27 1 8:2 / / rw - ext4 /dev/sda2 rw
28 27 0:30 / /tmp rw - tmpfs tmpfs rw
29 27 0:31 / /merged rw - overlay overlay rw,lowerdir=/lower,upperdir=/upper,workdir=/w
30 27 0:32 / /inside rw - overlay overlay rw,lowerdir=/inside/l1:/inside/l2
31 27 0:33 / /pool rw - btrfs /dev/mapper/vg-pool rw
32 27 0:34 / /share rw - nfs4 10.0.0.7:/export rw
33 27 0:35 / /host rw - 9p host rw
34 27 0:36 / /both rw - btrfs /dev/nvme0n1 rw
35 27 0:37 / /tank rw - zfs tank/home rw
";

pub(crate) struct MadeMachine {
    folder: TempDir,
}

impl MadeMachine {
    pub(crate) fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        machine.buses();
        machine.disks();
        machine.interfaces();
        machine.file("proc/self/mountinfo", MOUNTS);
        machine.file(
            "proc/net/route",
            "Iface\nbond0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n",
        );
        machine
    }

    fn buses(&self) {
        self.file("sys/devices/system/node/online", "0,4,8,12");
        self.file(&format!("sys/{PORT}/numa_node"), "4");
        for (bridge, node) in
            [("0000:80:01.0", "8"), ("0000:80:01.0/0000:81:00.0", "-1"), ("0000:80:02.0", "-1")]
        {
            self.file(&format!("sys/devices/pci0000:80/{bridge}/numa_node"), node);
        }
        let switch = "devices/pci0000:80/0000:80:01.0/0000:81:00.0";
        for (function, node) in [("0000:82:00.0", "8"), ("0000:82:00.1", "-1")] {
            self.file(&format!("sys/{switch}/{function}/numa_node"), node);
            self.link(
                &format!("sys/bus/pci/devices/{function}"),
                &format!("sys/{switch}/{function}"),
            );
        }
        self.file(&format!("sys/{PORT}/class"), "0x020000");
        self.link(
            "sys/kernel/iommu_groups/7/devices/0000:3b:00.0",
            "sys/bus/pci/devices/0000:3b:00.0",
        );
        self.file(
            "proc/driver/nvidia/gpus/0000:82:00.0/information",
            "Model: x\nDevice Minor: 0\n",
        );
        self.file("sys/devices/pci0000:00/0000:01:00.0/numa_node", "0");
        self.file("sys/devices/pci0000:c0/0000:c1:00.0/numa_node", "12");
        for (name, place) in
            [("0000:3b:00.0", PORT), ("0000:80:02.0", "devices/pci0000:80/0000:80:02.0")]
        {
            self.link(&format!("sys/bus/pci/devices/{name}"), &format!("sys/{place}"));
        }
    }

    fn disks(&self) {
        self.file(&format!("sys/{DISK}/size"), "1000");
        self.file(&format!("sys/{DISK}/sda2/partition"), "2");
        self.link("sys/class/block/sda", &format!("sys/{DISK}"));
        self.link("sys/class/block/sda2", &format!("sys/{DISK}/sda2"));
        for name in ["nvme0n1", "sda"] {
            self.link(
                &format!("sys/fs/btrfs/1-2/devices/{name}"),
                &format!("sys/class/block/{name}"),
            );
        }
        self.link("sys/dev/block/8:2", &format!("sys/{DISK}/sda2"));
        self.file("sys/devices/virtual/block/dm-0/dm/name", "vg-pool");
        self.file("sys/devices/virtual/block/dm-0/slaves/sda2/x", "");
        self.file("sys/devices/virtual/block/md0/slaves/nvme0n1/x", "");
        self.file("sys/devices/virtual/block/md0/slaves/dm-0/x", "");
        self.file("sys/devices/virtual/block/md0/md0p1/partition", "1");
        self.file("sys/devices/virtual/block/loop0/loop/backing_file", "/images/disk.img");
        self.file("sys/devices/virtual/block/zram0/size", "8");
        self.file("sys/devices/virtual/block/ring/slaves/ring/x", "");
        self.link("sys/class/block/md0p1", "sys/devices/virtual/block/md0/md0p1");
        for name in ["dm-0", "md0", "loop0", "zram0", "ring"] {
            self.link(
                &format!("sys/class/block/{name}"),
                &format!("sys/devices/virtual/block/{name}"),
            );
        }
        self.namespaces();
    }

    /// A namespace on one controller, and one on two, which belongs to its subsystem.
    fn namespaces(&self) {
        self.file(&format!("sys/{}/nvme0n1/size", NVME[0]), "1000");
        self.link(&format!("sys/{}/nvme0n1/device", NVME[0]), &format!("sys/{}", NVME[0]));
        self.link("sys/class/block/nvme0n1", &format!("sys/{}/nvme0n1", NVME[0]));
        let subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys1";
        self.file(&format!("{subsystem}/nvme1n1/size"), "1000");
        self.file(&format!("sys/{}/state", NVME[1]), "live");
        self.link(&format!("{subsystem}/nvme1n1/device"), subsystem);
        self.link(&format!("{subsystem}/nvme0"), &format!("sys/{}", NVME[0]));
        self.link(&format!("{subsystem}/nvme1"), &format!("sys/{}", NVME[1]));
        self.link("sys/class/block/nvme1n1", &format!("{subsystem}/nvme1n1"));
    }

    fn interfaces(&self) {
        self.file(&format!("sys/{PORT}/net/eth0/mtu"), "1500");
        self.link(&format!("sys/{PORT}/net/eth0/device"), &format!("sys/{PORT}"));
        self.link("sys/class/net/eth0", &format!("sys/{PORT}/net/eth0"));
        for (name, lower) in
            [("eth0.100", Some("eth0")), ("bond0", Some("eth0.100")), ("ifb0", None), ("lo", None)]
        {
            self.file(&format!("sys/devices/virtual/net/{name}/mtu"), "1500");
            self.link(&format!("sys/class/net/{name}"), &format!("sys/devices/virtual/net/{name}"));
            if let Some(lower) = lower {
                self.link(
                    &format!("sys/devices/virtual/net/{name}/lower_{lower}"),
                    &format!("sys/class/net/{lower}"),
                );
            }
        }
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        self.link_as_written(path, &Path::new("/").join(target).to_string_lossy());
    }

    /// A link that need not lead anywhere: `socket:[1]`.
    pub(crate) fn link_as_written(&self, path: &str, target: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    pub(crate) fn source(&self) -> Source {
        Source::open(self.folder.path()).unwrap()
    }
}

fn online() -> NodeSet {
    [0, 4, 8, 12].map(NodeId).into_iter().collect()
}

fn of(text: &str) -> Result<String, String> {
    let device = ListedDevice::parse(text)?.expect("a device");
    let nodes = device.nodes(&MadeMachine::new().source(), &online());
    nodes.map(|nodes| nodes.to_string()).map_err(|why| why.to_string())
}

fn node(text: &str) -> String {
    of(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

#[test]
fn a_pci_device_is_found_behind_bridges() {
    assert_eq!(node("pci:0000:3b:00.0"), "4");
    assert_eq!(node("pci:82:0"), "8");
    assert!(of("pci:0:1f").unwrap_err().contains("there is no such PCI device"));
}

#[test]
fn nodes_of_bridges_do_not_count() {
    let machine = MadeMachine::new();
    let function = PciAddress::parse("82:00.1").unwrap();
    let hardware = ListedDevice::Pci(function).hardware(&machine.source()).unwrap();
    assert_eq!(hardware[0].node, None, "the root port is on node 8");
    let file = hardware[0].source.as_deref().unwrap();
    assert!(file.ends_with("/0000:82:00.1/numa_node"), "{file}");
}

#[test]
fn unknown_node_is_an_error_unless_only_one() {
    let message = of("pci:80:2").unwrap_err();
    assert!(
        message.contains("numa_node is -1") && message.contains("give one of nodes 0,4,8,12"),
        "{message}"
    );
    let device = ListedDevice::parse("pci:80:2").unwrap().unwrap();
    let only = NodeSet::from_id(NodeId(7));
    assert_eq!(device.nodes(&MadeMachine::new().source(), &only).unwrap(), only);
}

#[test]
fn vlan_interfaces_lead_to_their_hardware() {
    assert_eq!(node("netdev:eth0"), "4");
    assert_eq!(node("netdev:eth0.100"), "4");
    assert_eq!(node("netdev: bond0"), "4");
    assert!(of("netdev:lo").unwrap_err().contains("is a software device"));
    assert!(of("netdev:eth7").unwrap_err().ends_with("there are bond0, eth0, eth0.100, ifb0, lo"));
    assert!(of("netdev:../net/eth0").unwrap_err().contains("names have no '/'"));
}

#[test]
fn address_follows_its_route() {
    assert_eq!(node("ip:10.1.2.3"), "4");
    assert!(of("ip:192.0.2.1").unwrap_err().contains("no route leads to"));
    assert!(of("ip:127.0.0.1").unwrap_err().contains("is this machine itself"));
}

#[test]
fn block_devices_lead_to_hardware() {
    for (text, expected) in [
        ("block:sda", "8"),
        ("block:sda2", "8"),
        ("block:/dev/sda", "8"),
        ("block:dm-0", "8"),
        ("block:vg-pool", "8"),
        ("block:nvme0n1", "0"),
        ("block:nvme1n1", "0,12"),
        ("block:md0", "0,8"),
        ("block:md0p1", "0,8"),
        ("block:loop0", "8"),
    ] {
        assert_eq!(node(text), expected, "{text}");
    }
}

#[test]
fn block_devices_without_hardware_are_refused() {
    assert!(of("block:zram0").unwrap_err().contains("is a software device"));
    assert!(of("block:ring").unwrap_err().contains("too many stacked devices"));
    assert!(of("block:sdz").unwrap_err().contains("there are dm-0, loop0"));
}

#[test]
fn files_lead_to_the_mounted_device() {
    for (text, expected) in [
        ("file:/etc/hosts", "8"),
        ("file:/merged/a", "8"),
        ("file:/pool/a", "8"),
        ("file:/dev/nvme0n1", "0"),
        ("file:/share/a", "4"),
    ] {
        assert_eq!(node(text), expected, "{text}");
    }
}

#[test]
fn file_systems_without_a_device_are_refused() {
    assert!(of("file:/tmp/a").unwrap_err().contains("is in tmpfs, which has no device"));
    assert!(of("file:/inside/a").unwrap_err().contains("outside this container"));
    assert!(of("file:/host/a").unwrap_err().contains("is in 9p (host)"));
}

#[test]
fn unknown_devices_are_errors() {
    assert_eq!(ListedDevice::parse("12"), Ok(None));
    assert_eq!(ListedDevice::parse("usb:1"), Ok(None));
    assert_eq!(ListedDevice::parse("netdev:").unwrap_err(), "'netdev:' names no device");
}
