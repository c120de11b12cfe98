//! What the requests of a machine's disks take.

use std::path::{Path, PathBuf};

use nearfar_lab_disk::{BufferCost, DiskCosts};
use nearfar_model::Bytes;

use super::description::Description;
use super::device_identity::{node, serial};
use super::devices::Device;
use super::per_node::PerNode;
use super::{DeviceKind, LabMachine};

/// A disk's size: its content is not kept.
pub(crate) const DISK_BYTES: u64 = 512 << 20;

/// Where QEMU connects with the server of a device's disk.
pub(crate) fn disk_socket(folder: &Path, device: usize) -> PathBuf {
    folder.join(format!("disk{device}.socket"))
}

/// What each node's memory adds to a request with its buffer there, in the order of nodes with
/// memory.
pub(super) fn buffer_us(description: &Description, device: &Device) -> Option<Vec<f64>> {
    let own = node(description, device);
    let all = || description.memory_nodes();
    match device.buffer_far_us.as_ref()? {
        PerNode::All(far) => {
            Some(all().map(|memory| if Some(memory.id) == own { 0.0 } else { *far }).collect())
        }
        PerNode::Each(each) => Some(each.clone()),
    }
}

impl LabMachine {
    /// The latency of a device's disk in the lab, where one is described.
    pub(crate) fn disk_latency_ns(&self, device: &Device) -> Option<f64> {
        device.latency_us.map(|us| self.slow(us * 1000.0))
    }

    /// The disks that the lab serves itself, with their sockets in `folder`.
    pub(crate) fn served_disks(&self, folder: &Path) -> Vec<DiskCosts> {
        let devices = self.description.devices.iter().enumerate();
        let served = devices.filter(|(_, device)| device.kind == DeviceKind::VhostUserBlk);
        served.map(|(index, device)| self.served_disk(folder, index, device)).collect()
    }

    fn served_disk(&self, folder: &Path, index: usize, device: &Device) -> DiskCosts {
        let extra_us = buffer_us(&self.description, device).unwrap_or_default();
        let mut end = self.arch().memory_start();
        let sizes = self.memory_nodes().filter_map(|memory| memory.memory);
        let buffers = sizes.zip(extra_us).map(|(Bytes(size), us)| {
            let start = end;
            end += size;
            BufferCost { start, end, extra_ns: self.slow(us * 1000.0) }
        });
        DiskCosts {
            socket: disk_socket(folder, index),
            bytes: DISK_BYTES,
            queues: self.cpus(),
            serial: serial(index),
            latency_ns: self.disk_latency_ns(device).unwrap_or(0.0),
            ns_per_byte: device.gb_s.map_or(0.0, |rate| self.slow(1.0 / rate)),
            queue_ns: device.queue_us.iter().flatten().map(|us| self.slow(us * 1000.0)).collect(),
            buffers: buffers.collect(),
        }
    }
}
