//! Malformed tables: each is decoded as far as possible, with the fault's kind and offset.

use nearfar_firmware::acpi::{
    AcpiTable, Affinity, Cdit, Cedt, Crat, EntryBody, Hmat, Madt, Msct, Slit, Srat, decode,
};
use nearfar_firmware::{Fault, FaultKind};

use super::make;

/// Kind and offset of each fault.
fn kinds(faults: &[Fault]) -> Vec<(FaultKind, usize)> {
    faults.iter().map(|fault| (fault.kind, fault.offset)).collect()
}

fn two_nodes() -> Vec<u8> {
    make::srat(
        3,
        &[
            &make::cpu(0, 0),
            &make::cpu(1, 1),
            &make::memory(0, 0, 1 << 30, 1),
            &make::memory(1, 1 << 30, 1 << 30, 1),
        ],
    )
}

#[test]
fn bad_checksum_fault_has_the_right_value() {
    let mut bytes = two_nodes();
    let right = bytes[9];
    bytes[9] = right.wrapping_add(1);
    let srat = decode::<Srat>(&bytes).unwrap();
    assert_eq!((srat.header.checksum_holds, srat.content.entries.len()), (Some(false), 4));
    assert_eq!(kinds(&srat.faults), [(FaultKind::BadChecksum, 9)]);
    assert!(
        srat.faults[0].what.ends_with(&format!("the bytes need {right:#04x}")),
        "{}",
        srat.faults[0].what
    );
}

#[test]
fn length_beyond_the_file_keeps_the_rest() {
    let mut bytes = two_nodes();
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let srat = decode::<Srat>(&bytes).unwrap();
    assert_eq!((srat.content.entries.len(), srat.header.checksum_holds), (4, None));
    assert_eq!(kinds(&srat.faults), [(FaultKind::CutShort, 4)]);
    bytes.truncate(bytes.len() - 30);
    let srat = decode::<Srat>(&bytes).unwrap();
    let cut = srat.content.entries.last().unwrap();
    assert!(matches!(&cut.body, EntryBody::Short { bytes } if bytes.0.len() == 10), "{cut:?}");
    let last = (FaultKind::ShortEntry, 120);
    assert_eq!(
        kinds(&srat.faults),
        [(FaultKind::CutShort, 4), (FaultKind::BeyondTable, 120), last]
    );
}

#[test]
fn bytes_after_the_table_are_ignored() {
    let bytes = [two_nodes(), make::cpu(9, 9)].concat();
    let srat = decode::<Srat>(&bytes).unwrap();
    assert_eq!((srat.content.entries.len(), srat.header.checksum_holds), (4, Some(true)));
    assert_eq!(kinds(&srat.faults), [(FaultKind::FileTooLong, 160)]);
}

#[test]
fn length_below_the_header_is_a_fault() {
    let mut bytes = two_nodes();
    bytes[4..8].copy_from_slice(&7u32.to_le_bytes());
    let srat = decode::<Srat>(&bytes).unwrap();
    assert!(srat.content.entries.is_empty());
    assert_eq!(kinds(&srat.faults)[0], (FaultKind::CutShort, 4));
}

#[test]
fn zero_length_entry_is_kept_and_ends_the_table() {
    // A Dell Precision 5810 has one.
    let srat =
        decode::<Srat>(&make::srat(3, &[&make::cpu(0, 0), &[0, 0], &make::cpu(1, 1)])).unwrap();
    assert_eq!(srat.content.entries.len(), 2);
    let zero = &srat.content.entries[1];
    assert_eq!((zero.offset, zero.kind, zero.length), (64, 0, 0));
    assert_eq!(kinds(&srat.faults)[0], (FaultKind::ZeroLength, 64));
    for (bytes, at) in
        [(make::hmat(2, &[&[0; 8]]), 40), (make::table("CEDT", 1, &[1, 0, 0, 0]), 36)]
    {
        let table = AcpiTable::decode(&bytes).unwrap();
        assert_eq!(kinds(table.faults())[0], (FaultKind::ZeroLength, at));
    }
}

