//! Where each field of the SRAT stands.

use nearfar_model::ProximityDomain;

use super::{
    Affinity, DeviceHandle, GenericAffinity, GiccAffinity, ItsAffinity, LocalApicAffinity, MemoryAffinity,
    RintcAffinity, Srat, X2ApicAffinity,
};
use crate::acpi::Reading;
use crate::acpi::entries::{self, Head, Hex};
use crate::view::View;

const ENTRIES_AT: usize = 48;
/// The types, and how many bytes each needs.
const LEAST: [(u16, usize); 8] = [(0, 16), (1, 40), (2, 24), (3, 18), (4, 12), (5, 32), (6, 32), (7, 20)];

impl Srat {
    pub(in crate::acpi) fn read(table: &mut Reading<'_>) -> Self {
        let narrow = table.revision <= 1;
        let table_revision = table.bytes.u32(36);
        let entries =
            entries::read(table, ENTRIES_AT, Head::Bytes, &LEAST, |kind, entry| affinity(kind, entry, narrow));
        Self { table_revision, entries }
    }
}

fn affinity(kind: u16, entry: View<'_>, narrow: bool) -> Option<Affinity> {
    match kind {
        0 => local_apic(entry, narrow).map(Affinity::LocalApic),
        1 => memory(entry, narrow).map(Affinity::Memory),
        2 => x2apic(entry).map(Affinity::X2Apic),
        3 => gicc(entry).map(Affinity::Gicc),
        4 => its(entry).map(Affinity::GicIts),
        5 => generic(entry).map(Affinity::GenericInitiator),
        6 => generic(entry).map(Affinity::GenericPort),
        7 => rintc(entry).map(Affinity::Rintc),
        _ => None,
    }
}

/// Revision 1 had one byte for a domain and left the other three undefined: Linux looks at that byte only.
fn domain(raw: u32, narrow: bool) -> ProximityDomain {
    ProximityDomain(if narrow { raw & 0xff } else { raw })
}

fn local_apic(entry: View<'_>, narrow: bool) -> Option<LocalApicAffinity> {
    let high = entry.slice(9, 3)?;
    let domain_raw = u32::from_le_bytes([entry.u8(2)?, high[0], high[1], high[2]]);
    let flags = entry.u32(4)?;
    Some(LocalApicAffinity {
        domain: domain(domain_raw, narrow),
        domain_raw,
        apic_id: entry.u8(3)?,
        sapic_eid: entry.u8(8)?,
        flags,
        enabled: flags & 1 != 0,
        clock_domain: entry.u32(12)?,
    })
}

fn memory(entry: View<'_>, narrow: bool) -> Option<MemoryAffinity> {
    let domain_raw = entry.u32(2)?;
    let flags = entry.u32(28)?;
    Some(MemoryAffinity {
        domain: domain(domain_raw, narrow),
        domain_raw,
        base_address: entry.u64(8)?,
        size_bytes: entry.u64(16)?,
        flags,
        enabled: flags & 1 != 0,
        hot_pluggable: flags & 2 != 0,
        non_volatile: flags & 4 != 0,
        specific_purpose: flags & 8 != 0,
    })
}

fn x2apic(entry: View<'_>) -> Option<X2ApicAffinity> {
    let flags = entry.u32(12)?;
    Some(X2ApicAffinity {
        domain: ProximityDomain(entry.u32(4)?),
        apic_id: entry.u32(8)?,
        flags,
        enabled: flags & 1 != 0,
        clock_domain: entry.u32(16)?,
    })
}

fn gicc(entry: View<'_>) -> Option<GiccAffinity> {
    let flags = entry.u32(10)?;
    Some(GiccAffinity {
        domain: ProximityDomain(entry.u32(2)?),
        processor_uid: entry.u32(6)?,
        flags,
        enabled: flags & 1 != 0,
        clock_domain: entry.u32(14)?,
    })
}

fn its(entry: View<'_>) -> Option<ItsAffinity> {
    Some(ItsAffinity { domain: ProximityDomain(entry.u32(2)?), its_id: entry.u32(8)? })
}

fn generic(entry: View<'_>) -> Option<GenericAffinity> {
    let flags = entry.u32(24)?;
    Some(GenericAffinity {
        domain: ProximityDomain(entry.u32(4)?),
        handle: handle(entry.u8(3)?, View(entry.slice(8, 16)?))?,
        flags,
        enabled: flags & 1 != 0,
        architectural_transactions: flags & 2 != 0,
    })
}

fn handle(kind: u8, name: View<'_>) -> Option<DeviceHandle> {
    Some(match kind {
        0 => DeviceHandle::Acpi { hid: name.text(0, 8)?, uid: name.u32(8)? },
        1 => {
            // The bus comes first; early versions of QEMU wrote the two bytes the other way round.
            let place = name.u8(3)?;
            DeviceHandle::Pci { segment: name.u16(0)?, bus: name.u8(2)?, device: place >> 3, function: place & 7 }
        }
        _ => DeviceHandle::Unknown { kind, bytes: Hex(name.0.into()) },
    })
}

fn rintc(entry: View<'_>) -> Option<RintcAffinity> {
    let flags = entry.u32(12)?;
    Some(RintcAffinity {
        domain: ProximityDomain(entry.u32(4)?),
        processor_uid: entry.u32(8)?,
        flags,
        enabled: flags & 1 != 0,
        clock_domain: entry.u32(16)?,
    })
}
