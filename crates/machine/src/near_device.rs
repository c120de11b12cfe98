//! Devices near which a program shall run: `gpu:0`, `nic:mlx5_0`, `3b:00.0`, `/dev/nvme0n1`.
//!
//! A word is read in this order:
//!
//! 1. numactl's forms: `netdev:`, `ip:`, `file:`, `block:`, `pci:`;
//! 2. a path, which has a `/`: a device file, else the disks of the file's file system;
//! 3. a kind with a number or a kernel name: `gpu:0` (as `nearfar devices` counts), `nic:eth0`;
//! 4. a PCI address: `0000:3b:00.0`, `3b:00.0`;
//! 5. a label in capitals: `GPU0`;
//! 6. a kernel name: interface, RDMA device, NVMe controller, block device, card, USB bus, CXL
//!    memory;
//! 7. a label in small letters: `gpu0`.

mod classes;
mod device_word;
mod find;
mod nearest_names;

use serde::Serialize;

pub use crate::device_node::HardwareNode;
use nearfar_model::NodeSet;

use crate::error::MachineError;
use crate::source::Source;
use device_word::DeviceWord;

/// A device as a user names it, and the hardware that it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NearDevice {
    /// The word.
    pub asked: String,
    /// The hardware, never empty. A file system or a RAID may be on several disks.
    pub hardware: Vec<HardwareNode>,
}

impl NearDevice {
    /// Finds the devices of a list, separated by commas.
    ///
    /// # Errors
    ///
    /// [`MachineError::MalformedDevice`], [`MachineError::NoSuchDevice`] with the most similar
    /// names, or [`MachineError::NoHardware`].
    pub fn find_all(list: &str, source: &Source) -> Result<Vec<Self>, MachineError> {
        let words = DeviceWord::parse_list(list, |path| source.exists(path))?;
        words.into_iter().map(|(asked, word)| find::device(source, asked, &word)).collect()
    }

    /// The known nodes of its hardware.
    pub fn nodes(&self) -> NodeSet {
        crate::device_node::nodes_of(&self.hardware)
    }
}

#[cfg(test)]
mod tests;
