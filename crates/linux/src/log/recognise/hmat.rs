//! What the reader of the HMAT says (drivers/acpi/numa/hmat.c).

use nearfar_model::ProximityDomain;

use crate::log::event::EventKind;
use crate::log::scan::Scan;

pub(super) fn event(text: &str) -> Option<EventKind> {
    let scan = Scan(text);
    // Linux 5.2 to 5.4 said "HMAT: ".
    let scan = Scan(scan.words("acpi/hmat: ").or_else(|| scan.words("HMAT: "))?.0.trim_start());
    if let Some(rest) = scan.words("Ignoring: ").or_else(|| scan.words("Ignoring HMAT: ")) {
        return Some(EventKind::HmatIgnored { why: rest.0.to_owned() });
    }
    if let Some(rest) = scan.words("Unexpected ") {
        let (structure, _) = rest.up_to(" header length")?;
        return Some(EventKind::HmatLength { structure: structure.to_owned() });
    }
    memory(scan).or_else(|| locality(scan)).or_else(|| value(scan)).or_else(|| cache(scan))
}

/// "Memory (0x0 length 0x80000000) Flags:0003 Processor Domain:0 Memory Domain:0"; the range is revision 1's.
fn memory(scan: Scan<'_>) -> Option<EventKind> {
    let (_, rest) = scan.words("Memory ")?.up_to("Flags:")?;
    let (flags, rest) = rest.up_to(" Processor Domain:")?;
    let (initiator, rest) = rest.small()?;
    let (memory, _) = rest.words(" Memory Domain:")?.small()?;
    Some(EventKind::HmatMemory {
        flags: u64::from_str_radix(flags, 16).ok()?,
        initiator: ProximityDomain(initiator),
        memory: ProximityDomain(memory),
    })
}

/// "Locality: Flags:00 Type:Read Latency Initiator Domains:2 Target Domains:2 Base:100"
fn locality(scan: Scan<'_>) -> Option<EventKind> {
    let (_, rest) = scan.words("Locality: ")?.up_to("Type:")?;
    let (data, rest) = rest.up_to(" Initiator Domains:")?;
    let (initiators, rest) = rest.number()?;
    let (targets, rest) = rest.words(" Target Domains:")?.number()?;
    let (base_unit, _) = rest.words(" Base:")?.number()?;
    Some(EventKind::HmatLocality { data: data.to_owned(), initiators, targets, base_unit })
}

/// "Initiator-Target[0-1]:13560 nsec"
fn value(scan: Scan<'_>) -> Option<EventKind> {
    let (initiator, rest) = scan.words("Initiator-Target[")?.small()?;
    let (target, rest) = rest.words("-")?.small()?;
    let (value, rest) = rest.words("]:")?.number()?;
    Some(EventKind::HmatValue {
        initiator: ProximityDomain(initiator),
        target: ProximityDomain(target),
        value,
        unit: rest.0.trim().to_owned(),
    })
}

/// "Cache: Domain:0 Size:1073741824 Attrs:00000000 SMBIOS Handles:0"
fn cache(scan: Scan<'_>) -> Option<EventKind> {
    let (memory, rest) = scan.words("Cache: Domain:")?.small()?;
    let (size_bytes, _) = rest.words(" Size:")?.number()?;
    Some(EventKind::HmatCache { memory: ProximityDomain(memory), size_bytes })
}
