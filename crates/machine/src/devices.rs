//! Network cards, disks, InfiniBand and graphics cards, and the node of each.
//!
//! Only hardware is listed: software devices (a bridge, a RAID, a loop, a network disk) have no
//! node of their own; [`crate::node_list`] resolves them if the user names one. Names are the
//! kernel's, but addresses in them (`enx525400abcdef`) are replaced by numbers, because captures
//! are sent to others. Names of software devices are not captured: they may identify a network or a
//! person.

use nearfar_model::NodeId;
use serde::Serialize;

use crate::addresses::NumberedAddresses;
use crate::attribute::Attributes;
use crate::device_node;
use crate::source::Source;

/// Maximum number of listed devices of a class.
const MAX_DEVICES: usize = 1024;

/// Paths of software devices, and of SCSI hosts in software (iSCSI over TCP).
const SOFTWARE: [&str; 2] = ["/sys/devices/virtual/", "/sys/devices/platform/host"];

/// Folders of sysfs, the kind of their devices, and the prefix of their names.
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
    /// Its node; `None` if unknown (`numa_node` is -1).
    pub node: Option<NodeId>,
}

/// The hardware of all classes, sorted by class and name.
pub(crate) fn read(read: &Attributes<'_>) -> Vec<MachineDevice> {
    // Listing is not recorded: a capture has only the chosen devices.
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

/// Whether it is a whole device: a connector of a graphics card ("card0-HDMI-A-1") is not.
fn is_whole(kind: &str, name: &str) -> bool {
    kind != "graphics" || !name.contains('-')
}

fn is_hardware(source: &Source, folder: &str, name: &str) -> bool {
    let real = source.real_path(&format!("{folder}/{name}/device"));
    real.is_some_and(|real| !is_software(&real))
}

/// Whether a device's folder in `/sys/devices` is a software device's.
pub(crate) fn is_software(folder: &str) -> bool {
    SOFTWARE.iter().any(|software| folder.starts_with(software))
}

fn read_one(source: &Source, kind: &'static str, folder: &str, name: &str) -> MachineDevice {
    let node = device_node::of_folder(source, &format!("{folder}/{name}/device"));
    MachineDevice { kind, name: name.to_owned(), node }
}

/// Replaces addresses by numbers, so that names stay distinct.
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

    fn listed(source: &Source) -> Vec<(&'static str, String, Option<u32>)> {
        let devices = read(&Attributes::new(source)).into_iter();
        devices.map(|one| (one.kind, one.name, one.node.map(|node| node.0))).collect()
    }

    #[test]
    fn only_hardware_is_listed() {
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
        assert_eq!(listed(&source), expected);
    }

    #[test]
    fn addresses_in_names_become_numbers() {
        let source = Source::from_files([
            ("/sys/class/net/enx525400aaaaaa/device/numa_node", "0"),
            ("/sys/class/net/enx525400bbbbbb/device/numa_node", "1"),
        ]);
        let name = |last: u32| format!("enx{last:012}");
        assert_eq!(listed(&source), [("network", name(0), Some(0)), ("network", name(1), Some(1))]);
    }

    #[test]
    fn network_disks_and_virtual_cards_are_software() {
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
        assert_eq!(listed(&source), [("disk", "sdb".to_owned(), None)]);
    }
}
