//! MADT, signature "APIC": the machine's processors and interrupt controllers.
//!
//! It tells which of the SRAT's ids exist. Layouts: ACPI 6.6, section 5.2.12.

use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::layout::layout;
use InterruptController as C;

const ENTRIES_AT: usize = 44;
/// GICC entries grew from 76 bytes (ACPI 5.1) to 80 and 82.
const TYPES: [EntryReader<C>; 14] = [
    (0, 8, |entry, _| LocalApic::read(entry).map(C::LocalApic)),
    (1, 12, |entry, _| IoApic::read(entry).map(C::IoApic)),
    (2, 10, |entry, _| SourceOverride::read(entry).map(C::SourceOverride)),
    (3, 8, |entry, _| NmiSource::read(entry).map(C::NmiSource)),
    (4, 6, |entry, _| LocalApicNmi::read(entry).map(C::LocalApicNmi)),
    (5, 12, |entry, _| LocalApicAddress::read(entry).map(C::LocalApicAddress)),
    (9, 16, |entry, _| LocalX2Apic::read(entry).map(C::LocalX2Apic)),
    (0xa, 12, |entry, _| LocalX2ApicNmi::read(entry).map(C::LocalX2ApicNmi)),
    (0xb, 76, |entry, _| Gicc::read(entry).map(Box::new).map(C::Gicc)),
    (0xc, 24, |entry, _| GicDistributor::read(entry).map(C::GicDistributor)),
    (0xd, 24, |entry, _| GicMsiFrame::read(entry).map(C::GicMsiFrame)),
    (0xe, 16, |entry, _| GicRedistributors::read(entry).map(C::GicRedistributors)),
    (0xf, 20, |entry, _| GicIts::read(entry).map(C::GicIts)),
    (0x18, 20, |entry, _| Rintc::read(entry).map(C::Rintc)),
];

/// The entries of a MADT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Madt {
    /// Where each CPU of x86 finds its local APIC.
    pub local_apic_address: Option<u32>,
    /// Bit 0: there are two 8259 controllers as well.
    pub flags: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<TableEntry<InterruptController>>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum InterruptController {
    /// Type 0: an x86 CPU.
    LocalApic(LocalApic),
    /// Type 1: an I/O APIC; NUMA machines have one a node, or more.
    IoApic(IoApic),
    /// Type 2: an interrupt of the old bus that goes elsewhere.
    SourceOverride(SourceOverride),
    /// Type 3: an interrupt that cannot be masked.
    NmiSource(NmiSource),
    /// Type 4: the pin of a local APIC for interrupts that cannot be masked.
    LocalApicNmi(LocalApicNmi),
    /// Type 5: another place of local APICs.
    LocalApicAddress(LocalApicAddress),
    /// Type 9: an x86 CPU with a large id.
    LocalX2Apic(LocalX2Apic),
    /// Type 10: as type 4, for large ids.
    LocalX2ApicNmi(LocalX2ApicNmi),
    /// Type 11: an Arm CPU.
    Gicc(Box<Gicc>),
    /// Type 12: Arm's distributor of interrupts.
    GicDistributor(GicDistributor),
    /// Type 13: Arm's frame of message interrupts.
    GicMsiFrame(GicMsiFrame),
    /// Type 14: registers of Arm's redistributors.
    GicRedistributors(GicRedistributors),
    /// Type 15: an Arm interrupt translator.
    GicIts(GicIts),
    /// Type 24: a RISC-V CPU.
    Rintc(Rintc),
}

