//! Latencies and bandwidths that firmware claims for nodes: the HMAT as the kernel reads it.
//!
//! The table has a number for each pair of initiator and memory. The kernel shows those of the
//! nearest initiators only. All pairs are listed where the table is readable and the kernel uses
//! it, else the pairs of sysfs.

use nearfar_firmware::acpi::{Hmat, Locality, LocalityData};
use nearfar_firmware::linux::{HmatUse, Prediction};
use nearfar_machine::NodeAccess;
use nearfar_model::{NodeId, ProximityDomain};
use serde::{Deserialize, Serialize};

use crate::witnesses::Witnesses;

/// The megabyte of the HMAT.
const MEGABYTE: u64 = 1_000_000;
/// A limit above the pairs of any machine.
const MAX_CELLS: usize = 16_384;

/// Latencies and bandwidths that firmware claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Performance {
    /// "HMAT", the table itself, or "sysfs", where the kernel shows the nearest initiators only.
    pub from: String,
    /// A cell for each pair with a claim.
    pub cells: Vec<PerformanceCell>,
}

/// Claimed performance of one node's memory for an initiator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PerformanceCell {
    /// The node whose CPUs, or devices, access.
    #[schemars(with = "u32")]
    pub initiator: NodeId,
    /// The node with the memory.
    #[schemars(with = "u32")]
    pub target: NodeId,
    /// Time of a read; null without a claim, as below.
    pub read_latency_ns: Option<u64>,
    /// Time of a write.
    pub write_latency_ns: Option<u64>,
    /// Bandwidth of reads.
    pub read_bandwidth_bytes_per_s: Option<u64>,
    /// Bandwidth of writes.
    pub write_bandwidth_bytes_per_s: Option<u64>,
}

impl PerformanceCell {
    fn new(initiator: NodeId, target: NodeId) -> Self {
        Self {
            initiator,
            target,
            read_latency_ns: None,
            write_latency_ns: None,
            read_bandwidth_bytes_per_s: None,
            write_bandwidth_bytes_per_s: None,
        }
    }
}

/// The claims of this machine; none where firmware has no HMAT, or the kernel rejects it.
pub fn performance(witnesses: &Witnesses) -> Option<Performance> {
    let (prediction, _) = crate::predicted(witnesses);
    let from_table =
        (prediction.hmat == HmatUse::Used).then(|| for_table(witnesses, &prediction)).flatten();
    from_table.or_else(|| for_sysfs(&witnesses.access))
}

fn for_table(witnesses: &Witnesses, prediction: &Prediction) -> Option<Performance> {
    let (_, hmat) = witnesses.firmware.first::<Hmat>()?;
    let mut cells = Vec::new();
    // Hierarchy 0 is memory; others are memory-side caches.
    for matrix in hmat.content.localities().filter(|matrix| matrix.hierarchy == 0) {
        take(matrix, prediction, &mut cells);
    }
    (!cells.is_empty()).then(|| Performance { from: "HMAT".to_owned(), cells })
}

fn take(matrix: &Locality, prediction: &Prediction, cells: &mut Vec<PerformanceCell>) {
    let node = |domain: &ProximityDomain| {
        prediction.online().find(|node| node.domain == Some(*domain)).map(|node| node.id)
    };
    for (row, initiator) in matrix.initiators.iter().enumerate() {
        for (column, target) in matrix.targets.iter().enumerate() {
            let (Some(initiator), Some(target)) = (node(initiator), node(target)) else { continue };
            let Some(value) = matrix.value(row, column) else { continue };
            if let Some(cell) = cell(cells, initiator, target) {
                set(cell, matrix.data(), u64::from(value));
            }
        }
    }
}

fn cell(
    cells: &mut Vec<PerformanceCell>,
    initiator: NodeId,
    target: NodeId,
) -> Option<&mut PerformanceCell> {
    let known = cells.iter().position(|cell| (cell.initiator, cell.target) == (initiator, target));
    if known.is_none() && cells.len() < MAX_CELLS {
        cells.push(PerformanceCell::new(initiator, target));
    }
    match known {
        Some(index) => cells.get_mut(index),
        None => {
            cells.last_mut().filter(|cell| (cell.initiator, cell.target) == (initiator, target))
        }
    }
}

fn set(cell: &mut PerformanceCell, data: LocalityData, value: u64) {
    let bandwidth = value.checked_mul(MEGABYTE);
    match data {
        LocalityData::AccessLatency => {
            (cell.read_latency_ns, cell.write_latency_ns) = (Some(value), Some(value));
        }
        LocalityData::ReadLatency => cell.read_latency_ns = Some(value),
        LocalityData::WriteLatency => cell.write_latency_ns = Some(value),
        LocalityData::AccessBandwidth => {
            (cell.read_bandwidth_bytes_per_s, cell.write_bandwidth_bytes_per_s) =
                (bandwidth, bandwidth);
        }
        LocalityData::ReadBandwidth => cell.read_bandwidth_bytes_per_s = bandwidth,
        LocalityData::WriteBandwidth => cell.write_bandwidth_bytes_per_s = bandwidth,
        LocalityData::Unknown => {}
    }
}

fn for_sysfs(access: &[NodeAccess]) -> Option<Performance> {
    let pairs = access
        .iter()
        .flat_map(|access| access.initiators.iter().map(move |initiator| (access, initiator)));
    let cells = pairs.take(MAX_CELLS).map(|(access, initiator)| PerformanceCell {
        initiator,
        target: access.target,
        read_latency_ns: access.read_latency_ns,
        write_latency_ns: access.write_latency_ns,
        read_bandwidth_bytes_per_s: access.read_bandwidth_bytes_per_s,
        write_bandwidth_bytes_per_s: access.write_bandwidth_bytes_per_s,
    });
    let cells: Vec<PerformanceCell> = cells.collect();
    (!cells.is_empty()).then(|| Performance { from: "sysfs".to_owned(), cells })
}
