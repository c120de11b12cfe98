use nearfar_firmware::FirmwareItem;

use super::*;
use crate::firmware_tables;
use crate::source::Source;

/// A table with only a header and a valid checksum.
fn bare(signature: &str) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend(36u32.to_le_bytes());
    bytes.resize(36, 0);
    bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    bytes
}

fn machine() -> Firmware {
    let folder = "/sys/firmware/acpi/tables";
    firmware_tables::read(&Source::from_files([
        (format!("{folder}/APIC"), bare("APIC")),
        (format!("{folder}/SSDT1"), bare("SSDT")),
        (format!("{folder}/SSDT2"), bare("SSDT")),
    ]))
}

#[test]
fn document_has_only_the_requested_parts() {
    let firmware = machine();
    let tables = FirmwareItem::tables("SSDT", &firmware).unwrap();
    let document = serde_json::to_value(FirmwareDocument::from_tables(&firmware, &tables)).unwrap();
    assert_eq!(document["schema"], FIRMWARE_SCHEMA);
    assert_eq!(document["tables"].as_array().unwrap().len(), 2);
    assert_eq!(document["tables"][0]["decoded"]["header"]["checksum_holds"], true);
    assert!(document.get("smbios").is_none() && document.get("left_out").is_none());
}

#[test]
fn document_names_unreadable_parts() {
    let mut firmware = machine();
    firmware.tables[0].state = ReadState::Denied;
    let document = serde_json::to_value(FirmwareDocument::new(&firmware)).unwrap();
    assert_eq!(document["tables"][0]["decoded"], serde_json::Value::Null);
    assert_eq!(document["tables"][0]["why"], "not root");
}
