//! SRAT: which proximity domain each processor and each range of memory belongs to.
//!
//! Layouts: ACPI 6.6, section 5.2.16.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, HexBytes, TableEntry};
use crate::byte_view::ByteView;
use crate::layout::layout;

const ENTRIES_AT: usize = 48;
const TYPES: [EntryReader<Affinity>; 8] = [
    (0, 16, |entry, revision| LocalApicAffinity::read(entry, revision).map(Affinity::LocalApic)),
    (1, 40, |entry, revision| MemoryAffinity::read(entry, revision).map(Affinity::Memory)),
    (2, 24, |entry, _| X2ApicAffinity::read(entry).map(Affinity::X2Apic)),
    (3, 18, |entry, _| ProcessorAffinity::read(entry, 2).map(Affinity::Gicc)),
    (4, 12, |entry, _| ItsAffinity::read(entry).map(Affinity::GicIts)),
    (5, 32, |entry, _| GenericAffinity::read(entry).map(Affinity::GenericInitiator)),
    (6, 32, |entry, _| GenericAffinity::read(entry).map(Affinity::GenericPort)),
    (7, 20, |entry, _| ProcessorAffinity::read(entry, 4).map(Affinity::Rintc)),
];

/// The entries of a SRAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Srat {
    /// The field after the header. The specification wants 1 for old systems' sake; nobody looks.
    pub table_revision: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<TableEntry<Affinity>>,
}

/// What belongs to a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum Affinity {
    /// Type 0: an x86 CPU by its APIC id.
    LocalApic(LocalApicAffinity),
    /// Type 1: a range of memory.
    Memory(MemoryAffinity),
    /// Type 2: an x86 CPU by its x2APIC id.
    X2Apic(X2ApicAffinity),
    /// Type 3: an Arm CPU.
    Gicc(ProcessorAffinity),
    /// Type 4: an Arm interrupt translator.
    GicIts(ItsAffinity),
    /// Type 5: a device that starts accesses, without a CPU.
    GenericInitiator(GenericAffinity),
    /// Type 6: a port behind which devices may appear, such as a CXL host bridge.
    GenericPort(GenericAffinity),
    /// Type 7: a RISC-V CPU.
    Rintc(ProcessorAffinity),
}

layout! {
    /// Type 0: an x86 CPU by its APIC id.
    pub struct LocalApicAffinity(entry: ByteView<'_>, revision: u8) {
        /// The domain as Linux reads it: 8 bits in tables of revision 1 and below, 32 bits else.
        pub domain: ProximityDomain = domain(local_apic_domain(entry)?, revision),
        /// All 32 bits, whatever the revision.
        pub domain_raw: u32 = local_apic_domain(entry)?,
        /// The CPU's APIC id.
        pub apic_id: u8 = entry.at(3)?,
        /// For Itanium: the upper part of the id.
        pub sapic_eid: u8 = entry.at(8)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry counts.
        pub enabled: bool = flags & 1 != 0,
        /// The domain whose clocks run together.
        pub clock_domain: u32 = entry.at(12)?,
    }

    /// Type 1: a range of memory.
    pub struct MemoryAffinity(entry: ByteView<'_>, revision: u8) {
        /// The domain as Linux reads it: 8 bits in tables of revision 1 and below, 32 bits else.
        pub domain: ProximityDomain = domain(entry.at(2)?, revision),
        /// All 32 bits, whatever the revision.
        pub domain_raw: u32 = entry.at(2)?,
        /// First physical address.
        pub base_address: u64 = entry.at(8)?,
        /// How many bytes.
        pub size_bytes: u64 = entry.at(16)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(28)?,
        /// Whether the entry counts.
        pub enabled: bool = flags & 1 != 0,
        /// Whether memory may be added and removed there while the machine runs.
        pub hot_pluggable: bool = flags & 2 != 0,
        /// Whether it keeps its content without power.
        pub non_volatile: bool = flags & 4 != 0,
        /// Whether it is meant for a special purpose (bit 3; ACPI 6.6).
        pub specific_purpose: bool = flags & 8 != 0,
    }

    /// Type 2: an x86 CPU by its x2APIC id.
    pub struct X2ApicAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(4)?,
        /// The CPU's x2APIC id.
        pub apic_id: u32 = entry.at(8)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(12)?,
        /// Whether the entry counts.
        pub enabled: bool = flags & 1 != 0,
        /// The domain whose clocks run together.
        pub clock_domain: u32 = entry.at(16)?,
    }

    /// Types 3 and 7: a CPU of Arm or RISC-V, whose fields follow one another from an offset on.
    pub struct ProcessorAffinity(entry: ByteView<'_>, start: usize) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(start)?,
        /// The CPU, by the number that the MADT gives it.
        pub processor_uid: u32 = entry.at(start + 4)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(start + 8)?,
        /// Whether the entry counts.
        pub enabled: bool = flags & 1 != 0,
        /// The domain whose clocks run together.
        pub clock_domain: u32 = entry.at(start + 12)?,
    }

    /// Type 4: an Arm interrupt translator.
    pub struct ItsAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(2)?,
        /// The translator, by the number that the MADT gives it.
        pub its_id: u32 = entry.at(8)?,
    }

    /// Types 5 and 6: a generic initiator or port.
    pub struct GenericAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(4)?,
        /// Which device it is.
        pub handle: DeviceHandle = handle(entry.at(3)?, ByteView(entry.slice(8, 16)?))?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(24)?,
        /// Whether the entry counts.
        pub enabled: bool = flags & 1 != 0,
        /// Whether the device orders its accesses as CPUs do (bit 1; ACPI 6.4).
        pub architectural_transactions: bool = flags & 2 != 0,
    }
}

