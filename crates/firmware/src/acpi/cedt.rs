//! CEDT: CXL host bridges, and the windows of physical addresses that map their memory.
//!
//! Layouts: CXL 3.1, section 9.18.1. Linux creates a node for each window that has none in the SRAT
//! (drivers/acpi/numa/srat.c: acpi_parse_cfmws).

use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::fault::FaultKind;
use crate::layout::layout;

const STRUCTURES_AT: usize = 36;
/// Length of a CHBS in bytes.
const BRIDGE_BYTES: u32 = 32;
/// Register sizes in a CHBS: CXL 1.1 (RCRB), and CXL 2.0 and later.
const CXL_1_BYTES: u64 = 0x2000;
const CXL_2_BYTES: u64 = 0x1_0000;
/// CXL specifies 16 bytes for type 3, whose fields take 17.
const TYPES: [EntryReader<CxlStructure>; 4] = [
    (0, 32, |entry, _| HostBridge::read(entry).map(CxlStructure::HostBridge)),
    (1, 36, |entry, _| FixedMemoryWindow::read(entry).map(CxlStructure::FixedMemoryWindow)),
    (2, 8, |entry, _| XorMath::read(entry).map(CxlStructure::XorMath)),
    (3, 17, |entry, _| PortAssociation::read(entry).map(CxlStructure::PortAssociation)),
];

/// The structures of a CEDT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cedt {
    /// All structures, in order.
    pub entries: Vec<TableEntry<CxlStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum CxlStructure {
    /// Type 0, CHBS: a host bridge.
    HostBridge(HostBridge),
    /// Type 1, CFMWS: a window of addresses.
    FixedMemoryWindow(FixedMemoryWindow),
    /// Type 2, CXIMS: the XOR masks of an interleaved window.
    XorMath(XorMath),
    /// Type 3, RDPAS: the port of a root complex event collector.
    PortAssociation(PortAssociation),
}

layout! {
    /// Type 0, CHBS: a host bridge.
    pub struct HostBridge(entry: ByteView<'_>) {
        /// Its `_UID`.
        pub uid: u32 = entry.at(4)?,
        /// 0: CXL 1.1, 1: CXL 2.0 and later.
        pub cxl_version: u32 = entry.at(8)?,
        /// Address of its registers.
        pub base_address: u64 = entry.at(16)?,
        /// Size of its registers in bytes.
        pub size_bytes: u64 = entry.at(24)?,
    }

    /// Type 1, CFMWS: a window of addresses.
    pub struct FixedMemoryWindow(entry: ByteView<'_>) {
        /// First physical address.
        pub base_address: u64 = entry.at(8)?,
        /// Size in bytes.
        pub size_bytes: u64 = entry.at(16)?,
        /// Number of interleaved bridges, as encoded: 0 to 4 for powers of 2, 8 to 10 for 3, 6
        /// and 12.
        pub interleave_encoded: u8 = entry.at(24)?,
        /// The decoded number.
        pub interleave_ways: Option<u8> = ways(interleave_encoded),
        /// 0 modulo, 1 XOR.
        pub interleave_arithmetic: u8 = entry.at(25)?,
        /// Interleave granularity, as encoded: 0 for 256 bytes; each step doubles it.
        pub granularity_encoded: u32 = entry.at(28)?,
        /// The decoded granularity in bytes.
        pub granularity_bytes: Option<u32> =
            (granularity_encoded <= 6).then(|| 256 << granularity_encoded),
        /// Bits: 0 accelerators' memory, 1 expanders' memory, 2 volatile, 3 persistent, 4 fixed.
        pub restrictions: u16 = entry.at(32)?,
        /// Quality-of-service group.
        pub qos_group: u16 = entry.at(34)?,
        /// The `_UID`s of the bridges.
        // Without a known number of ways, the entry's length decides.
        pub targets: Vec<u32> =
            entry.list(36, interleave_ways.map_or((entry.len() - 36) / 4, usize::from))?,
    }

    /// Type 2, CXIMS: the XOR masks of an interleaved window.
    pub struct XorMath(entry: ByteView<'_>) {
        /// The granularity it applies to, as in the window.
        pub granularity_encoded: u8 = entry.at(6)?,
        /// Address masks, one for each bit of the bridge's index.
        pub masks: Vec<u64> = entry.list(8, entry.at::<u8>(7)?.into())?,
    }

    /// Type 3, RDPAS: the port of a root complex event collector.
    pub struct PortAssociation(entry: ByteView<'_>) {
        /// PCI segment of the collector.
        pub segment: u16 = entry.at(4)?,
        /// Its bus (upper byte), device and function (lower byte).
        pub bus_device_function: u16 = entry.at(6)?,
        /// 0: CXL.io, 1: CXL.cache and CXL.mem.
        pub protocol: u8 = entry.at(8)?,
        /// Address of the port's registers.
        pub base_address: u64 = entry.at(9)?,
    }
}

impl Cedt {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let entries = entries::read(table, STRUCTURES_AT, EntryHeader::LongLength, &TYPES);
        check_bridges(table, &entries);
        Self { entries }
    }
}

/// Checks each bridge's register size against its CXL version, and the structure's length.
fn check_bridges(table: &mut TableReader<'_>, entries: &[TableEntry<CxlStructure>]) {
    for entry in entries {
        let Some(CxlStructure::HostBridge(bridge)) = entry.known() else { continue };
        if entry.length != BRIDGE_BYTES {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!(
                    "the structure of a host bridge has {} bytes, and its fields take \
                     {BRIDGE_BYTES}",
                    entry.length
                )
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
                format!(
                    "a host bridge of version {version} has {wanted} bytes of registers, and this \
                     one claims {size}"
                )
            });
        }
    }
}

fn ways(encoded: u8) -> Option<u8> {
    match encoded {
        0..=4 => Some(1 << encoded),
        8..=10 => Some(3 << (encoded - 8)),
        _ => None,
    }
}
