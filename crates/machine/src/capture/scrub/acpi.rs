//! ACPI tables: entries of decoded types are kept, only the header of other tables.
//!
//! Others may contain anything: the MSDM has a Windows key, the NFIT serial numbers of memory
//! modules, the DSDT of some laptops a MAC address. So may entries of unknown types, and bytes
//! after a table's end.

use std::ops::Range;

use nearfar_firmware::acpi::HEADER_BYTES;

use super::Removed;
use super::words::{Grammar, known_bytes};

/// Offsets in the header: the length, the checksum, and three texts of the maker.
const LENGTH: usize = 4;
const CHECKSUM: usize = 9;
const MAKERS: [Range<usize>; 3] = [10..16, 16..24, 28..32];
/// The only byte of the FADT that is read: the preferred power profile.
const PROFILE: usize = 45;
/// The length of the FACS, which has no usual header.
const FACS_BYTES: usize = 64;

/// A table about processors, memory and distances.
struct KeptTable {
    signature: &'static [u8; 4],
    /// Where its entries begin, and its highest type; none for a table without entries.
    entries: Option<(usize, u16, EntryHead)>,
}

/// Sizes of type and length.
#[derive(Clone, Copy)]
enum EntryHead {
    Bytes,
    /// A byte, a reserved one, and two of length (CEDT).
    ByteAndWord,
    /// Two bytes, two reserved ones, and four of length (HMAT).
    WordAndLong,
}

use EntryHead::{ByteAndWord, Bytes, WordAndLong};

const TABLES: [KeptTable; 9] = [
    KeptTable { signature: b"SRAT", entries: Some((48, 7, Bytes)) },
    KeptTable { signature: b"APIC", entries: Some((44, 0x1f, Bytes)) },
    KeptTable { signature: b"PPTT", entries: Some((36, 1, Bytes)) },
    KeptTable { signature: b"CEDT", entries: Some((36, 4, ByteAndWord)) },
    KeptTable { signature: b"HMAT", entries: Some((40, 2, WordAndLong)) },
    KeptTable { signature: b"SLIT", entries: None },
    KeptTable { signature: b"MSCT", entries: None },
    KeptTable { signature: b"CRAT", entries: None },
    KeptTable { signature: b"CDIT", entries: None },
];

/// Overwrites what no rule reads, with zeros. Length and validity of the checksum are unchanged.
pub(super) fn scrub(mut table: Vec<u8>, removed: &mut Removed) -> Vec<u8> {
    if table.len() < HEADER_BYTES || table.starts_with(b"FACS") {
        let end = if table.starts_with(b"FACS") { FACS_BYTES } else { 4 };
        erase(&mut table, end, "what follows its end", removed);
        return table;
    }
    let claimed = number(&table, LENGTH, 4);
    let end = claimed.clamp(HEADER_BYTES, table.len());
    let sum = |table: &[u8]| table[..end].iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    let before = sum(&table);
    for maker in MAKERS {
        let text = &mut table[maker];
        let length = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if let Some(known) = known_bytes(&text[..length], Grammar::Models) {
            removed.note("a text of its maker");
            text[..length].copy_from_slice(&known);
        }
    }
    // A byte makes up for the difference: the last one where nothing is read, else the checksum.
    let mut balance = CHECKSUM;
    match TABLES.iter().find(|kept| table.starts_with(kept.signature)) {
        Some(kept) => {
            if let Some(entries) = kept.entries {
                unknown_entries(&mut table[..end], entries, removed);
            }
            erase(&mut table, end, "what follows its end", removed);
        }
        None => {
            let profile = table.get(PROFILE).copied().filter(|_| table.starts_with(b"FACP"));
            erase(&mut table, HEADER_BYTES, "all but its header", removed);
            profile.into_iter().for_each(|profile| table[PROFILE] = profile);
            if end > HEADER_BYTES && end - 1 != PROFILE {
                balance = end - 1;
            }
        }
    }
    table[balance] = table[balance].wrapping_add(before.wrapping_sub(sum(&table)));
    table
}

fn erase(table: &mut [u8], from: usize, what: &str, removed: &mut Removed) {
    let rest = table.get_mut(from..).unwrap_or_default();
    if rest.iter().any(|&byte| byte != 0) {
        removed.note(what);
        rest.fill(0);
    }
}

/// Overwrites entries of unknown types but their type and length, and what follows damage.
fn unknown_entries(
    table: &mut [u8],
    (mut at, highest, head): (usize, u16, EntryHead),
    removed: &mut Removed,
) {
    let (head_bytes, length_at, length_bytes) = match head {
        Bytes => (2, 1, 1),
        ByteAndWord => (4, 2, 2),
        WordAndLong => (8, 4, 4),
    };
    while at + head_bytes <= table.len() {
        let kind = number(table, at, if head_bytes == 8 { 2 } else { 1 });
        let length = number(table, at + length_at, length_bytes);
        let next = at.saturating_add(length);
        if length < head_bytes || next > table.len() {
            erase(table, at + head_bytes, "what follows its damage", removed);
            return;
        }
        if kind > usize::from(highest) {
            erase(&mut table[..next], at + head_bytes, "entries of unknown types", removed);
        }
        at = next;
    }
    erase(table, at, "what follows its entries", removed);
}

/// A number of up to four bytes.
fn number(table: &[u8], at: usize, bytes: usize) -> usize {
    let bytes = table.get(at..at + bytes).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

#[cfg(test)]
mod tests {
    use nearfar_firmware::acpi::AcpiTable;

    use super::*;

    fn table(signature: &str, body: &[u8]) -> Vec<u8> {
        let mut bytes = signature.as_bytes().to_vec();
        bytes.extend((36 + body.len() as u32).to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(b"SECRETSECRETOE\0\0\0\0SECR\0\0\0\0");
        bytes.extend(body);
        bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
        bytes
    }

    fn has_secret(bytes: &[u8]) -> bool {
        bytes.windows(4).any(|four| four == b"SECR")
    }

    #[test]
    fn lengths_and_checksums_are_kept() {
        for (spoil, holds) in [(0, true), (1, false)] {
            let mut msdm = table("MSDM", b"SECRET-KEY-1");
            msdm[9] = msdm[9].wrapping_add(spoil);
            let mut removed = Removed::default();
            let scrubbed = scrub(msdm.clone(), &mut removed);
            assert_eq!(removed.what(), ["a text of its maker", "all but its header"]);
            assert!(!has_secret(&scrubbed));
            let decoded = AcpiTable::decode(&scrubbed).unwrap();
            assert_eq!(
                (decoded.header().length_bytes, decoded.header().checksum_holds),
                (48, Some(holds))
            );
        }
    }

    #[test]
    fn entries_of_unknown_types_are_erased() {
        let mut srat = [0; 12].to_vec();
        srat.extend([0, 16, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]);
        srat.extend([200, 8]);
        srat.extend(b"SECRET");
        srat.extend([1, 2]);
        let mut srat = table("SRAT", &srat);
        srat.extend(b"SECRET");
        let scrubbed = scrub(srat.clone(), &mut Removed::default());
        assert_eq!(scrubbed[48..66], srat[48..66]);
        assert!(!has_secret(&scrubbed) && scrubbed.len() == srat.len());
        assert_eq!(scrub(scrubbed.clone(), &mut Removed::default()), scrubbed);
    }
}