/// How types 5 and 6 name a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceHandle {
    /// By ACPI's names.
    Acpi {
        /// `_HID`: eight letters at most, such as "ACPI0016" for a CXL host bridge.
        hid: String,
        /// `_UID`.
        uid: u32,
    },
    /// By its place on PCI.
    Pci {
        /// The segment.
        segment: u16,
        /// The bus.
        bus: u8,
        /// The device, 0 to 31.
        device: u8,
        /// The function, 0 to 7.
        function: u8,
    },
    /// In a way that the specification does not know.
    Unknown {
        /// Which way.
        kind: u8,
        /// The 16 bytes of the name.
        bytes: HexBytes,
    },
}

impl Srat {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        Self {
            table_revision: table.bytes.at(36),
            entries: entries::read(table, ENTRIES_AT, EntryHeader::Bytes, &TYPES),
        }
    }
}

/// Revision 1 had one byte for a domain and left the other three undefined: Linux looks at that
/// byte only.
fn domain(raw: u32, revision: u8) -> ProximityDomain {
    ProximityDomain(if revision <= 1 { raw & 0xff } else { raw })
}

/// The lowest byte stands apart from the others.
fn local_apic_domain(entry: ByteView<'_>) -> Option<u32> {
    let high = entry.slice(9, 3)?;
    Some(u32::from_le_bytes([entry.at(2)?, high[0], high[1], high[2]]))
}

fn handle(kind: u8, name: ByteView<'_>) -> Option<DeviceHandle> {
    Some(match kind {
        0 => DeviceHandle::Acpi { hid: name.text(0, 8)?, uid: name.at(8)? },
        1 => {
            // The bus comes first; early versions of QEMU wrote the two bytes the other way round.
            let place: u8 = name.at(3)?;
            DeviceHandle::Pci {
                segment: name.at(0)?,
                bus: name.at(2)?,
                device: place >> 3,
                function: place & 7,
            }
        }
        _ => DeviceHandle::Unknown { kind, bytes: HexBytes(name.0.into()) },
    })
}

impl MemoryAffinity {
    /// The last physical address; none for an empty range, or one that runs past the end of the
    /// address space.
    pub fn last_address(&self) -> Option<u64> {
        self.base_address.checked_add(self.size_bytes.checked_sub(1)?)
    }
}

impl Affinity {
    /// The domain that the entry names.
    pub fn domain(&self) -> ProximityDomain {
        match self {
            Self::LocalApic(entry) => entry.domain,
            Self::Memory(entry) => entry.domain,
            Self::X2Apic(entry) => entry.domain,
            Self::Gicc(entry) | Self::Rintc(entry) => entry.domain,
            Self::GicIts(entry) => entry.domain,
            Self::GenericInitiator(entry) | Self::GenericPort(entry) => entry.domain,
        }
    }

    /// Whether the entry counts. One of an interrupt translator has no flag for it, and does.
    pub fn enabled(&self) -> bool {
        match self {
            Self::LocalApic(entry) => entry.enabled,
            Self::Memory(entry) => entry.enabled,
            Self::X2Apic(entry) => entry.enabled,
            Self::Gicc(entry) | Self::Rintc(entry) => entry.enabled,
            Self::GicIts(_) => true,
            Self::GenericInitiator(entry) | Self::GenericPort(entry) => entry.enabled,
        }
    }

    /// The id by which the entry names a CPU: its APIC id on x86, the number that the MADT gives it
    /// elsewhere.
    pub fn cpu_id(&self) -> Option<u64> {
        match self {
            Self::LocalApic(cpu) => Some(cpu.apic_id.into()),
            Self::X2Apic(cpu) => Some(cpu.apic_id.into()),
            Self::Gicc(cpu) | Self::Rintc(cpu) => Some(cpu.processor_uid.into()),
            Self::Memory(_)
            | Self::GicIts(_)
            | Self::GenericInitiator(_)
            | Self::GenericPort(_) => None,
        }
    }

    /// Whether the entry is about a CPU.
    pub fn is_cpu(&self) -> bool {
        self.cpu_id().is_some()
    }
}
