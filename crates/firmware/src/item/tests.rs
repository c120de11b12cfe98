use std::fs;

use super::*;

/// A table with only a header and a valid checksum.
fn bare(signature: &str) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend(36u32.to_le_bytes());
    bytes.resize(36, 0);
    bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    bytes
}

fn machine() -> Firmware {
    let table = |name: &str| {
        let path = format!("/sys/firmware/acpi/tables/{name}");
        TableFile::decode(&path, None, bare(&name[..4]))
    };
    let tables = ["APIC", "SSDT1", "SSDT2"].map(table).into();
    Firmware { origin: "a machine written by hand".to_owned(), tables, ..Firmware::default() }
}

fn named(name: &str) -> FirmwareItem {
    let Ok(subject) = name.parse();
    subject
}

#[test]
fn names_are_case_insensitive() {
    assert_eq!(named("Srat"), FirmwareItem::Table("SRAT".to_owned()));
    assert_eq!(named("madt"), named("apic"));
    assert_eq!(
        (named("DMI"), named("dtb"), named("MAP")),
        (FirmwareItem::Smbios, FirmwareItem::DeviceTree, FirmwareItem::Map)
    );
}

#[test]
fn tables_are_found_by_signature_and_by_file() {
    let firmware = machine();
    let found = |name| FirmwareItem::tables(name, &firmware).unwrap().len();
    assert_eq!([found("APIC"), found("SSDT"), found("SSDT2")], [1, 2, 1]);
}

#[test]
fn error_of_a_missing_table_lists_the_others() {
    let firmware = machine();
    let error = FirmwareItem::tables("SRAT", &firmware).unwrap_err().to_string();
    assert_eq!(error, "a machine written by hand has no SRAT; there are APIC, SSDT");
    let error = FirmwareItem::smbios(&firmware).unwrap_err().to_string();
    assert_eq!(error, "a machine written by hand has no SMBIOS; there are APIC, SSDT");
    let nothing = Firmware { tables: Vec::new(), ..firmware };
    let error = FirmwareItem::device_tree(&nothing).unwrap_err().to_string();
    assert_eq!(
        error,
        "a machine written by hand has no device tree; it has no other firmware table either"
    );
}

#[test]
fn unreadable_tables_need_root() {
    let mut firmware = machine();
    for file in &mut firmware.tables {
        file.state = ReadState::Denied;
        file.name = file.path.rsplit('/').next().unwrap().to_owned();
    }
    for name in ["APIC", "SSDT", "SSDT2"] {
        let error = FirmwareItem::tables(name, &firmware).unwrap_err().to_string();
        assert!(error.contains("exists, and only root may read it"), "{name}: {error}");
    }
}

#[test]
fn malformed_table_error_has_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("srat.dat");
    fs::write(&path, b"SRAT\x30\0\0\0short").unwrap();
    let firmware = Firmware::open(&path).unwrap();
    let error = FirmwareItem::tables("SRAT", &firmware).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "srat.dat cannot be read: 13 bytes are too few for an ACPI table: its header has 36"
        ),
        "{error}"
    );
}
