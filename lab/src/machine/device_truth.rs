//! What is true of a machine's devices, from the names in its description alone.

use nearfar_model::NodeId;
use serde::Serialize;

use super::description::Description;
use super::device_identity::{mac, node, serial};
use super::devices::{Device, DeviceKind};
use super::disk_costs::buffer_us;
use super::interrupts::Interrupts;
use super::pci_tree::PciTree;

/// How far two devices are apart, in the words of `nvidia-smi topo -m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Level {
    /// Below one switch.
    Pix,
    /// Below several switches, and not over the host bridge.
    Pxb,
    /// Below different root ports of one host bridge.
    Phb,
    /// At different host bridges of one node.
    Node,
    /// Everything else, and whatever has no node.
    Sys,
}

impl Level {
    /// The word of `topo -m`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pix => "PIX",
            Self::Pxb => "PXB",
            Self::Phb => "PHB",
            Self::Node => "NODE",
            Self::Sys => "SYS",
        }
    }
}

/// A device as a guest must show it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DeviceTruth<'d> {
    /// Its kind and its number among its kind: "nvme0".
    pub(crate) name: String,
    pub(crate) kind: DeviceKind,
    pub(crate) at: &'d str,
    /// The node of its host bridge.
    pub(crate) node: Option<NodeId>,
    pub(crate) srat_node: Option<NodeId>,
    pub(crate) expects: &'d [String],
    /// Its PCI address: "0000:21:00.0".
    pub(crate) address: String,
    #[serde(skip)]
    pub(crate) bus: usize,
    /// Its folder below /sys/devices.
    pub(crate) path: String,
    /// Its class, as sysfs has it: "0x010802".
    pub(crate) class: String,
    /// Whether its interrupts can be moved; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupts: Option<Interrupts>,
    /// What each request of its disk takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) latency_us: Option<f64>,
    /// What the node of a request's buffer adds, by nodes with memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer_us: Option<Vec<f64>>,
    /// What the queue of a request adds, by queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_us: Option<&'d [f64]>,
    /// The rate of its disk's transfers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gb_s: Option<f64>,
    /// The serial number of its disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) serial: Option<String>,
    /// Its Ethernet address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mac: Option<String>,
}

/// The level of two devices.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairTruth {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) level: Level,
}

/// All devices, in the description's order.
pub(crate) fn devices(description: &Description) -> Vec<DeviceTruth<'_>> {
    let places = PciTree::new(description).places();
    let all = description.devices.iter().zip(places).enumerate();
    let truths = all.map(|(index, (device, place))| DeviceTruth {
        name: name(description, index),
        kind: device.kind,
        at: &device.at,
        node: node(description, device),
        srat_node: device.srat_node,
        expects: &device.expects,
        address: place.address(),
        bus: place.bus,
        path: place.path,
        class: format!("{:#08x}", device.kind.class()),
        interrupts: Interrupts::of(device),
        latency_us: device.latency_us,
        buffer_us: buffer_us(description, device),
        queue_us: device.queue_us.as_deref(),
        gb_s: device.gb_s,
        serial: device.kind.has_disk().then(|| serial(index)),
        mac: device.kind.has_network().then(|| mac(index)),
    });
    truths.collect()
}

/// All pairs of devices, each once.
pub(crate) fn pairs(description: &Description) -> Vec<PairTruth> {
    let devices = &description.devices;
    let mut pairs = Vec::new();
    for (i, a) in devices.iter().enumerate() {
        for (j, b) in devices.iter().enumerate().skip(i + 1) {
            let level = level(description, a, b);
            pairs.push(PairTruth { a: name(description, i), b: name(description, j), level });
        }
    }
    pairs
}

fn name(description: &Description, index: usize) -> String {
    let kind = description.devices[index].kind;
    let number = description.devices[..index].iter().filter(|other| other.kind == kind).count();
    format!("{kind}{number}")
}

fn level(description: &Description, a: &Device, b: &Device) -> Level {
    if a.bridge() != b.bridge() {
        let node = node(description, a);
        return if node.is_some() && node == super::device_identity::node(description, b) {
            Level::Node
        } else {
            Level::Sys
        };
    }
    // A device without a switch has a root port of its own.
    let first = a.switches().next();
    if first.is_none() || first != b.switches().next() {
        Level::Phb
    } else if a.at == b.at {
        Level::Pix
    } else {
        Level::Pxb
    }
}

#[cfg(test)]
mod tests {
    use super::super::LabMachine;
    use super::*;

    /// The level of two devices at these places.
    fn level_of(a: &str, b: &str) -> Level {
        let text = format!(
            "summary = 's'\narch = 'x86_64'\nlatency = {{ flat_ns = 9 }}\nnode = [{{ id = 0, cpus \
             = '0', memory = '128M' }}, {{ id = 1, memory = '128M' }}]\nhost_bridge = [{{ id = \
             'a', node = 0 }}, {{ id = 'b', node = 0 }}, {{ id = 'c', node = 1 }}, {{ id = 'd' }}, \
             {{ id = 'e' }}]\ndevice = [{{ kind = 'nvme', at = '{a}' }}, {{ kind = 'nvme', at = \
             '{b}' }}]"
        );
        let machine = LabMachine::parse("mine", "mine.toml", &text).unwrap();
        let [pair] = &machine.device_pairs()[..] else { panic!("one pair") };
        assert_eq!((pair.a.as_str(), pair.b.as_str()), ("nvme0", "nvme1"));
        pair.level
    }

    #[test]
    fn names_define_levels() {
        for (a, b, level) in [
            ("a/s1", "a/s1", Level::Pix),
            ("a/s1/s2", "a/s1/s2", Level::Pix),
            ("a/s1", "a/s1/s2", Level::Pxb),
            ("a/s1/s2", "a/s1/s3", Level::Pxb),
            ("a", "a", Level::Phb),
            ("a", "a/s1", Level::Phb),
            ("a/s1", "a/s2", Level::Phb),
            ("a/s1/x", "a/s2/x", Level::Phb),
            ("a/s1", "b/s1", Level::Node),
            ("a", "c", Level::Sys),
            ("a", "d", Level::Sys),
            ("d", "e", Level::Sys),
        ] {
            assert_eq!((level_of(a, b), level_of(b, a)), (level, level), "{a} {b}");
        }
    }

    #[test]
    fn built_in_machine_has_all_levels_and_doubtful_nodes() {
        let machine = LabMachine::load("devices-2s").unwrap();
        let pairs = machine.device_pairs();
        for level in [Level::Pix, Level::Pxb, Level::Phb, Level::Node, Level::Sys] {
            assert!(pairs.iter().any(|pair| pair.level == level), "{}", level.word());
        }
        let devices = machine.devices();
        assert!(devices.iter().any(|device| device.node.is_none()));
        let disagree =
            |device: &&DeviceTruth| device.srat_node.is_some_and(|node| device.node != Some(node));
        let named: Vec<&str> =
            devices.iter().filter(disagree).map(|device| device.name.as_str()).collect();
        assert_eq!(named, ["usb-storage0"]);
    }
}
