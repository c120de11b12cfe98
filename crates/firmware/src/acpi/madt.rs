//! MADT, signature "APIC": the machine's processors and interrupt controllers.
//!
//! It lists the CPUs whose IDs the SRAT uses. Layouts: ACPI 6.6, section 5.2.12.

use InterruptController as C;
use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::layout::layout;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Madt {
    /// Physical address of the local APIC on x86.
    pub local_apic_address: Option<u32>,
    /// Bit 0: there are two 8259 controllers as well.
    pub flags: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<TableEntry<InterruptController>>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum InterruptController {
    /// Type 0: an x86 CPU.
    LocalApic(LocalApic),
    /// Type 1: an I/O APIC; NUMA machines have at least one per node.
    IoApic(IoApic),
    /// Type 2: an interrupt source override.
    SourceOverride(SourceOverride),
    /// Type 3: a non-maskable interrupt source.
    NmiSource(NmiSource),
    /// Type 4: a local APIC's pin for non-maskable interrupts.
    LocalApicNmi(LocalApicNmi),
    /// Type 5: another address of the local APICs.
    LocalApicAddress(LocalApicAddress),
    /// Type 9: an x86 CPU with an x2APIC ID.
    LocalX2Apic(LocalX2Apic),
    /// Type 10: as type 4, for x2APIC.
    LocalX2ApicNmi(LocalX2ApicNmi),
    /// Type 11: an Arm CPU.
    Gicc(Box<Gicc>),
    /// Type 12: Arm's interrupt distributor.
    GicDistributor(GicDistributor),
    /// Type 13: Arm's MSI frame.
    GicMsiFrame(GicMsiFrame),
    /// Type 14: registers of Arm's redistributors.
    GicRedistributors(GicRedistributors),
    /// Type 15: an Arm interrupt translation service (ITS).
    GicIts(GicIts),
    /// Type 24: a RISC-V CPU.
    Rintc(Rintc),
}

layout! {
    /// Type 0: an x86 CPU.
    pub struct LocalApic(entry: ByteView<'_>) {
        /// Processor UID in the ACPI namespace.
        pub processor_uid: u8 = entry.at(2)?,
        /// Its APIC ID, which SRAT entries of type 0 use.
        pub apic_id: u8 = entry.at(3)?,
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether it is usable.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
    }

    /// Type 1: an I/O APIC.
    pub struct IoApic(entry: ByteView<'_>) {
        /// Its ID.
        pub io_apic_id: u8 = entry.at(2)?,
        /// Address of its registers.
        pub address: u32 = entry.at(4)?,
        /// Its first global interrupt.
        pub interrupt_base: u32 = entry.at(8)?,
    }

    /// Type 2: an interrupt source override.
    pub struct SourceOverride(entry: ByteView<'_>) {
        /// The bus; 0.
        pub bus: u8 = entry.at(2)?,
        /// Interrupt on that bus.
        pub source: u8 = entry.at(3)?,
        /// Global interrupt it is routed to.
        pub interrupt: u32 = entry.at(4)?,
        /// The raw flags.
        pub flags: u16 = entry.at(8)?,
    }

    /// Type 3: a non-maskable interrupt source.
    pub struct NmiSource(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u16 = entry.at(2)?,
        /// The interrupt.
        pub interrupt: u32 = entry.at(4)?,
    }

    /// Type 4: a local APIC's pin for non-maskable interrupts.
    pub struct LocalApicNmi(entry: ByteView<'_>) {
        /// The CPU; 255 for all.
        pub processor_uid: u8 = entry.at(2)?,
        /// The raw flags.
        pub flags: u16 = entry.at(3)?,
        /// The pin.
        pub lint: u8 = entry.at(5)?,
    }

    /// Type 5: another address of the local APICs.
    pub struct LocalApicAddress(entry: ByteView<'_>) {
        /// The physical address.
        pub address: u64 = entry.at(4)?,
    }

    /// Type 9: an x86 CPU with an x2APIC ID.
    pub struct LocalX2Apic(entry: ByteView<'_>) {
        /// Its x2APIC ID, which SRAT entries of type 2 use.
        pub apic_id: u32 = entry.at(4)?,
        /// The raw flags.
        pub flags: u32 = entry.at(8)?,
        /// Whether it is usable.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
        /// Processor UID in the ACPI namespace.
        pub processor_uid: u32 = entry.at(12)?,
    }

    /// Type 10: as type 4, for x2APIC.
    pub struct LocalX2ApicNmi(entry: ByteView<'_>) {
        /// The raw flags.
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
        /// Its UID, which SRAT entries of type 3 use.
        pub processor_uid: u32 = entry.at(8)?,
        /// The raw flags.
        pub flags: u32 = entry.at(12)?,
        /// Whether it is usable.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later (bit 3; ACPI 6.5).
        pub online_capable: bool = flags & 8 != 0,
        /// Version of the parking protocol.
        pub parking_version: u32 = entry.at(16)?,
        /// Interrupt of its performance counters.
        pub performance_interrupt: u32 = entry.at(20)?,
        /// Address of its parking page.
        pub parked_address: u64 = entry.at(24)?,
        /// Address of its interface's registers.
        pub base_address: u64 = entry.at(32)?,
        /// Address of the virtual interface (GICV).
        pub virtual_base_address: u64 = entry.at(40)?,
        /// Address of the hypervisor interface (GICH).
        pub hypervisor_base_address: u64 = entry.at(48)?,
        /// Virtual maintenance interrupt.
        pub virtual_interrupt: u32 = entry.at(56)?,
        /// Address of its redistributor.
        pub redistributor_address: u64 = entry.at(60)?,
        /// The CPU's hardware ID (MPIDR).
        pub mpidr: u64 = entry.at(68)?,
        /// Relative power efficiency class; in entries of 80 bytes and more.
        pub efficiency_class: Option<u8> = entry.at(76),
        /// Interrupt of its statistical profiler; in entries of 80 bytes and more.
        pub profiler_interrupt: Option<u16> = entry.at(78),
    }

    /// Type 12: Arm's interrupt distributor.
    pub struct GicDistributor(entry: ByteView<'_>) {
        /// Its ID.
        pub gic_id: u32 = entry.at(4)?,
        /// Address of its registers.
        pub base_address: u64 = entry.at(8)?,
        /// First global interrupt; 0.
        pub interrupt_base: u32 = entry.at(16)?,
        /// The GIC's version.
        pub version: u8 = entry.at(20)?,
    }

    /// Type 13: Arm's MSI frame.
    pub struct GicMsiFrame(entry: ByteView<'_>) {
        /// Its ID.
        pub frame_id: u32 = entry.at(4)?,
        /// Address of its registers.
        pub base_address: u64 = entry.at(8)?,
        /// The raw flags.
        pub flags: u32 = entry.at(16)?,
        /// Number of interrupts.
        pub spi_count: u16 = entry.at(20)?,
        /// The first of them.
        pub spi_base: u16 = entry.at(22)?,
    }

    /// Type 14: registers of Arm's redistributors.
    pub struct GicRedistributors(entry: ByteView<'_>) {
        /// Their address.
        pub base_address: u64 = entry.at(4)?,
        /// Size in bytes.
        pub size_bytes: u32 = entry.at(12)?,
    }

    /// Type 15: an Arm interrupt translation service (ITS).
    pub struct GicIts(entry: ByteView<'_>) {
        /// Its ID, which SRAT entries of type 4 use.
        pub its_id: u32 = entry.at(4)?,
        /// Address of its registers.
        pub base_address: u64 = entry.at(8)?,
    }

    /// Type 24: a RISC-V CPU.
    pub struct Rintc(entry: ByteView<'_>) {
        /// The structure's version.
        pub version: u8 = entry.at(2)?,
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether it is usable.
        pub enabled: bool = flags & 1 != 0,
        /// Whether it may be brought online later.
        pub online_capable: bool = flags & 2 != 0,
        /// The CPU's hart ID.
        pub hart_id: u64 = entry.at(8)?,
        /// Its UID, which SRAT entries of type 7 use.
        pub processor_uid: u32 = entry.at(16)?,
        /// Its external interrupt controller; in entries of 36 bytes and more.
        pub external_controller: Option<u32> = entry.at(20),
        /// Address of its IMSIC; in entries of 36 bytes and more.
        pub imsic_address: Option<u64> = entry.at(24),
        /// Size of its IMSIC in bytes; in entries of 36 bytes and more.
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
