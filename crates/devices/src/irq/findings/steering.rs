//! Packets that RPS and XPS send across nodes.

use nearfar_model::{CpuSet, NodeSet};

use super::is_active;
use crate::irq::activity::Span;
use crate::irq::cpu_nodes::CpuNodes;
use crate::irq::document::{
    IrqDevice, IrqFinding, IrqInterface, QueueDirection, TransmitQueueCpus,
};

/// The findings about an active device's interfaces.
pub(super) fn across_nodes(nodes: &CpuNodes, device: &IrqDevice, span: Span) -> Vec<IrqFinding> {
    if !is_active(device, span) {
        return Vec::new();
    }
    let of_interface = |interface| {
        let sending = sending_nodes(nodes, device, interface);
        [receiving(device, interface), sending].into_iter().flatten()
    };
    device.interfaces.iter().flat_map(of_interface).collect()
}

/// Receive queues whose packets CPUs far from the device process.
fn receiving(device: &IrqDevice, interface: &IrqInterface) -> Option<IrqFinding> {
    let (node, near) = (device.node?, device.cpus.as_ref()?);
    let (mut queues, mut far) = (Vec::new(), CpuSet::new());
    for queue in &interface.receive {
        let beyond = queue.rps.cpus().map(|cpus| cpus.difference(near)).unwrap_or_default();
        if !beyond.is_empty() {
            queues.push(queue.number);
            far = far.union(&beyond);
        }
    }
    (!queues.is_empty()).then(|| IrqFinding::RpsAcrossNodes {
        device: device.label.clone(),
        interface: interface.name.clone(),
        node,
        queues,
        cpus: far,
    })
}

/// Transmit queues whose CPUs share no node with the CPUs of their interrupt.
fn sending_nodes(
    nodes: &CpuNodes,
    device: &IrqDevice,
    interface: &IrqInterface,
) -> Option<IrqFinding> {
    let (mut queues, mut send_nodes, mut interrupt_nodes) =
        (Vec::new(), NodeSet::new(), NodeSet::new());
    for queue in &interface.transmit {
        let Some((from, served)) = nodes_of(nodes, device, queue) else { continue };
        if from.is_disjoint(&served) {
            queues.push(queue.number);
            send_nodes = send_nodes.union(&from);
            interrupt_nodes = interrupt_nodes.union(&served);
        }
    }
    (!queues.is_empty()).then(|| IrqFinding::XpsAcrossNodes {
        device: device.label.clone(),
        interface: interface.name.clone(),
        queues,
        send_nodes,
        interrupt_nodes,
    })
}

/// The nodes of the CPUs that send by a queue, and of those that serve its interrupt.
fn nodes_of(
    nodes: &CpuNodes,
    device: &IrqDevice,
    queue: &TransmitQueueCpus,
) -> Option<(NodeSet, NodeSet)> {
    let cpus = queue.xps.cpus().filter(|cpus| !cpus.is_empty())?;
    let sends = |direction| matches!(direction, QueueDirection::Transmit | QueueDirection::Both);
    let mut interrupts = device.interrupts.iter();
    let irq = interrupts.find(|irq| {
        irq.queue.is_some_and(|own| sends(own.direction) && own.number == queue.number)
    })?;
    let from = nodes.for_cpus(cpus);
    (!from.is_empty() && !irq.nodes.is_empty()).then(|| (from, irq.nodes.clone()))
}