#[test]
fn short_entry_is_kept_as_bytes() {
    let memory = make::memory(0, 0, 1 << 30, 1);
    let mut short = memory[..32].to_vec();
    short[1] = 32;
    let srat = decode::<Srat>(&make::srat(3, &[&short, &make::cpu(0, 0)])).unwrap();
    assert!(matches!(srat.content.entries[0].body, EntryBody::Short { .. }));
    assert!(matches!(srat.content.entries[1].known(), Some(Affinity::LocalApic(_))));
    assert_eq!(kinds(&srat.faults), [(FaultKind::ShortEntry, 48)]);
}

#[test]
fn bytes_too_few_for_an_entry_are_a_fault() {
    let srat = decode::<Srat>(&make::srat(3, &[&make::cpu(0, 0), &[0]])).unwrap();
    assert_eq!(
        (srat.content.entries.len(), kinds(&srat.faults)),
        (1, vec![(FaultKind::LeftOver, 64)])
    );
}

#[test]
fn distances_beyond_the_table_are_dropped() {
    // 2^32 x 2^32 and 2^63 x 2^63 overflow to 0 in 64 bits.
    for count in [3, 1 << 32, 1 << 63, u64::MAX] {
        let slit = decode::<Slit>(&make::slit(count, &[10, 20, 20, 10])).unwrap();
        assert_eq!((slit.content.claimed, slit.content.distances.size()), (Some(count), 0));
        assert_eq!(kinds(&slit.faults), [(FaultKind::CountBeyondTable, 44)], "{count}");
    }
    let missing = decode::<Slit>(&make::table("SLIT", 1, &[2, 0])).unwrap();
    assert_eq!(
        (missing.content.claimed, kinds(&missing.faults)),
        (None, vec![(FaultKind::CountBeyondTable, 36)])
    );
    let more = decode::<Slit>(&make::slit(1, &[10, 20, 20, 10])).unwrap();
    assert_eq!(
        (more.content.distance(0, 0), kinds(&more.faults)),
        (Some(10), vec![(FaultKind::LeftOver, 45)])
    );
    let cdit = decode::<Cdit>(&make::table("CDIT", 1, &[255, 255, 255, 255, 10])).unwrap();
    assert_eq!(kinds(&cdit.faults), [(FaultKind::CountBeyondTable, 40)]);
}

#[test]
fn hmat_counts_beyond_the_table_are_kept_as_bytes() {
    for (rows, columns) in [(3, 2), (u32::MAX, u32::MAX), (0x8000_0000, 2), (0, u32::MAX)] {
        let mut matrix = make::locality(0, 1, 2, 2, &[1, 2, 2, 1]);
        matrix[12..16].copy_from_slice(&u32::to_le_bytes(rows));
        matrix[16..20].copy_from_slice(&u32::to_le_bytes(columns));
        let hmat = decode::<Hmat>(&make::hmat(2, &[&matrix])).unwrap();
        assert!(
            matches!(hmat.content.entries[0].body, EntryBody::Short { .. }),
            "{rows} x {columns}"
        );
        assert_eq!(kinds(&hmat.faults), [(FaultKind::CountBeyondTable, 40)]);
    }
}

#[test]
fn entries_of_a_msct_stay_below_its_highest_domain() {
    let entry = |first: u32, last: u32| {
        let mut entry = vec![1, 22];
        entry.extend(first.to_le_bytes());
        entry.extend(last.to_le_bytes());
        entry.resize(22, 0);
        entry
    };
    for (first, last, faults) in [(0, 1, 0), (1, 3, 0), (0, 4, 1), (7, 9, 1), (3, 2, 1)] {
        let mut body = [56u32, 3, 0].map(u32::to_le_bytes).concat();
        body.extend([0xff; 8]);
        body.extend(entry(first, last));
        let msct = decode::<Msct>(&make::table("MSCT", 1, &body)).unwrap();
        assert_eq!(
            kinds(&msct.faults),
            vec![(FaultKind::WrongCount, 56); faults],
            "{first} to {last}"
        );
    }
}

