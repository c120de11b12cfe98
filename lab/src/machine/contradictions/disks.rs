//! The times of disks.

use super::super::description::Description;
use super::super::device_identity::node;
use super::super::devices::{Device, DeviceKind};
use super::super::per_node::PerNode;
use super::{Checked, DescriptionContradiction, positive, require};

const SERVED: &str = "the lab serves the disks of kind 'vhost-user-blk' alone";

/// Costs of reaching devices.
pub(super) fn access(description: &Description) -> Checked {
    let Some(access) = description.device_access else { return Ok(()) };
    positive("device_access.far_load_us", access.far_load_us)?;
    positive("device_access.far_store_us", access.far_store_us)?;
    let has_devices = !description.devices.is_empty();
    require(has_devices, "device_access", "the machine has no devices", "add a [[device]]")
}

/// A device's keys about its disk.
pub(super) fn check(key: &str, device: &Device, description: &Description) -> Checked {
    if let Some(latency_us) = device.latency_us {
        let key = format!("{key}.latency_us");
        let wrong = format!("'{}' has no disk", device.kind);
        require(device.kind.has_disk(), &key, wrong, "leave it out")?;
        positive(&key, latency_us)?;
    }
    if device.kind == DeviceKind::VhostUserBlk {
        return served(key, device, description);
    }
    let keys = [
        ("buffer_far_us", device.buffer_far_us.is_some()),
        ("queue_us", device.queue_us.is_some()),
        ("gb_s", device.gb_s.is_some()),
        ("movable_interrupt", device.movable_interrupt),
    ];
    keys.into_iter().try_for_each(|(name, is_there)| {
        require(!is_there, format!("{key}.{name}"), SERVED, "leave it out, or name that kind")
    })
}

fn served(key: &str, device: &Device, description: &Description) -> Checked {
    let remedy = "describe nodes, or choose 'virtio-blk'";
    // QEMU shares memory that it was given as blocks of nodes.
    let has_nodes = description.firmware.describes == super::super::Describes::Nodes;
    let wrong = "firmware describes one node, and this disk needs the memory of each";
    require(has_nodes, format!("{key}.kind"), wrong, remedy)?;
    if let Some(rate) = device.gb_s {
        positive(&format!("{key}.gb_s"), rate)?;
    }
    let cpus: usize = description.nodes.iter().map(|node| node.cpus.len()).sum();
    let wrong = "the machine has one CPU, and one queue has an interrupt of its own";
    let is_shared = !device.movable_interrupt || cpus > 1;
    require(is_shared, format!("{key}.movable_interrupt"), wrong, "leave it out")?;
    if let Some(costs) = &device.queue_us {
        let wrong = format!("it has {} numbers, and there are {cpus} queues", costs.len());
        let remedy = "give each of them one number";
        require(costs.len() == cpus, format!("{key}.queue_us"), wrong, remedy)?;
        are_times(&format!("{key}.queue_us"), costs)?;
    }
    match &device.buffer_far_us {
        Some(costs) => buffers(&format!("{key}.buffer_far_us"), costs, device, description),
        None => Ok(()),
    }
}

fn buffers(key: &str, costs: &PerNode, device: &Device, description: &Description) -> Checked {
    let numbers = match costs {
        PerNode::All(far) => {
            let wrong = "its host bridge has no node, and so no memory is near";
            let remedy = "give a list, one number for each node with memory";
            require(node(description, device).is_some(), key, wrong, remedy)?;
            std::slice::from_ref(far)
        }
        PerNode::Each(each) => {
            let wanted = description.memory_nodes().count();
            let wrong = format!("it has {} numbers, and {wanted} nodes have memory", each.len());
            require(each.len() == wanted, key, wrong, "give each of them one number")?;
            each
        }
    };
    are_times(key, numbers)
}

fn are_times(key: &str, numbers: &[f64]) -> Checked {
    match numbers.iter().find(|number| !(number.is_finite() && **number >= 0.0)) {
        None => Ok(()),
        Some(wrong) => {
            let wrong = format!("{wrong} is no time");
            Err(DescriptionContradiction::new(key, wrong, "give finite numbers from 0 on"))
        }
    }
}
