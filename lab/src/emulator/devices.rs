//! Devices below host bridges that firmware puts into nodes.

use std::path::Path;

use nearfar_lab_disk::QUEUE_SIZE;

use super::{Words, in_a_value};
use crate::machine::{
    Below, DISK_BYTES, DeviceKind, LabMachine, PciTree, disk_socket, mac, serial,
};

/// Adds host bridges, ports, switches and devices. Sockets of disks are in `scratch`.
pub(super) fn below_host_bridges(machine: &LabMachine, scratch: &Path, words: &mut Words) {
    let description = &machine.description;
    let mut writer = Writer { machine, scratch, words, ports: 0 };
    for (root, bridge) in PciTree::new(description).roots.iter().zip(&description.host_bridges) {
        let node = bridge.node.map(|node| format!(",numa_node={node}")).unwrap_or_default();
        // Apart from all other ids of QEMU's devices.
        let (id, bus) = (format!("host-{}", root.id), root.bus);
        writer.device(format!("pxb-pcie,id={id},bus=pcie.0,bus_nr={bus}{node}"));
        writer.ports(&root.ports, &id, "pcie-root-port");
    }
}

struct Writer<'a> {
    machine: &'a LabMachine,
    scratch: &'a Path,
    words: &'a mut Words,
    /// How many ports there are. Each has a chassis number of its own.
    ports: usize,
}

impl Writer<'_> {
    fn device(&mut self, device: impl Into<String>) {
        self.words.option("-device", device.into());
    }

    /// The ports of a bus, and what is below them. A switch's id is its path, with dots.
    fn ports(&mut self, all: &[Below<'_>], bus: &str, kind: &str) {
        for (slot, below) in all.iter().enumerate() {
            self.ports += 1;
            let (port, chassis) = (format!("port{}", self.ports), self.ports);
            self.device(format!("{kind},id={port},bus={bus},addr={slot:#x},chassis={chassis}"));
            match below {
                Below::Device(index) => self.endpoint(*index, &port),
                Below::Switch(name, ports) => {
                    let switch = format!("{bus}.{name}");
                    self.device(format!("x3130-upstream,id={switch},bus={port}"));
                    self.ports(ports, &switch, "xio3130-downstream");
                }
            }
        }
    }

    fn endpoint(&mut self, index: usize, port: &str) {
        let kind = self.machine.description.devices[index].kind;
        if kind.has_disk() {
            self.disk(index);
        }
        let queues = self.machine.description.devices[index].queues;
        if kind.has_network() {
            self.words.option("-netdev", network_of(index, queues));
        }
        let disk = format!("drive=disk{index},serial={}", serial(index));
        let network = format!("netdev=net{index},mac={}", mac(index));
        // A controller, and the disk at it.
        let (device, below) = match kind {
            DeviceKind::Nvme => (format!("nvme,{disk}"), None),
            DeviceKind::E1000e => (format!("e1000e,{network}"), None),
            DeviceKind::Xhci => ("qemu-xhci".to_owned(), None),
            DeviceKind::UsbStorage => ("qemu-xhci".to_owned(), Some("usb-storage")),
            DeviceKind::VirtioNet => {
                // A vector for each queue, one for control and one for the configuration.
                let several = |queues| format!(",mq=on,vectors={}", 2 * queues + 2);
                let several = queues.map(several).unwrap_or_default();
                (format!("virtio-net-pci,{network}{several}"), None)
            }
            DeviceKind::Vmxnet3 => (format!("vmxnet3,{network}"), None),
            DeviceKind::VirtioBlk => (format!("virtio-blk-pci,{disk}"), None),
            DeviceKind::VhostUserBlk => (self.served_disk(index), None),
            DeviceKind::VirtioScsi => ("virtio-scsi-pci".to_owned(), Some("scsi-hd")),
            DeviceKind::Ahci => ("ich9-ahci".to_owned(), Some("ide-hd")),
            DeviceKind::Display => ("bochs-display".to_owned(), None),
        };
        self.device(format!("{device},id=device{index},bus={port}"));
        if let Some(below) = below {
            self.device(format!("{below},bus=device{index}.0,{disk}"));
        }
    }

    /// What a disk's requests go to.
    fn disk(&mut self, index: usize) {
        let device = &self.machine.description.devices[index];
        if device.kind == DeviceKind::VhostUserBlk {
            let socket = disk_socket(self.scratch, index);
            let socket = in_a_value(&socket).to_string_lossy().into_owned();
            self.words.option("-chardev", format!("socket,id=disk{index},path={socket}"));
            return;
        }
        let latency = self.machine.disk_latency_ns(device);
        let latency = latency.map(|ns| format!(",latency-ns={ns:.0}")).unwrap_or_default();
        let disk = format!("null-co,node-name=disk{index},size={DISK_BYTES},read-zeroes=on");
        self.words.option("-blockdev", format!("{disk}{latency}"));
    }

    /// A disk of the lab's own server. With two vectors for more queues, Linux uses one for the
    /// configuration and one for all queues together.
    fn served_disk(&self, index: usize) -> String {
        let queues = self.machine.cpus();
        let is_movable = self.machine.description.devices[index].movable_interrupt;
        let vectors = if is_movable { ",vectors=2" } else { "" };
        let queues = format!("num-queues={queues},queue-size={QUEUE_SIZE}");
        format!("vhost-user-blk-pci,chardev=disk{index},{queues}{vectors}")
    }
}

/// The other end of a card. QEMU has no network of several queues but by a tap.
fn network_of(index: usize, queues: Option<u32>) -> String {
    match queues {
        None => format!("hubport,id=net{index},hubid=0"),
        Some(queues) => format!(
            "tap,id=net{index},ifname=lab{index},queues={queues},script=no,downscript=no,vhost=off"
        ),
    }
}
