//! CEDT: where CXL host bridges are, and which windows of physical addresses lead to memory behind
//! them.
//!
//! Layouts: CXL 3.1, section 9.18.1. Linux gives each window without a node in the SRAT a node of
//! its own.

use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::fault::FaultKind;
use crate::layout::layout;

const STRUCTURES_AT: usize = 36;
/// The length of a CHBS.
const BRIDGE_BYTES: u32 = 32;
/// What a CHBS says of registers with CXL 1.1 (RCRB), and with CXL 2.0 and later.
const CXL_1_BYTES: u64 = 0x2000;
const CXL_2_BYTES: u64 = 0x1_0000;
/// CXL says 16 bytes for type 3, whose fields have 17.
const TYPES: [EntryReader<CxlStructure>; 4] = [
    (0, 32, |entry, _| HostBridge::read(entry).map(CxlStructure::HostBridge)),
    (1, 36, |entry, _| FixedMemoryWindow::read(entry).map(CxlStructure::FixedMemoryWindow)),
    (2, 8, |entry, _| XorMath::read(entry).map(CxlStructure::XorMath)),
    (3, 17, |entry, _| PortAssociation::read(entry).map(CxlStructure::PortAssociation)),
];

/// The structures of a CEDT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cedt {
    /// All structures, in order.
    pub entries: Vec<TableEntry<CxlStructure>>,
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

layout! {
    /// Type 0, CHBS: a host bridge.
    pub struct HostBridge(entry: ByteView<'_>) {
        /// Its `_UID`.
        pub uid: u32 = entry.at(4)?,
        /// 0: CXL 1.1, 1: CXL 2.0 and later.
        pub cxl_version: u32 = entry.at(8)?,
        /// Where its registers begin.
        pub base_address: u64 = entry.at(16)?,
        /// How many bytes of them there are.
        pub size_bytes: u64 = entry.at(24)?,
    }

    /// Type 1, CFMWS: a window of addresses.
    pub struct FixedMemoryWindow(entry: ByteView<'_>) {
        /// First physical address.
        pub base_address: u64 = entry.at(8)?,
        /// How many bytes.
        pub size_bytes: u64 = entry.at(16)?,
        /// How many bridges it interleaves over, as it stands: 0 to 4 for powers of 2, 8 to 10 for 3, 6 and 12.
        pub interleave_encoded: u8 = entry.at(24)?,
        /// How many that is.
        pub interleave_ways: Option<u8> = ways(interleave_encoded),
        /// 0 modulo, 1 XOR.
        pub interleave_arithmetic: u8 = entry.at(25)?,
        /// The piece that goes to one bridge, as it stands: 0 for 256 bytes, each further one doubles.
        pub granularity_encoded: u32 = entry.at(28)?,
        /// How many bytes that is.
        pub granularity_bytes: Option<u32> = (granularity_encoded <= 6).then(|| 256 << granularity_encoded),
        /// Bits: 0 accelerators' memory, 1 expanders' memory, 2 volatile, 3 persistent, 4 fixed.
        pub restrictions: u16 = entry.at(32)?,
        /// The group of quality of service.
        pub qos_group: u16 = entry.at(34)?,
        /// The `_UID`s of the bridges.
        // With an unknown count of ways, they are what the length leaves room for.
        pub targets: Vec<u32> = entry.list(36, interleave_ways.map_or((entry.len() - 36) / 4, usize::from))?,
    }

    /// Type 2, CXIMS: how a window that interleaves by XOR computes.
    pub struct XorMath(entry: ByteView<'_>) {
        /// The granularity this is for, as in the window.
        pub granularity_encoded: u8 = entry.at(6)?,
        /// Masks of address bits, one for each bit of the bridge's number.
        pub masks: Vec<u64> = entry.list(8, entry.at::<u8>(7)?.into())?,
    }

    /// Type 3, RDPAS: which port a root complex event collector watches.
    pub struct PortAssociation(entry: ByteView<'_>) {
        /// The collector's PCI segment.
        pub segment: u16 = entry.at(4)?,
        /// Its bus (upper byte), device and function (lower byte).
        pub bus_device_function: u16 = entry.at(6)?,
        /// 0: CXL.io, 1: CXL.cache and CXL.mem.
        pub protocol: u8 = entry.at(8)?,
        /// Where the port's registers begin.
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

/// How many bytes of registers a bridge has, CXL's version decides; and all structures of bridges
/// have one length.
fn check_bridges(table: &mut TableReader<'_>, entries: &[TableEntry<CxlStructure>]) {
    for entry in entries {
        let Some(CxlStructure::HostBridge(bridge)) = entry.known() else { continue };
        if entry.length != BRIDGE_BYTES {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!(
                    "the structure of a host bridge has {} bytes, and its fields {BRIDGE_BYTES}",
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
                     one says {size}"
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
