//! Queues of network interfaces and disks.

use serde::{Deserialize, Serialize};

use super::CpuFact;

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqInterface {
    /// Its name; addresses in it are zeros.
    pub name: String,
    /// Its receive queues.
    pub receive: Vec<ReceiveQueueCpus>,
    /// Its transmit queues.
    pub transmit: Vec<TransmitQueueCpus>,
    /// Whether threads poll it, not softirqs; null if unknown.
    pub threaded: Option<bool>,
}

/// A receive queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReceiveQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that process its packets (RPS); empty: the CPU that serves the interrupt.
    pub rps: CpuFact,
    /// Its flows that are steered to the CPU of the reader (RFS); 0: none; null if unknown.
    pub flows: Option<u64>,
}

/// A transmit queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TransmitQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that send by it (XPS); empty: any.
    pub xps: CpuFact,
    /// The receive queues whose replies are sent by it; empty: any; null if unknown.
    pub xps_receive: Option<Vec<u32>>,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqDisk {
    /// Its name.
    pub name: String,
    /// Its hardware queues.
    pub queues: Vec<DiskQueueCpus>,
}

/// A hardware queue of a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DiskQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that submit to it.
    pub cpus: CpuFact,
}
