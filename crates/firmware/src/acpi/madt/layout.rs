//! Where each field of the MADT stands.

use super::{Gicc, InterruptController, IoApic, LocalApic, LocalX2Apic, Madt, Rintc};
use crate::acpi::Reading;
use crate::acpi::entries::{self, Head};
use crate::view::View;

const ENTRIES_AT: usize = 44;
/// The types, and how many bytes each needs. GICC entries grew from 76 bytes (ACPI 5.1) to 80 and 82.
const LEAST: [(u16, usize); 14] = [
    (0, 8),
    (1, 12),
    (2, 10),
    (3, 8),
    (4, 6),
    (5, 12),
    (9, 16),
    (0xa, 12),
    (0xb, 76),
    (0xc, 24),
    (0xd, 24),
    (0xe, 16),
    (0xf, 20),
    (0x18, 20),
];

impl Madt {
    pub(in crate::acpi) fn read(table: &mut Reading<'_>) -> Self {
        Self {
            local_apic_address: table.bytes.u32(36),
            flags: table.bytes.u32(40),
            entries: entries::read(table, ENTRIES_AT, Head::Bytes, &LEAST, controller),
        }
    }
}

fn controller(kind: u16, entry: View<'_>) -> Option<InterruptController> {
    match kind {
        0 => local_apic(entry).map(InterruptController::LocalApic),
        1 => io_apic(entry).map(InterruptController::IoApic),
        2..=5 | 0xa => interrupt(kind, entry),
        9 => local_x2apic(entry).map(InterruptController::LocalX2Apic),
        0xb => gicc(entry).map(|gicc| InterruptController::Gicc(Box::new(gicc))),
        0xc..=0xf => gic_part(kind, entry),
        0x18 => rintc(entry).map(InterruptController::Rintc),
        _ => None,
    }
}

fn local_apic(entry: View<'_>) -> Option<LocalApic> {
    let flags = entry.u32(4)?;
    Some(LocalApic {
        processor_uid: entry.u8(2)?,
        apic_id: entry.u8(3)?,
        flags,
        enabled: flags & 1 != 0,
        online_capable: flags & 2 != 0,
    })
}

fn io_apic(entry: View<'_>) -> Option<IoApic> {
    Some(IoApic { io_apic_id: entry.u8(2)?, address: entry.u32(4)?, interrupt_base: entry.u32(8)? })
}

fn interrupt(kind: u16, entry: View<'_>) -> Option<InterruptController> {
    use InterruptController as C;
    Some(match kind {
        2 => C::SourceOverride {
            bus: entry.u8(2)?,
            source: entry.u8(3)?,
            interrupt: entry.u32(4)?,
            flags: entry.u16(8)?,
        },
        3 => C::NmiSource { flags: entry.u16(2)?, interrupt: entry.u32(4)? },
        4 => C::LocalApicNmi { processor_uid: entry.u8(2)?, flags: entry.u16(3)?, lint: entry.u8(5)? },
        5 => C::LocalApicAddress { address: entry.u64(4)? },
        _ => C::LocalX2ApicNmi { flags: entry.u16(2)?, processor_uid: entry.u32(4)?, lint: entry.u8(8)? },
    })
}

fn local_x2apic(entry: View<'_>) -> Option<LocalX2Apic> {
    let flags = entry.u32(8)?;
    Some(LocalX2Apic {
        apic_id: entry.u32(4)?,
        flags,
        enabled: flags & 1 != 0,
        online_capable: flags & 2 != 0,
        processor_uid: entry.u32(12)?,
    })
}

fn gicc(entry: View<'_>) -> Option<Gicc> {
    let flags = entry.u32(12)?;
    Some(Gicc {
        interface: entry.u32(4)?,
        processor_uid: entry.u32(8)?,
        flags,
        enabled: flags & 1 != 0,
        online_capable: flags & 8 != 0,
        parking_version: entry.u32(16)?,
        performance_interrupt: entry.u32(20)?,
        parked_address: entry.u64(24)?,
        base_address: entry.u64(32)?,
        virtual_base_address: entry.u64(40)?,
        hypervisor_base_address: entry.u64(48)?,
        virtual_interrupt: entry.u32(56)?,
        redistributor_address: entry.u64(60)?,
        mpidr: entry.u64(68)?,
        efficiency_class: entry.u8(76),
        profiler_interrupt: entry.u16(78),
    })
}

fn gic_part(kind: u16, entry: View<'_>) -> Option<InterruptController> {
    use InterruptController as C;
    Some(match kind {
        0xc => C::GicDistributor {
            gic_id: entry.u32(4)?,
            base_address: entry.u64(8)?,
            interrupt_base: entry.u32(16)?,
            version: entry.u8(20)?,
        },
        0xd => C::GicMsiFrame {
            frame_id: entry.u32(4)?,
            base_address: entry.u64(8)?,
            flags: entry.u32(16)?,
            spi_count: entry.u16(20)?,
            spi_base: entry.u16(22)?,
        },
        0xe => C::GicRedistributors { base_address: entry.u64(4)?, size_bytes: entry.u32(12)? },
        _ => C::GicIts { its_id: entry.u32(4)?, base_address: entry.u64(8)? },
    })
}

fn rintc(entry: View<'_>) -> Option<Rintc> {
    let flags = entry.u32(4)?;
    Some(Rintc {
        version: entry.u8(2)?,
        flags,
        enabled: flags & 1 != 0,
        online_capable: flags & 2 != 0,
        hart_id: entry.u64(8)?,
        processor_uid: entry.u32(16)?,
        external_controller: entry.u32(20),
        imsic_address: entry.u64(24),
        imsic_bytes: entry.u32(32),
    })
}
