//! Hardware queues of disks, and the CPUs that submit to each (blk-mq).

use nearfar_model::CpuSet;
use serde::Serialize;

use super::FileValue;
use crate::attribute::Attributes;
use crate::inventory::function_above;
use crate::pci::PciAddress;

const FOLDER: &str = "/sys/block";
/// Maximum number of disks and of queues that are read.
const MAX_DISKS: usize = 8192;
const MAX_QUEUES: usize = 4096;

/// A disk of a PCI function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiskQueues {
    /// The disk: `nvme0n1`.
    pub name: String,
    /// Its function.
    pub address: PciAddress,
    /// Its hardware queues, by number.
    pub queues: Vec<DiskQueue>,
}

/// A hardware queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiskQueue {
    /// Its number.
    pub number: u32,
    /// The CPUs that submit to it (`cpu_list`).
    pub cpus: FileValue<CpuSet>,
}

/// The disks below PCI functions, by name.
///
/// # References
///
/// Documentation/block/blk-mq.rst
pub(super) fn read(read: &Attributes<'_>) -> Vec<DiskQueues> {
    let unrecorded = read.source.unrecorded();
    let mut names = unrecorded.list(FOLDER);
    names.truncate(MAX_DISKS);
    let one = |name: String| {
        let entry = format!("{FOLDER}/{name}");
        let folder = unrecorded.real_path(&entry)?;
        let address = function_above(unrecorded, &entry, &folder)?;
        let mut numbers = read.source.numbered(&format!("{entry}/mq"), "");
        numbers.truncate(MAX_QUEUES);
        let queue = |number: u32| DiskQueue {
            number,
            // The kernel separates the CPUs by blanks after the commas.
            cpus: FileValue::parse(read.source, &format!("{entry}/mq/{number}/cpu_list"), |text| {
                CpuSet::parse_list(&text.replace(' ', "")).ok()
            }),
        };
        Some(DiskQueues { address, queues: numbers.into_iter().map(queue).collect(), name })
    };
    names.into_iter().filter_map(one).collect()
}
