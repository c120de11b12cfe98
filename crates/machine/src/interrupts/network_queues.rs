//! Queues of network interfaces: the CPUs that take packets over (RPS), the queues that CPUs send
//! by (XPS), flows (RFS), polling threads.

use nearfar_model::CpuSet;
use serde::Serialize;

use super::FileValue;
use crate::addresses::without_addresses;
use crate::attribute::Attributes;
use crate::inventory::function_above;
use crate::pci::PciAddress;

const FOLDER: &str = "/sys/class/net";
/// Maximum number of interfaces and of queues that are read.
const MAX_INTERFACES: usize = 4096;
const MAX_QUEUES: usize = 4096;

/// An interface with hardware below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetworkQueues {
    /// The interface; addresses in its name are zeros.
    pub name: String,
    /// Its function; `None` without PCI.
    pub address: Option<PciAddress>,
    /// The receive queues, by number.
    pub receive: Vec<ReceiveQueue>,
    /// The transmit queues, by number.
    pub transmit: Vec<TransmitQueue>,
    /// Whether threads poll the device (`threaded`), not softirqs.
    pub threaded: FileValue<bool>,
}

/// A receive queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiveQueue {
    /// Its number.
    pub number: u32,
    /// The CPUs that process its packets (`rps_cpus`); empty: the CPU of the interrupt.
    pub rps: FileValue<CpuSet>,
    /// Its flows that are steered to the CPU of the reader (`rps_flow_cnt`); 0: none.
    pub flows: FileValue<u64>,
}

/// A transmit queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TransmitQueue {
    /// Its number.
    pub number: u32,
    /// The CPUs that send by it (`xps_cpus`); empty: any. Absent for one queue.
    pub xps: FileValue<CpuSet>,
    /// The receive queues whose replies are sent by it (`xps_rxqs`); empty: any.
    pub xps_receive: FileValue<Vec<u32>>,
}

/// The interfaces that have hardware below them, by name.
///
/// # References
///
/// Documentation/networking/scaling.rst
pub(super) fn read(read: &Attributes<'_>) -> Vec<NetworkQueues> {
    // Names of software devices may identify a network or a person: they are not recorded.
    let unrecorded = read.source.unrecorded();
    let mut names = unrecorded.list(FOLDER);
    names.truncate(MAX_INTERFACES);
    let one = |name: String| {
        let entry = format!("{FOLDER}/{name}");
        let folder = unrecorded.real_path(&entry)?;
        let address = function_above(unrecorded, &entry, &folder);
        let has_hardware = address.is_some()
            || unrecorded
                .real_path(&format!("{entry}/device"))
                .is_some_and(|device| !crate::inventory::is_software(&device));
        if !has_hardware || folder.starts_with("/sys/devices/virtual/") {
            return None;
        }
        let numbers = |direction: &str| {
            let mut numbers = read.source.numbered(&format!("{entry}/queues"), direction);
            numbers.truncate(MAX_QUEUES);
            numbers
        };
        Some(NetworkQueues {
            receive: numbers("rx-")
                .into_iter()
                .map(|number| receive(read, &entry, number))
                .collect(),
            transmit: numbers("tx-")
                .into_iter()
                .map(|number| transmit(read, &entry, number))
                .collect(),
            threaded: FileValue::parse(read.source, &format!("{entry}/threaded"), switch),
            name: without_addresses(&name, &mut Vec::new()),
            address,
        })
    };
    names.into_iter().filter_map(one).collect()
}

fn receive(read: &Attributes<'_>, entry: &str, number: u32) -> ReceiveQueue {
    let folder = format!("{entry}/queues/rx-{number}");
    ReceiveQueue {
        number,
        rps: FileValue::mask(read.source, &format!("{folder}/rps_cpus")),
        flows: FileValue::number(read.source, &format!("{folder}/rps_flow_cnt")),
    }
}

fn transmit(read: &Attributes<'_>, entry: &str, number: u32) -> TransmitQueue {
    let folder = format!("{entry}/queues/tx-{number}");
    TransmitQueue {
        number,
        xps: FileValue::mask(read.source, &format!("{folder}/xps_cpus")),
        // A mask in the format of CPUs.
        xps_receive: FileValue::parse(read.source, &format!("{folder}/xps_rxqs"), |text| {
            Some(CpuSet::parse_mask(text).ok()?.iter().map(|queue| queue.0).collect())
        }),
    }
}

/// Linux 6.17 and newer have 2 for polling without pause.
fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" | "2" => Some(true),
        _ => None,
    }
}
