//! DSDT and SSDT: claims of domains, and code that is not decoded.

use nearfar_firmware::acpi::{
    AcpiNamespace, AmlValue, Decoded, DefinitionBlock, InheritedDomain, PciRoot, UndecodedCode,
    decode,
};
use nearfar_firmware::{FaultKind, Firmware, FirmwareItem};
use nearfar_model::ProximityDomain;
use proptest::prelude::*;

use crate::aml_code::{
    PNP0A08, byte, condition, device, good, host_bridge, method, name, package, scope,
};
use crate::cases::cases;
use crate::make;

const PXM: &[u8] = b"_PXM";

fn block(signature: &str, terms: &[&[u8]]) -> Decoded<DefinitionBlock> {
    decode(&make::table(signature, 2, &terms.concat())).unwrap()
}

/// Path and domain of each claim.
fn claims(terms: &[&[u8]]) -> Vec<(String, AmlValue<ProximityDomain>)> {
    let block = block("DSDT", terms);
    assert_eq!(undecoded(&block), [], "all code is decoded");
    block.content.claims().map(|claim| (claim.path, claim.domain)).collect()
}

fn undecoded(block: &Decoded<DefinitionBlock>) -> Vec<UndecodedCode> {
    block.content.undecoded().collect()
}

fn constant(domain: u32) -> AmlValue<ProximityDomain> {
    AmlValue::Constant(ProximityDomain(domain))
}

#[test]
fn constants_of_each_size_are_claims() {
    for (data, domain) in [
        (&[0x00][..], constant(0)),
        (&[0x01], constant(1)),
        (&[0x0a, 2], constant(2)),
        (&[0x0b, 1, 2], constant(0x0201)),
        (&[0x0c, 1, 2, 3, 4], constant(0x0403_0201)),
        (&[0x0e, 3, 0, 0, 0, 0, 0, 0, 0], constant(3)),
        (&[0x0e, 3, 0, 0, 0, 1, 0, 0, 0], AmlValue::Malformed),
        (&[0x12, 3, 1, 0x01], AmlValue::Malformed),
        (b"DOM0", AmlValue::Computed),
        (&[0x72, 0x01, 0x01, 0x00], AmlValue::Computed),
    ] {
        let found = claims(&[&device(b"DEV0", &[&name(PXM, data)])]);
        assert_eq!(found, [("\\DEV0".to_owned(), domain)], "{data:x?}");
    }
}

#[test]
fn method_claims_a_constant_only_if_it_returns_one() {
    let found = |body: &[u8]| claims(&[&device(b"DEV0", &[&method(PXM, 0, body)])])[0].1;
    assert_eq!(found(&[0xa4, 0x0a, 5]), constant(5));
    for body in [&[][..], &[0xa4, 0x60], &[0xa3, 0xa4, 0x01], &[0xa4, 0x01, 0xa3]] {
        assert_eq!(found(body), AmlValue::Computed, "{body:x?}");
    }
}

#[test]
fn paths_follow_scopes_and_prefixes() {
    let claim = |path: &[u8]| name(path, &[0x01]);
    for (terms, path) in [
        (scope(b"\\_SB_", &[&device(b"PC20", &[&claim(PXM)])]), "\\_SB_.PC20"),
        (scope(b"\\\x2e_SB_PC20", &[&claim(PXM)]), "\\_SB_.PC20"),
        (scope(b"\\\x2f\x03_SB_PC20RP01", &[&claim(PXM)]), "\\_SB_.PC20.RP01"),
        (scope(b"\\_SB_", &[&claim(b"\x2ePC20_PXM")]), "\\_SB_.PC20"),
        (scope(b"\\_SB_", &[&device(b"AAAA", &[&claim(b"^\x2ePC20_PXM")])]), "\\_SB_.PC20"),
        (scope(b"\\_SB_", &[&device(b"AAAA", &[&scope(b"\\\0", &[&claim(PXM)])])]), "\\"),
        (
            scope(
                b"\\_SB_",
                &[&package(&[0x5b, 0x83], &[b"CPU0", &[0, 0, 0, 0, 0, 0], &claim(PXM)])],
            ),
            "\\_SB_.CPU0",
        ),
        (package(&[0x5b, 0x84], &[b"PWR0", &[0, 0, 0], &claim(PXM)]), "\\PWR0"),
        (package(&[0x5b, 0x85], &[b"\\\x2e_TZ_THM0", &claim(PXM)]), "\\_TZ_.THM0"),
    ] {
        let block = block("DSDT", &[&terms]);
        let found: Vec<String> = block.content.claims().map(|claim| claim.path).collect();
        assert_eq!(found.join(" "), path);
    }
}

