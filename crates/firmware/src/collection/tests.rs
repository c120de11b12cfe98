//! Tables from all supported file formats.

use std::fs;
use std::path::Path;

use super::*;
use crate::acpi::{Slit, Srat};

/// A SLIT of two domains with a valid checksum.
fn slit() -> Vec<u8> {
    let mut bytes = b"SLIT".to_vec();
    bytes.extend(48u32.to_le_bytes());
    bytes.resize(36, 0);
    bytes.extend(2u64.to_le_bytes());
    bytes.extend([10, 21, 21, 10]);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    bytes
}

/// The text of `acpidump`, with the last line padded.
fn dump(signature: &str, bytes: &[u8]) -> String {
    let lines = bytes.chunks(16).enumerate().map(|(line, bytes)| {
        let digits: String = bytes.iter().map(|byte| format!(" {byte:02X}")).collect();
        format!("  {:04X}:{digits:<48}  {}\n", line * 16, "DE AD BE EF 00 11")
    });
    format!("{signature} @ 0x00000000DF7F1000\n{}\n", lines.collect::<String>())
}

fn distance(firmware: &Firmware) -> Option<u8> {
    firmware.first::<Slit>()?.1.content.distance(0, 1)
}

#[test]
fn tables_for_root_exist_and_are_denied() {
    let denied = |name: &str| TableFile {
        name: name.to_owned(),
        path: format!("/sys/firmware/acpi/tables/{name}"),
        line: None,
        bytes: Vec::new(),
        state: ReadState::Denied,
    };
    let firmware = Firmware { tables: vec![denied("APIC"), denied("SRAT")], ..Firmware::default() };
    assert_eq!(firmware.denied().collect::<Vec<_>>(), ["APIC", "SRAT"]);
    assert!(
        firmware.has::<Srat>() && !firmware.has::<Slit>() && firmware.first::<Srat>().is_none()
    );
}

#[test]
fn open_recognises_each_file_format() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    let text = format!("hello\r\n{}{}", dump("SSDT", b"SSDT"), dump("SLIT", &slit()));
    for (bytes, distance_here, line) in
        [(slit(), Some(21), None), (text.into_bytes(), Some(21), Some(5))]
    {
        fs::write(&path, bytes).unwrap();
        let firmware = Firmware::open(&path).unwrap();
        assert_eq!(distance(&firmware), distance_here);
        let (file, table) = firmware.first::<Slit>().unwrap();
        assert_eq!(
            (file.line, table.faults.len(), file.bytes.as_slice()),
            (line, 0, slit().as_slice())
        );
    }
    fs::write(&path, [&MAGIC[..], &[0; 4]].concat()).unwrap();
    let tree = Firmware::open(&path).unwrap().device_tree.unwrap();
    assert!(matches!(tree.state, ReadState::Malformed { .. }), "{tree:?}");
    fs::write(&path, [127, 4, 0, 0, 0, 0]).unwrap();
    assert!(Firmware::open(&path).unwrap().smbios.is_some());
    // A table without END is recognised only by the file name.
    fs::write(&path, [1, 4, 0, 0, 0, 0, 9]).unwrap();
    assert!(Firmware::open(&path).is_err());
    let named = path.with_extension("dmi");
    fs::rename(&path, &named).unwrap();
    assert!(Firmware::open(&named).unwrap().smbios.is_some());
}

#[test]
fn folder_lists_tables_and_skipped_files() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).unwrap();
    write("slit.dat", &slit());
    write("SLIT.memhp", &slit());
    write("dump.txt", dump("SLIT", &slit()).as_bytes());
    write("SOURCE", b"READ ME: where these tables came from, in many words");
    fs::create_dir(place.path().join("more")).unwrap();
    let firmware = Firmware::open(place.path()).unwrap();
    assert_eq!((firmware.tables.len(), firmware.skipped.len()), (3, 1));
    assert!(firmware.skipped[0].path.ends_with("SOURCE"));
    assert_eq!(firmware.skipped[0].why, "it is text, not a table");
}

#[test]
fn folder_without_tables_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("notes"), "nothing").unwrap();
    let error = Firmware::open(place.path()).unwrap_err().to_string();
    assert!(error.contains("has no firmware table (1 files examined)"), "{error}");
    let error = Firmware::open(Path::new("/no/such/place")).unwrap_err().to_string();
    assert!(error.starts_with("cannot read /no/such/place"), "{error}");
    let error = Firmware::open(&place.path().join("notes")).unwrap_err().to_string();
    assert!(error.contains("is not an ACPI table, acpidump text"), "{error}");
}

#[test]
fn too_large_files_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("dump.txt");
    let file = fs::File::create(&path).unwrap();
    file.set_len(8 << 30).unwrap();
    let error = Firmware::open(&path).unwrap_err().to_string();
    assert!(error.contains("is larger than 64 MiB"), "{error}");
    let firmware = {
        fs::write(place.path().join("slit.dat"), slit()).unwrap();
        Firmware::open(place.path()).unwrap()
    };
    assert_eq!(
        (distance(&firmware), firmware.skipped[0].why.as_str()),
        (Some(21), "it is larger than 16 MiB")
    );
}

#[test]
fn gap_in_offsets_ends_a_table() {
    let text = dump("SLIT", &slit()).replace("  0020:", "  0030:");
    let tables = parse_acpidump(text.as_bytes());
    assert_eq!((tables[0].bytes.len(), tables[0].gap), (32, Some(4)));
    let mut firmware = Firmware::default();
    assert!(firmware.take("dump.txt", text.into_bytes()));
    assert_eq!(firmware.skipped[0].why, "SLIT ends at line 4, where the digits do not follow on");
    assert!(matches!(firmware.tables[0].state, ReadState::Malformed { .. }));
}

#[test]
fn text_column_is_not_parsed_as_digits() {
    let tables = parse_acpidump(dump("SLIT", &slit()[..41]).as_bytes());
    assert_eq!(tables[0].bytes, slit()[..41]);
}
