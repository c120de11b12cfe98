//! No input makes a decoder panic, or allocate more than a small multiple of its size.
//!
//! A counting allocator (allocation-counter) measures the peak memory while one input is decoded.
//! The fuzz targets in fuzz/ have the same limit.

use allocation_counter::measure;
use nearfar_firmware::acpi::{AcpiTable, MAX_ENTRIES};
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::parse_acpidump;
use nearfar_firmware::smbios::Smbios;
use proptest::prelude::*;

use crate::cases::cases;
use crate::{aml_code, make};

/// Maximum bytes allocated per byte of input: an entry of two bytes becomes one of about 64.
const TIMES: u64 = 48;
/// Additional bytes for any input: a hundred faults with their sentences.
const ALWAYS: u64 = 64 << 10;

/// Decodes bytes with one decoder. Returns the allocated bytes per byte of input.
fn check(what: &str, bytes: &[u8], decode: impl FnOnce(&[u8])) -> f64 {
    let held = measure(|| decode(bytes)).bytes_max;
    let most = TIMES * bytes.len() as u64 + ALWAYS;
    assert!(
        held <= most,
        "{what}: {held} bytes allocated for an input of {}, limit {most}",
        bytes.len()
    );
    held as f64 / bytes.len().max(1) as f64
}

/// Decodes bytes with every decoder.
fn check_all(bytes: &[u8]) {
    check("an ACPI table", bytes, |bytes| drop(AcpiTable::decode(bytes)));
    check("SMBIOS", bytes, |bytes| drop(Smbios::decode(bytes)));
    check("a dump of SMBIOS", bytes, |bytes| drop(Smbios::decode_file(bytes)));
    check("a device tree", bytes, |bytes| drop(DeviceTree::decode(bytes)));
    check("a text", bytes, |bytes| drop(parse_acpidump(bytes)));
}

const SIGNATURES: [&str; 10] =
    ["SRAT", "SLIT", "HMAT", "MSCT", "APIC", "PPTT", "CEDT", "CRAT", "CDIT", "DSDT"];

/// A device tree with these tokens and one property name.
fn tree(tokens: &[u8]) -> Vec<u8> {
    let names_at = 40 + tokens.len() as u32;
    let header = [0xd00d_feed, names_at + 16, 40, names_at, 40, 17, 16, 0, 16, tokens.len() as u32];
    let header: Vec<u8> = header.iter().flat_map(|number: &u32| number.to_be_bytes()).collect();
    [&header[..], tokens, b"numa-node-id\0\0\0\0"].concat()
}

/// A table with random bytes after its header.
fn any_table() -> impl Strategy<Value = Vec<u8>> {
    let body = proptest::collection::vec(any::<u8>(), 0..600);
    (proptest::sample::select(&SIGNATURES[..]), 0u8..4, body)
        .prop_map(|(signature, revision, body)| make::table(signature, revision, &body))
}

/// A valid table with some bytes changed, perhaps cut or extended.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let good = proptest::sample::select(make::good()).prop_map(|(_, bytes)| bytes);
    let changes = proptest::collection::vec(
        (any::<prop::sample::Index>(), prop_oneof![Just(0), Just(255), any::<u8>()]),
        0..6,
    );
    (good, changes, any::<prop::sample::Index>(), 0..4).prop_map(
        |(mut bytes, changes, cut, how)| {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let cut = cut.index(bytes.len());
            match how {
                0 => bytes.truncate(cut),
                1 => bytes.extend_from_within(cut..),
                _ => {}
            }
            bytes
        },
    )
}

/// Tokens of a device tree in any order.
fn any_tree() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        Just(vec![0, 0, 0, 1, b'c', b'p', b'u', 0]),
        Just(vec![0, 0, 0, 1, 0, 0, 0, 0]),
        Just(vec![0, 0, 0, 2]),
        Just(vec![0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1]),
        any::<u32>().prop_map(|number| number.to_be_bytes().to_vec()),
    ];
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tree(&tokens.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases(128) })]

    #[test]
    fn any_bytes_are_decoded_within_bounds(
        bytes in proptest::collection::vec(any::<u8>(), 0..600)
    ) {
        check_all(&bytes);
    }

    #[test]
    fn any_table_is_decoded_within_bounds(bytes in any_table()) {
        check_all(&bytes);
    }

    #[test]
    fn mutated_tables_are_decoded_within_bounds_and_can_be_printed(bytes in mutated()) {
        check_all(&bytes);
        if let Ok(table) = AcpiTable::decode(&bytes) {
            prop_assert!(serde_json::to_string(&table).is_ok());
        }
    }

    #[test]
    fn mutated_trees_are_decoded_within_bounds(bytes in any_tree()) {
        check_all(&bytes);
    }

    #[test]
    fn entries_follow_each_other_and_stay_within_the_table(bytes in mutated()) {
        if let Ok(AcpiTable::Srat(srat)) = AcpiTable::decode(&bytes) {
            let mut end = 48;
            for entry in &srat.content.entries {
                prop_assert_eq!(entry.offset, end);
                prop_assert!(entry.offset + 2 <= bytes.len());
                end = entry.offset + entry.length as usize;
            }
        }
    }
}

