use std::fs;

use super::*;

/// A header and nothing else, its checksum right.
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
fn names_are_read_in_any_case() {
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
fn what_is_not_there_is_told_with_what_is() {
    let firmware = machine();
    let said = FirmwareItem::tables("SRAT", &firmware).unwrap_err().to_string();
    assert_eq!(said, "a machine written by hand shows no SRAT; there are APIC, SSDT");
    let said = FirmwareItem::smbios(&firmware).unwrap_err().to_string();
    assert_eq!(said, "a machine written by hand shows no SMBIOS; there are APIC, SSDT");
    let nothing = Firmware { tables: Vec::new(), ..firmware };
    let said = FirmwareItem::device_tree(&nothing).unwrap_err().to_string();
    assert_eq!(
        said,
        "a machine written by hand shows no device tree; nor anything else that firmware wrote"
    );
}

#[test]
fn what_only_root_may_read_is_told_as_such() {
    let mut firmware = machine();
    for file in &mut firmware.tables {
        file.state = ReadState::Denied;
        file.name = file.path.rsplit('/').next().unwrap().to_owned();
    }
    for name in ["APIC", "SSDT", "SSDT2"] {
        let said = FirmwareItem::tables(name, &firmware).unwrap_err().to_string();
        assert!(said.contains("is there, and only root may read it"), "{name}: {said}");
    }
}

#[test]
fn a_file_that_is_no_table_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("srat.dat");
    fs::write(&path, b"SRAT\x30\0\0\0short").unwrap();
    let firmware = Firmware::open(&path).unwrap();
    let said = FirmwareItem::tables("SRAT", &firmware).unwrap_err().to_string();
    assert!(
        said.ends_with(
            "srat.dat cannot be read: 13 bytes are no ACPI table: its header alone has 36"
        ),
        "{said}"
    );
}
