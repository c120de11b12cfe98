//! ACPI tables: decoded types are kept, only the header of others.
//!
//! Others may contain anything: the MSDM has a Windows key, the NFIT serial numbers of memory
//! modules, the DSDT of some laptops a MAC address.

use nearfar_firmware::acpi::HEADER_BYTES;

/// Tables about processors, memory and distances, without private data.
const WHOLE: [&[u8; 4]; 11] = [
    b"SRAT", b"SLIT", b"HMAT", b"MSCT", b"APIC", b"PPTT", b"CEDT", b"CRAT", b"CDIT", b"FACP",
    b"FACS",
];

/// Overwrites a table's content with zeros and a last byte that keeps the sum: the header and the
/// validity of the checksum are unchanged.
pub(super) fn scrub(mut table: Vec<u8>) -> (Vec<u8>, Vec<&'static str>) {
    let is_whole = WHOLE.iter().any(|signature| table.starts_with(*signature));
    if is_whole || table.len() <= HEADER_BYTES {
        return (table, Vec::new());
    }
    // Bytes after the table's end are not part of the sum.
    let claimed = usize::try_from(u32::from_le_bytes([table[4], table[5], table[6], table[7]]))
        .unwrap_or(usize::MAX);
    let end = claimed.clamp(HEADER_BYTES + 1, table.len());
    let sum = table[HEADER_BYTES..end].iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    table[HEADER_BYTES..].fill(0);
    table[end - 1] = sum;
    (table, vec!["all but its header"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfar_firmware::acpi::AcpiTable;

    fn table(signature: &str) -> Vec<u8> {
        let mut bytes = signature.as_bytes().to_vec();
        bytes.extend(48u32.to_le_bytes());
        bytes.resize(36, 0);
        bytes.extend(b"SECRET-KEY-1");
        bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
        bytes
    }

    #[test]
    fn headers_and_checksums_are_kept() {
        for (spoil, holds) in [(0, true), (1, false)] {
            let mut msdm = table("MSDM");
            msdm[9] = msdm[9].wrapping_add(spoil);
            let (scrubbed, removed) = scrub(msdm.clone());
            assert_eq!(removed, ["all but its header"]);
            assert!(!scrubbed.windows(6).any(|six| six == b"SECRET"));
            let decoded = AcpiTable::decode(&scrubbed).unwrap();
            assert_eq!(
                (decoded.header().length_bytes, decoded.header().checksum_holds),
                (48, Some(holds))
            );
            assert_eq!(scrubbed[..HEADER_BYTES], msdm[..HEADER_BYTES]);
        }
    }

    #[test]
    fn numa_tables_are_kept() {
        assert_eq!(scrub(table("SRAT")), (table("SRAT"), Vec::new()));
        assert_eq!(scrub(b"MS".to_vec()), (b"MS".to_vec(), Vec::new()));
    }
}
