//! Names of hardware with nodes: what `nearfar topology --json` and surveys list.
//!
//! Software devices (a bridge, a RAID, a loop, a network disk) have no node of their own;
//! [`crate::node_list`] resolves them if the user names one.

use nearfar_model::NodeId;
use serde::Serialize;

use super::{KernelName, named};
use crate::addresses::NumberedAddresses;
use crate::attribute::Attributes;
use crate::device_node;

/// Classes that are listed, in order, and the kind of their devices.
const KINDS: [(&str, &str); 5] = [
    ("net", "network"),
    ("nvme", "disk"),
    ("block", "disk"),
    ("infiniband", "infiniband"),
    ("drm", "graphics"),
];

/// A device and its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MachineDevice {
    /// "network", "disk", "infiniband" or "graphics".
    pub kind: &'static str,
    /// The kernel's name: "eth0", "nvme0", "mlx5_0", "card0".
    pub name: String,
    /// Its node; `None` if unknown (`numa_node` is -1).
    pub node: Option<NodeId>,
}

/// The hardware of all classes, sorted by class and name.
pub(crate) fn machine_devices(read: &Attributes<'_>) -> Vec<MachineDevice> {
    let (by_function, others) = named::all(read);
    let others = others.into_iter().flat_map(|other| other.names);
    let names: Vec<KernelName> = by_function.into_values().flatten().chain(others).collect();
    let mut numbered = NumberedAddresses::default();
    let mut listed: Vec<(usize, KernelName)> = names
        .into_iter()
        .filter_map(|name| Some((KINDS.iter().position(|(class, _)| *class == name.class)?, name)))
        .collect();
    listed.sort();
    listed.iter().for_each(|(_, one)| numbered.learn(&one.name));
    listed
        .into_iter()
        .map(|(class, one)| MachineDevice {
            kind: KINDS[class].1,
            name: numbered.written(&one.name, &mut Vec::new()),
            node: device_node::for_folder(read.source, &format!("{}/device", one.entry())),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;
    use crate::source::Source;

    fn listed(source: &Source) -> Vec<(&'static str, String, Option<u32>)> {
        let devices = machine_devices(&Attributes::new(source)).into_iter();
        devices.map(|device| (device.kind, device.name, device.node.map(|node| node.0))).collect()
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
