//! Structures made by hand.

use super::*;

/// Builds a structure from its type, the bytes after the handle, and its strings.
fn structure(kind: u8, handle: u16, fields: &[u8], texts: &[&str]) -> Vec<u8> {
    let mut bytes = vec![kind, fields.len() as u8 + 4];
    bytes.extend(handle.to_le_bytes());
    bytes.extend(fields);
    texts.iter().for_each(|text| bytes.extend([text.as_bytes(), &[0]].concat()));
    bytes.extend(if texts.is_empty() { &[0u8, 0][..] } else { &[0][..] });
    bytes
}

fn end() -> Vec<u8> {
    structure(127, 9, &[], &[])
}

/// A type 17 structure of 92 bytes with these bytes at these offsets.
fn module(at: &[(usize, &[u8])], texts: &[&str]) -> MemoryDevice {
    let mut fields = vec![0; 88];
    for (at, bytes) in at {
        fields[at - 4..at - 4 + bytes.len()].copy_from_slice(bytes);
    }
    let table = [structure(17, 5, &fields, texts), end()].concat();
    Smbios::decode(&table).devices.remove(0)
}

#[test]
fn module_sizes_have_four_encodings() {
    assert_eq!(module(&[], &[]).size_bytes, Some(0));
    assert_eq!(module(&[], &[]).is_populated(), Some(false));
    assert_eq!(module(&[(12, &[0xff, 0xff])], &[]).is_populated(), None);
    assert_eq!(module(&[(12, &[0x00, 0x40])], &[]).size_bytes, Some(16 << 30));
    assert_eq!(module(&[(12, &[0x00, 0x82])], &[]).size_bytes, Some(512 << 10));
    assert_eq!(module(&[(12, &[0xff, 0x7f]), (28, &[0, 0, 1, 0])], &[]).size_bytes, Some(64 << 30));
}

#[test]
fn large_counts_and_speeds_use_extended_fields() {
    assert_eq!(
        module(&[(21, &[0xff, 0xff]), (84, &[0, 0, 1, 0])], &[]).speed_mt_per_s,
        Some(65536)
    );
    assert_eq!(module(&[(21, &[0x60, 0x09])], &[]).speed_mt_per_s, Some(2400));
    assert_eq!(module(&[], &[]).speed_mt_per_s, None);
    let mut fields = vec![0; 44];
    fields[20] = 0x41;
    (fields[31], fields[32], fields[33]) = (255, 255, 0);
    (fields[38], fields[39]) = (0, 1);
    let table = [structure(4, 1, &fields, &["CPU0"]), end()].concat();
    let found = Smbios::decode(&table);
    let processor = &found.processors[0];
    assert_eq!(
        (processor.cores, processor.cores_enabled, processor.threads),
        (Some(256), Some(255), None)
    );
    assert_eq!((processor.populated, processor.status), (Some(true), Some(1)));
}

#[test]
fn serial_numbers_and_asset_tags_are_dropped() {
    let texts = ["A1", "Micron", "SERIAL-4711", "TAG-42", "18ASF2G72PDZ"];
    let module = module(&[(16, &[1]), (23, &[2, 3, 4, 5])], &texts);
    let json = serde_json::to_string(&module).unwrap();
    assert!(json.contains("18ASF2G72PDZ") && json.contains("Micron"), "{json}");
    assert!(!json.contains("SERIAL-4711") && !json.contains("TAG-42"), "{json}");
}

#[test]
fn an_invalid_structure_ends_the_table_with_a_fault() {
    for (bad, at) in
        [(vec![17, 3, 0, 0, 0, 0], 0), (vec![17, 200, 0, 0, 0, 0], 0), (vec![1, 4, 0, 0, 7, 7], 0)]
    {
        let found = Smbios::decode(&bad);
        assert_eq!(
            (found.structures, found.faults.len(), found.faults[0].offset),
            (0, 1, at),
            "{bad:?}"
        );
    }
    let short = [structure(17, 8, &[0; 16], &[]), end()].concat();
    let found = Smbios::decode(&short);
    assert_eq!(
        (found.devices.len(), found.structures, found.faults[0].kind),
        (0, 2, FaultKind::ShortEntry)
    );
    assert_eq!(
        found.faults[0].what,
        "structure 0x0008 of type 17 has 20 bytes, fewer than its type needs"
    );
    let cut = [structure(1, 0, &[], &["x"]), vec![17]].concat();
    assert_eq!(Smbios::decode(&cut).faults[0].offset, 7);
    assert!(Smbios::decode(&[]).faults.is_empty());
}

