//! Host bridges and the devices below them.

use nearfar_model::NodeId;

use super::super::description::{Describes, Description};
use super::super::devices::{Device, DeviceKind};
use super::super::pci_tree::{LAST_BUS, PciTree};
use super::disks;
use super::{Checked, DescriptionContradiction, require};

/// Slots of a PCI bus.
const MAX_PORTS: usize = 32;

/// Each part is looked at once those before it are right.
pub(super) fn check(description: &Description) -> Vec<Checked> {
    let bridges = (0..description.host_bridges.len()).map(|index| bridge(description, index));
    let devices = description.devices.iter().enumerate();
    let mut checks: Vec<Checked> = bridges.collect();
    if checks.iter().all(Result::is_ok) {
        checks.extend(
            devices.map(|(index, each)| device(&format!("device[{index}]"), each, description)),
        );
    }
    if checks.iter().all(Result::is_ok) {
        checks.push(numbers(description));
    }
    checks.push(disks::access(description));
    checks
}

fn bridge(description: &Description, index: usize) -> Checked {
    let (bridges, key) = (&description.host_bridges, format!("host_bridge[{index}]"));
    let bridge = &bridges[index];
    plain(&format!("{key}.id"), &bridge.id)?;
    let is_new = bridges[..index].iter().all(|earlier| earlier.id != bridge.id);
    let wrong = format!("the host bridge '{}' exists already", bridge.id);
    require(is_new, format!("{key}.id"), wrong, "give each host bridge its own id")?;
    bridge.node.map_or(Ok(()), |id| names_node(&format!("{key}.node"), id, description))
}

fn device(key: &str, device: &Device, description: &Description) -> Checked {
    let at = format!("{key}.at");
    device.at.split('/').try_for_each(|name| plain(&at, name))?;
    let bridges = &description.host_bridges;
    let exists = bridges.iter().any(|bridge| bridge.id == device.bridge());
    let known: Vec<&str> = bridges.iter().map(|bridge| bridge.id.as_str()).collect();
    let remedy = match known.is_empty() {
        true => "add a [[host_bridge]] with this id".to_owned(),
        false => format!("name one of {}, or add a [[host_bridge]]", known.join(", ")),
    };
    let wrong = format!("there is no host bridge '{}'", device.bridge());
    require(exists, at, wrong, remedy)?;
    if let Some(id) = device.srat_node {
        names_node(&format!("{key}.srat_node"), id, description)?;
    }
    disks::check(key, device, description)?;
    if let Some(queues) = device.queues {
        let is_possible = device.kind == DeviceKind::VirtioNet && (2..=8).contains(&queues);
        let wrong = format!("{} cannot have {queues} queue pairs", device.kind);
        require(is_possible, format!("{key}.queues"), wrong, "give a virtio-net 2 to 8")?;
    }
    device.expects.iter().try_for_each(|code| plain(&format!("{key}.expects"), code))
}

/// Names end up in QEMU's options and in paths.
fn plain(key: &str, name: &str) -> Checked {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let wrong = format!("'{}' is no name", name.escape_debug());
    require(is_plain, key, wrong, "use lowercase letters, digits and '-', a letter first")
}

/// Firmware may name only nodes that it describes.
fn names_node(key: &str, id: NodeId, description: &Description) -> Checked {
    let exists = description.nodes.iter().any(|node| node.id == id);
    require(exists, key, format!("there is no node {id}"), "name a node that is described")?;
    let describes_nodes = description.firmware.describes == Describes::Nodes;
    let wrong = "firmware describes one node, and this would reveal the others";
    require(describes_nodes, key, wrong, "leave it out")
}

fn numbers(description: &Description) -> Checked {
    let tree = PciTree::new(description);
    let most = tree.most_ports();
    let wrong = format!("{most} ports are on one bus, and PCI has slots for {MAX_PORTS}");
    require(most <= MAX_PORTS, "device", wrong, "spread them over switches or host bridges")?;
    let last = tree.last_bus();
    if last <= LAST_BUS {
        return Ok(());
    }
    let wrong = format!("they need bus numbers up to {last}, and PCI ends at {LAST_BUS}");
    Err(DescriptionContradiction::new("device", wrong, "leave some out"))
}