#[test]
fn single_scope_name_is_searched_in_parents() {
    let inner = device(b"DEV0", &[&scope(b"PC20", &[&name(PXM, &[0x01])])]);
    let found = claims(&[&scope(b"\\_SB_", &[&device(b"PC20", &[]), &inner])]);
    assert_eq!(found[0].0, "\\_SB_.PC20");
    // A scope of another table, known by an External.
    let external = [&[0x15][..], b"\\\x2e_SB_PC20", &[6, 0]].concat();
    let found = claims(&[&external, &scope(b"\\_SB_", &[&inner])]);
    assert_eq!(found[0].0, "\\_SB_.PC20");
}

#[test]
fn other_terms_are_skipped() {
    let sync = [&[0x5b, 0x01][..], b"MTX0", &[0, 0x5b, 0x02], b"EVT0"].concat();
    let buffer = name(b"BUF0", &package(&[0x11], &[&byte(6), b"\x08_PXM\x01"]));
    let packed = name(b"PKG0", &package(&[0x12], &[&[1], b"\x0d_PXM\0"]));
    let alias = [&[0x06][..], b"BUF0BUF1"].concat();
    let create = [&[0x8a][..], b"BUF0", &[0x00], b"FLD0"].concat();
    let bits = [&[0x5b, 0x13][..], b"BUF0", &[0x00, 0x01], b"FLD1"].concat();
    let store = [&[0x70][..], &[0x72], b"BUF0", &byte(7), &[0x00, 0x60]].concat();
    let fields: Vec<u8> = [0x81, 0x86, 0x87]
        .into_iter()
        .flat_map(|kind| package(&[0x5b, kind], &[b"GNVS\x00_PXM\x08_PXM\x01"]))
        .collect();
    let region =
        [&[0x5b, 0x80][..], b"GNVS", &[0], &[0x72, 0x01], b"BUF0", &[0], &byte(9)].concat();
    let body = method(b"MTH0", 1, &name(PXM, &[0x01]));
    let call = [&b"MTH0"[..], &byte(1)].concat();
    let own = name(PXM, &[0x01]);
    let found = claims(&[&device(
        b"DEV0",
        &[
            &sync, &buffer, &packed, &alias, &create, &bits, &store, &fields, &region, &body,
            &call, &own,
        ],
    )]);
    assert_eq!(found, [("\\DEV0".to_owned(), constant(1))]);
}

#[test]
fn names_in_conditions_are_computed() {
    let otherwise = package(&[0xa1], &[&name(PXM, &[0x00])]);
    let found = claims(&[&device(
        b"DEV0",
        &[
            &condition(&[0x5b, 0x12, b'C', b'O', b'N', b'D', 0x00], &[&name(PXM, &[0x01])]),
            &otherwise,
        ],
    )]);
    let computed = ("\\DEV0".to_owned(), AmlValue::Computed);
    assert_eq!(found, [computed.clone(), computed]);
}

#[test]
fn unknown_code_ends_its_package_only() {
    let (bad, claim) = ([0x1f, 0x01], name(PXM, &[0x01]));
    let first = device(b"DEV0", &[&claim, &bad, &name(b"_ADR", &[0x00])]);
    let block = block("DSDT", &[&first, &device(b"DEV1", &[&claim])]);
    let paths: Vec<String> = block.content.claims().map(|claim| claim.path).collect();
    assert_eq!(paths, ["\\DEV0", "\\DEV1"]);
    let code = &undecoded(&block)[0];
    assert_eq!((code.offset, code.length_bytes, code.scope.as_str()), (36 + 13, 8, "\\DEV0"));
    assert_eq!(code.why, "opcode 0x1f has no meaning here");
    assert_eq!(block.faults, []);
    assert_eq!(block.content.devices().next().unwrap().address, None);
}