/// Tables of the smallest entries of these types.
fn check_smallest_entries(kinds: &[u8]) {
    let mut worst = 0f64;
    for signature in SIGNATURES {
        for &kind in kinds {
            for entry in [
                vec![kind, 2],
                vec![kind, 3, 0],
                vec![kind, 0, 4, 0],
                vec![kind, 0, 0, 0, 8, 0, 0, 0],
            ] {
                let body: Vec<u8> = [vec![0; 12], entry.repeat(2 * MAX_ENTRIES)].concat();
                let bytes = make::table(signature, 2, &body);
                worst = worst.max(check(signature, &bytes, |bytes| drop(AcpiTable::decode(bytes))));
            }
        }
    }
    assert!(worst > 8.0, "the worst is {worst}: that is not the worst");
}

#[test]
fn the_smallest_entries_stay_within_bounds() {
    check_smallest_entries(&[0, 1, 5]);
}

#[test]
#[ignore = "long: entries of all types, not of three"]
fn the_smallest_entries_of_all_types_stay_within_bounds() {
    check_smallest_entries(&(0..=0x20).collect::<Vec<u8>>());
}

/// Code with the most devices, names and ranges that are not decoded, and the deepest.
#[test]
fn expensive_code_stays_within_bounds() {
    let names = |count: u8| {
        let segments: Vec<u8> =
            (0..count).flat_map(|one| [b'A' + one / 26, b'A' + one % 26, b'_', b'_']).collect();
        [&[0x2f, count][..], &segments].concat()
    };
    let scope = |name: &[u8]| aml_code::scope(name, &[]);
    let mut deep = Vec::new();
    let mut nested = vec![0x01];
    for _ in 0..2000 {
        deep = aml_code::scope(b"AAAA", &[&deep]);
        nested = aml_code::package(&[0x12], &[&[1], &nested]);
    }
    let expression = [&[0xa0, 0xcf, 0xff, 0x7f][..], &[0x92; 2000]].concat();
    for code in [
        aml_code::device(b"AAAA", &[]).repeat(200_000),
        aml_code::device(b"AAAA", &[&aml_code::device(b"BBBB", &[])]).repeat(20_000),
        aml_code::name(b"_UID", &[0]).repeat(20_000),
        aml_code::name(b"_UID", b"\x0dA\0").repeat(20_000),
        aml_code::name(b"_CID", &aml_code::package(&[0x12], &[&[9], &b"\x0dA\0".repeat(9)]))
            .repeat(20_000),
        scope(&names(63)).repeat(5_000),
        (0..=255u8)
            .flat_map(|one| {
                scope(&[&[b'_', b'A' + one % 26, b'0' + one % 10][..], &names(62)].concat())
            })
            .collect(),
        [0x10, 0x01].repeat(50_000),
        [0xa0, 0x02, 0x1f].repeat(50_000),
        aml_code::method(b"AAAA", 7, &[]).repeat(20_000),
        deep,
        aml_code::name(b"_CID", &nested),
        expression,
        vec![0x08; 50_000],
    ] {
        check_all(&make::table("DSDT", 2, &code));
    }
}

#[test]
fn other_expensive_inputs_stay_within_bounds() {
    // Modules of minimum size, each with one long string that every field refers to.
    let module = [
        vec![17, 28, 0, 0],
        vec![0; 12],
        vec![1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0],
        vec![b'x', 0, 0],
    ]
    .concat();
    check_all(&module.repeat(5000));
    check_all(&[17, 4, 0, 0, 0, 0].repeat(20_000));
    check_all(&[4, 4, 0, 0, 0, 0].repeat(20_000));
    // Empty nodes, and deeply nested nodes with long names and a NUMA node each.
    check_all(&tree(&[[0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0, 0, 4]].concat().repeat(20_000)));
    let name = |length: usize| [&[0, 0, 0, 1][..], &vec![b'x'; length], &[0]].concat();
    let deep = [
        name(63).repeat(15),
        [name(3), vec![0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]]
            .concat()
            .repeat(5000),
    ];
    check_all(&tree(&[name(3), deep.concat()].concat()));
    check_all(b"SRAT @ 0x0\n".repeat(10_000).as_slice());
    check_all(b"SRAT @ 0x0\n  0000: 53\n".repeat(10_000).as_slice());
}