layout! {
    /// Type 0: an x86 CPU.
    pub struct LocalApic(entry: ByteView<'_>) {
        /// The processor's number in ACPI's namespace.
        pub processor_uid: u8 = entry.at(2)?,
        /// Its APIC id, which SRAT entries of type 0 name.
        pub apic_id: u8 = entry.at(3)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(4)?,
        /// Whether it is there to be used.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
    }

    /// Type 1: an I/O APIC.
    pub struct IoApic(entry: ByteView<'_>) {
        /// Its id.
        pub io_apic_id: u8 = entry.at(2)?,
        /// Where its registers begin.
        pub address: u32 = entry.at(4)?,
        /// First global interrupt that it serves.
        pub interrupt_base: u32 = entry.at(8)?,
    }

    /// Type 2: an interrupt of the old bus that goes elsewhere.
    pub struct SourceOverride(entry: ByteView<'_>) {
        /// The bus; 0.
        pub bus: u8 = entry.at(2)?,
        /// The interrupt on it.
        pub source: u8 = entry.at(3)?,
        /// Where it goes.
        pub interrupt: u32 = entry.at(4)?,
        /// The flags as they stand.
        pub flags: u16 = entry.at(8)?,
    }

    /// Type 3: an interrupt that cannot be masked.
    pub struct NmiSource(entry: ByteView<'_>) {
        /// The flags as they stand.
        pub flags: u16 = entry.at(2)?,
        /// The interrupt.
        pub interrupt: u32 = entry.at(4)?,
    }

    /// Type 4: the pin of a local APIC for interrupts that cannot be masked.
    pub struct LocalApicNmi(entry: ByteView<'_>) {
        /// The CPU; 255 for all.
        pub processor_uid: u8 = entry.at(2)?,
        /// The flags as they stand.
        pub flags: u16 = entry.at(3)?,
        /// The pin.
        pub lint: u8 = entry.at(5)?,
    }

    /// Type 5: another place of local APICs.
    pub struct LocalApicAddress(entry: ByteView<'_>) {
        /// The physical address.
        pub address: u64 = entry.at(4)?,
    }

    /// Type 9: an x86 CPU with a large id.
    pub struct LocalX2Apic(entry: ByteView<'_>) {
        /// Its x2APIC id, which SRAT entries of type 2 name.
        pub apic_id: u32 = entry.at(4)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(8)?,
        /// Whether it is there to be used.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
        /// The processor's number in ACPI's namespace.
        pub processor_uid: u32 = entry.at(12)?,
    }

    /// Type 10: as type 4, for large ids.
    pub struct LocalX2ApicNmi(entry: ByteView<'_>) {
        /// The flags as they stand.
        pub flags: u16 = entry.at(2)?,
        /// The CPU; all ones for all.
        pub processor_uid: u32 = entry.at(4)?,
        /// The pin.
        pub lint: u8 = entry.at(8)?,
    }

    /// Type 11: an Arm CPU.
    pub struct Gicc(entry: ByteView<'_>) {
        /// Its interface number.
        pub interface: u32 = entry.at(4)?,
        /// Its number, which SRAT entries of type 3 name.
        pub processor_uid: u32 = entry.at(8)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(12)?,
        /// Whether it is there to be used.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later (bit 3; ACPI 6.5).
        pub online_capable: bool = flags & 8 != 0,
        /// Version of the protocol by which it waits to be started.
        pub parking_version: u32 = entry.at(16)?,
        /// The interrupt of its performance counters.
        pub performance_interrupt: u32 = entry.at(20)?,
        /// Where it waits.
        pub parked_address: u64 = entry.at(24)?,
        /// Where its interface's registers begin.
        pub base_address: u64 = entry.at(32)?,
        /// The same for virtual machines.
        pub virtual_base_address: u64 = entry.at(40)?,
        /// The same for a hypervisor.
        pub hypervisor_base_address: u64 = entry.at(48)?,
        /// The interrupt for maintenance of virtual ones.
        pub virtual_interrupt: u32 = entry.at(56)?,
        /// Where its redistributor begins.
        pub redistributor_address: u64 = entry.at(60)?,
        /// The CPU's own id (MPIDR).
        pub mpidr: u64 = entry.at(68)?,
        /// How frugal it is, compared with others; from 80 bytes on.
        pub efficiency_class: Option<u8> = entry.at(76),
        /// The interrupt of its statistical profiler; from 80 bytes on.
        pub profiler_interrupt: Option<u16> = entry.at(78),
    }

    /// Type 12: Arm's distributor of interrupts.
    pub struct GicDistributor(entry: ByteView<'_>) {
        /// Its id.
        pub gic_id: u32 = entry.at(4)?,
        /// Where its registers begin.
        pub base_address: u64 = entry.at(8)?,
        /// First global interrupt; 0.
        pub interrupt_base: u32 = entry.at(16)?,
        /// The GIC's version.
        pub version: u8 = entry.at(20)?,
    }

    /// Type 13: Arm's frame of message interrupts.
    pub struct GicMsiFrame(entry: ByteView<'_>) {
        /// Its id.
        pub frame_id: u32 = entry.at(4)?,
        /// Where its registers begin.
        pub base_address: u64 = entry.at(8)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(16)?,
        /// How many interrupts.
        pub spi_count: u16 = entry.at(20)?,
        /// The first of them.
        pub spi_base: u16 = entry.at(22)?,
    }

    /// Type 14: registers of Arm's redistributors.
    pub struct GicRedistributors(entry: ByteView<'_>) {
        /// Where they begin.
        pub base_address: u64 = entry.at(4)?,
        /// How many bytes.
        pub size_bytes: u32 = entry.at(12)?,
    }

    /// Type 15: an Arm interrupt translator.
    pub struct GicIts(entry: ByteView<'_>) {
        /// Its id, which SRAT entries of type 4 name.
        pub its_id: u32 = entry.at(4)?,
        /// Where its registers begin.
        pub base_address: u64 = entry.at(8)?,
    }

    /// Type 24: a RISC-V CPU.
    pub struct Rintc(entry: ByteView<'_>) {
        /// The structure's version.
        pub version: u8 = entry.at(2)?,
        /// The flags as they stand.
        pub flags: u32 = entry.at(4)?,
        /// Whether it is there to be used.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
        /// The CPU's own id.
        pub hart_id: u64 = entry.at(8)?,
        /// Its number, which SRAT entries of type 7 name.
        pub processor_uid: u32 = entry.at(16)?,
        /// Its external interrupt controller; from 36 bytes on.
        pub external_controller: Option<u32> = entry.at(20),
        /// Where its message interrupts go; from 36 bytes on.
        pub imsic_address: Option<u64> = entry.at(24),
        /// How many bytes there are; from 36 bytes on.
        pub imsic_bytes: Option<u32> = entry.at(32),
    }
}

impl Madt {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        Self {
            local_apic_address: table.bytes.at(36),
            flags: table.bytes.at(40),
            entries: entries::read(table, ENTRIES_AT, EntryHeader::Bytes, &TYPES),
        }
    }
}