#[test]
fn calls_of_unknown_methods_are_not_decoded() {
    let block = block("SSDT", &[b"INIT", &[0x01], &device(b"DEV0", &[])]);
    let code = &undecoded(&block)[0];
    assert_eq!((code.offset, code.scope.as_str(), block.content.device_count()), (36, "\\", 0));
    assert!(code.why.contains("number of arguments"), "{}", code.why);
}

#[test]
fn packages_beyond_their_parent_are_faults() {
    let mut inner = device(b"DEV1", &[&name(PXM, &[0x01])]);
    inner[2] += 1;
    let block = block("DSDT", &[&device(b"DEV0", &[&inner]), &device(b"DEV2", &[])]);
    assert_eq!((block.content.claims().count(), block.content.device_count()), (0, 2));
    assert_eq!(undecoded(&block)[0].scope, "\\DEV0");
    assert_eq!((block.faults[0].kind, block.faults[0].offset), (FaultKind::Damaged, 36 + 7));
}

#[test]
fn tables_that_capture_scrubbed_are_recognised() {
    let block = block("DSDT", &[&[0; 40], &[0x17]]);
    let code = undecoded(&block);
    assert_eq!((code.len(), code[0].length_bytes), (1, 41));
    assert!(code[0].why.contains("only zeros"), "{}", code[0].why);
}

#[test]
fn device_has_the_ids_and_bus_of_its_bridge() {
    let ids = name(b"_CID", &package(&[0x12], &[&[2], &PNP0A08, b"\x0dPNP0A03\0"]));
    let text = name(b"_HID", b"\x0dACPI0016\0");
    let cxl = device(
        b"CL00",
        &[
            &text,
            &ids,
            &name(b"_UID", b"\x0dA1\0"),
            &name(b"_BBN", &byte(12)),
            &name(b"_SEG", &[1]),
        ],
    );
    let content =
        block("DSDT", &[&scope(b"_SB_", &[&host_bridge(b"PC20", 32, &[]), &cxl])]).content;
    let devices: Vec<_> = content.devices().collect();
    assert_eq!(devices[0].hid, Some(AmlValue::Constant("PNP0A08".to_owned())));
    assert_eq!(devices[0].uid, Some(AmlValue::Constant("32".to_owned())));
    assert_eq!(devices[0].pci_root(), Some(PciRoot { segment: 0, bus: 32 }));
    assert!(devices[0].is_pci_host_bridge() && !devices[0].is_cxl_host_bridge());
    assert!(devices[1].is_pci_host_bridge() && devices[1].is_cxl_host_bridge());
    assert_eq!(devices[1].uid, Some(AmlValue::Constant("A1".to_owned())));
    assert_eq!(devices[1].pci_root(), Some(PciRoot { segment: 1, bus: 12 }));
    let computed = host_bridge(b"PC40", 64, &method(b"_SEG", 0, &[0xa4, 0x60]));
    let content = block("DSDT", &[&computed]).content;
    assert_eq!(content.devices().next().unwrap().pci_root(), None);
}

