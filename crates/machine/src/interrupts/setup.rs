//! What a driver or an administrator set: vectors, queues, irqbalance, the command line.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Balancer, DiskQueues, FileValue, IrqBootOptions, IrqVector, MessageSupport, NetworkQueues,
    VectorKind, disk_queues, network_queues, vectors,
};
use crate::attribute::Attributes;
use crate::inventory::Inventory;
use crate::pci::PciAddress;
use crate::source::Source;

/// The setup of a machine's interrupts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterruptSetup {
    /// The devices of each interrupt.
    pub vectors: BTreeMap<u32, IrqVector>,
    /// Whether functions with a line offer messages.
    pub support: BTreeMap<PciAddress, MessageSupport>,
    /// Queues of network interfaces.
    pub network: Vec<NetworkQueues>,
    /// Queues of disks.
    pub disks: Vec<DiskQueues>,
    /// Flows that are steered to readers, of all interfaces (`rps_sock_flow_entries`); 0: none.
    pub flow_entries: FileValue<u64>,
    /// irqbalance.
    pub balancer: Balancer,
    /// Options of the command line.
    pub boot: IrqBootOptions,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl InterruptSetup {
    /// Reads the setup of a machine. Missing files are normal.
    pub fn read(source: &Source, inventory: &Inventory) -> Self {
        let read = Attributes::new(source);
        let vectors = vectors::read(&read, inventory);
        let lines = vectors.values().filter(|value| value.kind == VectorKind::Line);
        let functions = lines.flat_map(|line| line.functions.iter());
        Self {
            support: functions
                .map(|address| (*address, MessageSupport::read(source, *address)))
                .collect(),
            network: network_queues::read(&read),
            disks: disk_queues::read(&read),
            flow_entries: FileValue::number(source, "/proc/sys/net/core/rps_sock_flow_entries"),
            balancer: Balancer::read(source),
            boot: IrqBootOptions::read(source),
            vectors,
            oddities: read.into_oddities(),
        }
    }
}