#[test]
fn both_entry_points_lead_to_the_table() {
    let table = [structure(16, 3, &[3, 3, 6, 0, 0, 0, 8, 0, 0, 24, 0], &[]), end()].concat();
    let mut old = b"_SM_\0\x1f\x02\x08".to_vec();
    old.resize(16, 0);
    old.extend(b"_DMI_\0");
    old.extend((table.len() as u16).to_le_bytes());
    old.extend(32u32.to_le_bytes());
    old.resize(32, 0);
    let sum = old[..31].iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    old[4] = 0u8.wrapping_sub(sum);
    let found = Smbios::decode_file(&[old.clone(), table.clone()].concat()).unwrap();
    assert_eq!((found.version.as_deref(), found.arrays[0].slots), (Some("2.8"), Some(24)));
    assert_eq!(found.arrays[0].max_capacity_bytes, Some(128 << 30));
    assert!(found.faults.is_empty(), "{:?}", found.faults);

    let mut new = b"_SM3_\0\x18\x03\x03\0\x01\0".to_vec();
    new.extend(4096u32.to_le_bytes());
    new.extend(0x7fff_0000u64.to_le_bytes());
    let parts = Smbios::decode_parts(&new, &table);
    assert_eq!((parts.version.as_deref(), parts.arrays.len()), (Some("3.3"), 1));
    assert_eq!(parts.faults[0].kind, FaultKind::BadChecksum);

    assert_eq!(Smbios::decode_file(b"nothing of the kind"), None);
    assert_eq!(Smbios::decode_parts(&old, &table[..6]).faults[0].kind, FaultKind::CutShort);
}

/// A DDR4 module of 16 GiB, 64 bits wide, with this name and speed.
fn ddr4(locator: &str, mt_per_s: u16) -> Vec<u8> {
    let mut fields = vec![0; 88];
    let mut set =
        |at: usize, bytes: &[u8]| fields[at - 4..at - 4 + bytes.len()].copy_from_slice(bytes);
    set(8, &[72, 0, 64, 0, 0, 0x40]);
    set(16, &[1]);
    set(18, &[26]);
    set(32, &mt_per_s.to_le_bytes());
    structure(17, 5, &fields, &[locator])
}

fn channels(modules: &[(&str, u16)]) -> Option<(u32, u32)> {
    let table: Vec<u8> =
        modules.iter().flat_map(|&(locator, speed)| ddr4(locator, speed)).chain(end()).collect();
    Smbios::decode(&table)
        .channels()
        .map(|channels| (channels.count, channels.mega_transfers_per_s))
}

#[test]
fn channels_with_two_modules_count_once() {
    let two_each =
        [("P0-DIMMA1", 3200), ("P0-DIMMA2", 3200), ("P0-DIMMB1", 3200), ("P0-DIMMB2", 3200)];
    assert_eq!(channels(&two_each), Some((2, 3200)));
    assert_eq!(channels(&[("P0-DIMMA1", 2933), ("P1-DIMMA1", 2933)]), Some((2, 2933)));
}

#[test]
fn ambiguous_channels_are_not_counted() {
    for modules in [
        &[][..],
        &[("DIMM 0", 3200)],                         // which channel?
        &[("P0-DIMMA1", 3200), ("P0-DIMMB1", 2933)], // how fast?
        &[("P0-DIMMA1", 0)],                         // unknown, as with hypervisors
        &[("P0-DIMMA1", 3200), ("P0-DIMMB1", 3200), ("P1-DIMMA1", 3200)], // how many a node?
    ] {
        assert_eq!(channels(modules), None, "{modules:?}");
    }
    let unknown_size = structure(
        17,
        6,
        &{
            let mut fields = vec![0; 88];
            fields[8..10].fill(0xff);
            fields
        },
        &[],
    );
    let table = [ddr4("P0-DIMMA1", 3200), unknown_size, end()].concat();
    assert_eq!(Smbios::decode(&table).channels(), None);
}
