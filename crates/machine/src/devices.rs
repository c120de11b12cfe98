//! Network cards, disks, InfiniBand and graphics cards, and the node each sits at.
//!
//! Only hardware is listed: what is made of software (a bridge, a RAID, a loop, a disk that is
//! reached over a network) has no node of its own, and [`crate::node_list`] follows it down where a
//! user names it. Names are the kernel's, but for an address in them (`enx525400abcdef`), which is
//! a number instead: what holds them is sent to others. Nor is the name of anything made of
//! software kept in a capture: it may tell of a network or a person.

use nearfar_model::NodeId;
use serde::Serialize;

use crate::addresses::NumberedAddresses;
use crate::attribute::Attributes;
use crate::device_node;
use crate::source::Source;

/// Devices of a class that are listed; further ones are left out.
const MAX_DEVICES: usize = 1024;

/// Where the kernel keeps devices made of software, and hosts of SCSI that are (iSCSI over TCP).
const SOFTWARE: [&str; 2] = ["/sys/devices/virtual/", "/sys/devices/platform/host"];

/// Folders of sysfs, what is in each, and how the names begin that are meant.
const CLASSES: [(&str, &str, &str); 6] = [
    ("/sys/class/net", "network", ""),
    ("/sys/class/nvme", "disk", "nvme"),
    ("/sys/block", "disk", "sd"),
    ("/sys/block", "disk", "vd"),
    ("/sys/class/infiniband", "infiniband", ""),
    ("/sys/class/drm", "graphics", "card"),
];

/// A device and its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineDevice {
    /// "network", "disk", "infiniband" or "graphics".
    pub kind: &'static str,
    /// The kernel's name: "eth0", "nvme0", "mlx5_0", "card0".
    pub name: String,
    /// The node it sits at; none where the kernel does not know (`numa_node` is -1).
    pub node: Option<NodeId>,
}

/// The hardware of these classes, class by class, each by name.
pub(crate) fn read(read: &Attributes<'_>) -> Vec<MachineDevice> {
    // A capture does not keep all names, but what is asked of those that were chosen.
    let source = read.source.unrecorded();
    let mut found = Vec::new();
    for (folder, kind, start) in CLASSES {
        let mut names = source.list(folder);
        names.retain(|name| {
            name.starts_with(start) && is_whole(kind, name) && is_hardware(source, folder, name)
        });
        if names.len() > MAX_DEVICES {
            read.odd(format!(
                "{folder} has {} devices: the first {MAX_DEVICES} are listed",
                names.len()
            ));
        }
        found.extend(
            names.iter().take(MAX_DEVICES).map(|name| read_one(read.source, kind, folder, name)),
        );
    }
    without_addresses(&mut found);
    found
}

/// A connector of a graphics card ("card0-HDMI-A-1") is no card.
fn is_whole(kind: &str, name: &str) -> bool {
    kind != "graphics" || !name.contains('-')
}

fn is_hardware(source: &Source, folder: &str, name: &str) -> bool {
    let real = source.real_path(&format!("{folder}/{name}/device"));
    real.is_some_and(|real| !SOFTWARE.iter().any(|software| real.starts_with(software)))
}

fn read_one(source: &Source, kind: &'static str, folder: &str, name: &str) -> MachineDevice {
    let node = device_node::of_folder(source, &format!("{folder}/{name}/device"));
    MachineDevice { kind, name: name.to_owned(), node }
}

/// Numbers in the place of addresses, so that two cards keep two names.
fn without_addresses(devices: &mut [MachineDevice]) {
    let mut numbered = NumberedAddresses::default();
    devices.iter().for_each(|device| numbered.learn(&device.name));
    for device in devices {
        device.name = numbered.written(&device.name, &mut Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn told(source: &Source) -> Vec<(&'static str, String, Option<u32>)> {
        let devices = read(&Attributes::new(source)).into_iter();
        devices.map(|one| (one.kind, one.name, one.node.map(|node| node.0))).collect()
    }

    #[test]
    fn hardware_is_listed_with_its_node_and_software_is_not() {
        let source = Source::from_files([
            ("/sys/class/net/eth0/device/numa_node", "1"),
            ("/sys/class/net/lo/mtu", "65536"),
            ("/sys/class/nvme/nvme0/device/numa_node", "-1"),
            ("/sys/class/drm/card0/device/numa_node", "0"),
            ("/sys/class/drm/card0-HDMI-A-1/device/numa_node", "0"),
            ("/sys/block/loop0/size", "0"),
        ]);
        let name = str::to_owned;
        let expected = [
            ("network", name("eth0"), Some(1)),
            ("disk", name("nvme0"), None),
            ("graphics", name("card0"), Some(0)),
        ];
        assert_eq!(told(&source), expected);
    }

    #[test]
    fn cards_that_are_named_by_their_address_are_told_apart_without_it() {
        let source = Source::from_files([
            ("/sys/class/net/enx525400aaaaaa/device/numa_node", "0"),
            ("/sys/class/net/enx525400bbbbbb/device/numa_node", "1"),
        ]);
        let name = |last: u32| format!("enx{last:012}");
        assert_eq!(told(&source), [("network", name(0), Some(0)), ("network", name(1), Some(1))]);
    }

    #[test]
    fn a_disk_over_a_network_and_a_simulated_card_are_software() {
        let folder = tempfile::tempdir().unwrap();
        for (link, place) in [
            ("sys/block/sda", "sys/devices/platform/host3/session1/target3:0:0"),
            ("sys/class/nvme/nvme0", "sys/devices/virtual/nvme-fabrics/ctl"),
            ("sys/block/sdb", "sys/devices/pci0000:00/0000:00:01.0/ata1/host0"),
        ] {
            let (link, place) = (folder.path().join(link), folder.path().join(place));
            fs::create_dir_all(&link).unwrap();
            fs::create_dir_all(&place).unwrap();
            symlink(
                place.strip_prefix(folder.path()).map(|inner| Path::new("/").join(inner)).unwrap(),
                link.join("device"),
            )
            .unwrap();
        }
        let source = Source::open(folder.path()).unwrap();
        assert_eq!(told(&source), [("disk", "sdb".to_owned(), None)]);
    }
}
