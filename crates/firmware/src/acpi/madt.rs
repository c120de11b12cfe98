//! MADT, signature "APIC": the machine's processors and interrupt controllers.
//!
//! It tells which of the SRAT's ids exist. Layouts: ACPI 6.6, section 5.2.12.

use serde::Serialize;

use super::entries::Entry;

mod layout;

/// The entries of a MADT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Madt {
    /// Where each CPU of x86 finds its local APIC.
    pub local_apic_address: Option<u32>,
    /// Bit 0: there are two 8259 controllers as well.
    pub flags: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<Entry<InterruptController>>,
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
    SourceOverride {
        /// The bus; 0.
        bus: u8,
        /// The interrupt on it.
        source: u8,
        /// Where it goes.
        interrupt: u32,
        /// The flags as they stand.
        flags: u16,
    },
    /// Type 3: an interrupt that cannot be masked.
    NmiSource {
        /// The flags as they stand.
        flags: u16,
        /// The interrupt.
        interrupt: u32,
    },
    /// Type 4: the pin of a local APIC for interrupts that cannot be masked.
    LocalApicNmi {
        /// The CPU; 255 for all.
        processor_uid: u8,
        /// The flags as they stand.
        flags: u16,
        /// The pin.
        lint: u8,
    },
    /// Type 5: another place of local APICs.
    LocalApicAddress {
        /// The physical address.
        address: u64,
    },
    /// Type 9: an x86 CPU with a large id.
    LocalX2Apic(LocalX2Apic),
    /// Type 10: as type 4, for large ids.
    LocalX2ApicNmi {
        /// The flags as they stand.
        flags: u16,
        /// The CPU; all ones for all.
        processor_uid: u32,
        /// The pin.
        lint: u8,
    },
    /// Type 11: an Arm CPU.
    Gicc(Box<Gicc>),
    /// Type 12: Arm's distributor of interrupts.
    GicDistributor {
        /// Its id.
        gic_id: u32,
        /// Where its registers begin.
        base_address: u64,
        /// First global interrupt; 0.
        interrupt_base: u32,
        /// The GIC's version.
        version: u8,
    },
    /// Type 13: Arm's frame of message interrupts.
    GicMsiFrame {
        /// Its id.
        frame_id: u32,
        /// Where its registers begin.
        base_address: u64,
        /// The flags as they stand.
        flags: u32,
        /// How many interrupts.
        spi_count: u16,
        /// The first of them.
        spi_base: u16,
    },
    /// Type 14: registers of Arm's redistributors.
    GicRedistributors {
        /// Where they begin.
        base_address: u64,
        /// How many bytes.
        size_bytes: u32,
    },
    /// Type 15: an Arm interrupt translator.
    GicIts {
        /// Its id, which SRAT entries of type 4 name.
        its_id: u32,
        /// Where its registers begin.
        base_address: u64,
    },
    /// Type 24: a RISC-V CPU.
    Rintc(Rintc),
}

/// Type 0: an x86 CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalApic {
    /// The processor's number in ACPI's namespace.
    pub processor_uid: u8,
    /// Its APIC id, which SRAT entries of type 0 name.
    pub apic_id: u8,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether it is there to be used.
    pub enabled: bool,
    /// Whether it may be brought online later.
    pub online_capable: bool,
}

/// Type 1: an I/O APIC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IoApic {
    /// Its id.
    pub io_apic_id: u8,
    /// Where its registers begin.
    pub address: u32,
    /// First global interrupt that it serves.
    pub interrupt_base: u32,
}

/// Type 9: an x86 CPU with a large id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalX2Apic {
    /// Its x2APIC id, which SRAT entries of type 2 name.
    pub apic_id: u32,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether it is there to be used.
    pub enabled: bool,
    /// Whether it may be brought online later.
    pub online_capable: bool,
    /// The processor's number in ACPI's namespace.
    pub processor_uid: u32,
}

/// Type 11: an Arm CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gicc {
    /// Its interface number.
    pub interface: u32,
    /// Its number, which SRAT entries of type 3 name.
    pub processor_uid: u32,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether it is there to be used.
    pub enabled: bool,
    /// Whether it may be brought online later (bit 3; ACPI 6.5).
    pub online_capable: bool,
    /// Version of the protocol by which it waits to be started.
    pub parking_version: u32,
    /// The interrupt of its performance counters.
    pub performance_interrupt: u32,
    /// Where it waits.
    pub parked_address: u64,
    /// Where its interface's registers begin.
    pub base_address: u64,
    /// The same for virtual machines.
    pub virtual_base_address: u64,
    /// The same for a hypervisor.
    pub hypervisor_base_address: u64,
    /// The interrupt for maintenance of virtual ones.
    pub virtual_interrupt: u32,
    /// Where its redistributor begins.
    pub redistributor_address: u64,
    /// The CPU's own id (MPIDR).
    pub mpidr: u64,
    /// How frugal it is, compared with others; from 80 bytes on.
    pub efficiency_class: Option<u8>,
    /// The interrupt of its statistical profiler; from 80 bytes on.
    pub profiler_interrupt: Option<u16>,
}

/// Type 24: a RISC-V CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rintc {
    /// The structure's version.
    pub version: u8,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether it is there to be used.
    pub enabled: bool,
    /// Whether it may be brought online later.
    pub online_capable: bool,
    /// The CPU's own id.
    pub hart_id: u64,
    /// Its number, which SRAT entries of type 7 name.
    pub processor_uid: u32,
    /// Its external interrupt controller; from 36 bytes on.
    pub external_controller: Option<u32>,
    /// Where its message interrupts go; from 36 bytes on.
    pub imsic_address: Option<u64>,
    /// How many bytes there are; from 36 bytes on.
    pub imsic_bytes: Option<u32>,
}
