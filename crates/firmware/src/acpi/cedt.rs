//! CEDT: where CXL host bridges are, and which windows of physical addresses lead to memory behind them.
//!
//! Layouts: CXL 3.1, section 9.18.1. Linux gives each window without a node in the SRAT a node of its own.

use serde::Serialize;

use super::Reading;
use super::entries::{self, Entry, Head};
use crate::fault::FaultKind;
use crate::view::View;

const STRUCTURES_AT: usize = 36;
/// The length of a CHBS.
const BRIDGE_BYTES: u32 = 32;
/// What a CHBS says of registers with CXL 1.1 (RCRB), and with CXL 2.0 and later.
const CXL_1_BYTES: u64 = 0x2000;
const CXL_2_BYTES: u64 = 0x1_0000;
/// The types, and how many bytes each needs. CXL says 16 for type 3, whose fields have 17.
const LEAST: [(u16, usize); 4] = [(0, 32), (1, 36), (2, 8), (3, 17)];

/// The structures of a CEDT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cedt {
    /// All structures, in order.
    pub entries: Vec<Entry<CxlStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum CxlStructure {
    /// Type 0, CHBS: a host bridge.
    HostBridge(HostBridge),
    /// Type 1, CFMWS: a window of addresses.
    FixedMemoryWindow(FixedMemoryWindow),
    /// Type 2, CXIMS: how a window that interleaves by XOR computes.
    XorMath(XorMath),
    /// Type 3, RDPAS: which port a root complex event collector watches.
    PortAssociation(PortAssociation),
}

/// Type 0, CHBS: a host bridge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostBridge {
    /// Its `_UID`.
    pub uid: u32,
    /// 0: CXL 1.1, 1: CXL 2.0 and later.
    pub cxl_version: u32,
    /// Where its registers begin.
    pub base_address: u64,
    /// How many bytes of them there are.
    pub size_bytes: u64,
}

/// Type 1, CFMWS: a window of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixedMemoryWindow {
    /// First physical address.
    pub base_address: u64,
    /// How many bytes.
    pub size_bytes: u64,
    /// How many bridges it interleaves over, as it stands: 0 to 4 for powers of 2, 8 to 10 for 3, 6 and 12.
    pub interleave_encoded: u8,
    /// How many that is.
    pub interleave_ways: Option<u8>,
    /// 0 modulo, 1 XOR.
    pub interleave_arithmetic: u8,
    /// The piece that goes to one bridge, as it stands: 0 for 256 bytes, each further one doubles.
    pub granularity_encoded: u32,
    /// How many bytes that is.
    pub granularity_bytes: Option<u32>,
    /// Bits: 0 accelerators' memory, 1 expanders' memory, 2 volatile, 3 persistent, 4 fixed.
    pub restrictions: u16,
    /// The group of quality of service.
    pub qos_group: u16,
    /// The `_UID`s of the bridges.
    pub targets: Vec<u32>,
}

/// Type 2, CXIMS: how a window that interleaves by XOR computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct XorMath {
    /// The granularity this is for, as in the window.
    pub granularity_encoded: u8,
    /// Masks of address bits, one for each bit of the bridge's number.
    pub masks: Vec<u64>,
}

/// Type 3, RDPAS: which port a root complex event collector watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortAssociation {
    /// The collector's PCI segment.
    pub segment: u16,
    /// Its bus (upper byte), device and function (lower byte).
    pub bus_device_function: u16,
    /// 0: CXL.io, 1: CXL.cache and CXL.mem.
    pub protocol: u8,
    /// Where the port's registers begin.
    pub base_address: u64,
}

impl Cedt {
    pub(super) fn read(table: &mut Reading<'_>) -> Self {
        let read = |kind, entry: View<'_>| match kind {
            0 => bridge(entry).map(CxlStructure::HostBridge),
            1 => window(entry).map(CxlStructure::FixedMemoryWindow),
            2 => xor(entry).map(CxlStructure::XorMath),
            3 => port(entry).map(CxlStructure::PortAssociation),
            _ => None,
        };
        let entries = entries::read(table, STRUCTURES_AT, Head::LongLength, &LEAST, read);
        check_bridges(table, &entries);
        Self { entries }
    }
}

/// How many bytes of registers a bridge has, CXL's version decides; and all structures of bridges have one length.
fn check_bridges(table: &mut Reading<'_>, entries: &[Entry<CxlStructure>]) {
    for entry in entries {
        let Some(CxlStructure::HostBridge(bridge)) = entry.known() else { continue };
        if entry.length != BRIDGE_BYTES {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!("the structure of a host bridge has {} bytes, and its fields {BRIDGE_BYTES}", entry.length)
            });
        }
        let (version, size) = (bridge.cxl_version, bridge.size_bytes);
        let wanted = match version {
            0 => CXL_1_BYTES,
            1 => CXL_2_BYTES,
            _ => continue,
        };
        if size != wanted {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!("a host bridge of version {version} has {wanted} bytes of registers, and this one says {size}")
            });
        }
    }
}

fn bridge(entry: View<'_>) -> Option<HostBridge> {
    Some(HostBridge {
        uid: entry.u32(4)?,
        cxl_version: entry.u32(8)?,
        base_address: entry.u64(16)?,
        size_bytes: entry.u64(24)?,
    })
}

fn window(entry: View<'_>) -> Option<FixedMemoryWindow> {
    let interleave_encoded = entry.u8(24)?;
    let interleave_ways = ways(interleave_encoded);
    let granularity_encoded = entry.u32(28)?;
    // With an unknown count of ways, the targets are what the length leaves room for.
    let targets = interleave_ways.map_or((entry.len() - 36) / 4, usize::from);
    Some(FixedMemoryWindow {
        base_address: entry.u64(8)?,
        size_bytes: entry.u64(16)?,
        interleave_encoded,
        interleave_ways,
        interleave_arithmetic: entry.u8(25)?,
        granularity_encoded,
        granularity_bytes: (granularity_encoded <= 6).then(|| 256 << granularity_encoded),
        restrictions: entry.u16(32)?,
        qos_group: entry.u16(34)?,
        targets: entry.u32s(36, targets)?,
    })
}

fn ways(encoded: u8) -> Option<u8> {
    match encoded {
        0..=4 => Some(1 << encoded),
        8..=10 => Some(3 << (encoded - 8)),
        _ => None,
    }
}

fn xor(entry: View<'_>) -> Option<XorMath> {
    let count = usize::from(entry.u8(7)?);
    let masks = entry.slice(8, count * 8)?;
    Some(XorMath {
        granularity_encoded: entry.u8(6)?,
        masks: (0..count).filter_map(|index| View(masks).u64(index * 8)).collect(),
    })
}

fn port(entry: View<'_>) -> Option<PortAssociation> {
    Some(PortAssociation {
        segment: entry.u16(4)?,
        bus_device_function: entry.u16(6)?,
        protocol: entry.u8(8)?,
        base_address: entry.u64(9)?,
    })
}
