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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Srat {
    /// The field after the header: 1 by the specification; Linux ignores it.
    pub table_revision: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<TableEntry<Affinity>>,
}

/// What belongs to a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// Type 4: an Arm interrupt translation service (ITS).
    GicIts(ItsAffinity),
    /// Type 5: a generic initiator: a device that accesses memory, without a CPU.
    GenericInitiator(GenericAffinity),
    /// Type 6: a generic port, such as a CXL host bridge.
    GenericPort(GenericAffinity),
    /// Type 7: a RISC-V CPU.
    Rintc(ProcessorAffinity),
}

layout! {
    /// Type 0: an x86 CPU by its APIC id.
    pub struct LocalApicAffinity(entry: ByteView<'_>, revision: u8) {
        /// The domain as Linux reads it: 8 bits up to revision 1, 32 bits from revision 2 on.
        pub domain: ProximityDomain = domain(local_apic_domain(entry)?, revision),
        /// All 32 bits, in any revision.
        pub domain_raw: u32 = local_apic_domain(entry)?,
        /// The CPU's APIC id.
        pub apic_id: u8 = entry.at(3)?,
        /// For Itanium: the upper part of the id.
        pub sapic_eid: u8 = entry.at(8)?,
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// Clock domain.
        pub clock_domain: u32 = entry.at(12)?,
    }

    /// Type 1: a range of memory.
    pub struct MemoryAffinity(entry: ByteView<'_>, revision: u8) {
        /// The domain as Linux reads it: 8 bits up to revision 1, 32 bits from revision 2 on.
        pub domain: ProximityDomain = domain(entry.at(2)?, revision),
        /// All 32 bits, in any revision.
        pub domain_raw: u32 = entry.at(2)?,
        /// First physical address.
        pub base_address: u64 = entry.at(8)?,
        /// Size in bytes.
        pub size_bytes: u64 = entry.at(16)?,
        /// The raw flags.
        pub flags: u32 = entry.at(28)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// Whether memory can be hot-plugged there.
        pub hot_pluggable: bool = flags & 2 != 0,
        /// Whether the memory is non-volatile.
        pub non_volatile: bool = flags & 4 != 0,
        /// Whether it is specific-purpose memory (bit 3; ACPI 6.6).
        pub specific_purpose: bool = flags & 8 != 0,
    }

    /// Type 2: an x86 CPU by its x2APIC id.
    pub struct X2ApicAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(4)?,
        /// The CPU's x2APIC id.
        pub apic_id: u32 = entry.at(8)?,
        /// The raw flags.
        pub flags: u32 = entry.at(12)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// Clock domain.
        pub clock_domain: u32 = entry.at(16)?,
    }

    /// Types 3 and 7: a CPU of Arm or RISC-V. The fields start at different offsets.
    pub struct ProcessorAffinity(entry: ByteView<'_>, start: usize) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(start)?,
        /// The CPU's UID in the MADT.
        pub processor_uid: u32 = entry.at(start + 4)?,
        /// The raw flags.
        pub flags: u32 = entry.at(start + 8)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// Clock domain.
        pub clock_domain: u32 = entry.at(start + 12)?,
    }

    /// Type 4: an Arm interrupt translation service (ITS).
    pub struct ItsAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(2)?,
        /// The ITS's ID in the MADT.
        pub its_id: u32 = entry.at(8)?,
    }

    /// Types 5 and 6: a generic initiator or port.
    pub struct GenericAffinity(entry: ByteView<'_>) {
        /// The domain.
        pub domain: ProximityDomain = entry.at(4)?,
        /// The device.
        pub handle: DeviceHandle = handle(entry.at(3)?, ByteView(entry.slice(8, 16)?))?,
        /// The raw flags.
        pub flags: u32 = entry.at(24)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// Whether its accesses are ordered as those of CPUs (bit 1; ACPI 6.4).
        pub architectural_transactions: bool = flags & 2 != 0,
    }
}

/// The device of types 5 and 6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceHandle {
    /// By ACPI names.
    Acpi {
        /// `_HID`: at most eight letters, such as "ACPI0016" for a CXL host bridge.
        hid: String,
        /// `_UID`.
        uid: u32,
    },
    /// By PCI address.
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
    /// A type that the specification does not define.
    Unknown {
        /// The type's number.
        kind: u8,
        /// The handle's 16 bytes.
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

/// Revision 1 has one byte for the domain and three undefined ones: Linux ignores these.
fn domain(raw: u32, revision: u8) -> ProximityDomain {
    ProximityDomain(if revision <= 1 { raw & 0xff } else { raw })
}

/// The lowest byte is stored apart from the others.
fn local_apic_domain(entry: ByteView<'_>) -> Option<u32> {
    let high = entry.slice(9, 3)?;
    Some(u32::from_le_bytes([entry.at(2)?, high[0], high[1], high[2]]))
}

fn handle(kind: u8, name: ByteView<'_>) -> Option<DeviceHandle> {
    Some(match kind {
        0 => DeviceHandle::Acpi { hid: name.text(0, 8)?, uid: name.at(8)? },
        1 => {
            // The bus comes first; early versions of QEMU swapped the two bytes.
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
    /// The last physical address; `None` for an empty range, or one beyond the address space.
    pub fn last_address(&self) -> Option<u64> {
        self.base_address.checked_add(self.size_bytes.checked_sub(1)?)
    }
}

impl Affinity {
    /// The entry's domain.
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.16; drivers/acpi/numa/srat.c
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

    /// Whether the entry is enabled. Entries of type 4 have no flag and always are.
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

    /// The ID of the entry's CPU: APIC ID on x86, UID in the MADT elsewhere; `None` if the entry is
    /// not about a CPU.
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