#[test]
fn host_bridges_of_a_cedt_have_the_size_of_their_version() {
    let bridge = |length: u8, version: u8, size: u64| {
        let mut entry = vec![0, 0, length, 0, 7, 0, 0, 0, version, 0, 0, 0];
        entry.resize(24, 0);
        entry.extend(size.to_le_bytes());
        entry.resize(length.into(), 0);
        entry
    };
    for (bridges, at) in [
        ([bridge(32, 1, 0x1_0000), bridge(32, 0, 0x2000)], None),
        ([bridge(32, 1, 0x1_0000), bridge(32, 1, 0x2000)], Some(68)),
        ([bridge(32, 0, 0x1_0000), bridge(32, 0, 0x2000)], Some(36)),
        ([bridge(32, 1, 0x1_0000), bridge(40, 1, 0x1_0000)], Some(68)),
        ([bridge(32, 1, 0x1_0000), bridge(32, 9, 1)], None),
    ] {
        let cedt = decode::<Cedt>(&make::table("CEDT", 1, &bridges.concat())).unwrap();
        let wanted: Vec<_> = at.map(|at| (FaultKind::WrongCount, at)).into_iter().collect();
        assert_eq!(kinds(&cedt.faults), wanted, "{bridges:?}");
    }
}

#[test]
fn counts_and_offsets_of_other_tables_are_checked() {
    for offset in [0u32, 55, 57, u32::MAX] {
        let mut body = offset.to_le_bytes().to_vec();
        body.resize(20, 0);
        let msct = decode::<Msct>(&make::table("MSCT", 1, &body)).unwrap();
        assert_eq!(kinds(&msct.faults), [(FaultKind::CountBeyondTable, 36)], "{offset}");
    }
    let mut window = make::hex("01 00 24 00 00 00 00 00");
    window.resize(36, 0);
    window[24] = 4;
    let cedt = decode::<Cedt>(&make::table("CEDT", 1, &window)).unwrap();
    assert_eq!(kinds(&cedt.faults), [(FaultKind::CountBeyondTable, 36)]);
    let crat =
        decode::<Crat>(&make::table("CRAT", 1, &[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])).unwrap();
    assert_eq!(kinds(&crat.faults), [(FaultKind::WrongCount, 36)]);
}

#[test]
fn number_of_entries_is_limited() {
    let madt = decode::<Madt>(&make::table("APIC", 1, &[0x7f, 2].repeat(150_000))).unwrap();
    assert_eq!(madt.content.entries.len(), nearfar_firmware::acpi::MAX_ENTRIES);
    assert_eq!(madt.faults.last().unwrap().kind, FaultKind::Flood);
    let zeroes = decode::<Srat>(&make::srat(3, &[&[1, 2].repeat(1000)])).unwrap();
    assert_eq!((zeroes.content.entries.len(), zeroes.faults.len()), (1000, 101));
}

#[test]
fn errors_distinguish_other_bytes() {
    let error = |bytes: &[u8]| AcpiTable::decode(bytes).unwrap_err().to_string();
    assert_eq!(error(b"SRAT"), "4 bytes are too few for an ACPI table: its header has 36");
    assert_eq!(error(&[0; 40]), "the first four bytes are not the signature of an ACPI table");
    assert_eq!(decode::<Slit>(&two_nodes()).unwrap_err().to_string(), "this is SRAT, not SLIT");
    let other = AcpiTable::decode(&make::table("WXYZ", 1, &[1, 2, 3])).unwrap();
    assert_eq!((other.header().signature.as_str(), other.faults().len()), ("WXYZ", 0));
}
