//! The devices that programs are placed by: network cards, disks, InfiniBand, accelerators; and the node each sits at.
//!
//! Only hardware is listed: what is made of software (a bridge, a RAID, a loop) has no node of its own, and [`crate::node_list`] follows it down
//! where a user names it. Names are the kernel's, but for an address in them (`enx525400abcdef`): what
//! holds them is sent to others. Nor is the name of anything made of software kept in a capture: it may tell of a network or a person.

use nearfar_model::NodeId;
use serde::Serialize;

use crate::addresses::without_addresses;
use crate::device_node;
use crate::source::Source;

/// Devices of a class that are listed; further ones are left out.
const MOST_OF_A_CLASS: usize = 256;

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
pub(crate) fn read(source: &Source) -> Vec<MachineDevice> {
    let of_class = |(folder, kind, start): (&str, &'static str, &str)| {
        let mut names = source.list_in_passing(folder);
        names.retain(|name| name.starts_with(start) && is_whole(kind, name));
        let devices = names.into_iter().filter_map(|name| read_one(source, kind, folder, &name));
        devices.take(MOST_OF_A_CLASS).collect::<Vec<_>>()
    };
    CLASSES.into_iter().flat_map(of_class).collect()
}

/// A connector of a graphics card ("card0-HDMI-A-1") is no card.
fn is_whole(kind: &str, name: &str) -> bool {
    kind != "graphics" || !name.contains('-')
}

/// A device; none where it is made of software, such as a disk that is reached over a network.
fn read_one(source: &Source, kind: &'static str, folder: &str, name: &str) -> Option<MachineDevice> {
    let device = format!("{folder}/{name}/device");
    let is_hardware = |real: &String| !real.starts_with("/sys/devices/virtual/");
    source.real_path(&device).filter(is_hardware)?;
    let node = device_node::of_folder(source, &device);
    Some(MachineDevice { kind, name: without_addresses(name, &mut Vec::new()), node })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let told: Vec<(&str, String, Option<u32>)> =
            read(&source).into_iter().map(|one| (one.kind, one.name, one.node.map(|node| node.0))).collect();
        assert_eq!(
            told,
            [
                ("network", "eth0".to_owned(), Some(1)),
                ("disk", "nvme0".to_owned(), None),
                ("graphics", "card0".to_owned(), Some(0))
            ]
        );
    }
}
