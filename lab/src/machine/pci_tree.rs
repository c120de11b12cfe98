//! The PCI tree of a machine's devices, with the bus numbers that firmware assigns.
//!
//! A device has a port of its own: a root port at its host bridge, or a downstream port of its
//! switch. Ports are in the order in which the description first names what is below them.

use super::description::Description;

/// The first host bridge's bus. Lower numbers are for the devices of the machine itself.
const FIRST_BUS: usize = 0x20;

/// Host bridges begin at multiples of this bus number, which keeps addresses readable.
const STEP: usize = 8;

/// The last bus of a PCI domain.
pub(crate) const LAST_BUS: usize = 0xff;

/// All host bridges with what is below them.
#[derive(Debug)]
pub(crate) struct PciTree<'d> {
    pub(crate) roots: Vec<Root<'d>>,
}

/// A host bridge's bus.
#[derive(Debug)]
pub(crate) struct Root<'d> {
    /// The host bridge's id.
    pub(crate) id: &'d str,
    pub(crate) bus: usize,
    /// What is below its root ports; the position is the port's slot.
    pub(crate) ports: Vec<Below<'d>>,
}

/// What is below a port.
#[derive(Debug)]
pub(crate) enum Below<'d> {
    /// A device, by its index in the description.
    Device(usize),
    /// A switch, by its name, with what is below its downstream ports.
    Switch(&'d str, Vec<Below<'d>>),
}

/// Where firmware and Linux put a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PciPlace {
    pub(crate) bus: usize,
    /// Its folder of sysfs, from the host bridge on: "pci0000:20/0000:20:00.0/0000:21:00.0".
    pub(crate) path: String,
}

impl PciPlace {
    /// Its address: "0000:21:00.0".
    pub(crate) fn address(&self) -> String {
        address(self.bus, 0)
    }
}

impl<'d> PciTree<'d> {
    /// The tree of a description whose devices name host bridges that exist.
    pub(crate) fn new(description: &'d Description) -> Self {
        let mut next = FIRST_BUS;
        let roots = description.host_bridges.iter().map(|bridge| {
            let mut root = Root { id: &bridge.id, bus: next, ports: Vec::new() };
            for (index, device) in description.devices.iter().enumerate() {
                if device.bridge() == bridge.id {
                    insert(&mut root.ports, device.switches(), index);
                }
            }
            next = (next + buses(&root.ports) + 1).next_multiple_of(STEP);
            root
        });
        Self { roots: roots.collect() }
    }

    /// The highest bus number.
    pub(crate) fn last_bus(&self) -> usize {
        self.roots.last().map_or(0, |root| root.bus + buses(&root.ports))
    }

    /// The most ports on one bus.
    pub(crate) fn most_ports(&self) -> usize {
        self.roots.iter().map(|root| most_ports(&root.ports)).max().unwrap_or(0)
    }

    /// The place of each device, in the description's order. Firmware numbers the buses of a host
    /// bridge depth first.
    pub(crate) fn places(&self) -> Vec<PciPlace> {
        let mut places = Vec::new();
        for root in &self.roots {
            let above = format!("pci0000:{:02x}", root.bus);
            let mut last = root.bus;
            collect_places(&root.ports, &above, root.bus, &mut last, &mut places);
        }
        places.sort_by_key(|(index, _)| *index);
        places.into_iter().map(|(_, place)| place).collect()
    }
}

fn insert<'d>(
    ports: &mut Vec<Below<'d>>,
    mut switches: impl Iterator<Item = &'d str>,
    device: usize,
) {
    let Some(name) = switches.next() else {
        ports.push(Below::Device(device));
        return;
    };
    let known = ports.iter().position(|port| matches!(port, Below::Switch(id, _) if *id == name));
    let position = known.unwrap_or_else(|| {
        ports.push(Below::Switch(name, Vec::new()));
        ports.len() - 1
    });
    if let Below::Switch(_, below) = &mut ports[position] {
        // A trait object: the recursion would otherwise have endless types.
        insert(below, &mut switches as &mut dyn Iterator<Item = &'d str>, device);
    }
}

/// How many buses ports lead to. A switch has a bus above its upstream port and one inside.
fn buses(ports: &[Below<'_>]) -> usize {
    let below = ports.iter().map(|port| match port {
        Below::Device(_) => 1,
        Below::Switch(_, ports) => 2 + buses(ports),
    });
    below.sum()
}

fn most_ports(ports: &[Below<'_>]) -> usize {
    let below = ports.iter().map(|port| match port {
        Below::Device(_) => 0,
        Below::Switch(_, ports) => most_ports(ports),
    });
    below.max().unwrap_or(0).max(ports.len())
}

fn collect_places(
    ports: &[Below<'_>],
    above: &str,
    bus: usize,
    last: &mut usize,
    places: &mut Vec<(usize, PciPlace)>,
) {
    for (slot, port) in ports.iter().enumerate() {
        *last += 1;
        let secondary = *last;
        let path = format!("{above}/{}/{}", address(bus, slot), address(secondary, 0));
        match port {
            Below::Device(index) => places.push((*index, PciPlace { bus: secondary, path })),
            Below::Switch(_, ports) => {
                *last += 1;
                collect_places(ports, &path, *last, last, places);
            }
        }
    }
}

fn address(bus: usize, slot: usize) -> String {
    format!("0000:{bus:02x}:{slot:02x}.0")
}

#[cfg(test)]
mod tests {
    use super::super::LabMachine;

    #[test]
    fn buses_are_numbered_depth_first() {
        let text = "summary = 's'\narch = 'x86_64'\nlatency = { flat_ns = 9 }\nnode = [{ id = 0, \
                    cpus = '0', memory = '256M' }]\nhost_bridge = [{ id = 'a' }, { id = 'b' }]\n\
                    device = [{ kind = 'xhci', at = 'a/s1/s2' }, { kind = 'xhci', at = 'b' }, { \
                    kind = 'nvme', at = 'a' }, { kind = 'nvme', at = 'a/s1' }]";
        let machine = LabMachine::parse("mine", "mine.toml", text).unwrap();
        let paths: Vec<String> = machine.devices().into_iter().map(|device| device.path).collect();
        assert_eq!(
            paths,
            [
                "pci0000:20/0000:20:00.0/0000:21:00.0/0000:22:00.0/0000:23:00.0/0000:24:00.0/\
                 0000:25:00.0",
                "pci0000:28/0000:28:00.0/0000:29:00.0",
                "pci0000:20/0000:20:01.0/0000:27:00.0",
                "pci0000:20/0000:20:00.0/0000:21:00.0/0000:22:01.0/0000:26:00.0",
            ]
        );
        assert_eq!(machine.devices()[2].address, "0000:27:00.0");
    }
}