#[test]
fn domains_are_inherited_from_the_next_parent() {
    let port = device(b"RP01", &[&device(b"SLOT", &[])]);
    let bridge = device(b"PC20", &[&name(PXM, &[0x01]), &port]);
    let hidden = device(
        b"PC40",
        &[&name(PXM, &[0x01]), &device(b"RP01", &[&method(PXM, 0, &[0xa4, 0x60])])],
    );
    let dsdt =
        block("DSDT", &[&scope(b"_SB_", &[&bridge, &hidden, &device(b"PC60", &[])])]).content;
    let ssdt = block(
        "SSDT",
        &[&scope(b"\\\x2e_SB_PC60", &[&name(PXM, &byte(3)), &name(b"_BBN", &byte(96))])],
    );
    let namespace = AcpiNamespace::new([&dsdt, &ssdt.content]);
    let constant = |domain, from: &str| InheritedDomain::Constant {
        domain: ProximityDomain(domain),
        from: from.to_owned(),
    };
    for (path, domain) in [
        ("\\_SB_.PC20", constant(1, "\\_SB_.PC20")),
        ("\\_SB_.PC20.RP01.SLOT", constant(1, "\\_SB_.PC20")),
        ("\\_SB_.PC40.RP01", InheritedDomain::Computed { from: "\\_SB_.PC40.RP01".to_owned() }),
        ("\\_SB_.PC60", constant(3, "\\_SB_.PC60")),
        ("\\_SB_", InheritedDomain::Absent),
        ("\\_SB_.PC21", InheritedDomain::Absent),
    ] {
        assert_eq!(namespace.domain_of(path), domain, "{path}");
    }
    assert!(namespace.is_complete());
    let joined = namespace.device("\\_SB_.PC60").unwrap();
    assert_eq!(
        (joined.bus, joined.domain),
        (Some(AmlValue::Constant(96)), Some(self::constant(3)))
    );
}

#[test]
fn undecoded_code_makes_inherited_domains_unknown() {
    let bridge = device(b"PC20", &[&name(PXM, &[0x01]), &device(b"RP01", &[]), &[0x1f]]);
    let content = block("DSDT", &[&scope(b"_SB_", &[&bridge, &device(b"PC40", &[])])]).content;
    let namespace = AcpiNamespace::new([&content]);
    let scope = "\\_SB_.PC20".to_owned();
    assert_eq!(namespace.domain_of("\\_SB_.PC20.RP01"), InheritedDomain::NotDecoded { scope });
    assert!(matches!(namespace.domain_of("\\_SB_.PC20"), InheritedDomain::Constant { .. }));
    assert_eq!(namespace.domain_of("\\_SB_.PC40"), InheritedDomain::Absent);
    assert!(!namespace.is_complete());
}

#[test]
fn namespace_of_a_machine_needs_all_definition_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let namespace = || FirmwareItem::acpi_namespace(&Firmware::open(folder.path()).unwrap());
    write("dsdt.dat", &make::table("DSDT", 2, &good()));
    write("slit.dat", &make::slit(1, &[10]));
    assert_eq!(
        namespace().unwrap().devices().filter(|device| device.is_pci_host_bridge()).count(),
        3
    );
    write("ssdt1.dat", b"SSDT\x01\x02");
    let error = namespace().unwrap_err().to_string();
    assert!(error.contains("ssdt1.dat cannot be read"), "{error}");
    std::fs::remove_file(folder.path().join("dsdt.dat")).unwrap();
    std::fs::remove_file(folder.path().join("ssdt1.dat")).unwrap();
    let error = namespace().unwrap_err().to_string();
    assert!(error.contains("has no DSDT; there are SLIT"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases(256) })]

    #[test]
    fn truncated_blocks_have_a_subset_of_the_claims(cut in 0usize..400) {
        let whole = make::table("DSDT", 2, &good());
        let all: Vec<_> = decode::<DefinitionBlock>(&whole).unwrap().content.claims().collect();
        let cut = cut % whole.len();
        match decode::<DefinitionBlock>(&whole[..cut]) {
            Err(error) => prop_assert!(cut < 36 && error.to_string().contains("too few")),
            Ok(block) => {
                prop_assert!(block.content.claims().all(|claim| all.contains(&claim)));
                prop_assert_eq!(block.faults[0].kind, FaultKind::CutShort);
            }
        }
    }

    #[test]
    fn ranges_that_are_not_decoded_lie_within_the_table(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)
    ) {
        let mut code = good();
        for (at, byte) in changes {
            let at = at.index(code.len());
            code[at] = byte;
        }
        let bytes = make::table("DSDT", 2, &code);
        let block = decode::<DefinitionBlock>(&bytes).unwrap();
        for code in block.content.undecoded() {
            prop_assert!(code.offset >= 36 && code.offset + code.length_bytes <= bytes.len());
        }
        AcpiNamespace::new([&block.content]).domain_of("\\_SB_.PC20.RP01");
    }
}
